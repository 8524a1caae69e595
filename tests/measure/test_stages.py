"""The measurement runs the chapter's own cells, with another seed."""

import pytest

import d2lmini as d2l
from tools.book import pages
from tools.measure import post_training

CELLS = [
    c.source for c in pages.read(post_training.NOTEBOOK).cells if c.cell_type == "code"
]


def test_the_notebook_has_one_seed_and_one_chat():
    for part in ("SEED = 0", post_training.CHAT):
        assert sum(part in source for source in CELLS) == 1, part


def test_the_untrained_model_reads_examples_before_the_request():
    prompt = post_training.with_examples(["Call Tom.", "Play jazz."], ["a", "b"])
    system = d2l.chat_prompt("").split("<|im_start|>user")[0]
    turns = ("Call Tom.", "a"), ("Play jazz.", "b"), ("Dial.", "")
    rows = [f"user\n{r}<|im_end|>\n<|im_start|>assistant\n{call}" for r, call in turns]
    expected = "<|im_start|>" + "<|im_end|>\n<|im_start|>".join(rows)
    assert prompt("Dial.") == system + expected


def test_each_model_is_a_row_with_one_number_for_each_seed(monkeypatch):
    monkeypatch.setattr(
        post_training, "in_prompt", lambda seed, names: {"right calls": seed / 4}
    )
    bars = "def bars(rows, columns=()): pass"
    cells = [
        bars,
        "SEED = 0\nrow = lambda right: {'right': right, 'with steps': SEED / 2}",
        "bars({'base model': row(0.0), 'fine-tuned': row(0.25)})",
        "bars({'all weights': row(0.3), 'rank 1': row(0.2)})",
        "typed = iter([1 / 0])",
        "bars({'before': {'right calls': 0.0}, 'after': {'right calls': 0.75}})",
        "bars({'with steps': row(0.4), 'at once': row(0.1)})",
        "bars({'β = 1': {'in order': 0.75, 'KL': 1.25 + SEED, 'with steps': 1.0}})",
        "bars({'with steps': row(0.4)})",
        "history, control = [row(0.5), row(0.9)], [row(0.5), row(0.1)]",
        "bars({'before': row(0.5), 'after': row(0.05)})",
    ]
    models, calls, price = zip(*(post_training.run(seed, cells) for seed in (0, 1)))
    found = post_training.table(models, ["right", "with steps"])
    assert "| LoRA, rank 1 | 20 / 20 | 0 / 50 |" in found
    assert "| GRPO, 100 steps | 90 / 90 | 0 / 50 |" in found
    found = post_training.table(calls, ["right calls"])
    assert "| LoRA | 75 / 75 |" in found
    assert "| not trained, 8 examples in the prompt | 0 / 25 |" in found
    found = post_training.table(price, post_training.TABLES["price"])
    assert "| β = 1 | 75 / 75 | 1.2 / 2.2 | 100 / 100 |" in found
    with pytest.raises(ZeroDivisionError):
        post_training.run(0, [bars, "1 / 0"])
