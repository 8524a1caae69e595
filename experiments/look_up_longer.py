"""Whether networks that look up a digit late learn it at last, and simple ones ever."""

from functools import partial

import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

import d2lmini
from experiments import look_up
from experiments.models import Net, ViT, accuracies, classifier

COLUMNS = {"accuracy": 2}
NET, PIXEL_NET = "one window of 3 × 3 patches", "windows of 3 × 3 pixels"


def rows(seed):
    """Baselines that see as many images as 600 updates do, and networks after 3,000."""
    few, many = 600, 3000
    yield f"nearest neighbour among {64 * few:,} images", (neighbour(few, seed),)
    vit = look_up.VIT
    convolutional = partial(look_up.convolutional, *look_up.NETS[NET])
    builds = {
        "one linear layer": (linear, few, (0.005,)),
        "vision Transformer": (partial(ViT, 24, 8), many, (0.005, 0.01)),
        vit: (partial(ViT, 24, 8, pos_std=1), many, (0.005, 0.01)),
        f"{vit}, uniform weights": (look_up.uniform_attention, many, (0.005, 0.01)),
        f"convolutions, {NET}": (convolutional, many, (0.01,)),
    }
    for size in look_up.OTHER_PATCHES:
        build = partial(ViT, 24, size, pos_std=1)
        builds[look_up.patches_of(size)] = build, many, (0.005,)
    build = partial(look_up.convolutional, *look_up.NETS[PIXEL_NET])
    builds[f"convolutions, {PIXEL_NET}"] = build, many, (0.01,)
    for title, (build, number, rates) in builds.items():
        data = d2lmini.LookUp(num_batches=number)
        for lr in rates:
            model = classifier(build, data, number, seed, lr)
            name = f"{title}, rate {lr}, {number:,} updates"
            yield name, accuracies([model], *data.val)


def neighbour(num_batches, seed):
    """The accuracy of predicting the label of the nearest image of all batches."""
    torch.manual_seed(seed)
    data = d2lmini.LookUp(num_batches=num_batches)
    images, labels = map(torch.cat, zip(*data.train_dataloader()))
    X, y = data.val
    return KNeighborsClassifier(1).fit(images.flatten(1), labels).score(X.flatten(1), y)


def linear():
    """Logistic regression, trained like the networks."""
    return Net(nn.Flatten(), nn.Linear(576, 10))
