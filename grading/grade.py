"""Grade what students handed in, with nbgrader.

    python -m grading.grade ASSIGNMENT [--student NAME] [--course FOLDER]
    python -m grading.grade ASSIGNMENT --feedback [--student NAME] [--course FOLDER]

The first takes submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb of every student, or of one,
runs it with the tests of the course, hidden ones too, and prints a line for each. Then the
gradebook holds the points, autograded/ the notebooks as they ran, feedback/ a page for each
student, and grades.csv, canvas.csv and moodle.csv the points of all assignments. The second
only writes pages and tables anew, after answers in words were graded by hand.

A notebook that is missing or cannot be read is graded 0 and does not stop the others, nor
do errors and endless loops in a notebook. What was graded before is graded anew; marks
given by hand stay. Students' code runs in isolation (isolation.py) where the system allows
it.
"""

import argparse
import html
import os
import re
import shutil
import sys
import warnings
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from sqlalchemy.exc import SAWarning
from traitlets.config import PyFileConfigLoader

from grading import isolation, mend
from grading.nbgrader_plugins import Tables, table

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
    parser.add_argument("--student", default="*", help="one student; all without it")
    parser.add_argument("--feedback", action="store_true", help="only pages and tables")
    options = parser.parse_args()
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
        Tables(to=str(course)).export(gradebook)
    return rows


def open_course(course):
    """nbgrader's interface to a course, with the course's settings."""
    programs = str(Path(sys.executable).parent)  # of which nbgrader calls some by name
    if programs not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([programs, os.environ["PATH"]])
    config = PyFileConfigLoader("nbgrader_config.py", str(course.resolve())).load_config()
    config.CourseDirectory.root = str(course.resolve())
    # Not among the course's settings, where the formgrader would use it for its own pages.
    config.HTMLExporter.template_name = "feedback"
    config.HTMLExporter.extra_template_basedirs = [str(Path(__file__).parent)]
    return NbGraderAPI(config=config)


def grade_one(api, course, assignment, student, feedback):
    """Grade one student: (student, points, of how many, remark)."""
    name = Path(assignment, f"{assignment}.ipynb")
    graded = course / "autograded" / student / name
    handed_in = course / "submitted" / student / name
    others = list(handed_in.parent.glob("*.ipynb"))
    if not handed_in.exists() and len(others) == 1:
        shutil.copy(others[0], handed_in)  # it has another name only
    problem = unreadable(handed_in)
    if problem is None and not feedback:
        shutil.rmtree(graded.parent, ignore_errors=True)
        result = api.autograde(assignment, student, force=True, create=True)
        if not result["success"]:
            problem = reason(result["log"])
            with open(course / "grade.log", "a", encoding="utf-8") as log:
                log.write(result["log"])
    if problem is None and not graded.exists():
        problem = "not graded yet"
    page = course / "feedback" / student / name.with_suffix(".html")
    if problem is None:
        api.generate_feedback(assignment, student, force=True)
        remark = remarks(graded, course / "release" / name)
    else:
        if not feedback:
            give_nothing(api, assignment, student)
        remark = problem
        page.parent.mkdir(parents=True, exist_ok=True)
        text = (
            f"<!DOCTYPE html>\n<title>{assignment}</title>\n<p>{html.escape(remark)}</p>\n"
        )
        page.write_text(text, encoding="utf-8")
    with api.gradebook as gradebook:
        found = table(gradebook).query("student == @student and assignment == @assignment")
        row = found.fillna(0).to_dict("records")[0]
    said = [f"{row['penalty']:g} taken off for being late"] if row["penalty"] else []
    if row["points"] > row["of"]:
        said.append("look at it, since these are more points than there are")
    if left := int(row["by hand"]):
        said.append(f"{left} answer{'s' * (left > 1)} to grade by hand")
    return student, row["points"], row["of"], "; ".join([*said, *filter(None, [remark])])


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


def remarks(path, release):
    """How many tests failed in a notebook that was graded, and what else is to be seen."""
    notebook, release = (nbformat.read(each, as_version=4) for each in (path, release))
    failed, errors = 0, {}
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        found = [out for out in cell.get("outputs", []) if out.output_type == "error"]
        failed += bool(found) and marks.get("grade", False)
        for error in found:
            first = error.evalue.strip().partition("\n")[0]
            line = "".join(filter(str.isprintable, f"{error.ename}: {first}"))
            errors.setdefault(error.ename, line[:150])
    for expected in ("AssertionError", "NotImplementedError"):
        errors.pop(expected, None)
    said = [f"{failed} test{'s' * (failed > 1)} failed"] if failed else []
    said += errors.values()
    for note in [cell for cell in notebook.cells if cell.get("id") == mend.NOTE]:
        foreign = mend.FOREIGN in note.source
        said.append(mend.FOREIGN if foreign else "some cells were mended")
    if words := isolation.suspicious(notebook, release):
        said.append(f"look at it, since it uses {', '.join(words)}")
    return "; ".join(said)


if __name__ == "__main__":
    main()
