"""Small language models of Python's library, each with one part of today's."""

from functools import lru_cache

import torch

import d2lmini
from tools.measure.experiments.training import num_weights
from tools.measure.own_text import encode

COLUMNS = {"weights": 0, "bits per byte": 3, "with larger first weights": 3}
SIZES = {"vocab_size": 1024, "num_blks": 2, "num_heads": 4, "max_len": 128}
STDS = (0.02, 64**-0.5)  # of the first weights of the feed-forward networks
PARTS = {  # the options of `GPT`; a ✓ in its column marks a model that has the part
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"ffn": "swiglu"},
    "rotary": {"positions": "rotary"},
    "two key–value heads": {"num_kv_heads": 2},
    "own output layer": {"tied": False},
}
MODELS = [  # the parts that differ from GPT-2's
    [],
    *([part] for part in PARTS),
    ["SwiGLU", "rotary"],
    ["RMSNorm", "rotary", "two key–value heads"],
    ["RMSNorm", "SwiGLU", "rotary", "two key–value heads"],
    [*PARTS],
]


def rows(seed, root, num_batches=150, models=MODELS):
    """GPT-2 and its variants, trained alike, with small and with larger first weights."""
    for parts in models:
        marks = ("✓" if part in parts else "" for part in PARTS)
        bits = [trained(parts, std, 0.006, seed, num_batches) for std in STDS]
        yield tuple(marks), (bits[0][0], *(score for _, score in bits))


def trained(parts, std, lr, seed, num_batches):
    """How many weights a model with these parts has, and its bits per byte."""
    options = {name: value for part in parts for name, value in PARTS[part].items()}
    torch.manual_seed(seed)
    model = d2lmini.GPT(**SIZES, num_hiddens=64, lr=lr, ffn_std=std, **options)
    torch.manual_seed(seed)  # the same batches for all
    return num_weights(model), train(model, num_batches)


def train(model, num_batches):
    """The bits per byte of a language model after training on Python's library."""
    training, held_out, num_bytes = tokens_of_python()
    model.board.display = False
    options = {"gradient_clip_val": 1, "warmup": 50, "precision": "bf16-mixed"}
    trainer = d2lmini.Trainer(1, num_gpus=1, **options)
    trainer.fit(model, d2lmini.TokenWindows(training, num_batches))
    return d2lmini.bits_per_byte(model.eval(), held_out, num_bytes)


@lru_cache
def tokens_of_python():
    """Python's library: tokens for training, and held out, and the bytes of these."""
    texts = d2lmini.standard_library()
    tokenizer = d2lmini.train_bpe(texts[0], SIZES["vocab_size"])
    training, held_out = (encode(tokenizer, part) for part in texts)
    return training, held_out, len("".join(texts[1]).encode())
