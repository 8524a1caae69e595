"""Serving: batches, the scheduler, the paged cache, integers as weights, drafted tokens."""

import copy
import math
from functools import partial

import pytest
import torch
from helpers import assert_close, larger, make_gpt, random
from torch import nn

import d2lmini as d2l
from d2lmini import serving

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
KINDS = {"learned": {}, "rotary": LLAMA}
kinds = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def gpt(vocab_size=40, max_len=64, seed=0, **options):
    model = larger(make_gpt(vocab_size, 24, 2, 4, max_len=max_len, **options))
    if seed:  # other weights
        torch.manual_seed(seed)
        for weights in model.parameters():
            nn.init.normal_(weights, std=0.3)
    return model


def some_prompts(*lengths, vocab_size=40):
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(vocab_size, (n,), generator=generator) for n in lengths]


def alone(model, prompt, max_new_tokens, **options):
    """The answer to one prompt, without the prompt."""
    tokens = d2l.generate(model, prompt[None], max_new_tokens, temperature=0, **options)
    return tokens[0, len(prompt) :].tolist()


# --- prompts of different lengths ------------------------------------------------------


def padded(model, tokens, padding):
    return model(tokens, [d2l.PaddedCache(padding) for _ in model.blks])


@kinds
def test_logits_of_a_padded_row_are_those_of_the_row_alone(options):
    model, prompts = gpt(**options), some_prompts(3, 9, 1)
    tokens, padding = d2l.pad_left(prompts)
    assert tokens.shape == (3, 9) and padding.tolist() == [6, 0, 8]
    logits = padded(model, tokens, padding)
    for row, prompt, n in zip(logits, prompts, padding):
        assert_close(row[n:], model(prompt[None])[0])
    assert logits.isfinite().all()


@kinds
def test_padding_never_leaks(options):
    model = gpt(**options)
    tokens, padding = d2l.pad_left(some_prompts(3, 9))
    other = tokens.clone()
    other[0, :6] = 7
    found, changed = (padded(model, t, padding)[0] for t in (tokens, other))
    assert torch.equal(found[6:], changed[6:]) and not torch.equal(found[:6], changed[:6])


@kinds
@pytest.mark.parametrize("sizes", [[1] * 9, [4, 5], [7, 2]])
def test_padded_rows_in_pieces_equal_the_full_pass(options, sizes):
    model = gpt(**options)
    tokens, padding = d2l.pad_left(some_prompts(3, 9, 5))
    caches = [d2l.PaddedCache(padding) for _ in model.blks]
    logits = [model(piece, caches) for piece in tokens.split(sizes, dim=1)]
    found, expected = torch.cat(logits, dim=1), padded(model, tokens, padding)
    for a, b, n in zip(found, expected, padding):
        assert_close(a[n:], b[n:])


@kinds
@pytest.mark.parametrize("stopped", [False, True])
def test_a_batch_of_prompts_equals_each_alone_token_for_token(options, stopped):
    model, prompts = gpt(**options), some_prompts(3, 9, 1, 6)
    stop = alone(model, prompts[0], 12)[2] if stopped else None
    prompts[1][4] = stop or 0  # a stop in the prompt ends nothing
    answers = d2l.generate_batch(model, prompts, 12, temperature=0, stop=stop)
    for prompt, answer in zip(prompts, answers):
        expected = alone(model, prompt, 12, stop=stop)
        assert answer.tolist() == prompt.tolist() + expected
    assert not stopped or len(answers[0]) < 3 + 12


def test_prompts_that_cannot_be_are_refused():
    model, tokens = gpt(), torch.ones(2, 3, dtype=torch.long)
    for prompts in ([], [tokens], [tokens[0], tokens[0, :0]]):
        with pytest.raises(ValueError, match=r"prompts must be tensors \(n,\) with n > 0"):
            d2l.generate_batch(model, prompts, 3)


# --- continuous batching ---------------------------------------------------------------


@kinds
@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("max_batch", [1, 3, 8])
def test_no_answer_depends_on_the_schedule(options, continuous, max_batch):
    model, prompts = gpt(**options), some_prompts(3, 9, 2, 6, 1, 20, 4)
    limits = [4, 10, 1, 7, 12, 2, 5]
    stop = alone(model, prompts[1], 10)[3]
    scheduler = d2l.Scheduler(model, max_batch, stop=stop, continuous=continuous)
    for name, (prompt, limit) in enumerate(zip(prompts, limits)):
        scheduler.add(name, prompt, limit)
    answers = scheduler.run()
    for name, (prompt, limit) in enumerate(zip(prompts, limits)):
        assert answers[name].tolist() == alone(model, prompt, limit, stop=stop)
    assert max(map(len, scheduler.history)) <= max_batch
    assert sum(map(len, scheduler.history)) == sum(map(len, answers.values()))


def test_a_request_enters_when_another_has_left():
    """Counted by hand: four requests of 1, 4, 2 and 3 tokens, two at a time."""
    histories = {}
    for continuous in (True, False):
        scheduler = d2l.Scheduler(gpt(), 2, continuous=continuous)
        for name, limit in zip("abcd", (1, 4, 2, 3)):
            scheduler.add(name, torch.tensor([1, 2]), limit)
        scheduler.run()
        histories[continuous] = ["".join(names) for names in scheduler.history]
    assert histories[True] == ["ab", "bc", "bc", "bd", "d", "d"]
    assert histories[False] == ["ab", "b", "b", "b", "cd", "cd", "d"]


def test_a_request_can_come_while_others_run_and_columns_that_nobody_needs_are_dropped():
    model, prompts = gpt(**LLAMA), some_prompts(20, 3, 5)
    scheduler = d2l.Scheduler(model, 2)
    scheduler.add("long", prompts[0], 2)
    scheduler.add("short", prompts[1], 9)
    for _ in range(3):
        scheduler.step()
    cache = scheduler.caches[0]
    assert scheduler.running == ["short"] and cache.padding.tolist() == [0]
    assert cache.num_tokens == cache.tensors["keys"].shape[2] == 3 - 1 + 3
    scheduler.add("late", prompts[2], 4)
    answers = scheduler.run()
    assert answers["short"].tolist() == alone(model, prompts[1], 9)
    assert answers["late"].tolist() == alone(model, prompts[2], 4)


def test_impossible_requests_are_refused():
    scheduler, prompt = d2l.Scheduler(gpt(), 2), torch.tensor([1, 2])
    scheduler.add("a", prompt, 3)
    for args, message in {
        ("a", prompt, 3): "name must be new",
        ("b", prompt[:0], 3): r"shape \(n,\) with n > 0",
        ("b", prompt[None], 3): r"shape \(n,\) with n > 0",
        ("b", prompt, 0): "max_new_tokens must be an integer >= 1",
        ("b", prompt, 63): "together must be at most max_len = 64 tokens, and are 65",
    }.items():
        with pytest.raises(ValueError, match=message):
            scheduler.add(*args)
    assert list(scheduler.run()) == ["a"]  # the others have left no trace
    scheduler.step()  # nobody is there
    assert len(scheduler.history) == 3
    with pytest.raises(ValueError, match="max_batch must be an integer >= 1"):
        d2l.Scheduler(gpt(), 0)


def test_a_request_can_be_as_long_as_the_model_reads():
    scheduler, prompts = d2l.Scheduler(gpt(max_len=12), 2), some_prompts(9, 2)
    scheduler.add("long", prompts[0], 3)
    scheduler.add("short", prompts[1], 10)
    assert {name: len(answer) for name, answer in scheduler.run().items()} == {
        "long": 3,
        "short": 10,
    }


# --- the paged cache -------------------------------------------------------------------


def paged_step(model, paged, names, tokens):
    """One call of a model for tokens (b, n), whose cache lies in blocks."""
    return model(tokens, paged.extend(names, num_new=tokens.shape[1]))[:, -1]


def prefill(model, paged, name, prompt):
    return paged_step(model, paged, [name], prompt[None])


@kinds
@pytest.mark.parametrize("block_size", [1, 4, 16])
def test_a_paged_cache_gives_the_answers_of_a_plain_one(options, block_size):
    model, prompts = gpt(**options), some_prompts(3, 9, 5)
    paged = d2l.PagedCache(model, 60, block_size)
    with torch.no_grad():
        logits = torch.cat([prefill(model, paged, i, p) for i, p in enumerate(prompts)])
        answers = []
        for _ in range(8):
            new = logits.argmax(dim=-1, keepdim=True)
            answers.append(new)
            logits = paged_step(model, paged, [0, 1, 2], new)
    for prompt, answer in zip(prompts, torch.cat(answers, dim=1)):
        assert answer.tolist() == alone(model, prompt, 8)
    for i, prompt in enumerate(prompts):
        assert paged.lengths[i] == len(prompt) + 8
        assert len(paged.tables[i]) == math.ceil((len(prompt) + 8) / block_size)


def test_shared_blocks_are_copied_when_one_sequence_writes_and_freed_when_none_is_left():
    model, (system, *questions) = gpt(**LLAMA), some_prompts(6, 3, 4)
    paged = d2l.PagedCache(model, 8, block_size=4)
    with torch.no_grad():
        prefill(model, paged, "system", system)
        for name in (0, 1):
            paged.fork("system", name)
        assert sorted(paged.counts, reverse=True) == [3, 3] + [0] * 6  # nothing copied
        for name, question in enumerate(questions):
            logits = paged_step(model, paged, [name], question[None])
            expected = model(torch.cat((system, question))[None])[:, -1]
            assert_close(logits, expected)
    assert [len(paged.tables[name]) for name in ("system", 0, 1)] == [2, 3, 3]
    assert sorted(paged.counts, reverse=True) == [3, 1, 1, 1, 1, 1, 0, 0]
    with torch.no_grad():  # the source has not been changed
        logits = paged_step(model, paged, ["system"], questions[0][None])
        expected = model(torch.cat((system, questions[0]))[None])[:, -1]
    assert_close(logits, expected)
    for name in ("system", 1, 0):
        paged.free(name)
    assert set(paged.counts) == {0} and not paged.tables and not paged.lengths


def test_when_the_blocks_do_not_suffice_nothing_changes():
    model, (prompt, more) = gpt(), some_prompts(6, 7)
    paged = d2l.PagedCache(model, 4, block_size=4)
    with torch.no_grad():
        prefill(model, paged, "a", prompt)
        paged.fork("a", "b")
        before = copy.deepcopy((paged.tables, paged.lengths, paged.counts))
        # Two blocks are free. One would be the copy, and each needs one more.
        with pytest.raises(ValueError, match="num_blocks = 4 leaves 2 free blocks, and 3"):
            paged_step(model, paged, ["a", "b"], torch.stack((more[:3], more[3:6])))
        assert (paged.tables, paged.lengths, paged.counts) == before
        paged_step(model, paged, ["a", "b"], torch.stack((more[:2], more[2:4])))
        assert sorted(paged.counts) == [0, 1, 1, 2]
        paged.free("b")
        logits = paged_step(model, paged, ["a"], more[None, 4:])
        expected = model(torch.cat((prompt, more[:2], more[4:]))[None])[:, -1]
        assert_close(logits, expected)


def test_a_sequence_begins_once():
    model, (prompt,) = gpt(), some_prompts(3)
    paged = d2l.PagedCache(model, 4)
    with torch.no_grad():
        prefill(model, paged, "a", prompt)
    with pytest.raises(ValueError, match="name must be new, and 'a' has a table"):
        paged.fork("a", "a")


# --- integers as weights ---------------------------------------------------------------


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("group_size", [None, 4, 8])
def test_the_error_of_a_weight_is_at_most_half_a_step(bits, group_size):
    W = random(5, 16, seed=3)
    W[2] = 0
    integers, scale = d2l.quantize_tensor(W, bits, group_size)
    found = d2l.dequantize_tensor(integers, scale)
    groups = 16 // (group_size or 16)
    assert integers.dtype == torch.int8 and scale.shape == (5, groups)
    steps = scale.repeat_interleave(16 // groups, dim=1)
    assert ((W - found).abs() <= 0.501 * steps).all()
    largest = integers.unflatten(1, (groups, -1)).abs().amax(dim=-1)
    rows = [0, 1, 3, 4]
    assert (largest[rows] == 2 ** (bits - 1) - 1).all() and (found[2] == 0).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_error_of_a_half_precision_weight_is_at_most_half_a_step(dtype):
    W = (0.02 * random(50, 64)).to(dtype)
    integers, scale = d2l.quantize_tensor(W)
    error = W.double() - integers.double() * scale.double()
    assert (error.abs() <= 0.501 * scale).all()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("before", [False, True])
def test_a_quantized_model_computes_in_the_type_of_its_original(dtype, bits, before):
    plain, (tokens,) = gpt(), some_prompts(9)
    exact = d2l.quantize(plain.to(dtype).float(), bits)(tokens[None])
    if before:
        model = d2l.quantize(plain.to(dtype), bits)
    else:
        model = d2l.quantize(plain.float(), bits).to(dtype)
    logits = model(tokens[None])
    assert logits.dtype == dtype
    error = (logits.float() - exact).abs().max() / exact.abs().max()
    assert error <= 10 * torch.finfo(dtype).eps + (bits == 8) * 0.03  # rounded inputs


@pytest.mark.parametrize("bits, group_size", [(8, None), (8, 16), (4, 16)])
def test_the_gradient_passes_a_quantized_layer_as_if_inputs_were_not_rounded(
    bits, group_size
):
    W, X = random(6, 32), random(5, 32, seed=1).requires_grad_()
    layer = d2l.QuantizedLinear(W, random(6), bits=bits, group_size=group_size)
    with torch.no_grad():
        expected = layer(X)
    output = layer(X)
    assert_close(output, expected, 1e-5)
    output.square().sum().backward()
    assert_close(X.grad, 2 * expected @ layer.weight, 1e-4)


def test_products_of_integers_do_not_overflow_under_autocast(monkeypatch):
    monkeypatch.setattr(serving, "_is_exact", lambda: False)
    layer, X = d2l.QuantizedLinear(torch.full((8, 512), 0.02)), torch.ones(7, 512)
    with torch.autocast("cpu", torch.float16):
        assert_close(layer(X), torch.full((7, 8), 10.24), 0.02)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_largest_weight_keeps_its_sign_in_every_type(dtype, bits):
    W = torch.arange(128, 256, dtype=dtype)[:, None] * torch.tensor([1, -1], dtype=dtype)
    integers, _ = d2l.quantize_tensor(W, bits)
    assert (integers[:, 0] > 0).all() and torch.equal(integers[:, 0], -integers[:, 1])


def test_a_quantized_model_with_latent_attention_decodes_token_by_token():
    make = partial(d2l.LatentAttention, num_latents=8, rotary_width=2)
    model, (tokens,) = d2l.quantize(gpt(attention=make)), some_prompts(5)
    caches = model.make_caches()
    pieces = [model(token[None, None], caches) for token in tokens]
    assert_close(torch.cat(pieces, dim=1), model(tokens[None]), 0.05)


@pytest.mark.parametrize(("bits", "group_size"), [(8, None), (8, 4), (4, None), (4, 4)])
@pytest.mark.parametrize("use_bias", [False, True])
def test_a_quantized_layer_computes_with_its_rounded_weights(bits, group_size, use_bias):
    torch.manual_seed(0)
    layer, X = nn.Linear(16, 6, bias=use_bias), random(2, 3, 16)
    quantized = d2l.QuantizedLinear(
        layer.weight, layer.bias, bits=bits, group_size=group_size
    )
    W = d2l.dequantize_tensor(*d2l.quantize_tensor(layer.weight, bits, group_size))
    assert_close(quantized.dequantize(), W)
    assert_close(quantized.dequantize([4, 1]), W[[4, 1]])
    if bits == 8 and group_size is None:  # its inputs are rounded as well
        rounded = d2l.dequantize_tensor(*d2l.quantize_tensor(X.flatten(0, 1)))
        X = rounded.view_as(X)
    assert_close(quantized(X), nn.functional.linear(X, W, layer.bias))
    stored = quantized.integers.numel() * quantized.integers.element_size()
    assert stored == 16 * 6 * bits // 8


@pytest.mark.parametrize("exact", [True, False])
def test_products_of_the_largest_integers_are_right_on_every_processor(exact, monkeypatch):
    if not exact:  # as on a processor whose sums of integers overflow
        monkeypatch.setattr(d2l.serving, "_is_exact", lambda: False)
    layer = d2l.QuantizedLinear(torch.full((8, 576), 2.0))
    for n in (1, 8, 40):
        assert_close(layer(torch.ones(n, 576)), torch.full((n, 8), 1152.0))


def test_a_row_with_8_bits_does_not_depend_on_the_others():
    layer, X = d2l.QuantizedLinear(random(6, 16)), random(5, 16)
    X[3] *= 100
    together = layer(X)
    assert all(torch.equal(together[i], layer(X[i : i + 1])[0]) for i in range(5))


@kinds
@pytest.mark.parametrize("tied", [False, True])
def test_a_quantized_model_is_near_its_original_which_stays_as_it_was(options, tied):
    model = gpt(**options, tied=tied)
    before = {name: W.clone() for name, W in model.state_dict().items()}
    (tokens,) = some_prompts(12)
    expected = model(tokens[None]).softmax(dim=-1)
    errors = {}
    for bits, group_size in ((8, None), (4, 8), (4, None)):
        found = d2l.quantize(model, bits, group_size)(tokens[None]).softmax(dim=-1)
        errors[bits, group_size] = (found - expected).abs().mean().item()
    assert 0 < 2 * errors[8, None] < errors[4, 8] < errors[4, None]
    for name, W in model.state_dict().items():
        assert torch.equal(W, before[name]), name
    small = d2l.quantize(model)
    matrices = [W for W in small.parameters() if W.ndim > 1]
    assert len(matrices) == (small.positions is not None)  # all others are integers
    assert (small.embedding.table is small.output) == tied
    assert isinstance(small.blks[1].W_k, d2l.QuantizedLinear)


def test_sizes_that_cannot_be_are_refused():
    W = random(4, 12)
    with pytest.raises(ValueError, match="group_size must divide 12, and is 5"):
        d2l.quantize_tensor(W, 8, 5)
    with pytest.raises(ValueError, match="bits must be from 2 to 8, and is 9"):
        d2l.quantize_tensor(W, 9)
    with pytest.raises(ValueError, match="bits must be 4 or 8, and is 3"):
        d2l.QuantizedLinear(W, bits=3)
    with pytest.raises(ValueError, match=r"weight must be .* with an even in"):
        d2l.QuantizedLinear(W[:, :11], bits=4)


# --- drafted tokens --------------------------------------------------------------------


def copied(tokens, k):
    """A draft that is hardly ever right."""
    return tokens[:1].expand(k)


@kinds
@pytest.mark.parametrize("draft", ["model", "itself", d2l.prompt_lookup, copied])
@pytest.mark.parametrize("num_draft", [1, 4])
def test_greedy_text_with_a_draft_is_that_of_the_model(options, draft, num_draft):
    model = gpt(**options)
    if isinstance(draft, str):
        draft = model if draft == "itself" else gpt(seed=1, **options)
    for prompt in some_prompts(1, 7, 12):
        found, num_calls = d2l.speculative_generate(
            model, draft, prompt[None], 15, num_draft=num_draft, temperature=0
        )
        assert found[0, len(prompt) :].tolist() == alone(model, prompt, 15)
        assert math.ceil(15 / (num_draft + 1)) <= num_calls <= 15
        if draft is model:
            assert num_calls == math.ceil(15 / (num_draft + 1))
        stop = found[0, len(prompt) + 5].item()
        found, _ = d2l.speculative_generate(
            model, draft, prompt[None], 15, num_draft=num_draft, temperature=0, stop=stop
        )
        assert found[0, len(prompt) :].tolist() == alone(model, prompt, 15, stop=stop)


def test_the_next_token_has_the_distribution_of_the_model_whatever_the_draft():
    """Exact: the sum over the drafted token, and over accepting and rejecting it."""
    generator = torch.Generator().manual_seed(0)
    for scale in (0.5, 3):
        logits = scale * torch.randn(2, 7, generator=generator, dtype=torch.double)
        draft, target = logits.softmax(dim=-1)
        draft = draft[None]
        targets = torch.stack((target, target.flip(0)))
        total = torch.zeros(7, dtype=torch.double)
        for x in range(7):
            drafted = torch.tensor([x])
            accept = min(1, (target[x] / draft[0, x]).item())
            for uniform, p in ((accept - 1e-9, accept), (accept + 1e-9, 1 - accept)):
                uniforms = torch.tensor([uniform], dtype=torch.double)
                if p < 1e-12:
                    continue
                k, after = d2l.verify_draft(drafted, draft, targets, uniforms)
                first = nn.functional.one_hot(drafted[0], 7) if k else after
                total += draft[0, x] * p * first
        assert_close(total, target, 1e-7)


def test_drawn_text_with_a_draft_has_the_distribution_of_the_model():
    """Two tokens of a vocabulary of four, 2000 times, against all 16 probabilities."""
    model, draft = gpt(4, seed=0), gpt(4, seed=1)
    prompt, options = torch.tensor([[1, 2]]), {"temperature": 0.8, "top_k": 3}
    expected = torch.zeros(4, 4)
    with torch.no_grad():
        first = d2l.next_token_probs(model(prompt)[0, -1], **options)
        for x in range(4):
            longer = torch.cat((prompt, torch.tensor([[x]])), dim=1)
            expected[x] = first[x] * d2l.next_token_probs(model(longer)[0, -1], **options)
    counts = torch.zeros(4, 4)
    for seed in range(2000):
        tokens, _ = d2l.speculative_generate(
            model, draft, prompt, 3, num_draft=2, seed=seed, **options
        )
        counts[tokens[0, 2], tokens[0, 3]] += 1
    assert (counts[expected == 0] == 0).all()
    seen = expected > 0
    chi2 = ((counts - 2000 * expected)[seen] ** 2 / (2000 * expected[seen])).sum().item()
    freedom = seen.sum().item() - 1
    assert chi2 < freedom + 4 * math.sqrt(2 * freedom)


def test_the_same_seed_gives_the_same_text():
    model, (prompt,) = gpt(), some_prompts(5)
    found = [
        d2l.speculative_generate(model, gpt(seed=1), prompt[None], 9, seed=seed)[0]
        for seed in (3, 3, 4)
    ]
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


def test_the_lookup_proposes_what_followed_the_longest_match_nearest_to_the_end():
    tokens = torch.tensor([5, 1, 2, 3, 7, 8, 9, 2, 3, 6, 1, 2, 3])
    assert d2l.prompt_lookup(tokens, 3).tolist() == [7, 8, 9]  # after 1 2 3
    assert d2l.prompt_lookup(tokens, 3, max_ngram=2).tolist() == [6, 1, 2]  # after 2 3
    assert d2l.prompt_lookup(tokens[:6], 3).tolist() == []
    assert d2l.prompt_lookup(torch.tensor([4, 4]), 3).tolist() == [4]
    assert d2l.prompt_lookup(torch.tensor([4]), 3).tolist() == []


def test_more_than_one_row_is_refused():
    with pytest.raises(ValueError, match=r"tokens must have shape \(1, n\), not \(2, 3\)"):
        d2l.speculative_generate(
            gpt(), d2l.prompt_lookup, torch.ones(2, 3, dtype=torch.long), 4
        )
