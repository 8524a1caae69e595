"""What is measured in a chapter's own notebook: its cells run up to what is needed."""

import ast
from collections import Counter
from operator import getitem
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from experiments import (
    attention,
    chapter,
    counting,
    evaluation,
    fixed_place,
    longer_rewards,
    one_vector,
    pretrained,
    stages,
    tool_calls,
    tool_limits,
)
from experiments.try_it import adder
from tools import ROOT
from tools.book import pages
from tools.notebooks import execute


def write(path, *sources):
    cells = [new_code_cell(source) for source in sources]
    cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(new_notebook(cells=cells, metadata=execute.METADATA), path)
    return path


def test_cells_run_up_to_the_last_needed_with_another_seed(tmp_path):
    """The function is here that of b's value: names["b"]."""
    path = write(tmp_path / "a.ipynb", "SEED = 0", "b = SEED + 1  # last", "1 / SEED")
    before = path.read_bytes()
    assert chapter.run(path, getitem, "b", last="# last") == 1
    assert chapter.run(path, getitem, "b", seed=4) == 5
    with pytest.raises(execute.Failed, match=r"a\.ipynb(.|\n)*ZeroDivisionError"):
        chapter.run(path, getitem, "b")
    with pytest.raises(ValueError, match=r"no cell of .*a\.ipynb contains 'c = '"):
        chapter.run(path, getitem, "b", last="c = ")
    assert path.read_bytes() == before


SIMPLE = attention, counting, fixed_place, pretrained, evaluation, adder
LAST_CELLS = [(experiment.NOTEBOOK, experiment.LAST) for experiment in SIMPLE]
LAST_CELLS += [
    (evaluation.NOTEBOOK, evaluation.LAST_OF_ALL),
    (stages.NOTEBOOK, tool_calls.LAST),
    (stages.NOTEBOOK, longer_rewards.LAST),
]
LAST_CELLS += [
    (ROOT / "notebooks" / f"{name}.ipynb", last)
    for name, last in one_vector.NOTEBOOKS.values()
]


@pytest.mark.parametrize(("path", "last"), LAST_CELLS)
def test_one_cell_of_the_notebook_is_the_last_needed(path, last):
    assert sum(last in cell.source for cell in pages.read(path).cells) == 1


# --- chapter 12 ----------------------------------------------------------------------

STAGES = ["fine_tuning", "lora", "tool_calls", "preferences", "reward", "wrong_reward"]
STAGES += ["rejection_sampling"]


def test_chapter_12_defines_its_seed_in_the_cell_of_parameters_and_names_its_tables():
    cells = pages.read(stages.NOTEBOOK).cells
    sources = [cell.source for cell in cells if cell.cell_type == "code"]
    assert sum("SEED = " in source for source in sources) == 1
    (tagged,) = (c for c in cells if "parameters" in c.metadata.get("tags", []))
    assert "\nSEED = 0" in tagged.source
    for name in STAGES:
        assert sum(f'results["{name}"] =' in source for source in sources) == 1, name


OF_CHAPTER_12 = stages, tool_calls, tool_limits, longer_rewards


@pytest.mark.parametrize("experiment", OF_CHAPTER_12)
def test_no_later_cell_of_chapter_12_replaces_what_is_used(experiment):
    used = {
        node.attr
        for node in ast.walk(ast.parse(Path(experiment.__file__).read_text("utf-8")))
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "page"
    }
    cells = pages.read(stages.NOTEBOOK).cells
    code = [ast.parse(c.source).body for c in cells if c.cell_type == "code"]
    bound = Counter(name for body in code for node in body for name in names_of(node))
    assert sorted(name for name in used if bound[name] > 1) == []
    assert len(used & bound.keys()) > 3


def names_of(node):
    """What a statement at the top level of a cell defines, but `x = x[:9]` not anew."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        named = [n for target in node.targets for n in ast.walk(target)]
        stored = {
            n.id for n in named if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
        return sorted(stored - read)
    return []


def test_functions_of_a_later_cell_can_be_defined_without_it():
    names = {}
    longer_rewards.define(names, *longer_rewards.LATER)
    assert {*names} - {"__builtins__"} == {*longer_rewards.LATER}


def test_of_the_models_on_the_way_the_first_of_the_best_is_chosen():
    parts = [
        {"set aside": share, "test": i} for i, share in enumerate((0.5, 0.9, 0.9, 0.7))
    ]
    assert longer_rewards.chosen(parts)["test"] == 1


def test_an_answer_is_right_with_its_word_and_a_call_never_is():
    question = "Which animal says meow?"
    assert tool_limits.is_right(question, "Cats meow.")
    assert not tool_limits.is_right(question, "A category of pets.")
    assert not tool_limits.is_right(question, '{"tool": "cat"}')
    found = dict.fromkeys(tool_limits.NEAR_MISSES, "I cannot.")
    found |= {tool_limits.NEAR_MISSES[0]: '{"tool": "multiply"}'}
    found |= dict.fromkeys(tool_limits.ORDINARY, "Paris and Rome")
    calls, right = tool_limits.COLUMNS
    assert tool_limits.shares(found) == {calls: 1 / 16, right: 2 / 16}
    assert tool_limits.shares({}) == {}
    assert tool_limits.cell("a | b\n*c*") == r"a \| b \*c\*"
    assert tool_limits.cell('{"tool": "x"}') == '`{"tool": "x"}`'
