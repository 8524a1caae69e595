"""Which networks learn to read the digit that another digit points to, as in chapter 8."""

from functools import partial

import torch
from torch import nn

import d2lmini
from experiments.models import (
    Net,
    ViT,
    accuracies,
    classifier,
    num_weights,
)

STEPS = 600, 1200
COLUMNS = {"weights": 0, **{f"{number:,} updates": 2 for number in STEPS}}
VIT = "vision Transformer, initial positions of d2l"
OTHER_PATCHES = 4, 6, 12  # which are not the digits
PATCHES, PIXELS = (8, 8), (3, 2, 1)  # the kernel size, the stride, the padding
ONE, THREE = (1,), (3, 1, 1)
NETS = {  # the channels and shapes of the convolutions, the units of the dense layer
    "one window of 3 × 3 patches": ([(24, PATCHES), (40, THREE), (24, ONE)], 32),
    "two windows of 3 × 3 patches": ([(24, PATCHES), (24, THREE), (24, THREE)], 32),
    "no window of several patches": ([(32, PATCHES), (32, ONE)], 48),
    "no window of several patches, 100 dense units": (
        [(32, PATCHES), (16, ONE)],
        100,
    ),
    "no window of several patches, 128 dense units": (
        [(32, PATCHES), (12, ONE)],
        128,
    ),
    "windows of 3 × 3 pixels": (
        [(16, PIXELS), (24, THREE), (24, PIXELS), (24, PIXELS)],
        30,
    ),
}


def rows(seed):
    """The networks of chapter 8 that look up a digit, and more convolutional ones."""
    transformers = {
        VIT: partial(ViT, 24, 8, pos_std=1),
        f"{VIT}, uniform weights": uniform_attention,
        f"{VIT}, weights from the positions alone": attention_by_position,
        "vision Transformer": partial(ViT, 24, 8),
    }
    for size in OTHER_PATCHES:
        transformers[patches_of(size)] = partial(ViT, 24, size, pos_std=1)
    builds = {
        f"{title}, rate {lr}": (build, lr)
        for title, build in transformers.items()
        for lr in (0.005, 0.01)
    }
    for title, net in NETS.items():
        for lr in (0.01, 0.02):
            builds[f"convolutions, {title}, rate {lr}"] = partial(convolutional, *net), lr
    for title, (build, lr) in builds.items():
        models = [
            classifier(build, d2lmini.LookUp(num_batches=number), number, seed, lr)
            for number in STEPS
        ]
        yield title, (num_weights(models[0]), *accuracies(models, *d2lmini.LookUp().val))
    for title, accuracy in without_pointer().items():
        yield title, (None, *[accuracy] * len(STEPS))
    yield "digits guessed at random", (None, *[1 / 10] * len(STEPS))


def patches_of(size):
    """The name of a vision Transformer with patches of another size."""
    return f"{VIT}, patches of {size} × {size} pixels"


def without_pointer(n=100_000):
    """The accuracies of two guesses that know the eight digits, but not the pointer."""
    labels, fixed = d2lmini.Digits().val[:][1], torch.Generator().manual_seed(0)
    eight = labels[torch.randint(len(labels), (n, 8), generator=fixed)]
    shares = nn.functional.one_hot(eight).sum(dim=1) / 8  # (n, 10), of each digit
    return {
        "one of the eight digits, named at random": (shares**2).sum(dim=1).mean().item(),
        "the most frequent of the eight digits": shares.amax(dim=1).mean().item(),
    }


def uniform_attention():
    """A vision Transformer for look-up in which all queries are and stay zero."""
    model = ViT(24, 8, pos_std=1)
    for block in model.blks:
        nn.init.zeros_(block.attention.W_q.weight.requires_grad_(False))
    return model


class ByPosition(nn.Module):
    """An attention whose queries and keys are position vectors, and not the tokens."""

    def __init__(self, attention, positions):
        super().__init__()
        self.attention, self.positions = attention, positions

    def forward(self, queries, keys, values, valid_lens=None):
        P = nn.functional.layer_norm(self.positions, self.positions.shape[-1:])
        P = P.expand_as(values)
        return self.attention(P, P, values, valid_lens)


def attention_by_position():
    """A vision Transformer whose learned weights are the same for every image."""
    model = ViT(24, 8, pos_std=1)
    for block in model.blks:
        block.attention = ByPosition(block.attention, model.pos_embedding)
    return model


def convolutional(convolutions, hidden):
    """Convolutions with batch normalisation, then two dense layers."""
    parts, channels = [], 1
    for outputs, shape in convolutions:
        parts += [nn.Conv2d(channels, outputs, *shape), nn.BatchNorm2d(outputs), nn.ReLU()]
        channels = outputs
    dense = nn.LazyLinear(hidden), nn.ReLU(), nn.Linear(hidden, 10)
    model = Net(*parts, nn.Flatten(), *dense)
    model(torch.zeros(2, 1, 24, 24))  # the first call fixes the lazy size
    return model
