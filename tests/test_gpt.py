"""GPT: causal, its cache, sampling; equal to transformers' GPT-2 and Llama."""

import json
import os
import warnings

import pytest
import torch

import d2lmini as d2l
from conftest import assert_close

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}

SIZES = {"vocab_size": 40, "num_hiddens": 24, "num_blks": 2, "num_heads": 4}
LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
KINDS = {"GPT-2": {}, "Llama": LLAMA, "untied": {**LLAMA, "tied": False}}
kinds = pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)


def gpt(max_len=16, **options):
    torch.manual_seed(0)
    model = d2l.GPT(**SIZES, max_len=max_len, **options)
    for weights in model.parameters():  # larger ones, so that differences show
        torch.nn.init.normal_(weights, std=0.3)
    return model


def some_tokens(b=2, n=10, vocab_size=40):
    generator = torch.Generator().manual_seed(1)
    return torch.randint(vocab_size, (b, n), generator=generator)


# --- checkpoints of transformers, the oracle -----------------------------------------

GPT2 = {"vocab_size": 40, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 24}
SMALL = {
    "vocab_size": 40,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 24,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
CHECKPOINTS = {
    "GPT-2": GPT2,
    "GPT-2, untied": {**GPT2, "tie_word_embeddings": False, "n_inner": 50},
    "Llama": SMALL,
    "Llama, grouped": {**SMALL, "num_key_value_heads": 2, "rms_norm_eps": 0.1},
    "Llama, tied": {
        **SMALL,
        "num_key_value_heads": 1,
        "tie_word_embeddings": True,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100.0},
    },
}


def checkpoint(folder, sizes):
    """A random model of transformers, saved into a folder with a tokenizer."""
    from tokenizers import Tokenizer, models
    from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

    Config, Model = (
        (GPT2Config, GPT2LMHeadModel) if "n_embd" in sizes else (LlamaConfig, LlamaForCausalLM)
    )
    torch.manual_seed(0)
    model = Model(Config(**sizes)).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.3)
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
    assert tokenizer.encode("BAD").ids == [1, 0, 3]
