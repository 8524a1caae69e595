"""The experiment of scores.py with language models: parts of a GPT, and chapter 11's."""

from functools import lru_cache
from types import SimpleNamespace

import torch

import d2lmini

# The columns of the table, with the digits after the decimal point.
GPT = {"weights": 0, "bits per byte": 3}
SIZES = {"vocab_size": 1024, "num_blks": 2, "num_heads": 4, "max_len": 128}
PARTS = {
    "GPT-2's parts": {},
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"ffn": "swiglu"},
    "rotary positions": {"positions": "rotary"},
    "two key–value heads": {"num_kv_heads": 2},
    "output layer not tied": {"tied": False},
}
LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
TOGETHER = {
    "all but the last": LLAMA,
    "all but the last and SwiGLU": {**LLAMA, "ffn": "gelu"},
}
LARGER = ", larger initial weights"


@lru_cache
def library():
    """The tokens of Python's library, for training and held out, and the bytes of these."""
    training, held_out = d2lmini.standard_library()
    tokenizer = d2lmini.train_bpe(training, SIZES["vocab_size"])

    def encode(texts):
        codes = tokenizer.encode_batch(texts)
        return torch.tensor([token for code in codes for token in code.ids])

    num_bytes = len("".join(held_out).encode())
    return SimpleNamespace(
        training=encode(training), held_out=encode(held_out), num_bytes=num_bytes
    )


def start_larger(model):
    """Draw the first layers of the feed-forward networks with deviation 1 / sqrt(d)."""
    for blk in model.blks:
        first = [blk.ffn.gate, blk.ffn.up] if hasattr(blk.ffn, "gate") else [blk.ffn[0]]
        for layer in first:
            torch.nn.init.normal_(layer.weight, std=layer.in_features**-0.5)


def train(model, num_batches):
    """Train a model as chapter 11 does; return its weights, and its bits per byte."""
    text = library()
    model.board.display = False
    trainer = d2lmini.Trainer(
        1, num_gpus=1, gradient_clip_val=1, warmup=50, precision="bf16-mixed"
    )
    trainer.fit(model, d2lmini.TokenWindows(text.training, num_batches))
    weights = sum(weights.numel() for weights in model.parameters())
    return weights, d2lmini.bits_per_byte(model.eval(), text.held_out, text.num_bytes)


def gpt(seed, root, num_batches=150, parts=PARTS, num_batches_of_chapter=500):
    """GPT-2 and its variants, trained alike, then the model of chapter 11."""
    larger = {title + LARGER: options for title, options in TOGETHER.items()}
    for title, options in {**parts, **TOGETHER, **larger}.items():
        torch.manual_seed(seed)
        model = d2lmini.GPT(**SIZES, num_hiddens=64, lr=0.006, **options)
        if title in larger:
            start_larger(model)
        torch.manual_seed(seed)  # the same batches for all
        yield title, train(model, num_batches)
    torch.manual_seed(seed)
    model = d2lmini.GPT(**SIZES, num_hiddens=128, lr=0.004, **LLAMA)
    yield "the model of chapter 11", train(model, num_batches_of_chapter)
