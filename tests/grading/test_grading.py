"""Assignments graded by nbgrader, from the command line as an instructor does it."""

import ast
import base64
import csv
import html
import json
import lzma
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grading import grade, isolation
from tools.build import exercises

pytestmark = pytest.mark.slow

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


CELLS = [
    new_markdown_cell("# Exercises 0 · Doubling"),
    new_code_cell(GIVEN),
    new_markdown_cell(
        "## 0.1 Two\n\n*(1 minutes, easy, 5 points)*\n\nWhy is $2 x^2$ even?"
    ),
    tagged(new_code_cell(DOUBLE), "solution"),
    tagged(new_code_cell(TEST), "tests", points=1),
    tagged(new_code_cell(HIDDEN), "hidden-tests", points=2),
    tagged(new_markdown_cell(WHY), "solution", points=2),
    tagged(new_code_cell("print(double(7))"), "discussion"),
    new_markdown_cell("## 0.2 Three\n\n*(1 minutes, easy, 3 points)*\n"),
    tagged(new_code_cell(TRIPLE), "solution"),
    tagged(new_code_cell("assert triple(5) == 15"), "tests", points=3),
]
ANSWERS = {  # of each student: to 0.1 and 0.2
    "ada": (DOUBLE, TRIPLE),  # in what the book lets students download
    "cleo": ("def double(x):\n    return 2", TRIPLE),
    "dan": ("def double(x:\n    return x", "def triple(x):\n    return 3 * x"),
    "eve": (DOUBLE, "def triple(x):\n    while True:\n        pass"),
    "gus": (DOUBLE, "def triple(x):\n    import os\n    os._exit(0)"),
    "hal": ("def double(x):\n    return x", "def triple(x):\n    return 3 * x"),
    "pia": (f"{DOUBLE}\nnear = print = sum = 3\nfloat = str", TRIPLE),
}
GRADES = {  # of 8 points, and the remark
    "ada": (6, ""),
    "cleo": (1, "2 tests failed"),
    "dan": (3, "2 tests failed; SyntaxError: .*"),
    "eve": (3, "1 test failed; TimeoutError: stopped after 5 seconds of computing"),
    "gus": (3, "1 test failed; DeadKernelError: Kernel died"),
    "hal": (3, "2 tests failed; some cells were mended"),  # who deleted and changed tests
    "ida": (0, "there is no 00_doubling.ipynb, only answers.txt"),
    "joe": (0, "00_doubling.ipynb is no readable notebook: .*"),
    "ned": (6, "some cells were mended"),  # whose program has dropped all marks
    "pia": (6, "1 answer to grade by hand; some cells were mended"),  # words in a new cell
}


def tool(name, *arguments):
    """What a tool prints."""
    command = [sys.executable, "-m", f"grading.{name}", *map(str, arguments)]
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


def place(notebook, text):
    """The index of the first cell that holds this text."""
    return next(i for i, cell in enumerate(notebook.cells) if text in cell.source)


def without_marks(notebook):
    """A notebook from a program that keeps no metadata."""
    for cell in notebook.cells:
        cell.metadata.clear()
    return notebook


def table(printed):
    """Student by student, the points and the remark."""
    rows = [line.split(maxsplit=4) for line in printed.splitlines()[:-1]]
    rows = [row for row in rows if row[2:3] == ["of"]]
    return {row[0]: (float(row[1]), "".join(row[4:])) for row in rows}


def exported(course, file="grades.csv", column="points", key="student"):
    """A column of an exported table, for each student."""
    with open(course / file, encoding="utf-8") as lines:
        rows = {row[key]: row[column] for row in csv.DictReader(lines)}
    return {
        name: float(x) if x.replace(".", "").isdigit() else x for name, x in rows.items()
    }


def make_course(folder, old, new):
    """Make a course of one small assignment, with a changed setting."""
    sources = folder / "exercises"
    sources.mkdir()
    nbformat.write(new_notebook(cells=CELLS), sources / f"{NAME}.ipynb")
    tool("assignments", "--course", folder, "--exercises", sources)
    config = folder / "nbgrader_config.py"
    settings = config.read_text(encoding="utf-8")
    assert old in settings
    config.write_text(settings.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by many students, not yet graded."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, "SECONDS = 60", "SECONDS = 5")
    given_out = folder / "release" / NAME / f"{NAME}.ipynb"
    for student, (double, triple) in ANSWERS.items():
        notebook = read(given_out)
        if student == "ada":
            notebook = exercises.student_view(new_notebook(cells=CELLS))
        answered(notebook, {"0.1": double, "0.2": triple})
        if student == "hal":
            changes = {TEST: "print('passed')", GIVEN: GIVEN.replace("= 1", "= 2")}
            cells = [c for c in notebook.cells if "hidden" not in str(c.metadata)]
            for cell in cells:
                cell.source = changes.get(cell.source, cell.source)
            notebook.cells = cells
        if student == "pia":
            words = new_markdown_cell("<script>alert(1)</script> It is.")
            notebook.cells.insert(place(notebook, "Your answer to") + 1, words)
        hand_in(folder, student, NAME, notebook)
    for student, name, text in [
        ("ida", "answers.txt", "I prefer words."),
        ("joe", f"{NAME}.ipynb", "{ not JSON"),
    ]:
        path = folder / "submitted" / student / NAME
        path.mkdir(parents=True)
        (path / name).write_text(text, encoding="utf-8")
    right = answered(read(given_out), {"0.1": DOUBLE, "0.2": TRIPLE})
    hand_in(folder, "ned", NAME, without_marks(right))
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
        assert re.fullmatch(remark, said), student


def test_everybody_gets_a_page_and_none_shows_a_hidden_test(course, graded):
    pages = {}
    for student in graded:
        path = course / "feedback" / student / NAME / f"{NAME}.html"
        text = re.sub("<[^>]+>", "", path.read_text(encoding="utf-8"))
        pages[student] = html.unescape(text)
        assert "double(2.0)" not in pages[student], student
    assert "AssertionError: 2 gives 2, not 4" in pages["cleo"]
    assert "assert triple(5) == 15" in pages["cleo"]  # a test that students know
    for student in ("ida", "joe"):
        assert graded[student][1] in pages[student]
    assert "0.1 hidden tests 1: missing; " in pages["hal"]
    assert "answered in a cell below" in pages["pia"] and "< script>" in pages["pia"]
    assert all("2 points: says why" in pages[student] for student in ("ada", "ned"))


def test_a_page_needs_nothing_from_elsewhere_and_names_the_exercises(course, graded):
    path = course / "feedback" / "ada" / NAME / f"{NAME}.html"
    page = path.read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|src=.http|@import", page)
    assert ">0.1 Two</a>: 3 of 5 points" in page
    assert '<a href="#0-1-hidden-tests-1">hidden tests: 2 of 2</a>' in page
    assert "<msup>" in page and "$2 x^2$" not in page


def test_making_a_course_again_keeps_settings_submissions_and_points(course, graded):
    before = sorted((course / "submitted").rglob("*")), exported(course)
    tool("assignments", "--course", course, "--exercises", course / "exercises")
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 5\n" in config  # as it was changed
    tool("grade", NAME, "--course", course, "--feedback")
    assert (sorted((course / "submitted").rglob("*")), exported(course)) == before


def test_what_is_not_there_is_refused(course, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["grade", "09_nothing", "--course", str(course)])
    with pytest.raises(SystemExit, match=f"assignment must be one of {NAME}, not '09_no"):
        grade.main()


# --- a term's other business ---------------------------------------------------------


def test_collected_from_platforms_graded_by_hand_late_and_exported(tmp_path):
    """Zips of Canvas and Moodle, a due date, an answer graded by hand, and the tables."""
    make_course(tmp_path, "A_DAY = 0", "A_DAY = 10")
    notebook = read(tmp_path / "release" / NAME / f"{NAME}.ipynb")
    done = answered(notebook, {"0.1": DOUBLE, "0.2": TRIPLE})
    for cell in done.cells:
        cell.source = cell.source.replace("*Write here.*", "It is added to itself.")
    archive = tmp_path / "downloaded" / NAME / "archive"
    archive.mkdir(parents=True)
    for platform, name in [
        ("canvas", f"lovelaceada_LATE_1234567_7654321_{NAME}-1.ipynb"),
        ("canvas", "hoppergrace_1234568_7654322_My homework (1).ipynb"),
        ("moodle", f"Emmy Noether_998877_assignsubmission_file_/{NAME}.ipynb"),
    ]:
        with zipfile.ZipFile(archive / f"{platform}.zip", "a") as zipped:
            zipped.writestr(name, nbformat.writes(done))

    def nbgrader(*arguments):
        command = [sys.executable, "-m", "nbgrader", *arguments]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr

    nbgrader("zip_collect", NAME)
    ada, grace, emmy = "lovelaceada_1234567", "hoppergrace_1234568", "Emmy_Noether"
    handed_in = {path.name for path in (tmp_path / "submitted").iterdir()}
    assert handed_in == {ada, grace, emmy}
    nbgrader("db", "assignment", "add", NAME, "--duedate", "2027-02-01 23:59 UTC")
    nbgrader("db", "student", "add", "kurt", "--email", "kurt@example.org")
    stamp = tmp_path / "submitted" / ada / NAME / "timestamp.txt"
    stamp.write_text("2027-02-02 08:00 UTC", encoding="utf-8")

    everybody = table(tool("grade", NAME, "--course", tmp_path))
    assert everybody.keys() == handed_in
    assert everybody[ada] == (
        pytest.approx(5.4),
        "0.6 taken off for being late; 1 answer to grade by hand",
    )
    with grade.open_course(tmp_path).gradebook as gradebook:
        mark = gradebook.find_grade("0-1-written-1", NAME, NAME, grace)
        mark.manual_score, mark.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    assert everybody[grace] == (6, "1 answer to grade by hand")
    again = table(tool("grade", NAME, "--course", tmp_path, "--feedback"))
    assert again[grace] == (7.5, "")
    page = tmp_path / "feedback" / grace / NAME / f"{NAME}.html"
    assert ">answer in words: 1.5 of 2</a>" in page.read_text(encoding="utf-8")

    points = {ada: pytest.approx(5.4), emmy: 6, grace: 7.5, "kurt": ""}
    assert exported(tmp_path) == points
    points |= {ada: "", emmy: ""}  # not final, so not for the platform
    assert exported(tmp_path, "canvas.csv", NAME, "SIS Login ID") == points
    numbers = exported(tmp_path, "canvas.csv", "ID", "SIS Login ID")
    assert numbers == {ada: 1234567, grace: 1234568, emmy: "", "kurt": ""}
    assert exported(tmp_path, "moodle.csv", NAME, "username") == points


CHEATS = {
    "drops asserts": """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Drop())""",
    "equals everything": """
class Yes:
    def __eq__(self, other):
        return True
    def __float__(self):
        return 4.0
def double(x):
    return Yes()
def triple(x):
    return Yes()""",
    "looks around": """
import socket
from pathlib import Path
for go in (
    lambda: Path("{course}/seen").write_text(Path("{course}/gradebook.db").name),
    lambda: socket.create_connection(("127.0.0.1", {port}), timeout=5),
):
    try:
        go()
    except OSError:
        pass""",
}


def test_cheats_get_nothing(course):
    """Only what needs no isolation where this system has none."""
    given_out = course / "release" / NAME / f"{NAME}.ipynb"
    cheats = list(CHEATS.items())[: None if isolation.isolated() else 2]
    with socket.create_server(("127.0.0.1", 0)) as server:
        for what, code in cheats:
            code = code.replace("{course}", str(course))
            code = code.replace("{port}", str(server.getsockname()[1]))
            student, answers = what.replace(" ", "_"), {"0.1": code, "0.2": "'see above'"}
            hand_in(course, student, NAME, answered(read(given_out), answers))
            printed = tool("grade", NAME, "--course", course, "--student", student)
            points, remark = table(printed)[student]
            assert points == 0, (what, remark)
            assert "look at it, since it uses" in remark, what
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert not (course / "seen").exists()
    if not isolation.isolated():
        pytest.skip("without bubblewrap, cheats that need isolation were not tried")


def test_without_isolation_the_grader_is_told_and_points_are_the_same(
    course, graded, monkeypatch
):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    printed = tool("grade", NAME, "--course", course, "--student", "ada")
    assert printed.startswith("grade: bubblewrap is missing")
    assert table(printed) == {"ada": graded["ada"]}


# --- the book's exercises ------------------------------------------------------------


@pytest.fixture(scope="module")
def real_course(tmp_path_factory):
    """The course of the book's exercises."""
    folder = tmp_path_factory.mktemp("real")
    tool("assignments", "--course", folder)
    return folder


def test_the_book_lets_students_download_what_nbgrader_releases(real_course):
    for path, download in exercises.read_all(exercises.SOURCES, exercises.student_view):
        release = read(real_course / "release" / path.stem / path.name)
        for ours, theirs in zip(download.cells, release.cells, strict=True):
            theirs.metadata.get("nbgrader", {}).pop("checksum", None)
            assert ours.source == theirs.source
            assert ours.metadata.get("nbgrader") == theirs.metadata.get("nbgrader")


def test_the_students_folder_has_no_solution_and_no_hidden_test(real_course):
    folder = real_course / "students"
    texts = {}
    for path in folder.rglob("*.ipynb"):
        cells = nbformat.read(path, as_version=4).cells
        texts[path.name] = "\n".join(cell.source for cell in cells)
        for packed in re.findall(r'packed = """\n(.*?)\n"""', texts[path.name], re.DOTALL):
            unpacked = lzma.decompress(base64.b64decode(packed)).decode()
            texts[path.name] += "\n".join(json.loads(unpacked).values())
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = [name for name in files.namelist() if name.endswith(".py")]
        texts |= {name: files.read(name).decode() for name in names}
    sources = [*map(read, exercises.SOURCES.glob("*.ipynb"))]
    assert len(texts) > 9 + len(sources) and "d2lmini/__init__.py" in texts
    everything = "\n".join(texts.values())
    for source in sources:
        kinds = [(exercises.kind_of(c, i), c) for i, c in enumerate(source.cells)]
        shown = "\n".join(c.source for kind, c in kinds if kind in ("tests", None))
        for kind, cell in kinds:
            if cell.cell_type == "code" and kind in ("solution", "hidden-tests"):
                for secret in secrets_of(kind, cell.source):
                    assert secret not in everything or secret in shown, secret


def secrets_of(kind, source):
    """The lines of a hidden test's asserts, or the bodies of a solution's functions."""
    for node in ast.walk(ast.parse(source)):
        if kind == "hidden-tests" and isinstance(node, ast.Assert):
            yield ast.get_source_segment(source, node)
        elif kind == "solution" and isinstance(node, ast.FunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            lines = source.splitlines()[body[0].lineno - 1 : node.end_lineno]
            if len(lines) > 2:
                yield "\n".join(lines)


def test_a_real_assignment_gives_points_for_what_is_right_and_mends_a_damaged_file(
    real_course,
):
    name = "05_multi_head"
    release, source = (
        real_course / part / name / f"{name}.ipynb" for part in ("release", "source")
    )
    solutions, of = {}, {}
    for cell in read(source).cells:
        marks = cell.metadata.get("nbgrader", {})
        if "-solution-" in marks.get("grade_id", ""):
            solutions[marks["grade_id"]] = cell.source
        if "tests-" in marks.get("grade_id", ""):
            exercise = marks["grade_id"].rpartition("-")[0].partition("-")[2][0]
            of[exercise] = of.get(exercise, 0) + marks["points"]

    def solved(but=()):
        notebook = read(release)
        for cell in notebook.cells:
            mark = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            if not mark.startswith(tuple(but) or "?"):
                cell.source = solutions.get(mark, cell.source)
        return notebook

    handed_in = {
        "right": solved(),
        "partly": solved(but=["5-1-", "5-3-"]),
        "empty": read(release),
        "damaged": without_marks(solved()),
    }
    for student, notebook in handed_in.items():
        hand_in(real_course, student, name, notebook)
    rows = table(tool("grade", name, "--course", real_course))
    points = {student: points for student, (points, _) in rows.items()}
    total = sum(of.values())
    partly = total - of["1"] - of["3"]
    assert points == {"right": total, "partly": partly, "empty": 0, "damaged": total}
    assert rows["right"][1] == "" and rows["damaged"][1] == "some cells were mended"
