"""How far past their trained length the heads of chapter 6 find the token to the left.

The chapter's heads are 8 numbers wide, and each of their texts begins at position 0.
Here rotary and sinusoidal heads are wider, too, and positions that are added begin
anywhere from 0 to 80 in training. Two more ways to tell the order are trained: a number
for each offset up to 19, added to the score (as in T5; Raffel et al., 2020), and a
penalty that grows with the distance (ALiBi; Press et al., 2022). One head has its
causal mask alone. The code is that of the notebook's cells, in whose kernel `measure`
runs.
"""

import math

import torch
from torch import nn

import d2lmini
from experiments import chapter, results
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "06_positional_encoding.ipynb"
LAST = "def accuracy_by_position("  # in the last cell that is needed
WIDTHS = 8, 32, 64, 128
SLOPE = 0.5  # of the penalty
TRAINED, TESTED = 20, 100  # tokens
COLUMNS = [
    "steps",
    "positions 1–19",
    "position 50",
    "positions 80–99",
    "positions 80–99, window",
]


def tables():
    """The table of accuracies."""
    rows = chapter.run(NOTEBOOK, measure, last=LAST)
    yield "longer_texts", results.table(["", *COLUMNS], rows)


def measure(names, seeds=3):
    """The rows of the table, given the names that the notebook's cells define."""
    OneHead, task = names["OneHead"], names["task"]
    builds = {}
    for width in WIDTHS:
        builds[f"rotary, width {width}"] = 160, rotary(OneHead, width)
    for width in (WIDTHS[0], WIDTHS[-1]):
        builds[f"sinusoidal, width {width}"] = 600, sinusoidal(OneHead, width)
    for width in (WIDTHS[0], WIDTHS[-1]):
        make = shifted(sinusoidal(OneHead, width))
        builds[f"sinusoidal, width {width}, begins anywhere"] = 600, make
    make = shifted(names["with_learned"])
    builds["learned, width 8, begins anywhere"] = 600, make
    builds |= {
        "no positions, width 8": (600, OneHead),
        "a number for each offset, width 8": (600, biased(OneHead, Learned)),
        "a penalty for the distance, width 8": (400, biased(OneHead, Penalty)),
    }
    rows = []
    for name, (steps, make) in builds.items():
        found = []
        for seed in range(seeds):
            mask = d2lmini.causal_mask(TRAINED)
            model, *_ = names["train"](make, *task, seed, steps, mask)
            whole = d2lmini.causal_mask(TESTED)
            window = whole & ~whole.tril(-TRAINED)
            by_place, near = (
                names["accuracy_by_position"](model.eval(), each)
                for each in (whole, window)
            )
            places = by_place[:19].mean(), by_place[49], by_place[-20:].mean()
            found.append([each.item() for each in (*places, near[-20:].mean())])
        rows.append([name, str(steps), *map(results.spread, zip(*found))])
    return rows


def rotary(OneHead, width):
    """A function that makes a rotary head of this width."""
    return lambda: OneHead(rotate=d2lmini.RotaryEncoding(width), p=width)


def sinusoidal(OneHead, width):
    """A function that makes a head of this width, whose tokens have sinusoids."""
    return lambda: OneHead(positions=d2lmini.PositionalEncoding(32, 0), p=width)


class Shifted(nn.Module):
    """Positions whose first one is drawn for each batch of the training."""

    def __init__(self, positions):
        super().__init__()
        self.positions = positions

    def forward(self, X):
        last = TESTED - TRAINED
        start = torch.randint(last + 1, ()).item() if self.training else 0
        return self.positions(
            torch.cat((X.new_zeros(X.shape[0], start, X.shape[2]), X), 1)
        )[:, start:]


def shifted(make):
    """A function that makes such a head, whose texts begin anywhere in training."""

    def made():
        model = make()
        model.positions = Shifted(model.positions)
        return model

    return made


class Learned(nn.Module):
    """A learned number for each offset; all offsets beyond training have the last one."""

    def __init__(self):
        super().__init__()
        self.numbers = nn.Parameter(torch.zeros(TRAINED))

    def forward(self, offsets):
        return self.numbers[offsets.clamp(max=TRAINED - 1)]


class Penalty(nn.Module):
    """Less for each token that lies between."""

    def forward(self, offsets):
        return -SLOPE * offsets


def biased(OneHead, Bias):
    """A function that makes a head whose scores get a number for their offset."""

    class Biased(OneHead):
        def __init__(self):
            super().__init__()
            self.bias = Bias()

        def forward(self, tokens, mask):
            X = self.embedding(tokens)
            Q, K = self.W_q(X), self.W_k(X)
            places = torch.arange(tokens.shape[1])
            offsets = (places[:, None] - places).clamp(min=0)
            scores = Q @ K.mT / math.sqrt(Q.shape[-1]) + self.bias(offsets)
            return self.output(d2lmini.masked_softmax(scores, mask=mask) @ self.W_v(X))

    return Biased
