"""Classifiers of digits with few and with many training images, trained as in chapter 8."""

from functools import partial

import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

import d2lmini
from tools.measure.experiments.training import (
    FarViT,
    Net,
    ViT,
    accuracies,
    classifier,
    num_weights,
)

IMAGES = 40, 160, 640, 1297  # for training
COLUMNS = {"weights": 0, **{f"{num:,} images": 3 for num in IMAGES}}


def dense_layers():
    return Net(
        *(nn.Flatten(), nn.Linear(64, 128), nn.ReLU()),
        *(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)),
    )


def convolutions():
    return Net(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Flatten(), nn.Linear(512, 10)),
    )


BUILDS = {
    "dense layers": dense_layers,
    "convolutions": convolutions,
    "convolutions, pixels in a random order": convolutions,
    "vision Transformer": partial(ViT, 8, 2),
    "vision Transformer, initial positions of d2l": partial(FarViT, 8, 2),
}


def rows(seed, root, steps=252, images=IMAGES):
    """The classifiers of chapter 8: the same number of steps for all, with Adam."""
    datasets = [d2lmini.Digits(num_train=num) for num in images]
    yield "nearest neighbour", (None, *map(neighbour, datasets))
    for title, build in BUILDS.items():
        datasets = [d2lmini.Digits(num_train=num) for num in images]
        if "order" in title:
            datasets = [*map(reordered, datasets)]
        models = [classifier(build, data, steps, seed) for data in datasets]
        yield title, (num_weights(models[0]), *accuracies(models, *datasets[0].val[:]))
    yield "digits guessed at random", (None, *[1 / 10] * len(images))


def reordered(data):
    """The data with the pixels of all images in one random order, as in chapter 8."""
    order = torch.randperm(64, generator=torch.Generator().manual_seed(0))
    for part in data.train, data.val:
        part.images = part.images.flatten(1)[:, order].unflatten(1, (8, 8))
    return data


def neighbour(data):
    """The accuracy of predicting the label of the nearest training image."""
    (images, labels), (X, y) = data.train[:], data.val[:]
    nearest = KNeighborsClassifier(1).fit(images.flatten(1), labels)
    return nearest.score(X.flatten(1), y)
