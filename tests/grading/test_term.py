"""A term: collected from platforms, late, graded by hand, exported, with own tests."""

import subprocess
import sys
import zipfile

import nbformat
import pytest
from small_course import (
    DOUBLE,
    NAME,
    TRIPLE,
    answered,
    column,
    grade_by_hand,
    hand_in,
    make_course,
    read,
    rows,
    table,
    tool,
)

pytestmark = pytest.mark.weekly  # each takes more than a minute


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
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
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
    only_grace = NAME, "--course", tmp_path, "--student", grace
    again = table(tool("grade", *only_grace, "--feedback"))
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
    once_more = table(tool("grade", *only_grace))
    assert once_more[grace] == (8.5, "")
    assert column(tmp_path, "canvas.csv", NAME, "SIS Login ID") == canvas
    other = answered(read(given_out), "def double(x):\n    return 2", TRIPLE, "Who knows?")
    hand_in(tmp_path, grace, other)
    changed = table(tool("grade", *only_grace))
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
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    assert "has 0.9, which has no hidden tests" in done.stderr and done.returncode == 1
