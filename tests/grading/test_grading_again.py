"""A course in which one student is graded is graded again, also when something fails."""

import re
import shutil

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
    table,
    tool,
)

from grading import grade

pytestmark = pytest.mark.weekly  # grading a second time; test_grading grades in every run


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
