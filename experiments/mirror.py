"""Which parts a Transformer needs to say what a token and its mirror image make together.

A sequence has eight tokens, each drawn from 48. The answer at position i is T[a, b], where
a is the token at i, b that at 7 - i, and T a table of 48 × 48 random answers, drawn from 48
as well. So a position has to find its mirror image, and then to know what the two make
together. No pair (a, b) can be told from its parts, and each of the 2,304 occurs hundreds
of times in training, so what has to be found is the mirror image, and what has to be
learned by heart is the table. The test is 2,048 new sequences.

The protocol, fixed before the first run (but for the second rate: it was 0.001, with which
the whole block of seed 0 was at 0.29 and 0.23 at the end, before any other was trained):

A model is the encoder of chapter 7 with one block, 64 wide, with four heads and 128 hidden
units, and an output layer that all positions share. Each row removes one part *before*
training, and the model is trained without it: 1,000 updates of 128 new sequences, with
Adam, warm-up over 50 updates and then a fall to zero, gradients clipped at 1. Columns are
two rates and two scales of the embeddings: times √d as in the chapter, and without the
factor, but from the same start. A seed chooses the table, the first weights and the
sequences. With "a second attention" there are two blocks without feed-forward networks,
which have nearly as many weights as the whole block. With uniform weights a head reads the
mean of all values. Larger embeddings are √d times as large at the start, as in d2l.

The rows "cut out" train nothing: they take a part out of the trained whole block. The last
rows are no models: the best answers of somebody who knows the table, and of the sequence
this much.

That a part is needed here would be refuted if at one of the scales the model without it,
at its better rate, came within 0.05 of the whole one. What a longer training changes,
mirror_longer measures: the rows that could be slow rather than unable, with 4,000 updates,
at the scale and the rate at which the whole block was best.
"""

import copy
from functools import partial
from itertools import product

import torch
from torch import nn

import d2lmini
from experiments.models import UnvalidatedTrainer
from experiments.transformer_parts import remove

TOKENS, LENGTH, BATCH, TEST = 48, 8, 128, 2048
UPDATES = 1000
SIZES = 64, 128, 4  # num_hiddens, ffn_num_hiddens, num_heads
RATES = 0.003, 0.01
SCALES = {"with √d": (), "without √d": ["factor √d of the embeddings"]}
SETTINGS = [*product(SCALES, RATES)]
COLUMNS = {"weights": 0, **{f"{scale}, rate {rate}": 2 for scale, rate in SETTINGS}}


class Uniform(nn.Module):
    """The mean of all values (b, h, m, p), in place of their sums with weights."""

    def __init__(self, attention):
        super().__init__()

    def forward(self, queries, keys, values, valid_lens=None, **masks):
        return values.mean(dim=-2, keepdim=True).expand_as(values)


def uniform(model):
    """Let every head of an encoder read the mean of all values."""
    for block in model.encoder.blks:
        block.attention.attention = Uniform(block.attention.attention)


@torch.no_grad()
def larger(model):
    """Let the embeddings begin √d times as large."""
    model.encoder.embedding.weight.mul_(SIZES[0] ** 0.5)


WHOLE, ATTENTION = "whole block", "self-attention of the encoder"
NO_FFN = partial(remove, "feed-forward networks")
MODELS = {  # the number of blocks, and how they are changed before training
    WHOLE: (1, None),
    "without the feed-forward network": (1, NO_FFN),
    "without it, a second attention in its place": (2, NO_FFN),
    "without attention": (1, partial(remove, ATTENTION)),
    "with uniform weights": (1, uniform),
    "without positions": (1, partial(remove, "positions")),
    "without residual connections": (1, partial(remove, "residual connections")),
    "without layer normalisations": (1, partial(remove, "layer normalisations")),
    "with larger embeddings": (1, larger),
}
CUT = {  # from the trained whole block
    "the feed-forward network cut out": NO_FFN,
    "attention cut out": partial(remove, ATTENTION),
    "the weights made uniform": uniform,
    "positions cut out": partial(remove, "positions"),
}


class Mirror(d2lmini.Module):
    """Logits (b, n, TOKENS) for tokens (b, n), from an encoder."""

    def __init__(self, num_blks, lr):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = d2lmini.TransformerEncoder(TOKENS, *SIZES, num_blks, 0)
        self.dense = nn.Linear(SIZES[0], TOKENS)

    def forward(self, X):
        return self.dense(self.encoder(X))

    def loss(self, Y_hat, Y):
        return nn.functional.cross_entropy(Y_hat.flatten(0, 1), Y.flatten())

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr, fused=True)


class Sequences(d2lmini.DataModule):
    """Batches of new sequences with their answers."""

    def __init__(self, seed, updates=UPDATES):
        self.updates, self.fixed = updates, torch.Generator().manual_seed(seed)
        self.table = torch.randint(TOKENS, (TOKENS, TOKENS), generator=self.fixed)
        self.test = self.draw(TEST)

    def draw(self, number):
        X = torch.randint(TOKENS, (number, LENGTH), generator=self.fixed)
        return X, self.table[X, X.flip(1)]

    def get_dataloader(self, train):
        return [self.draw(BATCH) for _ in range(self.updates)] if train else None


def trained(title, scale, rate, data, seed):
    """A model of the table, after training on the batches of data."""
    torch.manual_seed(seed)
    num_blks, change = MODELS[title]
    model = Mirror(num_blks, rate)
    for part in SCALES[scale]:
        remove(part, model)
    if change:
        change(model)
    model.board.display = False
    UnvalidatedTrainer(1, gradient_clip_val=1, warmup=50).fit(model, data)
    return model.eval()


@torch.inference_mode()
def accuracy(model, data):
    """The share of right answers in the test."""
    X, y = data.test
    return (model(X).argmax(dim=-1) == y).float().mean().item()


def learned(model):
    """The number of weights that training has changed."""
    return sum(W.numel() for W in model.parameters() if W.grad is not None)


def rows(seed):
    """All models at all settings, what cutting out does, and three guesses."""
    cut = {title: [] for title in CUT}
    for title in MODELS:
        found = []
        for scale, rate in SETTINGS:
            data = Sequences(seed)
            model = trained(title, scale, rate, data, seed)
            found.append(accuracy(model, data))
            if title == WHOLE:
                for part, change in CUT.items():
                    less = copy.deepcopy(model)
                    change(less)
                    cut[part].append(accuracy(less, data))
        yield title, (learned(model), *found)
    for title, found in cut.items():
        yield title, (None, *found)
    for title, share in guesses(Sequences(seed)).items():
        yield title, (None, *[share] * len(SETTINGS))


def guesses(data):
    """The best shares of right answers without the mirror image, from the table."""
    X, _ = data.test
    of_one = nn.functional.one_hot(data.table, TOKENS).sum(dim=1)  # (a, answers)
    at = torch.arange(LENGTH)
    others = torch.stack([torch.cat([X[:, :i], X[:, i + 1 :]], dim=1) for i in at], dim=1)
    possible = data.table[X.unsqueeze(-1), others]  # (b, n, n - 1)
    counts = nn.functional.one_hot(possible, TOKENS).sum(dim=2)
    shares = {
        "knows nothing": of_one.sum(dim=0).max() / TOKENS**2,
        "knows the token": (of_one.amax(dim=1) / TOKENS).mean(),
        "knows the token and the others, without order": (
            counts.amax(dim=-1) / (LENGTH - 1)
        ).mean(),
    }
    return {title: share.item() for title, share in shares.items()}
