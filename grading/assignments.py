"""Make an nbgrader course of the exercise notebooks.

    python -m grading.assignments [--course FOLDER] [--exercises FOLDER]

tools/build/exercises.py says what a notebook of exercises looks like, and what students get
of it. In the course, source/ has the notebooks with nbgrader's metadata and markers,
release/ what nbgrader makes of them for students, gradebook.db their points, students/ all
that students need and no solution (students.py). What is in submitted/ and in the gradebook
stays, and so do changed settings.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat

from grading import students
from grading.grade import COURSE, open_course
from tools.build import exercises

ROOT = Path(__file__).resolve().parents[1]
CONFIG = Path(__file__).with_name("nbgrader_config.py")
SOLUTION = "### BEGIN SOLUTION", "### END SOLUTION"
HIDDEN_TESTS = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


def main():
    """Make a course."""
    summary, _, rest = __doc__.partition("\n")
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=style
    )
    parser.add_argument("--course", type=Path, default=COURSE, help="nbgrader's folder")
    folder = exercises.SOURCES
    parser.add_argument("--exercises", type=Path, default=folder, help="their folder")
    options = parser.parse_args()
    try:
        make_course(options.course, options.exercises)
    except ValueError as error:
        sys.exit(f"assignments: {error}")


def make_course(course, folder):
    """Write sources and settings, and have nbgrader make the release of them."""
    course.mkdir(parents=True, exist_ok=True)
    if not (course / CONFIG.name).exists():
        root, settings = f"{str(ROOT)!r}", CONFIG.read_text(encoding="utf-8")
        settings = settings.replace("str(Path(__file__).parents[1])", root, 1)
        (course / CONFIG.name).write_text(settings, encoding="utf-8")
    api = open_course(course)
    for path, notebook in exercises.read_all(folder, course_view):
        source = course / "source" / path.stem
        source.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, source / path.name)
        result = api.generate_assignment(path.stem, force=True, create=True)
        if not result["success"]:
            raise ValueError(f"nbgrader refuses {path.stem}:\n{result['log']}")
        print(course / "release" / path.stem / path.name)
    students.write(course, exercises.solved())
    print(course / "students")


def course_view(notebook):
    """The notebook with solutions and hidden tests between nbgrader's markers.

    nbgrader makes the students' version of it and grades what comes back.
    """
    return exercises.view_of(notebook, marked)


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
    lines = exercises.untagged(source).splitlines()
    for body, indent in reversed(exercises.bodies(source)):
        begin, end = (indent + marker for marker in SOLUTION)
        lines[body] = [begin, *lines[body], end]
    return "\n".join(lines)


def between(markers, source):
    """The source between two markers."""
    return f"{markers[0]}\n{source}\n{markers[1]}"


if __name__ == "__main__":
    main()
