"""The exercises' tests tell right answers from wrong, and students get no solution."""

import ast
import importlib.util
import re

import nbformat
import pytest
from helpers import ROOT
from nbformat.v4 import new_code_cell, new_notebook

from tools.build import exercises

NOTEBOOKS = sorted(exercises.SOURCES.glob("*.ipynb"))
notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def kinds(path):
    """The cells of a notebook with their kinds."""
    cells = nbformat.read(path, as_version=4).cells
    return [(exercises.kind_of(cell, i), cell) for i, cell in enumerate(cells)]


def parts_of(path):
    """For each exercise, by number: what is new before it, its solution and its tests."""
    found, given, number = {}, [], None
    for kind, cell in kinds(path):
        heading = re.match(r"## (\d+\.\d+) ", cell.source)
        if cell.cell_type == "markdown" and heading:
            number = heading[1]
        written = cell.cell_type == "markdown" and "points" in cell.metadata
        asked = cell.cell_type == "code" and kind not in (None, "discussion")
        if (written or asked) and number not in found:
            found[number] = {"given": given, "solution": "", "tests": [], "points": 0}
            given = []
        if written or kind in ("tests", "hidden-tests"):
            found[number]["points"] += cell.metadata["points"]
        if asked and kind != "solution":
            found[number]["tests"].append(cell.source)
        elif asked:
            found[number]["solution"] += cell.source + "\n"
        if cell.cell_type == "code" and kind in (None, "solution"):
            given.append(cell.source)  # later exercises may build on a solution
    return found


def answers(path):
    """The wrong and the other right answers to a notebook's exercises, kept as data."""
    file = ROOT / "tests" / "exercise_answers" / f"{path.stem}.py"
    spec = importlib.util.spec_from_file_location(f"answers_{path.stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(sources, names):
    """Run cells with these names."""
    for source in sources:
        exec(compile(source, "<exercise>", "exec"), names)


def failure(exercise, names, solution):
    """The first error of the tests of an exercise for this solution, or None."""
    before = dict(names)  # to be restored for the next solution
    try:
        run([solution, *exercise["tests"]], names)
    except Exception as error:  # whatever a wrong answer may raise
        return error
    finally:
        names.clear()
        names.update(before)


# --- the exercises -------------------------------------------------------------------


@pytest.mark.slow
@notebook
def test_right_answers_pass_and_wrong_ones_and_stubs_fail(path):
    data, found = answers(path), parts_of(path)
    assert found.keys() == data.WRONG.keys() == data.OTHER.keys()
    names = {"__name__": "exercise"}
    for number, exercise in found.items():
        run(exercise["given"], names)
        assert failure(exercise, names, exercise["solution"]) is None, number
        assert failure(exercise, names, data.OTHER[number]) is None, number
        missing = failure(exercise, names, exercises.stub(exercise["solution"]))
        assert isinstance(missing, NotImplementedError), number
        assert len(data.WRONG[number]) >= 2, number
        for why, source in data.WRONG[number]:
            assert failure(exercise, names, source) is not None, (number, why)


def stated(path):
    """The number, minutes, difficulty and points of each exercise, as its heading says."""
    text = "\n".join(cell.source for _, cell in kinds(path))
    line = r"\*\((\d+) minutes, (easy|medium|hard), (\d+) points?\)\*"
    found = re.findall(rf"^## (\d+\.\d+) \S.*\n\n{line}", text, re.MULTILINE)
    assert len(found) == text.count("**Goal.**")
    return found


@notebook
def test_statements_name_minutes_difficulty_and_the_points_of_their_tests(path):
    points = {number: each["points"] for number, each in parts_of(path).items()}
    assert points == {number: int(points) for number, _, _, points in stated(path)}


@notebook
def test_the_chapter_lists_the_same_exercises(path):
    cells = nbformat.read(path.parent.parent / path.name, as_version=4).cells
    chapter = "\n".join(cell.source for cell in cells).partition("\n## Exercises\n")[2]
    listed = re.findall(r"^(\d+)\. \*\((\d+) minutes, (\w+)\)\*", chapter, re.MULTILINE)
    chapter_number = int(path.stem[:2])
    listed = [(f"{chapter_number}.{number}", *rest) for number, *rest in listed]
    assert [row[:3] for row in stated(path)] == listed


def test_the_instructors_page_has_the_right_numbers():
    page = (ROOT / "book" / "instructors.md").read_text(encoding="utf-8")
    row = r"^\| \[.*\]\(\.\./(.*)\) \| (\d+) \| (\d+) \| (\d+) \|$"
    listed = {
        ROOT / path: [*map(int, n)] for path, *n in re.findall(row, page, re.MULTILINE)
    }
    counted = {}
    for path in NOTEBOOKS:
        minutes, points = zip(*((int(m), int(p)) for _, m, _, p in stated(path)))
        counted[path] = [len(minutes), sum(minutes), sum(points)]
    assert listed == counted
    totals = " | ".join(str(sum(column)) for column in zip(*counted.values()))
    assert f"| **all** | {totals} |" in page


# --- what students get ---------------------------------------------------------------


@notebook
def test_students_get_neither_solutions_nor_hidden_tests(path):
    source = nbformat.read(path, as_version=4)
    student = exercises.student_view(source)
    nbformat.validate(student)
    text = "\n".join(cell.source for cell in student.cells)
    assert "@save" not in text and ".ipynb" not in text
    for kind, cell in kinds(path):
        shown = exercises.LINK.sub(r"\1", cell.source)
        assert (shown in text) == (kind in ("tests", None)), cell.source
        if kind == "solution" and cell.cell_type == "code":
            names = {n.name for n in ast.parse(cell.source).body if hasattr(n, "name")}
            assert all(re.search(rf"(def|class) {name}\b", text) for name in names)
    assert not any(cell.get("outputs") for cell in student.cells)


def test_a_stub_keeps_signatures_docstrings_imports_and_constants():
    source = '''import torch
RATE = 0.1


@torch.no_grad()
def f(
    x, *, y=1
):
    """Both.

    On two lines.
    """
    # a secret
    {}


class A(torch.nn.Module):
    """A layer."""

    def __init__(self, n):
        {}

    def forward(self, X):
        """X (b, n) gives (b,)."""
        {}'''
    solution = source.format("y = x\n\n    return y", "self.n = n", "return X.sum(1)")
    shown = source.replace("    # a secret\n", "")
    assert exercises.stub(solution) == shown.replace("{}", "raise NotImplementedError")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("print(1)", r"definitions only, not 'print\(1\)'"),
        ("def f(x):\n    return x", "f must have a docstring"),
        ('def f(x):\n    """F."""\n    return x\n    # x', "students would see '# x'"),
    ],
)
def test_a_solution_that_cannot_be_hidden_is_refused_with_its_cell(source, message):
    solution = new_code_cell(source, metadata={"tags": ["solution"]})
    cells = [new_code_cell("x = 1"), solution]
    with pytest.raises(ValueError, match=f"cell 1: .*{message}"):
        exercises.student_view(new_notebook(cells=cells))
