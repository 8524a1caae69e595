"""The look-up task again: two simple baselines, and networks that train for longer."""

from functools import partial

import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

import d2lmini
from tools.measure.experiments import look_up
from tools.measure.experiments.training import Net, ViT, accuracies, classifier

COLUMNS = {"accuracy": 2}
NET = "one window of 3 × 3 patches"


def rows(seed, root, steps=(600, 3000)):
    """Baselines that see as many images as 600 updates do, and networks after 3,000."""
    few, many = steps
    yield f"nearest neighbour among {64 * few:,} images", (neighbour(few, seed),)
    builds = {
        "one linear layer": (linear, 0.005, few),
        "vision Transformer": (partial(ViT, 24, 8), 0.005, many),
        "vision Transformer, initial positions of d2l": (
            *(partial(ViT, 24, 8, pos_std=1), 0.005, many),
        ),
        "vision Transformer, initial positions of d2l, uniform weights": (
            *(look_up.uniform_attention, 0.005, many),
        ),
        f"convolutions, {NET}, rate 0.01": (
            *(partial(look_up.convolutional, *look_up.NETS[NET]), 0.01, many),
        ),
    }
    for title, (build, lr, number) in builds.items():
        data = d2lmini.LookUp(num_batches=number)
        model = classifier(build, data, number, seed, lr)
        yield f"{title}, {number:,} updates", accuracies([model], *data.val)


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
