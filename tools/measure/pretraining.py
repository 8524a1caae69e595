"""Run the experiments of chapter 10 with more seeds: three pretrained models.

    make pretraining [WRITE=1]

The first table says how often each masked model prefers the right form of a hidden verb,
the second how well classifiers do that start from parts of these models. The code is that
of the notebook's cells, in whose kernel `measure` runs. With WRITE=1, the tables go to
book/_generated.
"""

import argparse
import sys

import torch

from tools import ROOT
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "10_pretraining.ipynb"
LAST = "def table("  # in the last cell that is needed: what follows uses the functions
TASKS = {"right_or_wrong": [50, 100, 200], "living_or_thing": [40]}
AGREEMENT = ["easy", "hard"]
FEW_LABELS = [
    f"{task.replace('_', ' ')}, {number}" for task in TASKS for number in TASKS[task]
]


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


def tables(models, names, seeds):
    """Name of a file -> its table in Markdown."""
    shares = [
        [name, *(f"{share:.3f}" for share in row)]
        for name, row in agreement(models, names).items()
    ]
    accuracies = [
        [start, *(f"{run.mean():.2f} ({run.min():.2f}–{run.max():.2f})" for run in runs)]
        for start, runs in few_labels(models, names, seeds).items()
    ]
    return {
        "agreement": f"{results.head(['', *AGREEMENT])}\n{results.lines(*shares)}",
        "few_labels": f"{results.head(['', *FEW_LABELS])}\n{results.lines(*accuracies)}",
    }


def measure(names):
    """The tables, given the names that the notebook's cells define."""
    models = [names["mlm"], *(names["train_masked"](seed) for seed in (1, 2))]
    return tables(models, names, range(5))


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args(argv)
    origin = results.origin()
    here = f"importlib.import_module({__spec__.name!r}).measure(globals())"
    for name, table in chapter.run(NOTEBOOK, here, last=LAST).items():
        print(table, end="\n\n")
        if options.write:
            results.write(name, table, origin)


if __name__ == "__main__":
    sys.exit(main())
