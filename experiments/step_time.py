"""How long chapter 7's translators take for a step of training, by the length of sentences.

The recurrent model without attention has no loop of Python. Models and function are those
of the notebook's cells, in whose kernel `measure` runs. A number is the time of a model
divided by that of the Transformer, the median of five turns of all models, on one core.
"""

import statistics

import torch

import d2lmini
from experiments import chapter, results
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
    torch.manual_seed(0)
    plain = d2lmini.Seq2Seq(
        d2lmini.Seq2SeqEncoder(len(data.src_vocab), *sizes),
        d2lmini.Seq2SeqDecoder(len(data.tgt_vocab), *sizes),
        tgt_pad=names["pad"],
        lr=0.01,
    )
    models = {
        "recurrent, with attention": names["models"]["recurrent, seed 0"],
        "recurrent, without attention": plain,
    }
    whole, rows = names["models"]["Transformer, seed 0"], {name: [] for name in models}
    for number in TOKENS:
        ratios = {name: [] for name in models}
        for _ in range(turns):
            least = names["step_time"](whole, number)
            for name, model in models.items():
                ratios[name].append(names["step_time"](model, number) / least)
        for name, found in ratios.items():
            rows[name].append(f"{statistics.median(found):.1f}")
    return [[name, *found] for name, found in rows.items()]
