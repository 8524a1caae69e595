"""A course graded by nbgrader, from the command line as an instructor does it."""

import html
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from small_course import (
    ANSWERS,
    DOUBLE,
    NAME,
    SCRIPT,
    TRIPLE,
    answered,
    column,
    hand_in,
    hand_in_answers,
    make_course,
    read,
    rows,
    table,
    tool,
)

from grading import grade, isolation, parser

pytestmark = pytest.mark.slow

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
SETTINGS = {"SECONDS = 60": "SECONDS = 6", "GIGABYTES = 8": "GIGABYTES = 2"}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course of one small assignment, handed in by many students, not yet graded."""
    folder = tmp_path_factory.mktemp("course")
    make_course(folder, SETTINGS)
    hand_in_answers(folder, ANSWERS)
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


@pytest.mark.weekly
def test_making_a_course_again_keeps_settings_submissions_and_points(course, graded):
    points = "grades.csv", "score", "student_id"
    before = sorted((course / "submitted").rglob("*")), column(course, *points)
    tool("assignments", "--course", course, "--exercises", course / "exercises")
    config = (course / "nbgrader_config.py").read_text(encoding="utf-8")
    assert "SECONDS = 6\n" in config  # as it was changed
    tool("grade", NAME, "--course", course, "--feedback", "--student", "hal")
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


def test_students_get_solutions_without_hidden_tests_after_the_deadline(course, graded):
    program = Path(sys.executable).with_name("nbgrader")
    subprocess.run([program, "generate_solution", NAME], cwd=course, check=True)
    cells = read(course / "solution" / NAME / f"{NAME}.ipynb").cells
    sources = [cell.source.partition("\n")[2] for cell in cells]
    assert DOUBLE in sources and TRIPLE in sources
    text = "\n".join(sources)
    assert "says why" in text and "double(2.0)" not in text and "### " not in text
    assert not [o for c in cells for o in c.get("outputs", []) if o.output_type == "error"]


def test_code_that_was_copied_is_reported(course, graded):
    printed = tool("similarity", NAME, "--course", course)
    lines = {line.split()[0]: line for line in printed.splitlines()}
    assert re.search(r"^ned +100% published, 100% as (ada|pia)$", lines["ned"])
    assert re.search(r"^dan +0% published", lines["dan"])
    assert (course / "similarity" / f"{NAME}.html").exists()


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


@pytest.mark.weekly
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
