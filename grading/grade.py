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
"""

import csv
import os
import re
import shutil
import sys
import time
import warnings
from pathlib import Path

import nbformat
from nbgrader.api import MissingEntry
from nbgrader.apps import NbGraderAPI
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader

from grading import isolation, parser
from grading.mend import NOTE, grade_id
from grading.tables import Tables


def main():
    """Grade one assignment of all students; exit 1 if there is none."""
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
    width = max(len(student) for student, *_ in rows)
    for student, points, of, remark in rows:
        print(f"{student:{width}}  {points:g} of {of:g}  {remark}".rstrip())
    print(f"See {options.course / 'feedback'} and {options.course / 'grades.csv'}.")


def grade(course, assignment, student="*", feedback=False):
    """Grade an assignment of all students: (student, points, of how many, remark).

    With feedback only pages and tables are written. Raises ValueError for an assignment
    that the course does not have, and if nobody has handed in a folder of this name.
    """
    release = course / "release" / assignment
    if not release.is_dir():
        known = ", ".join(sorted(path.name for path in course.glob("release/*")))
        raise ValueError(f"assignment must be one of {known or 'none'}, not {assignment!r}")
    folders = sorted(course.glob(f"submitted/{student}/{assignment}"))
    if not folders:
        where = course / "submitted" / student / assignment
        raise ValueError(f"nothing was found in {where}")
    warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own queries
    warnings.simplefilter("ignore", nbformat.warnings.DuplicateCellId)
    api = open_course(course)
    students = [folder.parent.name for folder in folders]
    rows = [grade_one(api, course, assignment, name, feedback) for name in students]
    with api.gradebook as gradebook:
        Tables(to=str(course / "grades.csv")).export(gradebook)
    return rows


def open_course(course):
    """nbgrader's interface to a course, with the course's settings."""
    programs = str(Path(sys.executable).parent)  # of which nbgrader calls some by name
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    config = PyFileConfigLoader("nbgrader_config.py", str(course.resolve())).load_config()
    config.CourseDirectory.root = str(course.resolve())
    return NbGraderAPI(config=config)


def grade_one(api, course, assignment, student, feedback):
    """Grade one student: (student, points, of how many, remark)."""
    name = Path(assignment, f"{assignment}.ipynb")
    graded = course / "autograded" / student / name
    handed_in = course / "submitted" / student / name
    others = list(handed_in.parent.glob("*.ipynb"))
    if not handed_in.exists() and len(others) == 1:
        shutil.copy(others[0], handed_in)  # it has another name only
    problem, before = unreadable(handed_in), marks(api, assignment, student)
    if problem is None and not feedback:
        answers = sources(graded)
        shutil.rmtree(graded.parent, ignore_errors=True)
        result = api.autograde(assignment, student, force=True, create=True)
        if not result["success"]:
            problem = reason(result["log"])
            with open(course / "grade.log", "a", encoding="utf-8") as log:
                log.write(result["log"])
        else:
            unchanged = answers.items() & sources(graded).items()
            review(api, assignment, student, before, dict(unchanged), sources(graded))
    if problem is None and not graded.exists():
        problem = "not graded yet"
    if problem is None:
        api.generate_feedback(assignment, student, force=True)
    elif not feedback:
        give_nothing(api, assignment, student)
    after = marks(api, assignment, student)
    log_changes(course, assignment, student, before, after)
    if not after:
        return student, 0, 0, problem
    with api.gradebook as gradebook:
        submission = gradebook.find_submission(assignment, student)
        penalty = submission.late_submission_penalty or 0
        points, of = submission.score - penalty, submission.max_score
    said = [f"{penalty:g} taken off for being late"] if penalty else []
    if left := sum(waits for _, _, waits in after.values()):
        said.append(f"{left} answer{'s' * (left > 1)} to grade by hand")
    remark = problem or remarks(graded)
    return student, points, of, "; ".join([*said, *filter(None, [remark])])


def marks(api, assignment, student):
    """What the gradebook holds: by id the score, the mark by hand, whether it waits."""
    with api.gradebook as gradebook:
        try:
            submission = gradebook.find_submission(assignment, student)
        except MissingEntry:
            return {}
        return {
            grade.name: (grade.score, grade.manual_score, bool(grade.needs_manual_grade))
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

    A mark given by hand stays final if the answer and the mark of its tests are as they
    were. Tests that failed wait if the cell for their solution was missing.
    """
    with api.gradebook as gradebook:
        submission = gradebook.find_submission(assignment, student)
        for grade in (grade for each in submission.notebooks for grade in each.grades):
            _, by_hand, waits = before.get(grade.name, (None, None, True))
            answer = {grade.name}
            if "tests" in grade.name:
                begin = re.match(r"\d+-\d+-", grade.name)[0]
                answer = {name for name in found if name.startswith(f"{begin}solution")}
                if not answer and by_hand is None:
                    grade.needs_manual_grade = grade.score < grade.max_score
            if by_hand is not None and not waits and answer <= unchanged.keys():
                grade.needs_manual_grade = False
        gradebook.db.commit()


def log_changes(course, assignment, student, before, after):
    """Append to changes.csv which points have changed since this was graded last."""
    rows = [
        [time.strftime("%F %T"), student, assignment, name, before[name][0], score]
        for name, (score, _, _) in after.items()
        if name in before and before[name][0] != score
    ]
    if rows:
        path = course / "changes.csv"
        new = not path.exists()
        with open(path, "a", encoding="utf-8", newline="") as file:
            if new:
                head = "time", "student", "assignment", "cell", "before", "after"
                csv.writer(file).writerow(head)
            csv.writer(file).writerows(rows)


def reason(log):
    """The last error that nbgrader met, in a line; the whole log is in grade.log."""
    errors = re.findall(r"^\s*(?:\w+\.)*(\w+(?:Error|Exception): .+)$", log, re.MULTILINE)
    return f"nbgrader gave up: {errors[-1] if errors else 'see grade.log'}"


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


def give_nothing(api, assignment, student):
    """Write 0 points for each test into the gradebook."""
    with api.gradebook as gradebook:
        gradebook.update_or_create_student(student)
        submission = gradebook.update_or_create_submission(assignment, student)
        for notebook in submission.notebooks:
            for each in notebook.grades:
                each.auto_score, each.needs_manual_grade = 0, False
        gradebook.db.commit()


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
