"""The experiment of scores.py with language models: parts of a GPT, and chapter 11's."""

from contextlib import redirect_stdout
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import nbformat
import torch

import d2lmini

# The columns of the table, with the digits after the decimal point.
GPT = {"weights": 0, "bits per byte": 3}
CHAPTER = Path(__file__).resolve().parents[2] / "notebooks" / "11_gpt.ipynb"
CELLS = "imports", "corpus", "tokenizer", "tokens", "data", "bits-per-byte", "train"
SIZES = {"vocab_size": 1024, "num_hiddens": 64, "num_blks": 2, "num_heads": 4}
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
def chapter():
    """What cells of chapter 11 define: tokens, batches, measure and training."""
    cells = nbformat.read(CHAPTER, as_version=4).cells
    sources = {cell.id: cell.source for cell in cells}
    names = {"GPT": d2lmini.GPT}
    with redirect_stdout(None):
        for name in CELLS:
            exec(compile(sources[name], f"{CHAPTER.name}, {name}", "exec"), names)
    return SimpleNamespace(**names)


def start_larger(model):
    """Draw the first layers of the feed-forward networks with deviation 1 / sqrt(d)."""
    for blk in model.blks:
        first = [blk.ffn.gate, blk.ffn.up] if hasattr(blk.ffn, "gate") else [blk.ffn[0]]
        for layer in first:
            torch.nn.init.normal_(layer.weight, std=layer.in_features**-0.5)


def gpt(seed, root, num_batches=150, parts=PARTS, num_batches_of_chapter=500):
    """GPT-2 and its variants, trained alike, then the model of chapter 11."""
    text = chapter()

    def score(model):
        weights = sum(weights.numel() for weights in model.parameters())
        return weights, text.bits_per_byte(model.eval())

    larger = {title + LARGER: options for title, options in TOGETHER.items()}
    for title, options in {**parts, **TOGETHER, **larger}.items():
        torch.manual_seed(seed)
        model = d2lmini.GPT(**SIZES, max_len=128, lr=0.006, **options)
        if title in larger:
            start_larger(model)
        model.board.display = False
        torch.manual_seed(seed)  # the same batches for all
        data = text.Windows(text.train_tokens, num_batches)
        trainer = d2lmini.Trainer(1, gradient_clip_val=1, warmup=50, precision="bf16-mixed")
        trainer.fit(model, data)
        yield title, score(model)
    model = text.train(seed, num_batches_of_chapter, **LLAMA)
    yield "the model of chapter 11", score(model)
