"""Assignments graded by nbgrader, from the command line as an instructor does it."""

import csv
import html
import re
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from helpers import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_assignments import NOTEBOOKS, answers, exercises, tagged

from grading import grade, isolation, mend

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
    "ada": (DOUBLE, TRIPLE),
    "cleo": ("def double(x):\n    return 2", TRIPLE),
    "dan": ("def double(x:\n    return x", TRIPLE),
    "eve": (DOUBLE, "def triple(x):\n    while True:\n        pass"),
    "gus": (DOUBLE, "def triple(x):\n    import os\n    os._exit(0)"),
    "hal": ("def double(x):\n    return x", "def triple(x):\n    return 3 * x"),
}
GRADES = {  # of 8 points, and the remark
    "ada": (6, ""),
    "cleo": (1, "2 tests failed"),
    "dan": (0, "3 tests failed; SyntaxError: .*"),
    "eve": (3, "1 test failed; TimeoutError: stopped after 5 seconds of computing"),
    "gus": (3, "1 test failed; DeadKernelError: Kernel died"),
    "hal": (3, "2 tests failed; some cells were mended"),  # who deleted and changed tests
    "ida": (0, "there is no 00_doubling.ipynb, only answers.txt"),
    "joe": (0, "00_doubling.ipynb is no readable notebook: .*"),
    "kim": (0, "3 tests failed"),  # as it was given out
    "leo": (6, ""),  # what the book lets students download
    "mia": (6, "some cells were mended"),  # who split and copied cells
    "ned": (6, "some cells were mended"),  # whose program has dropped all marks
    "ola": (6, "some cells were mended"),  # who wrote both answers into one cell
    "pia": (6, "1 answer to grade by hand; some cells were mended"),  # words in a new cell
    "quin": (6, ""),  # who uses names of Python and of the tests for other things
    "rosa": (0, f"3 tests failed; NameError: .*; {mend.FOREIGN}"),
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


def without_marks(notebook):
    """A notebook from a program that keeps no metadata."""
    for cell in notebook.cells:
        cell.metadata.clear()
    return notebook


def with_copies(notebook):
    """A notebook in which cells of all kinds were split or copied, as in JupyterLab."""
    cells = []
    for cell in notebook.cells:
        copy = nbformat.from_dict({**cell, "id": f"{cell['id']}-2"})
        if "def double" in cell.source:  # split after the answer's first line
            first, _, rest = cell.source.partition("\n")
            cell.source, copy.source = f"{first}\n    return 0", f"{first}\n{rest}"
        cells += [cell, copy] if "nbgrader" in cell.metadata else [cell]
    notebook.cells = cells
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
        notebook = answered(read(given_out), {"0.1": double, "0.2": triple})
        if student == "hal":
            changes = {TEST: "print('passed')", GIVEN: GIVEN.replace("= 1", "= 2")}
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
    right = {"0.1": DOUBLE, "0.2": TRIPLE}
    hand_in(folder, "mia", NAME, with_copies(answered(read(given_out), right)))
    merged = answered(read(given_out), {"0.1": f"{DOUBLE}\n\n\n{TRIPLE}"})
    merged.cells = [c for c in merged.cells if "0-2-solution" not in str(c.metadata)]
    hand_in(folder, "ola", NAME, merged)
    below = answered(read(given_out), right)
    place = next(i for i, c in enumerate(below.cells) if "Your answer to" in c.source)
    below.cells.insert(place + 1, new_markdown_cell("<script>alert(1)</script> It is."))
    hand_in(folder, "pia", NAME, below)
    own = "near = print = sum = 3\nfloat = str\nimport sys\nsys.stdout = None"
    hand_in(
        folder, "quin", NAME, answered(read(given_out), right | {"0.1": f"{DOUBLE}\n{own}"})
    )
    other = [new_markdown_cell("# Exercises 9"), new_code_cell("1 + 1")]
    hand_in(folder, "rosa", NAME, new_notebook(cells=other))
    hand_in(folder, "ned", NAME, without_marks(answered(read(given_out), right)))
    downloads = folder / "downloads"
    tool("assignments", "--downloads", downloads, "--exercises", folder / "exercises")
    notebook = read(downloads / f"{NAME}.ipynb")
    hand_in(folder, "leo", NAME, answered(notebook, right))
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
    assert "0.1 solution 1, 0.1 tests 1, 0.1 hidden tests 1, " in pages["mia"]
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


def test_making_and_grading_a_course_again_changes_nothing(course, graded):
    before = sorted((course / "submitted").rglob("*")), exported(course)
    tool("assignments", "--course", course, "--exercises", course / "exercises")
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 5\n" in config  # as it was changed
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


@pytest.mark.parametrize(
    "answer", ["Because $2x = x + x$.", "**Your answer to 0.1**\n\nSo."]
)
def test_without_marks_an_answer_in_words_is_found_by_its_place(course, answer):
    release = read(course / "release" / NAME / f"{NAME}.ipynb")
    notebook = without_marks(read(course / "release" / NAME / f"{NAME}.ipynb"))
    own = [new_markdown_cell("A note of mine, at the beginning."), new_code_cell("1 + 1")]
    place = next(
        i for i, c in enumerate(notebook.cells) if "Your answer to 0.1" in c.source
    )
    notebook.cells[place].source = answer
    notebook.cells[place:place] = own[1:]
    notebook.cells[0:0] = own[:1]
    mend.mend(notebook, release)
    marks = {
        cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells
    }
    assert marks["0-1-written-1"].source == answer
    assert len(notebook.cells) == len(release.cells) + 2


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

    one = table(tool("grade", NAME, "--course", tmp_path, "--student", grace))
    assert one == {grace: (6, "1 answer to grade by hand")}
    everybody = table(tool("grade", NAME, "--course", tmp_path))
    assert everybody.keys() == handed_in
    assert everybody[ada] == (
        pytest.approx(5.4),
        "0.6 taken off for being late; 1 answer to grade by hand",
    )
    with grade.open_course(tmp_path).gradebook as gradebook:
        mark = gradebook.find_grade("0-1-written-1", NAME, NAME, grace)
        mark.manual_score, mark.needs_manual_grade = 1.5, False
        comment = gradebook.find_comment("0-1-written-1", NAME, NAME, grace)
        comment.manual_comment = "Why is $x + x$ even?"
        gradebook.db.commit()
    again = table(tool("grade", NAME, "--course", tmp_path, "--feedback"))
    assert again[grace] == (7.5, "")
    page = tmp_path / "feedback" / grace / NAME / f"{NAME}.html"
    assert ">answer in words: 1.5 of 2</a>" in page.read_text(encoding="utf-8")
    assert "even?" in page.read_text(encoding="utf-8")

    points = {ada: pytest.approx(5.4), emmy: 6, grace: 7.5, "kurt": ""}
    assert exported(tmp_path) == points
    points |= {ada: "", emmy: ""}  # not final, so not for the platform
    statuses = exported(tmp_path, column="status")
    assert statuses["kurt"] == "not handed in" and statuses[grace] == "graded"
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
    "changes sources": """
def change(lines):
    return [line.replace("assert", "0 and") for line in lines]
get_ipython().input_transformers_post.append(change)""",
    "changes the grader": """
import ast
def run_test(self, code):
    tree = ast.parse(code)
    tree.body = [node for node in tree.body if not isinstance(node, ast.Assert)]
    exec(compile(tree, "tests", "exec"))
    return {"status": "ok", "execution_count": 1, "payload": [], "user_expressions": {}}
type(get_ipython().kernel).run_test = run_test""",
    "equals everything": """
class Yes:
    def __eq__(self, other):
        return True
    def __float__(self):
        return 4.0
def near(a, b):
    return True
def double(x):
    return Yes()
def triple(x):
    return Yes()""",
    "shadows built-ins": """
float = lambda x: 0.0
abs = len = lambda x: 2
near = lambda *arguments: True
def double(x):
    global near
    near = lambda *arguments: True
    return 3
def triple(x):
    return 14.9999""",
    "patches torch": """
torch.allclose = lambda *arguments: True
def double(x):
    return x""",
    "breaks off": """
def double(x):
    raise SystemExit(0)
def triple(x):
    import os
    os._exit(0)""",
    "reads the course": """
import json
from pathlib import Path
for cell in json.loads(Path("{course}/source/{name}/{name}.ipynb").read_text())["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]))""",
    "writes to the gradebook": """
import sqlite3
with sqlite3.connect("{course}/gradebook.db") as gradebook:
    gradebook.execute("UPDATE grade SET manual_score = 100")""",
    "calls for help": """
import socket
socket.create_connection(("127.0.0.1", {port}), timeout=5)
def double(x):
    return x + x
def triple(x):
    return 3 * x""",
}


def test_cheats_get_nothing(course):
    """Only what needs no isolation where this system has none."""
    given_out = course / "release" / NAME / f"{NAME}.ipynb"
    cheats = list(CHEATS.items())[: None if isolation.isolated() else 7]
    before = {path: path.read_bytes() for path in (course / "source").rglob("*.ipynb")}
    with socket.create_server(("127.0.0.1", 0)) as server:
        for what, code in cheats:
            code = code.replace("{course}", str(course)).replace("{name}", NAME)
            code = code.replace("{port}", str(server.getsockname()[1]))
            student, answers = what.replace(" ", "_"), {"0.1": code, "0.2": "'see above'"}
            hand_in(course, student, NAME, answered(read(given_out), answers))
            printed = tool("grade", NAME, "--course", course, "--student", student)
            points, remark = table(printed)[student]
            assert points == 0, (what, remark)
            if what not in ("shadows built-ins", "breaks off"):
                assert "look at it, since it uses" in remark, what
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert {path: path.read_bytes() for path in before} == before
    if not isolation.isolated():
        pytest.skip("without bubblewrap, cheats that need isolation were not tried")


def test_what_a_release_holds_is_not_suspicious():
    packed = "'x+gc/y'"

    def notebook(*sources):
        return new_notebook(cells=[new_code_cell(source) for source in sources])

    release = notebook(packed)
    assert isolation.suspicious(release, release) == []
    assert isolation.suspicious(notebook(packed, "import gc"), release) == ["gc"]
    assert isolation.suspicious(notebook(f"{packed}; exec(x)"), release) == ["exec", "gc"]


def test_settings_that_cannot_be_read_stop_nbgrader(course, tmp_path):
    settings = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    settings = settings.replace(f"{str(ROOT / 'tools')!r}", "'/nowhere'")
    (tmp_path / "nbgrader_config.py").write_text(settings, encoding="utf-8")
    command = [sys.executable, "-m", "nbgrader", "autograde", NAME]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode != 0 and "TOOLS = '/nowhere' must hold" in run.stderr


def test_without_isolation_the_grader_is_told(course, graded, monkeypatch):
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    printed = tool("grade", NAME, "--course", course, "--student", "ada")
    assert printed.startswith("grade: bubblewrap is missing") and table(printed) == {
        "ada": graded["ada"]
    }


# --- the book's exercises ------------------------------------------------------------


@pytest.fixture(scope="module")
def real_course(tmp_path_factory):
    """The course of the book's exercises."""
    folder = tmp_path_factory.mktemp("real")
    tool("assignments", "--course", folder)
    return folder


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
    assert not table(printed)["right"][1], printed
    total = sum(exercise["points"] for exercise in found.values())
    assert points["right"] == points["other"] == total, printed  # but for those by hand
    assert points["empty"] == 0, printed
    for k in range(3):  # every exercise loses some of its points
        assert points[f"wrong{k}"] <= total - len(found), printed
