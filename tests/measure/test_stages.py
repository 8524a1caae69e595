"""The measurement runs the chapter's own cells, with another seed."""

import pytest

from tools.build import pages
from tools.measure import post_training

CELLS = [
    c.source for c in pages.read(post_training.NOTEBOOK).cells if c.cell_type == "code"
]


def test_the_notebook_has_one_seed_and_every_name_that_is_left_out():
    assert sum("SEED = 0" in source for source in CELLS) == 1
    for part in post_training.LEFT_OUT:
        assert any(part in source for source in CELLS), part


def test_each_model_is_a_row_with_one_number_for_each_seed():
    bars = "def bars(rows, columns=()): pass"
    cells = [
        bars,
        "SEED = 0\nrow = lambda right: {'right': right, 'with steps': SEED / 2}",
        "bars({'base model': row(0.0), 'fine-tuned': row(0.25)})",
        "bars({'all weights': row(0.3), 'rank 1': row(0.2)})",
        "smol = 1 / 0",
        "bars({'with steps': row(0.4), 'at once': row(0.1)})",
        "bars({'β = 1': row(0.4)})",
        "bars({'with steps': row(0.4)})",
        "history, control = [row(0.5), row(0.9)], [row(0.5), row(0.1)]",
        "bars({'before': row(0.5), 'after': row(0.05)})",
    ]
    found = post_training.table([post_training.run(seed, cells) for seed in (0, 1)])
    assert "| LoRA, rank 1 | 20 / 20 | 0 / 50 |" in found
    assert "| GRPO, 100 steps | 90 / 90 | 0 / 50 |" in found
    with pytest.raises(ZeroDivisionError):
        post_training.run(0, [bars, "1 / 0"])
