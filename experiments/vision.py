"""How well digits are classified after few and many images, as in chapter 8."""

from functools import partial

import torch
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

import d2lmini
from experiments.models import (
    Net,
    ViT,
    accuracies,
    classifier,
    num_weights,
)

IMAGES = 40, 160, 640, 1297  # for training
COLUMNS = {"weights": 0, **{f"{num:,} images": 3 for num in IMAGES}}
BASELINES = {
    "nearest neighbour": partial(KNeighborsClassifier, 1),
    "logistic regression": partial(LogisticRegression, max_iter=2000),
}


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


def pooled_convolutions():
    """The same convolutions, of whose result the mean over all places is read."""
    *layers, _, _ = convolutions().net
    return Net(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def with_one_large_vector():
    """A vision Transformer that adds one random vector, of d2l's size, to all tokens."""
    vit = ViT(8, 2)
    with torch.no_grad():
        vit.pos_embedding += torch.randn(1, 1, vit.pos_embedding.shape[-1])
    return vit


def read_all_tokens(vit):
    """A vision Transformer, of which the output layer now reads all tokens side by side."""
    numbers = vit.pos_embedding.numel()  # of all tokens
    vit.blks.append(nn.Sequential(nn.Flatten(), nn.Unflatten(1, (1, numbers))))
    vit.head = nn.Linear(numbers, 10)
    return vit


def read_the_mean():
    """A vision Transformer, of which the output layer reads the mean of all tokens."""
    vit = ViT(8, 2)
    vit.blks.append(nn.AdaptiveAvgPool2d((1, None)))  # (b, m + 1, d) -> (b, 1, d)
    return vit


BUILDS = {
    "dense layers": dense_layers,
    "convolutions": convolutions,
    "convolutions, pixels in a random order": convolutions,
    "convolutions, mean over all places": pooled_convolutions,
    "convolutions, mean over all places, pixels in a random order": pooled_convolutions,
    "vision Transformer": partial(ViT, 8, 2),
    "vision Transformer, initial positions of d2l": partial(ViT, 8, 2, pos_std=1),
    "vision Transformer, patches of 4 × 4": partial(ViT, 8, 4),
    "vision Transformer, patches of 4 × 4, initial positions of d2l": partial(
        ViT, 8, 4, pos_std=1
    ),
    "vision Transformer, one large vector for all tokens": with_one_large_vector,
    "vision Transformer, output layer reads all tokens": lambda: read_all_tokens(ViT(8, 2)),
    "vision Transformer, output layer reads the mean of all tokens": read_the_mean,
}


def rows(seed, images=IMAGES, draw=0):
    """The classifiers of chapter 8: the same number of steps for all networks, with Adam.

    Each number of training images has several draws; the chapter has the first.
    """
    datasets = [drawn(num, draw) for num in images]
    for title, make in BASELINES.items():
        yield title, (None, *[baseline(make(), data) for data in datasets])
    for title, build in BUILDS.items():
        datasets = [drawn(num, draw) for num in images]
        if "order" in title:
            datasets = [*map(reordered, datasets)]
        models = [classifier(build, data, 252, seed) for data in datasets]
        yield title, (num_weights(models[0]), *accuracies(models, *datasets[0].val[:]))
    yield "digits guessed at random", (None, *[1 / 10] * len(images))


def drawn(num, draw):
    """Digits that train on the images num * draw to num * (draw + 1) of their order."""
    data = d2lmini.Digits(num_train=num * (draw + 1))
    for name in "images", "labels":
        setattr(data.train, name, getattr(data.train, name)[-num:])
    return data


def reordered(data):
    """The data with the pixels of all images in one random order, as in chapter 8."""
    order = torch.randperm(64, generator=torch.Generator().manual_seed(0))
    for part in data.train, data.val:
        part.images = part.images.flatten(1)[:, order].unflatten(1, (8, 8))
    return data


def baseline(model, data):
    """The accuracy of a classifier of scikit-learn, which gets an image as a row."""
    (images, labels), (X, y) = data.train[:], data.val[:]
    return model.fit(images.flatten(1), labels).score(X.flatten(1), y)
