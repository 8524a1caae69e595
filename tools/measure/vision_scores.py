"""The experiments of scores.py with images: digits, and FashionMNIST."""

from functools import partial

import torch
from sklearn.neighbors import KNeighborsClassifier
from torch import nn

import d2lmini

IMAGES = 40, 160, 640, 1297  # for training
# The columns of the tables, with the digits after the decimal point.
VISION = {"weights": 0, **{f"{num:,} images": 3 for num in IMAGES}}
FASHION = {"weights": 0, "held-out accuracy": 3}


def vision(seed, root, steps=252):
    """The classifiers of chapter 8: the same number of steps for all, with Adam."""
    guess, sizes = 1 / 10, {"img_size": 8, "patch_size": 2, "num_hiddens": 32}
    sizes |= {"mlp_num_hiddens": 64, "num_heads": 4, "num_blks": 2}
    transformer = partial(d2lmini.ViT, **sizes, emb_dropout=0, blk_dropout=0)
    builds = {
        "dense layers": lambda: layers(
            *(nn.Flatten(), nn.Linear(64, 128), nn.ReLU()),
            *(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)),
        ),
        "convolutions": lambda: layers(
            *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU()),
            *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Flatten(), nn.Linear(512, 10)),
        ),
        "vision Transformer": transformer,
        "vision Transformer, initial positions of d2l": lambda: far_positions(
            transformer()
        ),
    }
    datasets = [d2lmini.Digits(num_train=num) for num in IMAGES]
    yield "nearest neighbour", (None, *map(neighbour, datasets))
    for title, build in builds.items():
        models = [classifier(build, data, steps, seed) for data in datasets]
        X, y = datasets[0].val[:]
        with torch.inference_mode():
            accuracies = [model.accuracy(model(X), y).item() for model in models]
        yield title, (num_weights(models[0]), *accuracies)
    yield "digits guessed at random", (None, *[guess] * len(IMAGES))


def far_positions(model):
    """A vision Transformer whose position vectors have variance 1, as d2l's."""
    nn.init.normal_(model.pos_embedding)
    return model


def layers(*parts):
    """Layers as a classifier."""
    model = d2lmini.Classifier()
    model.net = nn.Sequential(*parts)
    return model


def classifier(build, data, steps, seed):
    """A model for digits, trained for as many whole epochs as fit into the steps."""
    torch.manual_seed(seed)
    model = build()
    model.board.display = False
    model.configure_optimizers = lambda: torch.optim.Adam(model.parameters(), lr=0.005)
    data.val_dataloader = lambda: None  # validated once, at the end
    epochs = steps // len(data.train_dataloader())
    d2lmini.Trainer(epochs, gradient_clip_val=1, warmup=50).fit(model, data)
    return model.eval()


def neighbour(data):
    """The accuracy of predicting the label of the nearest training image."""
    (images, labels), (X, y) = data.train[:], data.val[:]
    nearest = KNeighborsClassifier(1).fit(images.flatten(1), labels)
    return nearest.score(X.flatten(1), y)


def fashion(seed, root, max_epochs=10):
    """d2l's vision Transformer, trained on images of 96 x 96 pixels."""
    data = d2lmini.FashionMNIST(128, resize=(96, 96), root=root)
    yield "nearest neighbour", (None, neighbour(d2lmini.FashionMNIST(root=root)))
    torch.manual_seed(seed)
    sizes = {"num_hiddens": 512, "mlp_num_hiddens": 2048, "num_heads": 8, "num_blks": 2}
    dropout = {"emb_dropout": 0.1, "blk_dropout": 0.1}
    model = d2lmini.ViT(img_size=96, patch_size=16, **sizes, **dropout, lr=0.1)
    model.board.display = False
    trainer = d2lmini.Trainer(max_epochs, num_gpus=1)
    trainer.fit(model, data)
    yield "vision Transformer", (num_weights(model), trainer.history["val_acc"].iloc[-1])


def num_weights(model):
    """The number of weights that a model learns."""
    return sum(weights.numel() for weights in model.parameters())
