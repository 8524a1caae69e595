"""How long chapter 7's translators take for a step of training, by the length of sentences.

Recurrent models without attention, or with attention after the step of the GRU, have no
loop of Python. The chapter's models and the function are those of the notebook's cells, in
whose kernel `measure` runs. A number is the time of a model divided by that of the
Transformer, the median of five turns of all models, on one core.
"""

import statistics

from experiments import chapter, results
from experiments.models import LUONG, LUONG_DOT, PLAIN, VARIANTS, translator
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "07_transformer.ipynb"
LAST = "def step_time("  # in the last cell that is needed
TOKENS = 11, 22, 44, 88, 176
COLUMNS = [f"{number} tokens" for number in TOKENS]


def tables():
    """The table of ratios."""
    rows = chapter.run(NOTEBOOK, measure, last=LAST)
    yield "step_time", results.table(["", *COLUMNS], rows)


def measure(names, turns=5):
    """The rows of the table, given the names that the notebook's cells define."""
    data, sizes = names["data"], (64, 128, 1)
    models = {"recurrent, with attention": names["recurrent"]}
    for name, parts in {
        "attention after the step": LUONG,
        "dot product after the step": LUONG_DOT,
        "without attention": PLAIN,
    }.items():
        models[f"recurrent, {name}"] = translator(VARIANTS, data, parts, sizes, 0.01, 0)
    whole, rows = names["model"], {name: [] for name in models}
    for number in TOKENS:
        ratios = {name: [] for name in models}
        for _ in range(turns):
            least = names["step_time"](whole, number)
            for name, model in models.items():
                ratios[name].append(names["step_time"](model, number) / least)
        for name, found in ratios.items():
            rows[name].append(f"{statistics.median(found):.1f}")
    return [[name, *found] for name, found in rows.items()]
