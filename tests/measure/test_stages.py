"""The measurement runs the chapter's notebook, with other seeds."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import d2lmini as d2l
from tools.book import pages
from tools.measure import chapter, post_training
from tools.notebooks import execute

PARAMETERS = {"tags": ["parameters"]}
SMALL = """
def row(right):
    return {"right": right, "with steps": SEED / 2}

results["fine_tuning"] = {"base model": row(0.0), "fine-tuned": row(0.25)}
results["lora"] = {"all weights": row(0.3), "rank 1": row(0.2)}
results["tool_calls"] = {"before": {"right calls": 0.0}, "after": {"right calls": 0.75}}
results["preferences"] = {"with steps": row(0.4), "at once": row(0.1)}
results["price"] = {"β = 1": {"in order": 0.75, "KL": 1.25 + SEED, "with steps": 1.0}}
results["reward"] = {"GRPO": row(0.9), "examples": row(0.1)}
results["wrong_reward"] = {"before": row(0.5), "after": row(0.05)}
test_requests, test_calls = ["Dial."], ["{}"]

def make_requests(num, seed):
    return ["Call Tom."] * num, [str(seed)] * num
"""


def write(path, *sources):
    first = new_code_cell("SEED, results = 0, {}", metadata=PARAMETERS)
    cells = [first, *map(new_code_cell, sources)]
    nbformat.write(new_notebook(cells=cells, metadata=execute.METADATA), path)
    return path


def test_the_chapter_defines_its_seed_in_the_cell_of_parameters_and_names_its_tables():
    cells = pages.read(post_training.NOTEBOOK).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    assert sum("SEED = " in source for source in sources) == 1
    (tagged,) = (c for c in cells if c.metadata.get("tags") == PARAMETERS["tags"])
    assert "\nSEED = 0" in tagged.source
    for name in re.findall(r'results\["(\w+)"\]', SMALL):
        assert sum(f'results["{name}"] =' in source for source in sources) == 1, name


def test_each_model_is_a_row_with_one_number_for_each_seed(tmp_path, monkeypatch):
    def in_prompt(examples, test):
        assert test == [["Dial."], ["{}"]] and len(examples[0]) == 8
        return {"right calls": int(examples[1][0]) / 4}

    monkeypatch.setattr(post_training, "in_prompt", in_prompt)
    path = write(tmp_path / "small.ipynb", SMALL)
    before = path.read_bytes()
    models, calls, price = zip(*(post_training.run(seed, path) for seed in (0, 1)))
    assert path.read_bytes() == before
    found = post_training.table(models, ["right", "with steps"])
    assert "| fine-tuned | 25 / 25 | 0 / 50 |" in found
    assert "| LoRA, rank 1 | 20 / 20 | 0 / 50 |" in found and "all weights" not in found
    assert "| DPO, answers at once preferred | 10 / 10 | 0 / 50 |" in found
    assert "| GRPO, 100 steps | 90 / 90 | 0 / 50 |" in found
    found = post_training.table(calls, ["right calls"])
    assert "| LoRA | 75 / 75 |" in found
    assert "| not trained, 8 examples in the prompt | 0 / 25 |" in found
    found = post_training.table(price, post_training.TABLES["price"])
    assert "| β = 1 | 75 / 75 | 1.2 / 2.2 | 100 / 100 |" in found


def test_a_notebook_that_fails_is_named_with_its_error(tmp_path):
    path = write(tmp_path / "small.ipynb", "1 / SEED")
    with pytest.raises(execute.Failed, match=r"small\.ipynb(.|\n)*ZeroDivisionError"):
        chapter.run(path, "results", 0)


def test_the_untrained_model_reads_examples_before_the_request():
    prompt = post_training.with_examples(["Call Tom.", "Play jazz."], ["a", "b"])
    system = d2l.chat_prompt("").split("<|im_start|>user")[0]
    turns = ("Call Tom.", "a"), ("Play jazz.", "b"), ("Dial.", "")
    rows = [f"user\n{r}<|im_end|>\n<|im_start|>assistant\n{call}" for r, call in turns]
    expected = "<|im_start|>" + "<|im_end|>\n<|im_start|>".join(rows)
    assert prompt("Dial.") == system + expected
