"""A small notebook of exercises, a course made of it, and how the tests handle both."""

import csv
import subprocess
import sys

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grading import grade
from tools.notebooks import exercises

NAME = "00_doubling"
GIVEN = """\
import torch

ONE = 1


def near(a, b):
    return torch.allclose(torch.tensor(float(a)), torch.tensor(float(b)))"""
DOUBLE = 'def double(x):\n    """Twice x."""\n    return x + x'
TEST = "assert double(ONE) == 2, 'one'"
HIDDEN = "assert near(double(2.0), 4.0), f'2 gives {double(2.0)}, not 4'"
TRIPLE = 'def triple(x):\n    """Three times x."""\n    return x + double(x)'
FOUR = 'def four():\n    """Four."""\n    return 4'
WHY = """\
<details>
<summary>Solution</summary>

Because $a \\cdot 2 = a + a$.

**Rubric** (2 points)

- 2 points: says why

</details>"""


def tagged(cell, *tags, **metadata):
    cell.metadata.update(tags=list(tags), **metadata)
    return cell


WHY_NOT = WHY.replace("(2 points)", "(1 points)").replace("- 2 points", "- 1 point")
CELLS = [
    new_markdown_cell("# Exercises 0 · Doubling"),
    new_code_cell(GIVEN),
    tagged(
        new_markdown_cell(
            "## 0.1 Two\n\n*(core, easy, 1 minutes, 5 points)*\n\nWhy is $2 x^2$ even?"
        ),
        "core",
    ),
    tagged(new_code_cell(DOUBLE), "solution"),
    tagged(new_code_cell(TEST), "tests", points=1),
    tagged(new_code_cell(HIDDEN), "hidden-tests", points=2),
    tagged(new_markdown_cell(WHY), "solution", points=2),
    tagged(new_code_cell("print(double(7))"), "discussion"),
    tagged(new_markdown_cell("*It is odd.* No."), "tempting"),
    tagged(
        new_markdown_cell("## 0.2 Three\n\n*(core, easy, 1 minutes, 4 points)*\n"), "core"
    ),
    tagged(new_code_cell(TRIPLE), "solution"),
    tagged(new_code_cell("assert triple(5) == 15"), "tests", points=3),
    tagged(new_markdown_cell(WHY_NOT), "solution", points=1),
    new_markdown_cell("## 0.3 Four\n\n*(optional, easy, 1 minutes, 1 points)*\n"),
    tagged(new_code_cell(FOUR), "solution"),
    tagged(new_code_cell("assert four() == 4"), "tests", points=1),
]

ANSWERS = {  # of each student: to 0.1 and 0.2
    "ada": (DOUBLE, TRIPLE),  # in what the book lets students download
    "cleo": ("def double(x):\n    return 2", TRIPLE),
    "dan": ("def double(x:\n    return x", "def triple(x):\n    return 3 * x"),
    "eve": (DOUBLE, "def triple(x):\n    while True:\n        pass"),
    "gus": (DOUBLE, "def triple(x):\n    import os\n    os._exit(0)"),
    "hal": ("def double(x):\n    return x", "def triple(x):\n    return 3 * x"),
    "kim": (
        DOUBLE,
        "import d2lmini\ntriple = lambda x: d2lmini.DistanceAttention(0)",
    ),
    "lea": (DOUBLE, "def triple(x):\n    return len(bytearray(3 * 2**30))"),
    "pia": (DOUBLE, TRIPLE),
    "sal": (DOUBLE, "import time\ndef triple(x):\n    time.sleep(1000)"),
}
SCRIPT = "<script>alert(1)</script>"


def tool(name, *arguments, fails=False):
    """What a tool prints; also its errors, if it is to fail."""
    command = [sys.executable, "-m", f"grading.{name}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert done.returncode == fails, done.stdout + done.stderr
    return done.stdout + done.stderr * fails


def read(path):
    return nbformat.read(path, as_version=4)


def hand_in(course, student, notebook):
    """Put a notebook where nbgrader looks for it."""
    path = course / "submitted" / student / NAME / f"{NAME}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def answered(notebook, double, triple, words=""):
    """The notebook that was given out, with these answers."""
    for cell in notebook.cells:
        for number, code in (("0-1", double), ("0-2", triple)):
            if cell.source.startswith(f"# id: {number}-solution-1"):
                cell.source = f"# id: {number}-solution-1\n{code}"
        if words:
            cell.source = cell.source.replace(exercises.WRITE_HERE, words)
    return notebook


def hand_in_answers(course, answers):
    """Hand in these answers, and two notebooks without metadata: ned's, and ola's."""
    given_out = course / "release" / NAME / f"{NAME}.ipynb"
    for student, (double, triple) in answers.items():
        notebook = read(given_out)
        if student == "ada":
            notebook = exercises.student_view(new_notebook(cells=CELLS))
        answered(notebook, double, triple)
        if student == "hal":
            changes = {TEST: "print('passed')", GIVEN: GIVEN.replace("= 1", "= 2")}
            cells = [c for c in notebook.cells if "hidden" not in str(c.metadata)]
            for cell in cells:
                for old, new in changes.items():
                    cell.source = cell.source.replace(old, new)
            notebook.cells = cells
        if student == "pia":
            words = new_markdown_cell(f"{SCRIPT} It is.")
            notebook.cells.insert(place(notebook, "Your answer to 0.1") + 1, words)
            shown = f"from IPython.display import HTML\nHTML('{SCRIPT}')"
            i = place(notebook, "# id: 0-given-1")
            notebook.cells.insert(i + 1, new_code_cell(shown))
        hand_in(course, student, notebook)
    right = answered(read(given_out), DOUBLE, TRIPLE)
    for cell in right.cells:
        cell.metadata.clear()
    hand_in(course, "ned", right)
    del right.cells[place(right, "def triple")]  # the answer is lost: a grader looks at it
    hand_in(course, "ola", right)


def grade_by_hand(course, student, *points):
    """Give these points to the answers in words to 0.1 and 0.2, as in the formgrader."""
    with grade.open_course(course).gradebook as gradebook:
        for number, given in enumerate(points, 1):
            mark = gradebook.find_grade(f"0-{number}-written-1", NAME, NAME, student)
            mark.manual_score, mark.needs_manual_grade = given, False
        gradebook.db.commit()


def place(notebook, text):
    """The index of the first cell that holds this text."""
    return next(i for i, cell in enumerate(notebook.cells) if text in cell.source)


def table(printed):
    """Student by student, the points and the remark."""
    rows = [line.split(maxsplit=4) for line in printed.splitlines()[:-1]]
    rows = [row for row in rows if row[2:3] == ["of"]]
    return {row[0]: (float(row[1]), "".join(row[4:])) for row in rows}


def rows(course, file):
    """The rows of a table."""
    with open(course / file, encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def column(course, file, name, key):
    """A column of a table, by another."""
    return {row[key]: row[name] for row in rows(course, file)}


def make_course(folder, changes):
    """Make a course of one small assignment, with changed settings."""
    sources = folder / "exercises"
    sources.mkdir()
    nbformat.write(new_notebook(cells=CELLS), sources / f"{NAME}.ipynb")
    tool("assignments", "--course", folder, "--exercises", sources)
    config = folder / "nbgrader_config.py"
    settings = config.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in settings
        settings = settings.replace(old, new)
    config.write_text(settings, encoding="utf-8")
