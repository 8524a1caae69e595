"""Grade what students handed in, with nbgrader.

    python -m grading.grade ASSIGNMENT [--student NAME] [--course FOLDER]
    python -m grading.grade ASSIGNMENT --feedback [--student NAME] [--course FOLDER]

The first takes submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb of every student, or of one,
runs it with the tests of the course, hidden ones too, and prints a line for each. Then the
gradebook holds the points, autograded/ the notebooks as they ran, feedback/ a page for each
student, and tables (tables.py) the points of all assignments and how the exercises went.
The second only writes pages and tables anew, after answers in words were graded by hand.

A notebook that is missing or cannot be read is graded 0 and does not stop the others, nor
do errors and endless loops in a notebook. What was graded before is graded anew; marks
given by hand stay where the answer is unchanged, and changes.csv lists what has changed.
Students' code runs in isolation (isolation.py) where the system allows it.

A failure of nbgrader is no mark. If no kernel starts, nothing is changed. A student whom
nbgrader fails to grade keeps the earlier marks, and the tests wait. The line says so, the
reason is in grade.log, and the exit status is 1. Whoever has handed in the notebook of
another sheet keeps the earlier marks and waits, too.
"""

import csv
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import nbformat
from nbformat.v4 import new_notebook
from nbgrader.api import MissingEntry
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader

from grading import isolation, parser
from grading.mend import NOTE, grade_id, sheets
from grading.tables import Tables

TIME = "%Y-%m-%d %H:%M:%S"


class Row(NamedTuple):
    """What is said of a student: no points if the notebook was not graded."""

    student: str
    points: float | None
    of: float
    remark: str
    failed: bool  # nbgrader, not the student


class Mark(NamedTuple):
    """What the gradebook holds of a cell."""

    score: float
    by_test: float | None
    by_hand: float | None
    waits: bool  # for a person


def main():
    """Grade one assignment of all students; exit 1 if there is none, or nbgrader fails."""
    command = parser(__doc__)
    command.add_argument("assignment", help="such as 01_queries_keys_values")
    command.add_argument("--student", default="*", help="one student; all without it")
    command.add_argument("--feedback", action="store_true", help="only pages and tables")
    options = command.parse_args()
    if not (isolation.isolated() or options.feedback):
        print("grade: bubblewrap is missing or does not work here, so that students' code")
        print("       runs with your rights. The book's page for instructors says more.")
    try:
        rows = grade(options.course, options.assignment, options.student, options.feedback)
    except ValueError as error:
        sys.exit(f"grade: {error}")
    width = max(len(row.student) for row in rows)
    for row in rows:
        points = "" if row.points is None else f"{row.points:g} of {row.of:g}  "
        print(f"{row.student:{width}}  {points}{row.remark}".rstrip())
    print(f"See {options.course / 'feedback'} and {options.course / 'grades.csv'}.")
    if failed := [row.student for row in rows if row.failed]:
        log = options.course / "grade.log"
        sys.exit(f"grade: nbgrader failed for {', '.join(failed)}: see {log}")


def grade(course, assignment, student="*", feedback=False):
    """Grade an assignment of all students; returns a Row for each.

    With feedback only pages and tables are written. Raises ValueError for an assignment
    that the course does not have, if nobody has handed in a folder of this name, and if no
    notebook can be run here; then nothing has changed.
    """
    check_assignment(course, assignment)
    folders = sorted(course.glob(f"submitted/{student}/{assignment}"))
    if not folders:
        where = course / "submitted" / student / assignment
        raise ValueError(f"nothing was found in {where}")
    warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own queries
    warnings.simplefilter("ignore", nbformat.warnings.DuplicateCellId)
    api = open_course(course)
    if not feedback:
        isolation.check_kernel(api.config)
    students = [folder.parent.name for folder in folders]
    rows = [grade_one(api, course, assignment, name, feedback) for name in students]
    with api.gradebook as gradebook:
        Tables(to=str(course / "grades.csv")).export(gradebook)
    return rows


def check_assignment(course, assignment):
    """Raise ValueError for an assignment that the course does not have."""
    known = sorted(path.name for path in course.glob("release/*/"))
    if assignment not in known:
        names = ", ".join(known) or "none"
        raise ValueError(f"assignment must be one of {names}, not {assignment!r}")


def open_course(course):
    """nbgrader's interface to a course, with the course's settings."""
    programs = str(Path(sys.executable).parent)  # of which nbgrader calls some by name
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    config = PyFileConfigLoader("nbgrader_config.py", str(course.resolve())).load_config()
    config.CourseDirectory.root = str(course.resolve())
    return NbGraderAPI(config=config)


def grade_one(api, course, assignment, student, feedback):
    """Grade one student; returns a Row."""
    name = Path(assignment, f"{assignment}.ipynb")
    graded = course / "autograded" / student / name
    notebook = handed_in(course / "submitted" / student / name)
    before = marks(api, assignment, student)
    problem, failed, ungraded = unreadable(notebook), None, None
    if problem is None:
        ungraded = of_another_sheet(notebook, course / "release" / name)
    if problem is None and ungraded is None and not feedback:
        with named(notebook, name.name):
            failed = ungraded = autograde(api, course, assignment, student, before)
    if problem is not None and not feedback:
        give_nothing(api, assignment, student)
    if ungraded is not None and not feedback:
        keep_marks(api, assignment, student, before)
    if problem is None and ungraded is None:
        if graded.exists():
            failed = write_page(api, course, assignment, student)
        else:
            ungraded = "not graded yet"
    after = marks(api, assignment, student)
    log_changes(course, assignment, student, before, after)
    if ungraded is not None or not after:
        return Row(student, None, 0, ungraded or problem, failed is not None)
    with api.gradebook as gradebook:
        submission = gradebook.find_submission(assignment, student)
        penalty = submission.late_submission_penalty or 0
        points, of = submission.score - penalty, submission.max_score
    said = [f"{penalty:g} taken off for being late"] if penalty else []
    if left := sum(mark.waits for mark in after.values()):
        said.append(f"{left} answer{'s' * (left > 1)} to grade by hand")
    said += filter(None, [problem or remarks(graded), failed])
    return Row(student, points, of, "; ".join(said), failed is not None)


def handed_in(path):
    """The notebook that was handed in: this one, or the only one there."""
    others = list(path.parent.glob("*.ipynb"))
    return others[0] if not path.exists() and len(others) == 1 else path


@contextmanager
def named(notebook, name):
    """Let a notebook lie under this name, too, by which nbgrader finds it.

    The copy does not stay, or it would be graded in place of a second submission.
    """
    path = notebook.with_name(name)
    if path == notebook:
        yield
        return
    shutil.copy(notebook, path)
    try:
        yield
    finally:
        path.unlink()


def autograde(api, course, assignment, student, before):
    """Have nbgrader grade a student; returns what has failed, or None.

    Then what was graded before is as it was.
    """
    graded = course / "autograded" / student / assignment
    path = graded / f"{assignment}.ipynb"
    answers = sources(path)
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, assignment)
        if graded.exists():
            shutil.copytree(graded, kept)
        result = api.autograde(assignment, student, force=True, create=True)
        if not result["success"]:
            shutil.rmtree(graded, ignore_errors=True)
            if kept.exists():
                shutil.copytree(kept, graded)
            stay = ", the earlier marks stay" if before else ""
            return f"not graded{stay}: {failure(course, result)}"
    unchanged = answers.items() & sources(path).items()
    review(api, assignment, student, before, dict(unchanged), sources(path))
    return None


def write_page(api, course, assignment, student):
    """Write a student's page of feedback; returns what has failed, or None."""
    result = api.generate_feedback(assignment, student, force=True)
    if not result["success"]:
        return f"no page of feedback: {failure(course, result)}"
    page = course / "feedback" / student / assignment / f"{assignment}.html"
    text = page.read_text(encoding="utf-8")
    for name, mark in marks(api, assignment, student).items():
        if mark.waits:  # in the table at the top, and above the cell
            score = rf'("#?{name}">.*?)Score: [\d.]+ / ([\d.]+)'
            text = re.sub(score, r"\1not graded yet, \2 points", text, flags=re.DOTALL)
    page.write_text(text, encoding="utf-8")
    return None


def marks(api, assignment, student):
    """By id, the Mark of each cell in the gradebook; nothing without a submission."""
    with api.gradebook as gradebook:
        try:
            submission = gradebook.find_submission(assignment, student)
        except MissingEntry:
            return {}
        return {
            grade.name: Mark(
                score=grade.score,
                by_test=grade.auto_score,
                by_hand=grade.manual_score,
                waits=bool(grade.needs_manual_grade),
            )
            for notebook in submission.notebooks
            for grade in notebook.grades
        }


def sources(path):
    """The text of each cell that nbgrader knows, by its id; nothing without a notebook."""
    if not path.exists():
        return {}
    cells = nbformat.read(path, as_version=4).cells
    return {grade_id(cell): cell.source for cell in cells if grade_id(cell)}


def review(api, assignment, student, before, unchanged, found):
    """Say which marks a grader must look at, after the tests have run again.

    A mark given by hand stays final if the answer is as it was, whatever its tests say now.
    Tests that failed wait if the cell for their solution was missing.
    """
    with api.gradebook as gradebook:
        submission = gradebook.find_submission(assignment, student)
        for grade in (grade for each in submission.notebooks for grade in each.grades):
            mark = before.get(grade.name, Mark(0, None, None, True))
            answer = {grade.name}
            if "tests" in grade.name:
                begin = re.match(r"\d+-\d+-", grade.name)[0]
                answer = {name for name in found if name.startswith(f"{begin}solution")}
                if not answer and mark.by_hand is None:
                    grade.needs_manual_grade = grade.score < grade.max_score
            final = mark.by_hand is not None and not mark.waits
            if final and answer <= unchanged.keys():
                grade.needs_manual_grade = False
        gradebook.db.commit()


def log_changes(course, assignment, student, before, after):
    """Append to changes.csv which points have changed since this was graded last."""
    rows = [
        [time.strftime(TIME), student, assignment, name, before[name].score, mark.score]
        for name, mark in after.items()
        if name in before and before[name].score != mark.score
    ]
    if rows:
        path = course / "changes.csv"
        new = not path.exists()
        with open(path, "a", encoding="utf-8", newline="") as file:
            if new:
                head = "time", "student", "assignment", "cell", "before", "after"
                csv.writer(file).writerow(head)
            csv.writer(file).writerows(rows)


def failure(course, result):
    """The first error that nbgrader met, in a line; its whole log goes into grade.log."""
    log = result.get("log") or result["error"]
    with open(course / "grade.log", "a", encoding="utf-8") as file:
        file.write(f"{time.strftime(TIME)}\n{log}\n")
    errors = re.findall(r"^ +(?:\w+\.)*([A-Z]\w+: .+)$", log, re.MULTILINE)
    line = "".join(filter(str.isprintable, errors[0])) if errors else "nbgrader gave up"
    return f"{line[:150]} (see grade.log)"


def unreadable(path):
    """What is wrong with a notebook's file, in a sentence; None if it can be read."""
    if not path.is_file():
        others = sorted(other.name for other in path.parent.iterdir())
        return f"there is no {path.name}, only {', '.join(others) or 'an empty folder'}"
    try:
        nbformat.validate(nbformat.read(path, as_version=4))
    except Exception as error:  # nbformat raises many kinds
        reason = str(error).strip().partition("\n")[0]
        return f"{path.name} is no readable notebook: {reason[:200]}"
    return None


def of_another_sheet(notebook, release):
    """Of which other sheet a notebook is, in a sentence; None if it is of this one."""
    found, own = sheets(notebook), sheets(release)
    if not found or found & own:
        return None
    others, this = (", ".join(sorted(numbers)) for numbers in (found, own))
    return f"not graded: this is the notebook of sheet {others}, handed in for sheet {this}"


def keep_marks(api, assignment, student, before):
    """Leave the marks as they were before, and let the tests wait for a person."""
    with api.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment, student)
        grades = [grade for each in submission.notebooks for grade in each.grades]
        for grade in grades:
            if mark := before.get(grade.name):
                grade.auto_score, grade.needs_manual_grade = mark.by_test, mark.waits
        by_test = [g for g in grades if "tests" in g.name and g.manual_score is None]
        for grade in by_test or grades:
            grade.needs_manual_grade = True
        gradebook.db.commit()


def give_nothing(api, assignment, student):
    """Write 0 points for each test into the gradebook, and the penalty anew."""
    with api.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment, student)
        for notebook in submission.notebooks:
            for each in notebook.grades:
                each.auto_score, each.needs_manual_grade = 0, False
        gradebook.db.commit()
    names = {"assignment": assignment, "notebook": assignment, "student": student}
    step = AssignLatePenalties(config=api.config)
    step.preprocess(new_notebook(), {"nbgrader": names | {"db_url": api.coursedir.db_url}})


def remarks(path):
    """How many tests failed in a notebook that was graded, and what else is to be seen."""
    notebook = nbformat.read(path, as_version=4)
    failed, errors, said = 0, {}, []
    for cell in notebook.cells:
        found = [out for out in cell.get("outputs", []) if out.output_type == "error"]
        failed += bool(found) and cell.metadata.get("nbgrader", {}).get("grade", False)
        for error in found:
            first = error.evalue.strip().partition("\n")[0]
            line = "".join(filter(str.isprintable, f"{error.ename}: {first}"))
            errors.setdefault(error.ename, line[:150])
        if cell.source.startswith(NOTE):
            said.append("some cells were mended")
    for expected in ("AssertionError", "NotImplementedError"):
        errors.pop(expected, None)
    tests = [f"{failed} test{'s' * (failed > 1)} failed"] if failed else []
    return "; ".join([*tests, *errors.values(), *said])


if __name__ == "__main__":
    main()
