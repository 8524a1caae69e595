"""Which parts of today's language models improve a small one of Python's library.

Two controls show what the learned positions of GPT-2 cost. In one the table starts at 0,
not with random values, and in the other there are no positions. All else, also the batches,
is as in the other rows.
"""

from functools import lru_cache

import torch

import d2lmini
from experiments.models import num_weights
from experiments.own_text import encode

RATES = 0.003, 0.006, 0.012, 0.02
COLUMNS = {"weights": 0, **{f"rate {rate}": 3 for rate in RATES}}
SIZES = {"vocab_size": 1024, "num_blks": 2, "num_heads": 4, "max_len": 128}
STDS = {"small": 0.02, "larger": 64**-0.5}  # first weights of the feed-forward networks
PARTS = {  # the fields of `GPTConfig`
    "RMSNorm": {"norm": "rms"},
    "SwiGLU": {"ffn": "swiglu"},
    "rotary": {"positions": "rotary"},
    "two key–value heads": {"num_kv_heads": 2},
    "own output layer": {"tied": False},
}
# Controls, which `GPT` has no option for.
NO_POSITIONS, FROM_ZERO = "no positions", "positions from 0"
MODELS = {  # the parts that differ from GPT-2's
    "GPT-2's parts": [],
    FROM_ZERO: [FROM_ZERO],
    NO_POSITIONS: [NO_POSITIONS],
    **{part: [part] for part in PARTS},
    "SwiGLU, rotary": ["SwiGLU", "rotary"],
    "all but SwiGLU and own output layer": ["RMSNorm", "rotary", "two key–value heads"],
    "all but own output layer": [part for part in PARTS if part != "own output layer"],
    "all": [*PARTS],
}


def rows(seed, only=""):
    """GPT-2 and its variants, trained alike, with small and with larger first weights.

    With the name of a model, its rows alone.
    """
    for size, std in STDS.items():
        for name, parts in MODELS.items():
            if only not in ("", name):
                continue
            runs = [trained(parts, std, rate, seed) for rate in RATES]
            bits = [score for _, score in runs]
            yield f"{name}, {size} first weights", (runs[0][0], *bits)


def trained(parts, std, lr, seed):
    """How many weights a model with these parts has, and its bits per byte."""
    options = {}
    for part in parts:
        options |= PARTS.get(part, {})
    torch.manual_seed(seed)
    config = d2lmini.GPTConfig(**SIZES, num_hiddens=64, **options)
    model = d2lmini.GPT(config, lr=lr, ffn_std=std)
    if NO_POSITIONS in parts:
        model.positions = None
    if FROM_ZERO in parts:
        torch.nn.init.zeros_(model.positions.weight)
    torch.manual_seed(seed)  # the same batches for all
    return num_weights(model), train(model, 150, precision="bf16-mixed")


def train(model, num_batches, batch_size=16, **options):
    """The bits per byte of a language model after training on Python's library."""
    training, held_out, num_bytes = tokens_of_python()
    model.board.display = False
    trainer = d2lmini.Trainer(1, num_gpus=1, gradient_clip_val=1, warmup=50, **options)
    trainer.fit(model, d2lmini.TokenWindows(training, num_batches, batch_size=batch_size))
    return d2lmini.bits_per_byte(model.eval(), held_out, num_bytes)


@lru_cache
def tokens_of_python():
    """Python's library: tokens for training, and held out, and the bytes of these."""
    texts = d2lmini.standard_library()
    tokenizer = d2lmini.train_bpe(texts[0], SIZES["vocab_size"])
    training, held_out = (encode(tokenizer, part) for part in texts)
    return training, held_out, len("".join(texts[1]).encode())
