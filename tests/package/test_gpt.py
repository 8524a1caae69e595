"""GPT: causal, its cache, sampling, training on a text."""

import pytest
import torch
from helpers import assert_close, larger, make_gpt, random, some_tokens
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import d2lmini as d2l

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
KINDS = {"GPT-2": {}, "Llama": LLAMA, "untied": {**LLAMA, "tied": False}}
kinds = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def gpt(num_heads=4, max_len=16, **options):
    return larger(make_gpt(40, 24, 2, num_heads, max_len=max_len, **options))


# --- the model -----------------------------------------------------------------------


@kinds
def test_future_tokens_cannot_change_the_past(options):
    model, tokens = gpt(**options), some_tokens()
    changed = tokens.clone()
    changed[:, 6:] = (tokens[:, 6:] + 1) % 40
    difference = (model(tokens) - model(changed)).abs().amax(dim=(0, 2))
    assert difference[:6].max() < 1e-5 and difference[6:].min() > 0.01


@kinds
@pytest.mark.parametrize("sizes", [[1] * 10, [4, 1, 5]])
def test_decoding_in_pieces_with_a_cache_equals_the_full_pass(options, sizes):
    model, tokens, logits = gpt(**options), some_tokens(), []
    caches = model.make_caches()
    for piece in tokens.split(sizes, dim=1):
        before = [cache.select(slice(None)) for cache in caches]
        logits.append(model(piece, caches))
    assert_close(torch.cat(logits, dim=1), model(tokens))
    assert_close(model(piece, before), logits[-1])  # the copies were as they had been
    g = options.get("num_kv_heads", 4)
    for cache in caches:
        assert [*cache.tensors] == ["keys", "values"] and cache.num_tokens == 10
        assert all(X.shape == (2, g, 10, 6) for X in cache.tensors.values())
        assert cache.nbytes == 2 * 4 * 2 * g * 10 * 6


@kinds
def test_the_logits_of_the_last_position_are_the_last_of_all(options):
    model, tokens = gpt(**options), some_tokens()
    assert_close(model(tokens, last_only=True), model(tokens)[:, -1:])
    caches = model.make_caches()
    logits = model(tokens[:, :6], caches, last_only=True)
    assert_close(logits, model(tokens[:, :6])[:, -1:])
    assert_close(model(tokens[:, 6:], caches, last_only=True), model(tokens)[:, -1:])


def test_gpt_2_s_parameters_are_as_many_as_in_the_smallest_released_model():
    with torch.device("meta"):
        model = make_gpt(50257, 768, 12, 12)
    assert sum(weights.numel() for weights in model.parameters()) == 124_439_808


def test_the_first_loss_is_that_of_a_uniform_guess_and_training_lowers_it():
    torch.manual_seed(0)
    model = make_gpt(40, 24, 2, 4, lr=0.01, **LLAMA)
    tokens = (torch.arange(9) + torch.arange(64)[:, None]) % 40
    loss = model.loss(model(tokens[:, :-1]), tokens[:, 1:])
    assert loss.item() == pytest.approx(torch.tensor(40.0).log().item(), abs=0.05)
    data = d2l.DataModule()
    data.batch_size = 16
    parts = tokens[:, :-1], tokens[:, 1:]
    data.get_dataloader = lambda train: d2l.DataModule.get_tensorloader(data, parts, train)
    trainer = d2l.Trainer(5)
    model.board.display = False
    trainer.fit(model, data)
    assert trainer.history["val_loss"].iloc[-1] < 1


@kinds
def test_matrices_decay_and_gains_and_biases_do_not(options):
    model = gpt(**options)
    before = {name: W.detach().clone() for name, W in model.named_parameters()}
    for W in model.parameters():
        W.grad = torch.zeros_like(W)  # so that a step is decay alone
    model.configure_optimizers().step()
    for name, W in model.named_parameters():
        factor = 1 - 0.01 * model.lr if W.ndim == 2 else 1
        assert_close(W, factor * before[name], 1e-7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_heads": 5}, "num_heads = 5"),
        ({"num_kv_heads": 3}, "num_kv_heads = 3"),
        ({"norm": "batch"}, "norm must be 'layer' or 'rms'"),
        ({"ffn": "relu"}, "ffn must be 'gelu' or 'swiglu'"),
        ({"positions": "none"}, "positions must be 'learned' or"),
    ],
)
def test_an_impossible_option_is_refused_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        gpt(**options)


@kinds
def test_initial_weights_are_those_of_gpt_2(options):
    torch.manual_seed(0)
    model = make_gpt(500, 64, 8, 4, max_len=50, **options)
    for name, weights in model.named_parameters():
        if "norm" in name or weights.ndim == 1:
            assert ((weights == 0) if "bias" in name else (weights == 1)).all(), name
        else:  # what is added to the residual path is divided by the root of its terms
            added = any(part in name for part in ("W_o", "ffn.2", "down"))
            std = 0.02 / 4 if added else 0.02
            assert 0.9 * std < weights.std() < 1.1 * std, name


# --- a mixture of experts ------------------------------------------------------------


def test_a_mixture_of_experts_is_the_weighted_sum_of_those_with_the_largest_scores():
    layer, X = larger(d2l.MixtureOfExperts(6, 10, num_experts=5, top_k=2)), random(3, 4, 6)
    layer.bias = torch.tensor([0.3, 0, -0.3, 0, 0.1])  # counts in the choice alone
    seen, counts = [], torch.zeros(5)
    for i, expert in enumerate(layer.experts):
        expert.register_forward_hook(lambda m, args, Y, i=i: seen.append((i, len(args[0]))))
    found, (numbers, sizes) = layer(X), zip(*seen)
    expected = []
    for x in X.flatten(0, 1):
        scores = (layer.router.weight @ x).sigmoid()
        chosen = sorted(range(5), key=lambda i: scores[i] + layer.bias[i])[-2:]
        weights = 2 * scores[chosen] / scores[chosen].sum()
        expected.append(sum(w * layer.experts[i](x[None]) for w, i in zip(weights, chosen)))
        counts[chosen] += 1
    assert_close(found, torch.cat(expected).view(3, 4, 6))
    assert numbers == (0, 1, 2, 3, 4) and list(sizes) == counts.tolist()
    assert_close(layer.load, counts / 24)


def test_balancing_raises_the_bias_of_experts_with_a_small_load_and_lowers_the_others():
    layer = d2l.MixtureOfExperts(6, 10, num_experts=4, top_k=2)
    layer.load = torch.tensor([0.5, 0.25, 0.15, 0.1])
    layer.balance(0.01)
    assert_close(layer.bias, torch.tensor([-0.01, 0, 0.01, 0.01]))
    with pytest.raises(
        ValueError, match="top_k must be from 1 to num_experts = 4, and is 5"
    ):
        d2l.MixtureOfExperts(6, 10, num_experts=4, top_k=5)


def test_a_gpt_with_one_expert_is_the_gpt_with_its_network():
    dense = gpt(**LLAMA, ffn_num_hiddens=10)
    one = {"num_experts": 1, "top_k": 1, "ffn_num_hiddens": 10}
    model = make_gpt(40, 24, 2, 4, Class=d2l.ExpertGPT, max_len=16, **LLAMA, **one)
    state = {
        name.replace("ffn.", "ffn.experts.0."): value
        for name, value in dense.state_dict().items()
    }
    model.load_state_dict(state, strict=False)
    assert_close(model(some_tokens()), dense(some_tokens()))


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_each_update_balances_the_experts_at_the_rate(precision):
    options = {"num_experts": 4, "top_k": 2, "ffn_num_hiddens": 8, "balance_rate": 0.01}
    torch.manual_seed(0)  # with others, three loads in a row may be equal
    model = make_gpt(40, 24, 2, 4, Class=d2l.ExpertGPT, max_len=16, **LLAMA, **options)
    model.board.display = False
    data = d2l.TokenWindows(torch.arange(200) % 40, 3, n=8, batch_size=2)
    d2l.Trainer(1, precision=precision).fit(model, data)
    for blk in model.blks:
        steps = blk.ffn.bias / 0.01
        assert_close(steps, steps.round())
        assert 0 < steps.abs().max() <= 3.001


# --- sampling ------------------------------------------------------------------------


def test_the_plain_distribution_is_the_softmax_and_the_temperature_divides_the_logits():
    logits = random(3, 7)
    assert_close(d2l.next_token_probs(logits), logits.softmax(dim=-1))
    assert_close(d2l.next_token_probs(logits, top_k=7, top_p=1), logits.softmax(dim=-1))
    assert_close(d2l.next_token_probs(logits, 0.5), (2 * logits).softmax(dim=-1))
    greedy = d2l.next_token_probs(torch.tensor([1.0, 3.0, 3.0]), temperature=0)
    assert greedy.tolist() == [0, 1, 0]  # of two that are equal, the first


def test_top_k_keeps_k_tokens_and_top_p_the_smallest_set_that_is_enough():
    logits = random(15, 20)
    plain = logits.softmax(dim=-1)
    probs = d2l.next_token_probs(logits, top_k=3)
    assert ((probs > 0).sum(dim=-1) == 3).all()
    assert_close(
        probs, torch.where(probs > 0, plain, 0) / plain.topk(3)[0].sum(-1)[:, None]
    )
    for top_p in (0.01, 0.5, 0.9):
        kept = d2l.next_token_probs(logits, top_p=top_p) > 0
        total = (plain * kept).sum(dim=-1)
        smallest = plain.masked_fill(~kept, 1).amin(dim=-1)
        assert (total >= top_p - 1e-6).all() and (total - smallest < top_p).all()
        assert (smallest >= plain.masked_fill(kept, 0).amax(dim=-1)).all()


@pytest.mark.parametrize("options", [{"temperature": -1}, {"top_k": 0}, {"top_p": 0}])
def test_an_impossible_filter_is_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}={options[name]}"):
        d2l.next_token_probs(random(4), **options)


class Operations(TorchDispatchMode):
    """The names of the operations that are called."""

    def __enter__(self):
        self.names = set()
        return super().__enter__()

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.names.add(operation._schema.name)
        return operation(*args, **(kwargs or {}))


def test_greedy_decoding_neither_sorts_the_vocabulary_nor_computes_logits_it_does_not_use():
    model, shapes = gpt(), []
    model.output.register_forward_hook(lambda *call: shapes.append(call[2].shape))
    with Operations() as operations:
        d2l.generate(model, some_tokens(n=6), 3, temperature=0)
    assert shapes == [(2, 1, 40)] * 3
    assert "aten::argmax" in operations.names and "aten::sort" not in operations.names


def test_generation_is_in_evaluation_mode_and_gives_the_mode_back():
    model, tokens = gpt(), some_tokens(n=4)
    expected = d2l.generate(model, tokens, 12, temperature=0)
    model.norm = nn.Sequential(model.norm, nn.Dropout(0.5)).train()
    assert torch.equal(d2l.generate(model, tokens, 12, temperature=0), expected)
    assert model.norm.training and not model.training


def test_generation_stops_at_a_token_and_fills_the_row_with_it():
    model, tokens = gpt(), some_tokens(n=4)
    free = d2l.generate(model, tokens, 10, seed=5)
    stop = free[0, 6].item()  # drawn third, if not before
    stopped = d2l.generate(model, tokens, 10, seed=5, stop=stop)
    for row, expected in zip(stopped[:, 4:].tolist(), free[:, 4:].tolist()):
        end = row.index(stop) if stop in row else len(row)
        assert row[:end] == expected[:end] and set(row[end:]) <= {stop}
    alone = d2l.generate(model, tokens[:1], 10, temperature=0)[0]
    first = alone[4].item()
    ended = d2l.generate(model, tokens[:1], 10, temperature=0, stop=first)
    assert torch.equal(ended[0], alone[:5])


@kinds
def test_generation_with_the_cache_equals_generation_without(options):
    model, tokens = gpt(**options), some_tokens(n=4)
    slow, generator = tokens, torch.Generator().manual_seed(5)
    for _ in range(12):
        probs = d2l.next_token_probs(model(slow)[:, -1], 1.5, top_k=20, top_p=0.9)
        slow = torch.cat((slow, torch.multinomial(probs, 1, generator=generator)), dim=1)
    fast = d2l.generate(model, tokens, 12, temperature=1.5, top_k=20, top_p=0.9, seed=5)
    assert torch.equal(fast, slow)


def test_a_seed_repeats_a_text_and_max_len_ends_it_without_losing_it():
    model, tokens = gpt(), some_tokens(n=4)
    assert torch.equal(*(d2l.generate(model, tokens, 8, seed=2) for _ in range(2)))
    assert not torch.equal(*(d2l.generate(model, tokens, 8, seed=seed) for seed in (2, 3)))
    text = d2l.generate(model, tokens, 99, seed=2)
    assert text.shape == (2, 17)  # of which the model has read 16
    assert torch.equal(text[:, :12], d2l.generate(model, tokens, 8, seed=2))
    rows = d2l.generate_batch(model, [*tokens[:, :2], tokens[0]], 99, seed=2)
    assert [len(row) for row in rows] == [15, 15, 17]
    with pytest.raises(ValueError, match="at most max_len = 16 tokens fit, not 17"):
        d2l.generate(model, text, 1)


def test_a_draft_model_ends_where_the_model_does():
    model, tokens = gpt(), some_tokens(n=4)[:1]
    expected = d2l.generate(model, tokens, 99, temperature=0)
    for draft in (gpt(), gpt(max_len=9), d2l.prompt_lookup):
        found, _ = d2l.speculative_generate(model, draft, tokens, 99, temperature=0)
        assert torch.equal(found, expected)


# --- text, tokens and bits per byte --------------------------------------------------


def test_a_tokenizer_of_bytes_recovers_every_text():
    tokenizer = d2l.train_bpe(["for row in rows: for word in row: word"], 260)
    assert tokenizer.get_vocab_size() == 260
    for text in ("for row in rows", "naïve 🐍\n"):
        assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert len(tokenizer.encode("for").ids) < 3


def test_every_tenth_file_of_python_s_library_is_held_out():
    training, held_out = d2l.standard_library()
    assert len(held_out) == (len(training) + len(held_out)) // 10 > 5
    assert not {*training} & {*held_out}


def test_the_files_in_folders_are_added_for_training_only():
    (modules, held_out), (more, same) = (
        d2l.standard_library(packages) for packages in (False, True)
    )
    assert more[: len(modules)] == modules and len(more) > 2 * len(modules)
    assert same == held_out


def test_five_lines_train_a_model_on_a_text_of_one_s_own():
    text = "the cat slept because it ate . " * 40
    tokenizer = d2l.train_bpe([text], 270)
    tokens = torch.tensor(tokenizer.encode(text).ids)
    sizes = {"num_hiddens": 32, "num_heads": 2, "num_kv_heads": 1, "n": 12}
    model = d2l.train_gpt(tokens, 60, vocab_size=270, **sizes)
    written = d2l.complete(model, tokenizer, "the cat", 6, temperature=0)
    assert text.startswith(f"the cat{written}") and len(written) > 10
    with pytest.raises(ValueError, match=r"more than n = 12, and the text has 5"):
        d2l.train_gpt(tokens[:5], 1, vocab_size=270, **sizes)


def test_a_gpt_is_trained_in_float32_unless_another_precision_is_asked_for():
    sizes = {"vocab_size": 20, "num_hiddens": 16, "n": 8, "batch_size": 2}
    tokens = torch.arange(60) % 20
    first, full, half = (
        d2l.train_gpt(tokens, 3, **sizes, **options).output.weight
        for options in ({}, {"precision": "32-true"}, {"precision": "bf16-mixed"})
    )
    assert torch.equal(first, full) and not torch.equal(full, half)
    assert_close(half, full, 0.02)
    with pytest.raises(ValueError, match="precision is 32-true or bf16-mixed, not 'bf16'"):
        d2l.train_gpt(tokens, 3, **sizes, precision="bf16")


def test_a_text_ends_before_the_stop_token_and_a_wrong_one_is_named():
    tokenizer = d2l.train_bpe(["a b c"], 260)
    model = gpt()
    model.embedding, model.output = nn.Embedding(260, 24), nn.Linear(24, 260)
    whole = d2l.complete(model, tokenizer, "a", 8, temperature=0)
    ids = tokenizer.encode("a").ids
    ids = d2l.generate(model, torch.tensor([ids]), 8, temperature=0)[0, len(ids) :].tolist()
    assert whole == tokenizer.decode(ids)
    stop = tokenizer.id_to_token(ids[3])
    short = d2l.complete(model, tokenizer, "a", 8, temperature=0, stop=stop)
    assert short == tokenizer.decode(ids[: ids.index(ids[3])])
    with pytest.raises(ValueError, match="stop must be a token of the tokenizer"):
        d2l.complete(model, tokenizer, "a", stop="<none>")
    with pytest.raises(ValueError, match="prompt must have at least one token"):
        d2l.complete(model, tokenizer, "")


def test_windows_have_the_next_tokens_as_labels():
    batches = d2l.TokenWindows(torch.arange(50), 3, n=8, batch_size=2).train_dataloader()
    assert len(batches) == 3
    for X, Y in batches:
        assert X.shape == (2, 8) and torch.equal(Y, X + 1)


def test_bits_per_byte_of_a_uniform_model_are_those_of_its_vocabulary():
    model = gpt()
    torch.nn.init.zeros_(model.output.weight)  # so that all 40 tokens are as probable
    tokens = torch.randint(40, (35,))
    expected = 35 * torch.tensor(40.0).log2().item() / 70
    assert d2l.bits_per_byte(model, tokens, num_bytes=70, n=8) == pytest.approx(expected)
