"""How long a step of training takes: chapter 7's translators, and networks of chapter 8.

Where attention comes after the steps of the GRU, or there is none, a recurrent model
has no loop of Python. The models and the function are those of the notebook's cells, in
whose kernel `measure` runs, but for the one without attention. The networks of chapter
8 look up a digit in 64 images. A number is the time of a model divided by that of the
Transformer, the median of five turns of all models, on one core.
"""

import statistics

from torch.utils.benchmark import Timer

import d2lmini
from experiments import chapter, look_up, results
from experiments.models import PLAIN, VARIANTS, ViT, translator
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "07_transformer.ipynb"
LAST = "def step_time("  # in the last cell that is needed
TOKENS = 11, 22, 44, 88, 176
COLUMNS = [f"{number} tokens" for number in TOKENS]
LOOK_UP_COLUMNS = ["time of an update / the Transformer's"]


def tables():
    """The tables of ratios, by the number of tokens and for the networks of chapter 8."""
    rows = chapter.run(NOTEBOOK, measure, last=LAST)
    yield "step_time", results.table(["", *COLUMNS], rows)
    yield "look_up_time", results.table(["", *LOOK_UP_COLUMNS], look_up_times())


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


def look_up_times(turns=5):
    """The rows of the networks that look up a digit."""
    X, y = (each[:64] for each in d2lmini.LookUp().val)
    whole, ratios = ViT(24, 8), {}
    for _ in range(turns):
        least = update_time(whole, X, y)
        for name, net in look_up.NETS.items():
            found = update_time(look_up.convolutional(*net), X, y)
            ratios.setdefault(f"convolutions, {name}", []).append(found / least)
    return [[name, f"{statistics.median(each):.2f}"] for name, each in ratios.items()]


def update_time(model, X, y):
    """The seconds of a forward and a backward pass, and of a step of the optimizer."""
    model.rate = 0.01
    optimizer = model.configure_optimizers()

    def step():
        optimizer.zero_grad()
        model.loss(model(X), y).backward()
        optimizer.step()

    step()
    return Timer("step()", globals={"step": step}).timeit(20).median
