"""How long chapter 7's translators take for a step of training, by the length of sentences.

Where attention comes after the steps of the GRU, or there is none, a recurrent model has no
loop of Python. The models and the function are those of the notebook's cells, in whose kernel
`measure` runs, but for the one without attention. A number is the time of a model divided by that of the
Transformer, the median of five turns of all models, on one core.
"""

import statistics

from experiments import chapter, results
from experiments.models import PLAIN, VARIANTS, translator
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
    models = {f"recurrent, {each}": m for each, m in names["recurrent_models"].items()}
    plain = translator(VARIANTS, data, PLAIN, sizes, 0.01, 0)
    models["recurrent, without attention"] = plain
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
