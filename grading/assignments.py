"""Make an nbgrader course of the exercise notebooks.

    python -m grading.assignments [--course FOLDER] [--exercises FOLDER]

tools/notebooks/exercises.py says what a notebook of exercises looks like, and what students
get of it. In the course, source/ has the notebooks with nbgrader's metadata and markers,
release/ what nbgrader makes of them for students, gradebook.db their points, students/ all
that students need and no solution (student_folder.py). An instructor's own hidden tests in
private/, such as private/01_queries_keys_values/1.2.py, take the place of ours. What is in
submitted/ and in the gradebook stays, and so do changed settings.
"""

import re
import sys
from pathlib import Path

import nbformat

from grading import parser, student_folder
from grading.grade import open_course
from tools import ROOT, filled
from tools.notebooks import exercises
from tools.notebooks.save import untagged

CONFIG = "nbgrader_config.py"
SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
HIDDEN_TESTS = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def main():
    """Make a course."""
    command = parser(__doc__)
    folder = exercises.SOURCES
    command.add_argument("--exercises", type=Path, default=folder, help="their folder")
    options = command.parse_args()
    try:
        make_course(options.course, options.exercises)
    except ValueError as error:
        sys.exit(f"assignments: {error}")


def make_course(course, folder):
    """Write sources and settings, and have nbgrader make the release of them."""
    check_private(course, folder)
    course.mkdir(parents=True, exist_ok=True)
    if not (course / CONFIG).exists():
        settings = filled(__file__, CONFIG, repository=ROOT.as_posix())
        (course / CONFIG).write_text(settings, encoding="utf-8")
    api = open_course(course)
    core_only = api.config.Course.exercises == "core"
    for path in sorted(folder.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        try:
            lay_over(notebook, course / "private" / path.stem)
            notebook = exercises.view_of(notebook, marked, core_only)
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None
        source = course / "source" / path.stem
        source.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, source / path.name)
        result = api.generate_assignment(path.stem, force=True, create=True)
        if not result["success"]:
            raise ValueError(f"nbgrader refuses {path.stem}:\n{result['log']}")
        print(course / "release" / path.stem / path.name)
    student_folder.write(course, exercises.solved())
    print(course / "students")


def check_private(course, folder):
    """Raise ValueError for a folder of private/ whose tests no assignment would use.

    Assignments are the notebooks of the exercises, and those that the course has already.
    """
    known = {path.stem for path in folder.glob("*.ipynb")}
    known |= {path.name for path in course.glob("source/*/")}
    for path in course.glob("private/[!.]*/"):
        if path.name not in known:
            names = ", ".join(sorted(known))
            raise ValueError(
                f"a folder of {path.parent} must be named as one of {names}, "
                f"not {path.name!r}"
            )


def lay_over(notebook, folder):
    """Put an instructor's own hidden tests, 1.2.py for exercise 1.2, in place of ours."""
    own = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    number = None
    for i, cell in enumerate(notebook.cells):
        if found := exercises.EXERCISE.match(cell.source):
            number = found[1]
        if number in own and exercises.kind_of(cell, i) == "hidden-tests":
            cell.source = own.pop(number).strip()
    if own:
        raise ValueError(f"{folder} has {', '.join(own)}, which has no hidden tests here")


def marked(source, kind, number, points):
    """The source of a cell of this kind, with nbgrader's markers."""
    if found := re.search(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)", source):
        raise ValueError(f"{found[0]!r} must not occur in it: nbgrader takes it for a mark")
    if kind == "solution":
        return mark(source)
    if kind == "hidden-tests":
        return "\n".join([exercises.MORE_TESTS, between(HIDDEN_TESTS, source)])
    if kind == "written":
        exercises.check_rubric(source, points)
        heading = exercises.HEADING.format(number=number, points=points)
        return heading + between(SOLUTION, source)
    return source


def mark(source):
    """Definitions, with nbgrader's markers around what students are to write."""
    lines = untagged(source).splitlines()
    for body, indent in reversed(exercises.bodies(source)):
        begin, end = (indent + marker for marker in SOLUTION)
        lines[body] = [begin, *lines[body], end]
    return "\n".join(lines)


def between(markers, source):
    """The source between two markers."""
    return f"{markers[0]}\n{source}\n{markers[1]}"


if __name__ == "__main__":
    main()
