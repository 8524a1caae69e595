"""The attention weights of all heads of a trained language model in one sentence.

The model is SmolLM2 with 135 million parameters, 30 layers of nine heads each. The weights
are kept in 255ths, which leaves a weight of more than a half on its side. Chapter 1 draws
from the file: to load the model takes a quarter of a minute and a gigabyte of memory there.
"""

import base64
import json

import d2lmini as d2l
from experiments import heads, results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "wall.json"
TEXT = "The cat slept because it ate."


def tables():
    """The file."""
    found = {"origin": results.origin().strip("*")} | measure()
    yield FILE, json.dumps(found, ensure_ascii=False, indent=0)


def measure():
    """What the file holds: of each head, each query to the keys up to itself."""
    model, tokenizer = d2l.load_smollm2()
    tokens, weights = heads.attend(model, tokenizer, TEXT)
    n = len(tokens)
    rows, columns = (index.tolist() for index in d2l.causal_mask(n).nonzero(as_tuple=True))
    parts = (255 * weights[:, :, rows, columns]).round().byte()
    return {
        "tokens": tokens,
        "shape": [*weights.shape],
        "size": model.blks[0].p,  # of a query
        "weights": base64.b64encode(parts.numpy().tobytes()).decode(),
    }
