"""What one more token costs after a long text: the time of a step, and the bytes kept.

Four blocks of width 256, with four heads and layers of chapter 13, have read 1,000 to
64,000 tokens. Their caches are filled with random numbers of the right sizes, since a step
takes as long whatever numbers are in them. It gives the next token to the blocks and goes
on from the cache; keys and values of all tokens are copied when those of the new one are
appended. A control has a cache with room for the new token, in which nothing is copied.

A time is the shortest of several, and the layers take turns. The file and the table have
ratios alone: each time divided by that of softmax after the smallest number of tokens.
Chapter 13 draws from the file.
"""

import copy
import itertools
import json
import math
import re
import time
from functools import partial

import torch

import d2lmini as d2l
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "long_context.json"
TOKENS = 1_000, 4_000, 16_000, 64_000
COLUMNS = ["", *(f"{number:,} tokens" for number in TOKENS)]
WIDTH, BLOCKS, HEADS, WINDOW = 256, 4, 4, 128


class WithRoom(d2l.Cache):
    """A cache whose tensors have a row for the next token already."""

    def append(self, name, X):
        self.tensors[name][..., self.num_tokens :, :] = X
        return self.tensors[name]


LAYERS = {
    "softmax": d2l.WindowAttention,
    f"a window of {WINDOW}": partial(d2l.WindowAttention, window=WINDOW),
    "the delta rule": d2l.DeltaAttention,
    "softmax, nothing copied": d2l.WindowAttention,
}


def make_model(layer):
    """Four blocks with these layers, without positions."""
    torch.manual_seed(0)
    options = {"positions": "rotary", "norm": "rms", "ffn": "swiglu"}
    config = d2l.GPTConfig(128, WIDTH, BLOCKS, HEADS, **options)
    return d2l.GPT(config, attention=layer).eval()


def filled(model, num_tokens, room=False):
    """Caches as after so many tokens, one a block, with random numbers."""
    generator = torch.Generator().manual_seed(0)
    caches, p = [], WIDTH // HEADS
    for blk in model.blks:
        cache = WithRoom() if room else d2l.Cache()
        cache.num_tokens = num_tokens
        if isinstance(blk.attention, d2l.DeltaAttention):
            cache.states["memory"] = torch.randn(1, HEADS, p, p, generator=generator)
        else:
            rows = num_tokens + room
            if blk.attention.window is not None:
                cache.last = blk.attention.window - 1
                rows = min(rows, cache.last)
            for name in ("keys", "values"):
                X = torch.randn(1, HEADS, rows, p, generator=generator)
                cache.tensors[name] = X
        caches.append(cache)
    return caches


@torch.no_grad()
def step(model, caches, X):
    """The next token X (1, 1, d) through the blocks, from a copy of the caches."""
    for blk, cache in zip(model.blks, caches, strict=True):
        X = blk(X, copy.copy(cache))
    return X


def seconds(model, caches, X, least=0.1):
    """The shortest of several steps, as many as fit into so many seconds, or two."""
    found, begun = [], time.perf_counter()
    while len(found) < 2 or time.perf_counter() - begun < least:
        before = time.perf_counter()
        step(model, caches, X)
        found.append(time.perf_counter() - before)
    return min(found)


def measure(tokens=TOKENS, turns=40, least=0.03):
    """For each kind of layer: the ratios of the times, and the bytes of all caches."""
    models = {name: make_model(layer) for name, layer in LAYERS.items()}
    X = torch.randn(1, 1, WIDTH, generator=torch.Generator().manual_seed(1))
    caches = {
        name: [filled(each, number, room=name.endswith("copied")) for number in tokens]
        for name, each in models.items()
    }
    times = {name: [math.inf] * len(tokens) for name in models}
    for _, k, name in itertools.product(range(turns), range(len(tokens)), models):
        found = seconds(models[name], caches[name][k], X, least)
        times[name][k] = min(times[name][k], found)
    sizes = {
        name: [sum(cache.nbytes for cache in each) for each in found]
        for name, found in caches.items()
    }
    first = times["softmax"][0]
    return {
        "tokens": list(tokens),
        "times": {k: [float(f"{t / first:.2g}") for t in ts] for k, ts in times.items()},
        "bytes": sizes,
    }


def tables(threads=1):
    """The file, and the table of the ratios."""
    torch.set_num_threads(threads)
    origin = results.origin()
    found = {"origin": origin.strip("*")} | measure()
    text = json.dumps(found, ensure_ascii=False)
    yield FILE, re.sub(r'(?="(?:tokens|times|bytes)")', "\n", text)
    rows = [[name, *(f"{t:,g}" for t in each)] for name, each in found["times"].items()]
    yield "long_context", results.table(COLUMNS, rows), origin
