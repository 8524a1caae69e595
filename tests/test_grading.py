"""Assignments graded by nbgrader, from the command line as an instructor does it."""

import csv
import html
import re
import subprocess
import sys

import grade
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_assignments import NOTEBOOKS, answers, exercises, tagged

from conftest import ROOT

NAME = "00_doubling"
GIVEN = "ONE = 1"
DOUBLE = 'def double(x):\n    """Twice x."""\n    return x + x'
TEST = "assert double(ONE) == 2, 'one'"
HIDDEN = "assert double('a') == 'aa', 'letters count, too'"
TRIPLE = 'def triple(x):\n    """Three times x."""\n    return x + double(x)'
CELLS = [
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
ANSWERS = {  # of each student: to 0.1 and 0.2
    "ada": (DOUBLE, TRIPLE),
    "cleo": ("def double(x):\n    return 2", TRIPLE),
    "dan": ("def double(x:\n    return x", TRIPLE),
    "eve": (DOUBLE, "def triple(x):\n    while True:\n        pass"),
    "gus": (DOUBLE, "def triple(x):\n    import os\n    os._exit(0)"),
    "hal": ("def double(x):\n    return x", "def triple(x):\n    return 3 * x"),
}
GRADES = {  # of 6 points; what the remark has to say
    "ada": (6, ""),
    "cleo": (1, "2 tests failed"),
    "dan": (0, "SyntaxError"),
    "eve": (3, "CellTimeoutError: stopped after 5 seconds"),
    "gus": (0, "nbgrader gave up: DeadKernelError: Kernel died"),
    "hal": (3, "2 tests failed"),  # who changed and deleted cells to pass the tests
    "ida": (0, "there is no 00_doubling.ipynb, only answers.txt"),
    "joe": (0, "00_doubling.ipynb is no readable notebook"),
    "kim": (0, "3 tests failed"),  # as it was given out
    "leo": (6, ""),  # what the book lets students download
}


def tool(name, *arguments):
    """What a tool prints."""
    command = [sys.executable, ROOT / "tools" / f"{name}.py", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(path):
    return nbformat.read(path, as_version=4)


def hand_in(course, student, name, notebook):
    """Put a notebook where nbgrader looks for it."""
    path = course / "submitted" / student / name / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


def answered(notebook, solutions):
    """A students' notebook with answers, by the numbers of the exercises."""
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if match := re.fullmatch(r"(\d+)-(\d+)-solution-(\d+)", name):
            chapter, exercise, part = match.groups()
            number = f"{chapter}.{exercise}"
            if number in solutions:
                cell.source = solutions[number] if part == "1" else ""
    return notebook


def table(printed):
    """Student by student, the points and the remark."""
    rows = [line.split(maxsplit=4) for line in printed.splitlines()[:-1]]
    return {row[0]: (float(row[1]), "".join(row[4:])) for row in rows}


def exported(course):
    """The exported points of each student."""
    with open(course / "grades.csv", encoding="utf-8") as file:
        return {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by many students, not yet graded."""
    folder = tmp_path_factory.mktemp("course")
    sources = folder / "exercises"
    sources.mkdir()
    nbformat.write(new_notebook(cells=CELLS), sources / f"{NAME}.ipynb")
    tool("assignments", "--course", folder, "--exercises", sources)
    config = folder / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8")
    assert "SECONDS = 60" in text
    config.write_text(text.replace("SECONDS = 60", "SECONDS = 5"), encoding="utf-8")

    given_out = folder / "release" / NAME / f"{NAME}.ipynb"
    for student, (double, triple) in ANSWERS.items():
        notebook = answered(read(given_out), {"0.1": double, "0.2": triple})
        if student == "hal":
            changes = {TEST: "print('passed')", GIVEN: "ONE = 2"}
            cells = [c for c in notebook.cells if "hidden" not in str(c.metadata)]
            for cell in cells:
                cell.source = changes.get(cell.source, cell.source)
            notebook.cells = cells
        hand_in(folder, student, NAME, notebook)
    for student, name, text in [
        ("ida", "answers.txt", "I prefer words."),
        ("joe", f"{NAME}.ipynb", "{ not JSON"),
    ]:
        path = folder / "submitted" / student / NAME
        path.mkdir(parents=True)
        (path / name).write_text(text, encoding="utf-8")
    hand_in(folder, "kim", NAME, read(given_out))
    downloads = folder / "downloads"
    tool("assignments", "--downloads", downloads, "--exercises", sources)
    notebook = read(downloads / f"{NAME}.ipynb")
    hand_in(folder, "leo", NAME, answered(notebook, {"0.1": DOUBLE, "0.2": TRIPLE}))
    return folder


@pytest.fixture(scope="module")
def graded(course):
    """What the tool prints when it grades the course."""
    return table(tool("grade", NAME, "--course", course))


def test_each_student_gets_the_points_and_a_remark(course, graded):
    assert exported(course) == {student: points for student, (points, _) in graded.items()}
    assert graded.keys() == GRADES.keys()
    for student, (points, remark) in GRADES.items():
        given, said = graded[student]
        assert given == points, student
        assert remark in said if remark else not said, student


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


def test_making_and_grading_a_course_again_changes_nothing(course, graded):
    before = sorted((course / "submitted").rglob("*")), exported(course)
    tool("assignments", "--course", course, "--exercises", course / "exercises")
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 5 " in config  # as it was changed
    assert (sorted((course / "submitted").rglob("*")), exported(course)) == before
    quick = ["ada", "cleo", "ida"]
    for student in GRADES.keys() - set(quick):
        (course / "submitted" / student).rename(course / student)
    again = table(tool("grade", NAME, "--course", course))
    assert again == {student: graded[student] for student in quick}
    assert exported(course) == before[1]


def test_the_book_lets_students_download_what_is_released(course):
    download = read(course / "downloads" / f"{NAME}.ipynb")
    release = read(course / "release" / NAME / f"{NAME}.ipynb")
    for ours, theirs in zip(download.cells, release.cells, strict=True):
        theirs.metadata.get("nbgrader", {}).pop("checksum", None)
        assert ours.source == theirs.source
        assert ours.metadata.get("nbgrader") == theirs.metadata.get("nbgrader")


def test_what_is_not_there_is_refused(course, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["grade", "09_nothing", "--course", str(course)])
    with pytest.raises(SystemExit, match=f"assignment must be one of {NAME}, not '09_no"):
        grade.main()


# --- the book's exercises ------------------------------------------------------------


@pytest.fixture(scope="module")
def real_course(tmp_path_factory):
    """The course of the book's exercises."""
    folder = tmp_path_factory.mktemp("real")
    tool("assignments", "--course", folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_real_solutions_get_all_points_stubs_none_and_wrong_answers_lose(real_course, path):
    found, data, name = exercises(path), answers(path), path.stem
    all_answers = {
        "right": {number: exercise["solution"] for number, exercise in found.items()},
        "other": data.OTHER,
        "empty": {},
    }
    for k in range(3):
        wrong = {number: answer[k][1] for number, answer in data.WRONG.items()}
        all_answers[f"wrong{k}"] = wrong
    for student, solutions in all_answers.items():
        notebook = read(real_course / "release" / name / f"{name}.ipynb")
        hand_in(real_course, student, name, answered(notebook, solutions))
    printed = tool("grade", name, "--course", real_course)
    points = {student: row[0] for student, row in table(printed).items()}
    total = int(printed.split()[3])
    assert points["right"] == points["other"] == total, printed
    assert points["empty"] == 0, printed
    for k in range(3):  # every exercise loses some of its points
        assert points[f"wrong{k}"] <= total - len(found), printed
