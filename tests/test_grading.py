"""Assignments graded by nbgrader, from the command line as an instructor does it."""

import csv
import html
import re
import subprocess
import sys

import assignments
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_assignments import NOTEBOOKS, answers, exercises, tagged

from conftest import ROOT

NAME = "00_doubling"
DOUBLE = 'def double(x):\n    """Twice x."""\n    return x + x'
GIVEN = "ONE = 1"
TEST = "assert double(ONE) == 2, 'one'"
HIDDEN = "assert double('a') == 'aa', 'letters count, too'"
TRIPLE = 'def triple(x):\n    """Three times x."""\n    return x + double(x)'
ANSWERS = {  # of each student: to 0.1, and to 0.2 if it is not right
    "ada": (DOUBLE,),
    "ben": ('def double(x):\n    """Twice x."""\n    return x * 2',),
    "cleo": ('def double(x):\n    """Twice x."""\n    return 2',),
    "dan": ("def double(x:\n    return x",),
    "eve": (DOUBLE, "def triple(x):\n    while True:\n        pass"),
    "fay": (
        DOUBLE,
        "def triple(x):\n    while True:\n        try:\n            while True:\n"
        "                pass\n        except KeyboardInterrupt:\n            pass",
    ),
    "gus": (DOUBLE, "def triple(x):\n    import os\n    os._exit(0)"),
}
GRADES = {  # of 6 points; what the remark has to say
    "ada": (6, ""),
    "ben": (6, ""),
    "cleo": (1, "2 tests failed"),
    "dan": (0, "SyntaxError"),
    "eve": (3, "CellTimeoutError: stopped after 5 seconds"),
    "fay": (None, "CellTimeoutError"),  # how far such a kernel gets is not ours to say
    "gus": (0, "nbgrader gave up: DeadKernelError: Kernel died"),
    "hal": (4, "1 test failed"),
    "ida": (0, "there is no 00_doubling.ipynb, only answers.txt"),
    "joe": (0, "00_doubling.ipynb is no readable notebook"),
    "kim": (0, "3 tests failed"),
    "leo": (6, ""),
}


def tool(name, *arguments):
    """What a tool prints, its status and what it complains about."""
    command = [sys.executable, ROOT / "tools" / f"{name}.py", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def hand_in(course, student, name, notebook):
    """Put a notebook where nbgrader looks for it."""
    path = course / "submitted" / student / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def released(course, name):
    """The notebook that students get, and its cells by nbgrader's names."""
    path = course / "release" / name / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cells = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return notebook, {cell.metadata.nbgrader["grade_id"]: cell for cell in cells}


def answered(course, name, solutions):
    """The students' notebook with answers, by the numbers of the exercises."""
    notebook, cells = released(course, name)
    for number, source in solutions.items():
        stem = f"{number.replace('.', '-')}-solution-"
        for name, cell in cells.items():
            if name.startswith(stem):
                cell.source = source if name == f"{stem}1" else ""
    return notebook


def table(printed):
    """Student by student, the points and the remark."""
    rows = [line.split(maxsplit=4) for line in printed.splitlines()[:-1]]
    return {
        student: (float(points), *(remark or [""]))
        for student, points, _, _, *remark in rows
    }


def scores(course):
    """The exported scores, by assignment and student."""
    with open(course / "grades.csv", encoding="utf-8") as file:
        return {
            (row["assignment"], row["student_id"]): float(row["score"])
            for row in csv.DictReader(file)
        }


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by many students, not yet graded."""
    folder = tmp_path_factory.mktemp("course")
    cells = [
        new_markdown_cell("# Exercises 0 · Doubling"),
        new_code_cell(GIVEN),
        new_markdown_cell("## 0.1 Two\n\n*(1 minutes, easy, 3 points)*\n"),
        tagged(new_code_cell(DOUBLE), "solution"),
        tagged(new_code_cell(TEST), "tests", points=1),
        tagged(new_code_cell(HIDDEN), "hidden-tests", points=2),
        tagged(new_markdown_cell("<details>\n\nAdd.\n\n</details>"), "solution"),
        tagged(new_code_cell("print(double(7))"), "discussion"),
        new_markdown_cell("## 0.2 Three\n\n*(1 minutes, easy, 3 points)*\n"),
        tagged(new_code_cell(TRIPLE), "solution"),
        tagged(new_code_cell("assert triple(5) == 15"), "tests", points=3),
    ]
    sources = folder / "exercises"
    sources.mkdir()
    nbformat.write(new_notebook(cells=cells), sources / f"{NAME}.ipynb")
    made = tool("assignments", "--course", folder, "--exercises", sources)
    assert made.returncode == 0, made.stderr
    config = folder / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    assert "SECONDS = 60" in text
    config.write_text(text.replace("SECONDS = 60", "SECONDS = 5"), encoding="utf-8")
    for student, (double, *triple) in ANSWERS.items():
        solutions = {"0.1": double, "0.2": (triple or [TRIPLE])[0]}
        hand_in(folder, student, NAME, answered(folder, NAME, solutions))
    notebook, cells = released(folder, NAME)  # hal's tests are easier than ours
    cells["0-1-solution-1"].source = 'def double(x):\n    """Twice x."""\n    return x + 1'
    cells["0-1-tests-1"].source = "print('passed')"
    cells["0-given-1"].source = "ONE = 2"
    cells[
        "0-2-solution-1"
    ].source = 'def triple(x):\n    """Three times x."""\n    return 3 * x'
    notebook.cells = [cell for cell in notebook.cells if "hidden" not in str(cell.metadata)]
    hand_in(folder, "hal", NAME, notebook)
    hand_in(folder, "kim", NAME, released(folder, NAME)[0])
    downloaded = assignments.student_view(
        nbformat.read(folder / "source" / NAME / f"{NAME}.ipynb", as_version=4)
    )
    for cell in downloaded.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        solution = {"0-1-solution-1": DOUBLE, "0-2-solution-1": TRIPLE}.get(name)
        cell.source = solution or cell.source
    hand_in(folder, "leo", NAME, downloaded)
    for student, name, text in [
        ("ida", "answers.txt", "I prefer words."),
        ("joe", f"{NAME}.ipynb", "{ not JSON"),
    ]:
        path = folder / "submitted" / student / NAME
        path.mkdir(parents=True)
        (path / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def graded(course):
    """What the tool prints when it grades the course."""
    result = tool("grade", NAME, "--course", course)
    assert result.returncode == 0, result.stderr
    return table(result.stdout)


@pytest.mark.parametrize("student", GRADES)
def test_each_student_gets_the_points_and_a_remark(graded, student):
    points, remark = GRADES[student]
    given, said = graded[student]
    assert points is None or given == points
    assert said.startswith(remark) if not remark else remark in said


def test_a_kernel_that_cannot_be_interrupted_gives_no_points_for_what_it_hides(graded):
    assert graded["fay"][0] < 6


def test_nobody_is_forgotten_and_the_points_are_exported(course, graded):
    assert graded.keys() == GRADES.keys()
    assert scores(course) == {
        (NAME, student): points for student, (points, _) in graded.items()
    }


def test_everybody_gets_a_page_and_none_shows_a_hidden_test(course, graded):
    pages = {}
    for student in graded:
        path = course / "feedback" / student / NAME / f"{NAME}.html"
        text = re.sub("<[^>]+>", "", path.read_text(encoding="utf-8"))
        pages[student] = html.unescape(text)
        assert "double('a')" not in pages[student], student
    assert "AssertionError: letters count, too" in pages["cleo"]
    assert "assert triple(5) == 15" in pages["cleo"]  # a test that students know
    for student in ("ida", "joe", "gus"):
        assert graded[student][1] in pages[student]
    hal = course / "autograded" / "hal" / NAME / f"{NAME}.ipynb"
    assert TEST in hal.read_text(encoding="utf-8").replace('\\"', '"')


def test_grading_twice_changes_nothing(course, graded):
    before = (course / "grades.csv").read_text(encoding="utf-8")
    quick = ["ada", "cleo", "ida", "joe", "kim"]
    for student in sorted(set(GRADES) - set(quick)):
        (course / "submitted" / student).rename(course / student)
    again = tool("grade", NAME, "--course", course)
    assert table(again.stdout) == {student: graded[student] for student in quick}
    assert (course / "grades.csv").read_text(encoding="utf-8") == before


def test_what_is_not_there_is_refused(course):
    result = tool("grade", "09_nothing", "--course", course)
    assert result.returncode == 1
    assert f"assignment must be one of {NAME}, not '09_nothing'" in result.stderr


def test_making_a_course_again_keeps_what_was_handed_in(course, graded):
    before = sorted((course / "submitted").rglob("*"))
    made = tool("assignments", "--course", course, "--exercises", course / "exercises")
    assert made.returncode == 0, made.stderr
    assert sorted((course / "submitted").rglob("*")) == before
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 5" in config  # as it was changed
    assert scores(course)[NAME, "ada"] == 6
    again = tool("grade", NAME, "--course", course)
    assert table(again.stdout)["ada"] == graded["ada"]


@pytest.fixture(scope="module")
def real_course(tmp_path_factory):
    """The course of the book's exercises."""
    folder = tmp_path_factory.mktemp("real")
    made = tool("assignments", "--course", folder)
    assert made.returncode == 0, made.stderr
    return folder


def test_a_release_is_what_the_book_lets_students_download(real_course):
    for path in NOTEBOOKS:
        source = real_course / "source" / path.stem / path.name
        view = assignments.student_view(nbformat.read(source, as_version=4))
        release, _ = released(real_course, path.stem)
        for ours, theirs in zip(view.cells, release.cells, strict=True):
            theirs.metadata.get("nbgrader", {}).pop("checksum", None)
            assert ours.source == theirs.source
            assert ours.metadata.get("nbgrader") == theirs.metadata.get("nbgrader")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_real_solutions_get_all_points_stubs_none_and_wrong_answers_lose(real_course, path):
    found, data, name = exercises(path), answers(path), path.stem
    right = {number: exercise["solution"] for number, exercise in found.items()}
    hand_in(real_course, "right", name, answered(real_course, name, right))
    hand_in(real_course, "other", name, answered(real_course, name, data.OTHER))
    hand_in(real_course, "empty", name, released(real_course, name)[0])
    for k in range(3):
        wrong = {number: answer[k][1] for number, answer in data.WRONG.items()}
        hand_in(real_course, f"wrong{k}", name, answered(real_course, name, wrong))
    result = tool("grade", name, "--course", real_course)
    assert result.returncode == 0, result.stderr
    points = {student: row[0] for student, row in table(result.stdout).items()}
    total = int(result.stdout.split()[3])
    assert points["right"] == points["other"] == total, result.stdout
    assert points["empty"] == 0, result.stdout
    for k in range(3):  # every exercise loses some of its points
        assert points[f"wrong{k}"] <= total - len(found), result.stdout
