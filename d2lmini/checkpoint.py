"""Store a trained GPT as a folder that `load_pretrained`, and `transformers`, can read."""

import json
from pathlib import Path

import torch
from safetensors.torch import save_file

from .gpt import _LLAMA_LAYERS
from .positional_encoding import RotaryEncoding

__all__ = ["save_pretrained"]


def save_pretrained(model, tokenizer, folder):
    """Write a GPT with the parts of Llama, as `train_gpt` makes it, and its tokenizer.

    The folder then has config.json, model.safetensors and tokenizer.json. Raises
    ValueError for a model with other parts, for example learned positions or a `LoRA`
    that is not merged.
    """
    state = {name: W.detach().cpu() for name, W in model.state_dict().items()}
    names = {"embedding.weight": "model.embed_tokens", "norm.weight": "model.norm"}
    for i in range(len(model.blks)):
        for ours, theirs in _LLAMA_LAYERS.items():
            names[f"blks.{i}.{ours}.weight"] = f"model.layers.{i}.{theirs}"
    names["output.weight"] = "lm_head"
    if foreign := sorted(state.keys() ^ names.keys()):
        raise ValueError(
            "model must have norm='rms', ffn='swiglu', positions='rotary', no biases and "
            f"no LoRA, and differs in {foreign[0]}"
        )
    blk = model.blks[0]
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": model.embedding.num_embeddings,
        "hidden_size": model.embedding.embedding_dim,
        "intermediate_size": blk.ffn.gate.out_features,
        "num_hidden_layers": len(model.blks),
        "num_attention_heads": blk.W_q.out_features // blk.p,
        "num_key_value_heads": blk.W_k.out_features // blk.p,
        "max_position_embeddings": model.max_len,
        "rms_norm_eps": model.norm.eps,
        "rope_theta": _base(blk.rotary),
        "tie_word_embeddings": model.output.weight is model.embedding.weight,
        "bos_token_id": None,
        "eos_token_id": None,
    }
    if config["tie_word_embeddings"]:
        del names["output.weight"]
    tensors = {}
    for ours, theirs in names.items():
        W = state[ours]
        if ours.endswith(("W_q.weight", "W_k.weight")):  # from neighbours to halves
            W = W.unflatten(0, (-1, blk.p // 2, 2)).transpose(1, 2).flatten(0, 2)
        tensors[f"{theirs}.weight"] = W.contiguous()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(config, indent=2)
    (folder / "config.json").write_text(f"{text}\n", encoding="utf-8")
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save(str(folder / "tokenizer.json"))


def _base(rotary):
    """The base of a RotaryEncoding, found from its table, which alone is kept."""
    max_len, num_pairs = rotary.cos.shape
    if num_pairs == 1 or max_len == 1:
        return 10000  # any base gives this table
    angle = torch.atan2(rotary.sin[1, 1], rotary.cos[1, 1]).item()  # base^(-1 / pairs)
    base = round(angle**-num_pairs)
    expected = RotaryEncoding(2 * num_pairs, max_len, base=base)
    if not torch.equal(expected.cos, rotary.cos.cpu()):
        raise ValueError("the model's angles must be those of an integer base")
    return base
