"""Run the experiments of chapter 10 with more seeds: three pretrained models.

    make pretraining [ONLY=many_labels] [WRITE=1]

The first table says how often each masked model prefers the right form of a hidden verb,
the second how well classifiers do that start from parts of these models, and the third
how many labels do without pretraining what few do with it, and what parts of the model do
with more updates. The code is that of the notebook's cells, in whose kernel `measure` runs.
With WRITE=1, the tables go to book/_generated.
"""

import sys
from itertools import combinations

import torch
from torch import nn

from tools import ROOT
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "10_pretraining.ipynb"
LAST = "def table("  # in the last cell that is needed: what follows uses the functions
TASKS = {"right_or_wrong": [50, 100, 200], "living_or_thing": [40]}
AGREEMENT = ["easy", "hard"]
FEW_LABELS = [
    f"{task.replace('_', ' ')}, {number}" for task in TASKS for number in TASKS[task]
]
NUMBERS = [200, 400, 800, 1600, 3200]
PARTS = "all", "embeddings", "blocks", "shuffled"
RUNS = ("scratch", 60), ("scratch", 600), *((part, 600) for part in PARTS)
MANY_LABELS = [f"{number:,} labels" for number in NUMBERS]


def agreement(models, names):
    """Name -> the shares of right verbs, in easy and in hard sentences, of each model."""
    rows, hard = {}, names["hard"]
    for seed, model in enumerate(models):
        right = names["prefers"](model).float()
        shares = right[~hard].mean().item(), right[hard].mean().item()
        rows[f"masked model, seed {seed}"] = shares
    return rows


def few_labels(models, names, seeds):
    """Name of a start -> its accuracies (columns, seeds); the seeds share the models."""
    rows = {}
    for task, numbers in TASKS.items():
        for seed in seeds:
            names["mlm"] = models[seed % len(models)]
            found = names["table"](names[task], numbers, seeds=[seed])
            for start, column in found.items():
                rows.setdefault(start, {}).setdefault(task, []).append(column)
    return {
        start: torch.cat([torch.cat(columns, dim=1) for columns in tasks.values()])
        for start, tasks in rows.items()
    }


def many_labels(names, numbers, seeds):
    """Name of a classifier -> its accuracies (numbers, seeds).

    From scratch there are few and ten times as many updates, as many as the pretrained
    weights and each of their parts get. The last classifier counts pairs of words.
    """
    task, fine_tune = names["right_or_wrong"], names["fine_tune"]
    rows = {
        f"{start}, {updates} updates": [
            [fine_tune(start, task, number, seed, updates) for seed in seeds]
            for number in numbers
        ]
        for start, updates in RUNS
    }
    rows["pairs of words"] = [
        [pairs_of_words(task(number, seed), task(600, 999)) for seed in seeds]
        for number in numbers
    ]
    return {name: torch.tensor(row) for name, row in rows.items()}


def pairs_of_words(training, test):
    """The accuracy of a logistic regression on which word comes anywhere before which."""

    def pairs(X):
        return [{*combinations(row, 2)} for row in X.tolist()]

    (X, y), (X_test, y_test) = training, test
    column = {pair: j for j, pair in enumerate(sorted(set().union(*pairs(X))))}

    def features(X):
        Z = torch.zeros(len(X), len(column))
        for i, row in enumerate(pairs(X)):
            Z[i, [column[pair] for pair in row if pair in column]] = 1
        return Z

    w = nn.Parameter(torch.zeros(len(column)))
    optimizer = torch.optim.LBFGS([w], max_iter=100, line_search_fn="strong_wolfe")
    Z = features(X)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(Z @ w, y.float())
        loss = loss + 0.001 * w.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return ((features(X_test) @ w > 0) == y_test).float().mean().item()


def cells_of(rows):
    """The rows of a table: the mean of the seeds, the lowest and the highest."""
    return [
        [name, *(f"{run.mean():.2f} ({run.min():.2f}–{run.max():.2f})" for run in runs)]
        for name, runs in rows.items()
    ]


def tables(models, names, seeds):
    """Name of a file -> its table in Markdown."""
    shares = [
        [name, *(f"{share:.3f}" for share in row)]
        for name, row in agreement(models, names).items()
    ]
    accuracies = cells_of(few_labels(models, names, seeds))
    return {
        "agreement": f"{results.head(['', *AGREEMENT])}\n{results.lines(*shares)}",
        "few_labels": f"{results.head(['', *FEW_LABELS])}\n{results.lines(*accuracies)}",
    }


def measure(names, only=None):
    """The tables, given the names that the notebook's cells define."""
    found = {}
    if only != "many_labels":
        models = [names["mlm"], *(names["train_masked"](seed) for seed in (1, 2))]
        found = tables(models, names, range(5))
    rows = cells_of(many_labels(names, NUMBERS, range(3)))
    head = results.head(["", *MANY_LABELS])
    return found | {"many_labels": f"{head}\n{results.lines(*rows)}"}


if __name__ == "__main__":
    chapter.main(sys.modules[__name__], only=["many_labels"])
