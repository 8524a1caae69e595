"""Train the translators of chapter 4 with more seeds, and change their states.

    make attention [WRITE=1]

The first table has the BLEU of the model with attention and of its controls, on all
held-out sentences and by their length, and that of the model without attention at two more
learning rates. The second has how many negations are still translated when states of the
encoder are changed. The code is
that of the notebook's cells, in whose kernel `measure` runs. With WRITE=1, the tables go
to book/_generated.
"""

import statistics
import sys

import d2lmini
from tools import ROOT
from tools.measure import chapter, results
from tools.measure.scores import spread

NOTEBOOK = ROOT / "notebooks" / "04_bahdanau.ipynb"
LAST = "def ablate("  # in the last cell that is needed
BLEU = [
    "BLEU",
    "lowest",
    "highest",
    *(f"{n} tokens" for n in ("2–4", "5–6", "7–8", "9–10")),
]
RATES = {"half": 0.005, "twice": 0.02}  # the chapter's is 0.01
CHANGES = ["overwritten", "masked"]


def bleu(models, names):
    """A row for each kind of model: its name, the mean and the range of its BLEU, and the
    means of the groups of sentences."""
    data, rows = names["data"], []
    for kind, trained in models.items():
        preds = [d2lmini.translate(model, data, names["english"]) for model in trained]
        found = [d2lmini.held_out_bleu(data, one) for one in preds]
        groups = [
            statistics.mean(d2lmini.held_out_bleu(data, one, *group) for one in preds)
            for group in names["groups"].values()
        ]
        numbers = [f"{number:.1f}" for number in (min(found), max(found), *groups)]
        rows.append([kind, spread(found, 1), *numbers])
    return rows


def ablated(models, names):
    """A row for each choice of states: its name, and the fractions after each change."""
    found = [names["ablate"](model) for model in models]
    return [
        [name, *(spread(values, 2) for values in zip(*(rows[name] for rows in found)))]
        for name in found[0]
    ]


def measure(names, seeds=5):
    """The tables, given the names that the notebook's cells define."""
    models = {
        kind: [*trained, *(names["train"](Decoder, i) for i in range(len(trained), seeds))]
        for (kind, trained), Decoder in zip(
            names["models"].items(), names["kinds"].values()
        )
    }
    for name, lr in RATES.items():
        models[f"no attention, {name} the rate"] = [
            names["train"](names["kinds"]["no attention"], i, lr) for i in range(seeds)
        ]
    rows = {
        "attention": (["", *BLEU], bleu(models, names)),
        "ablation": (["", *CHANGES], ablated(models["attention"], names)),
    }
    return {
        name: f"{results.head(columns)}\n{results.lines(*cells)}"
        for name, (columns, cells) in rows.items()
    }


if __name__ == "__main__":
    chapter.main(sys.modules[__name__])
