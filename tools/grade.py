"""Grade what students handed in, with nbgrader.

    python tools/grade.py ASSIGNMENT [--course FOLDER]

Takes submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb of every student, runs it with the tests
of the course, hidden ones too, and prints a line for each student. Then the gradebook holds
the points, autograded/ the notebooks as they ran, feedback/ a page for each student, and
grades.csv the points of all assignments. A notebook that is missing or cannot be read is
graded 0 and does not stop the others, nor do errors and endless loops in a notebook. What
was graded before is graded anew; marks given by hand stay.

Students' code runs with your rights: use an account or a container made for it.
"""

import argparse
import html
import os
import re
import sys
import warnings
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from nbgrader.plugins import CsvExportPlugin
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader

COURSE = Path(__file__).resolve().parent.parent / "_build" / "assignments"


def main():
    """Grade one assignment of all students; exit 1 if there is none."""
    summary, _, rest = __doc__.partition("\n")
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=style
    )
    parser.add_argument("assignment", help="such as 01_queries_keys_values")
    parser.add_argument("--course", type=Path, default=COURSE, help="nbgrader's folder")
    options = parser.parse_args()
    try:
        rows = grade(options.course, options.assignment)
    except ValueError as error:
        sys.exit(f"grade: {error}")
    width = max(len(student) for student, *_ in rows)
    for student, points, of, remark in rows:
        print(f"{student:{width}}  {points:g} of {of:g}  {remark}".rstrip())
    print(f"See {options.course / 'feedback'} and {options.course / 'grades.csv'}.")


def grade(course, assignment):
    """Grade an assignment of all students: (student, points, of how many, remark).

    Raises ValueError for an assignment that the course does not have, and if nobody has
    handed in a folder of this name.
    """
    release = course / "release" / assignment
    if not release.is_dir():
        known = ", ".join(sorted(path.name for path in course.glob("release/*")))
        raise ValueError(f"assignment must be one of {known or 'none'}, not {assignment!r}")
    folders = sorted(course.glob(f"submitted/*/{assignment}"))
    if not folders:
        raise ValueError(f"nothing was found in {course / 'submitted'}/*/{assignment}")
    os.environ["PYTHONWARNINGS"] = "ignore"  # nbgrader counts what is on stderr as failing
    warnings.simplefilter("ignore", SAWarning)  # of nbgrader's own queries
    api = open_course(course)
    rows = [grade_one(api, course, assignment, folder.parent.name) for folder in folders]
    with api.gradebook as gradebook:
        CsvExportPlugin(to=str(course / "grades.csv")).export(gradebook)
    return rows


def open_course(course):
    """nbgrader's interface to a course, with the course's settings."""
    programs = str(Path(sys.executable).parent)  # of which nbgrader calls some by name
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    config = PyFileConfigLoader("nbgrader_config.py", str(course)).load_config()
    config.CourseDirectory.root = str(course.resolve())
    return NbGraderAPI(config=config)


def grade_one(api, course, assignment, student):
    """Grade one student: (student, points, of how many, remark)."""
    name = Path(assignment, f"{assignment}.ipynb")
    problem = unreadable(course / "submitted" / student / name)
    if problem is None:
        result = api.autograde(assignment, student, force=True, create=True)
        if not result["success"]:
            problem = reason(result["log"])
            with open(course / "grade.log", "a", encoding="utf-8") as log:
                log.write(result["log"])
    page = course / "feedback" / student / name.with_suffix(".html")
    if problem is None:
        api.generate_feedback(assignment, student, force=True)
        remark = remarks(course / "autograded" / student / name)
    else:
        give_nothing(api, assignment, student)
        remark = problem
        page.parent.mkdir(parents=True, exist_ok=True)
        text = (
            f"<!DOCTYPE html>\n<title>{assignment}</title>\n<p>{html.escape(remark)}</p>\n"
        )
        page.write_text(text, encoding="utf-8")
    with api.gradebook as gradebook:
        submission = gradebook.find_submission(assignment, student)
        return student, submission.score, submission.max_score, remark


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
    """How many tests failed in a notebook that was graded, and errors of other kinds."""
    failed, errors = 0, {}
    for cell in nbformat.read(path, as_version=4).cells:
        found = [out for out in cell.get("outputs", []) if out.output_type == "error"]
        failed += bool(found) and cell.metadata.get("nbgrader", {}).get("grade", False)
        for error in found:
            errors.setdefault(error.ename, f"{error.ename}: {error.evalue}")
    for expected in ("AssertionError", "NotImplementedError"):
        errors.pop(expected, None)
    count = [f"{failed} test{'s' * (failed > 1)} failed"] if failed else []
    return "; ".join(count + list(errors.values()))


if __name__ == "__main__":
    main()
