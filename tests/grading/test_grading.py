"""Assignments graded by nbgrader, from the command line as an instructor does it."""

import csv
import html
import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from small_course import CELLS, DOUBLE, GIVEN, NAME, TEST, TRIPLE

from grading import grade, isolation, parser
from tools.notebooks import exercises

pytestmark = pytest.mark.slow

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
GRADES = {  # of 9 points, and the remark
    "ada": (6, ""),
    "cleo": (1, "2 tests failed"),
    "dan": (3, "2 tests failed; SyntaxError: .*; NameError: .*"),
    "eve": (3, "1 test failed; CellTimeoutError: took longer than 12 s"),
    "gus": (3, "1 test failed; DeadKernelError: the kernel died, .*"),
    "hal": (3, "1 answer to grade by hand; 2 tests failed; some cells were mended"),
    "ida": (0, "there is no 00_doubling.ipynb, only answers.txt"),
    "joe": (0, "00_doubling.ipynb is no readable notebook: .*"),
    "kim": (3, "1 test failed"),  # what an exercise asks for is no part of the package
    "lea": (3, "1 test failed; MemoryError:"),
    "ned": (6, ""),  # whose program has dropped all marks
    "ola": (3, "1 answer to grade by hand; 1 test failed; NameError: .*; some cells .*"),
    "pia": (6, "2 answers to grade by hand"),  # with words in a new cell
    "sal": (3, "1 test failed; CellTimeoutError: took longer than 12 s"),
}
SCRIPT = "<script>alert(1)</script>"
SETTINGS = {"SECONDS = 60": "SECONDS = 6", "GIGABYTES = 8": "GIGABYTES = 2"}


def tool(name, *arguments, fails=False):
    """What a tool prints; also its errors, if it is to fail."""
    command = [sys.executable, "-m", f"grading.{name}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
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


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by many students, not yet graded."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, SETTINGS)
    given_out = folder / "release" / NAME / f"{NAME}.ipynb"
    for student, (double, triple) in ANSWERS.items():
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
        hand_in(folder, student, notebook)
    for student, name, text in [
        ("ida", "answers.txt", "I prefer words."),
        ("joe", f"{NAME}.ipynb", "{ not JSON"),
    ]:
        path = folder / "submitted" / student / NAME
        path.mkdir(parents=True)
        (path / name).write_text(text, encoding="utf-8")
    right = answered(read(given_out), DOUBLE, TRIPLE)
    for cell in right.cells:
        cell.metadata.clear()
    hand_in(folder, "ned", right)
    del right.cells[place(right, "def triple")]  # the answer is lost: a grader looks at it
    hand_in(folder, "ola", right)
    return folder


@pytest.fixture(scope="module")
def graded(course):
    """What the tool prints when it grades the course."""
    return table(tool("grade", NAME, "--course", course))


def test_each_student_gets_the_points_and_a_remark(course, graded):
    points = column(course, "grades.csv", "score", "student_id")
    assert {student: float(x) for student, x in points.items()} == {
        student: points for student, (points, _) in graded.items()
    }
    assert graded.keys() == GRADES.keys()
    for student, (points, remark) in GRADES.items():
        given, said = graded[student]
        if student == "lea" and not isolation.isolated():
            continue  # memory is limited only in isolation
        assert given == points, student
        assert re.fullmatch(remark, said), (student, said)


def test_everybody_gets_a_page_and_none_shows_a_hidden_test(course, graded):
    pages = {}
    for student in graded.keys() - {"ida", "joe"}:
        path = course / "feedback" / student / NAME / f"{NAME}.html"
        text = path.read_text(encoding="utf-8")
        assert SCRIPT not in text and "Setup: unpacks" not in text
        pages[student] = html.unescape(re.sub("<[^>]+>", "", text))
        assert "double(2.0)" not in pages[student], student
        assert "2 points: says why" in pages[student], student
    assert "AssertionError: 2 gives 2, not 4" in pages["cleo"]
    assert "assert triple(5) == 15" in pages["cleo"]  # a test that students know
    assert "KeyboardInterrupt" not in pages["sal"]
    assert "0.1 hidden tests 1: missing; " in pages["hal"]
    assert "It is." in pages["pia"]
    assert pages["pia"].count("not graded yet, 2.0 points") == 2  # at the top, and there
    assert "not graded yet" not in pages["ada"]


def test_the_tables_say_how_the_exercises_went(course, graded):
    one, two = rows(course, "exercises.csv")
    assert (one["exercise"], one["students"], one["of"]) == ("0.1", "14", "5")
    assert (one["waiting"], two["waiting"]) == ("2", "2")
    passed = sum(points in (3, 6) for points, _ in GRADES.values()) - 2  # dan and hal
    assert float(one["passed"]) == round(passed / 14, 2)
    assert "<td>0.2</td>" in (course / "exercises.html").read_text(encoding="utf-8")


def test_making_a_course_again_keeps_settings_submissions_and_points(course, graded):
    points = "grades.csv", "score", "student_id"
    before = sorted((course / "submitted").rglob("*")), column(course, *points)
    tool("assignments", "--course", course, "--exercises", course / "exercises")
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 6\n" in config  # as it was changed
    tool("grade", NAME, "--course", course, "--feedback")
    assert (sorted((course / "submitted").rglob("*")), column(course, *points)) == before


@pytest.mark.parametrize("name", ["09_nothing", ""])  # "" comes of a forgotten ASSIGNMENT=
def test_an_assignment_that_the_course_does_not_have_is_refused(course, monkeypatch, name):
    monkeypatch.setattr(sys, "argv", ["grade", name, "--course", str(course)])
    with pytest.raises(SystemExit, match=f"assignment must be one of {NAME}, not '{name}'"):
        grade.main()


def test_a_tilde_is_the_home_folder_also_where_the_shell_leaves_it(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    options = parser("A command.").parse_args(["--course", "~/attention"])
    assert options.course == tmp_path / "attention"


def test_code_that_was_copied_is_reported(course, graded):
    printed = tool("similarity", NAME, "--course", course)
    lines = {line.split()[0]: line for line in printed.splitlines()}
    assert re.search(r"^ned +100% published, 100% as (ada|pia)$", lines["ned"])
    assert re.search(r"^dan +0% published", lines["dan"])
    assert (course / "similarity" / f"{NAME}.html").exists()


# --- a term's other business ---------------------------------------------------------


def test_collected_from_platforms_graded_by_hand_late_and_exported(tmp_path):
    """Zips of Canvas and Moodle, a due date, an answer graded by hand, and the tables."""
    make_course(tmp_path, {"A_DAY = 0": "A_DAY = 10"})
    given_out = tmp_path / "release" / NAME / f"{NAME}.ipynb"
    done = answered(read(given_out), DOUBLE, TRIPLE, "It is added to itself.")
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
    late = "0.6 taken off for being late; 2 answers to grade by hand"
    assert everybody[ada] == (pytest.approx(5.4), late)
    assert everybody[grace] == (6, "2 answers to grade by hand")
    grade_by_hand(tmp_path, grace, 1.5, 1)
    again = table(tool("grade", NAME, "--course", tmp_path, "--feedback"))
    assert again[grace] == (8.5, "")
    points = column(tmp_path, "grades.csv", "score", "student_id")
    assert points.keys() == handed_in  # and not kurt
    waiting = column(tmp_path, "grades.csv", "waiting", "student_id")
    assert waiting == {ada: "2", emmy: "2", grace: "0"}

    canvas = column(tmp_path, "canvas.csv", NAME, "SIS Login ID")
    assert canvas == {"": "9.0", ada: "", emmy: "", grace: "8.5", "kurt": ""}
    assert rows(tmp_path, "canvas.csv")[0]["Student"].strip() == "Points Possible"
    numbers = column(tmp_path, "canvas.csv", "ID", "SIS Login ID")
    assert (numbers[ada], numbers[grace]) == ("1234567", "1234568")
    moodle = column(tmp_path, "moodle.csv", NAME, "username")
    assert moodle == {ada: "", emmy: "", grace: "8.5", "kurt": ""}

    # Graded anew, marks given by hand stay, unless the answer has changed.
    once_more = table(tool("grade", NAME, "--course", tmp_path))
    assert once_more[grace] == (8.5, "")
    assert column(tmp_path, "canvas.csv", NAME, "SIS Login ID") == canvas
    other = answered(read(given_out), "def double(x):\n    return 2", TRIPLE, "Who knows?")
    hand_in(tmp_path, grace, other)
    changed = table(tool("grade", NAME, "--course", tmp_path, "--student", grace))
    assert changed[grace] == (3.5, "2 answers to grade by hand; 2 tests failed")
    log = {
        (row["cell"], row["before"], row["after"]) for row in rows(tmp_path, "changes.csv")
    }
    assert log >= {("0-1-hidden-tests-1", "2.0", "0.0"), ("0-2-tests-1", "3.0", "0.0")}


def test_an_instructors_own_tests_take_the_place_of_ours(tmp_path):
    own = tmp_path / "private" / NAME
    own.mkdir(parents=True)
    (own / "0.1.py").write_text("assert near(double(3.0), 6.0), 'mine'", encoding="utf-8")
    make_course(tmp_path, {"core": "all"})
    tool("assignments", "--course", tmp_path, "--exercises", tmp_path / "exercises")
    given_out = tmp_path / "release" / NAME / f"{NAME}.ipynb"
    assert "0.3 Four" in nbformat.writes(read(given_out))  # optional, but wanted
    only_two = "def double(x):\n    return {1: 2, 2.0: 4.0}.get(x, 0)"
    hand_in(tmp_path, "ada", answered(read(given_out), only_two, TRIPLE))
    hand_in(tmp_path, "solution", read(tmp_path / "source" / NAME / f"{NAME}.ipynb"))
    printed = table(tool("grade", NAME, "--course", tmp_path))
    assert printed["solution"] == (7, "2 answers to grade by hand")  # no test has failed
    assert (tmp_path / "feedback" / "solution" / NAME / f"{NAME}.html").exists()
    page = tmp_path / "feedback" / "ada" / NAME / f"{NAME}.html"
    assert "AssertionError: mine" in page.read_text(encoding="utf-8")
    (own / "0.9.py").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "grading.assignments", "--course", tmp_path]
    command += ["--exercises", tmp_path / "exercises"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "has 0.9, which has no hidden tests" in done.stderr and done.returncode == 1


def test_own_tests_for_no_assignment_of_the_course_are_refused(copied):
    mine = copied / "mine"
    mine.mkdir()
    shutil.copy(copied / "exercises" / f"{NAME}.ipynb", mine / "13_mine.ipynb")
    own = copied / "private" / NAME
    own.mkdir(parents=True)
    own.joinpath("0.1.py").write_text("assert near(double(3.0), 6.0)", encoding="utf-8")
    made = "--course", copied, "--exercises", mine
    tool("assignments", *made)  # private tests for an assignment that was made before
    assert {path.name for path in copied.glob("release/*")} == {NAME, "13_mine"}

    own.rename(own.with_name("00_doublin"))
    said = tool("assignments", *made, fails=True)
    assert f"must be named as one of {NAME}, 13_mine, not '00_doublin'" in said


def test_the_penalty_for_being_late_counts_points_given_by_hand(copied):
    config = copied / "nbgrader_config.py"
    settings = config.read_text(encoding="utf-8").replace("A_DAY = 0", "A_DAY = 10")
    config.write_text(settings, encoding="utf-8")
    with grade.open_course(copied).gradebook as gradebook:
        due = "2027-02-01 23:59 UTC"
        gradebook.update_or_create_assignment(NAME, duedate=due)
    stamp = copied / "submitted" / "ben" / NAME / "timestamp.txt"
    stamp.write_text("2027-02-02 08:00 UTC", encoding="utf-8")
    ben = NAME, "--course", copied, "--student", "ben"
    assert table(tool("grade", *ben))["ben"][0] == pytest.approx(5.4)

    grade_by_hand(copied, "ben", 1.5, 1)
    late = pytest.approx(7.65), "0.85 taken off for being late"
    assert table(tool("grade", *ben, "--feedback"))["ben"] == late
    final = column(copied, "canvas.csv", NAME, "SIS Login ID")
    assert float(final["ben"]) == pytest.approx(7.65)
    page = copied / "feedback" / "ben" / NAME / f"{NAME}.html"
    assert "Score: 7.65 / 9.0" in page.read_text(encoding="utf-8")

    stamp.with_name(f"{NAME}.ipynb").write_text("{ not JSON", encoding="utf-8")
    points, said = table(tool("grade", *ben))["ben"]
    assert points == pytest.approx(2.25)  # for tests nothing is left to take off
    assert said.startswith("0.25 taken off for being late")


def test_a_second_submission_under_another_name_is_graded(copied):
    proper = copied / "submitted" / "ben" / NAME / f"{NAME}.ipynb"
    own_name = proper.rename(proper.with_name("mywork.ipynb"))
    first = read(own_name)
    wrong = answered(read(own_name), DOUBLE, "def triple(x):\n    return x")
    ben = NAME, "--course", copied, "--student", "ben"
    nbformat.write(wrong, own_name)
    assert table(tool("grade", *ben))["ben"][0] == 3
    nbformat.write(first, own_name)
    assert table(tool("grade", *ben))["ben"][0] == 6


# --- when the grader fails, and not the student ---------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A course in which ada is graded, by hand too, and ben and fay have handed in."""
    folder = tmp_path_factory.mktemp("finished")
    make_course(folder, {})
    given_out = folder / "release" / NAME / f"{NAME}.ipynb"
    hand_in(folder, "ada", answered(read(given_out), DOUBLE, TRIPLE, "It is added."))
    tool("grade", NAME, "--course", folder)
    grade_by_hand(folder, "ada", 1, 1)
    tool("grade", NAME, "--course", folder, "--feedback")
    hand_in(folder, "ben", answered(read(given_out), DOUBLE, TRIPLE))
    other = nbformat.writes(answered(read(given_out), DOUBLE, TRIPLE, "It is added."))
    other = re.sub(r'(id: |"grade_id": ")0-(?=\d)', r"\g<1>5-", other)
    hand_in(folder, "fay", nbformat.reads(other, as_version=4))
    assert column(folder, "canvas.csv", NAME, "SIS Login ID")["ada"] == "8.0"
    return folder


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of it."""
    return shutil.copytree(finished, tmp_path / "copied")


def test_if_no_kernel_starts_nothing_is_changed(copied):
    broken = copied / "package" / "ipykernel_launcher.py"
    broken.write_text("raise SystemExit('no kernel today')", encoding="utf-8")

    def everything():
        return {p: p.read_bytes() for p in copied.rglob("*") if p.is_file()}

    before = everything()
    said = tool("grade", NAME, "--course", copied, fails=True)
    assert "no notebook can be run" in said and "no kernel today" in said
    assert everything() == before


def test_if_the_package_cannot_be_imported_nothing_is_graded(copied):
    package = copied / "package" / "d2lmini" / "__init__.py"
    package.write_text("raise ImportError('torch is missing')", encoding="utf-8")
    said = tool("grade", NAME, "--course", copied, fails=True)
    assert "nothing was graded or changed: ImportError: torch is missing" in said


def test_who_is_not_graded_keeps_the_marks_and_none_is_final(copied):
    wrong = [copied / "submitted" / s / NAME / "timestamp.txt" for s in ("ada", "ben")]
    for path in wrong:
        path.write_text("yesterday evening", encoding="utf-8")
    said = tool("grade", NAME, "--course", copied, fails=True)
    why = r"not graded%s: ParserError: .* yesterday evening \(see grade.log\)"
    assert re.search(f"ada  {why % ', the earlier marks stay'}", said)
    assert re.search(f"ben  {why % ''}", said)
    assert "nbgrader failed for ada, ben: see " in said
    log = (copied / "grade.log").read_text(encoding="utf-8")
    assert "submitted/ada" in log and "submitted/ben" in log and "yesterday evening" in log
    points = column(copied, "grades.csv", "score", "student_id")
    assert points["ada"] == "8.0"
    waiting = column(copied, "grades.csv", "waiting", "student_id")
    assert (waiting["ada"], waiting["ben"]) == ("3", "5")
    final = column(copied, "canvas.csv", NAME, "SIS Login ID")
    assert (final["ada"], final["ben"]) == ("", "")

    for path in wrong:
        path.unlink()
    again = table(tool("grade", NAME, "--course", copied))
    assert (again["ada"], again["ben"]) == ((8, ""), (6, ""))


def test_a_page_that_cannot_be_written_is_told(copied):
    shutil.rmtree(copied / "feedback")
    (copied / "feedback").write_text("a file", encoding="utf-8")
    ada = NAME, "--course", copied, "--student", "ada", "--feedback"
    said = tool("grade", *ada, fails=True)
    assert re.search(r"ada +8 of 9  no page of feedback: \w+Error: .*see grade.log", said)
    assert "nbgrader failed for ada" in said


def test_a_notebook_of_another_sheet_is_called_so_and_waits(copied):
    shutil.copy(
        copied / "submitted" / "fay" / NAME / f"{NAME}.ipynb",
        copied / "submitted" / "ada" / NAME / f"{NAME}.ipynb",
    )
    lines = tool("grade", NAME, "--course", copied).splitlines()
    other = "not graded: this is the notebook of sheet 5, handed in for sheet 0"
    assert lines[0] == f"ada  {other}" and lines[2] == f"fay  {other}"
    assert column(copied, "grades.csv", "score", "student_id")["ada"] == "8.0"
    final = column(copied, "canvas.csv", NAME, "SIS Login ID")
    assert (final["ada"], final["ben"], final["fay"]) == ("", "6.0", "")


# --- isolation ------------------------------------------------------------------------


LOOKS_AROUND = """
import socket
from pathlib import Path
for go in (
    lambda: Path("{course}/seen").write_text(Path("{course}/gradebook.db").name),
    lambda: socket.create_connection(("127.0.0.1", {port}), timeout=5),
):
    try:
        go()
    except OSError:
        pass"""
FORKS = """
import os
def triple(x):
    children = 0
    while children < 1000 and os.fork():
        children += 1
    return 3 * x"""


@pytest.mark.skipif(not isolation.isolated(), reason="bubblewrap is not installed here")
def test_a_notebook_sees_neither_the_course_nor_the_network(course):
    given_out = course / "release" / NAME / f"{NAME}.ipynb"
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = LOOKS_AROUND.replace("{course}", str(course))
        code = code.replace("{port}", str(server.getsockname()[1]))
        hand_in(course, "zoe", answered(read(given_out), code, FORKS))
        printed = tool("grade", NAME, "--course", course, "--student", "zoe")
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
    assert not (course / "seen").exists()
    points, _ = table(printed)["zoe"]
    assert points == 0 or os.getuid() == 0  # the number of processes has no limit for root


def test_without_isolation_the_grader_is_told_and_points_are_the_same(
    course, graded, monkeypatch
):
    monkeypatch.setattr(isolation, "isolated", lambda: False)
    monkeypatch.setattr(sys, "argv", ["grade", NAME, "--course", str(course)])
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--student", "ada"])
    lines = []
    monkeypatch.setattr("builtins.print", lambda *text: lines.append(" ".join(text)))
    grade.main()
    assert lines[0].startswith("grade: bubblewrap is missing")
    assert table("\n".join(lines)) == {"ada": graded["ada"]}
