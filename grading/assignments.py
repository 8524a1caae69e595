"""Make assignments of the exercise notebooks, for students and for nbgrader.

    python -m grading.assignments [--course FOLDER] [--exercises FOLDER]
    python -m grading.assignments --downloads FOLDER

A notebook of notebooks/exercises/ (or of another folder of exercises) holds statements,
solutions and tests, and its cells say by their tags which are which:

solution      code: definitions, of which students get the signatures and docstrings;
              Markdown: an answer in words. With points in its metadata it is graded by
              hand, after the rubric at its end, and students get a cell to answer in
experiment    with it: they get a code cell, too, that is run but not graded
tests         what a solution must pass, for students to run
hidden-tests  what it must pass besides; students do not get them
discussion    experiments and wrong answers, for the book only

All other cells students get as they are, without outputs and links to other pages. The
first code cell is preceded by one that unpacks the package where it is missing, as in
Colab (standalone.py).

The first command makes an nbgrader course: source/ has the notebooks with nbgrader's
metadata and markers, release/ what nbgrader makes of them for students, gradebook.db their
points, students/ all that students need and no solution (students.py). What is in
submitted/ and in the gradebook stays, and so do changed settings. The second writes the
students' notebooks only, for the book's download buttons.
"""

import argparse
import ast
import functools
import io
import re
import sys
import tokenize
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions
from traitlets.config import PyFileConfigLoader

from grading import students
from grading.grade import open_course
from tools.build.save import TAG
from tools.build.standalone import setup_cell

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "notebooks" / "exercises"
CONFIG = Path(__file__).with_name("nbgrader_config.py")
TAGS = ("solution", "tests", "hidden-tests", "discussion")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")  # to a page of the book
MARKS = "### BEGIN SOLUTION", "### END SOLUTION"
HIDDEN = """\
# More tests run here when your work is graded.
### BEGIN HIDDEN TESTS
{}
### END HIDDEN TESTS"""
ADVICE = """\
Write your code where it says `NotImplementedError`, and your answers in words below
**Your answer**; leave these headings in place. All other code is restored before grading.
Add cells wherever you want.

Grading runs the notebook once, from the top, with more tests of the same specification. A
cell that computes for more than a minute is stopped there, which costs nothing for an
experiment. Before you hand in, restart the kernel and run all cells."""
WRITTEN = """\
**Your answer to {number}** *({points} points, graded by hand)*

### BEGIN SOLUTION
{solution}
### END SOLUTION"""
EXPERIMENT = "# {number}: a cell for your experiments, which is not graded\n"


def main():
    """Make a course, or the students' notebooks."""
    summary, _, rest = __doc__.partition("\n")
    style = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        description=summary, epilog=rest, formatter_class=style
    )
    course = ROOT / "_build" / "assignments"
    parser.add_argument("--course", type=Path, default=course, help="nbgrader's folder")
    parser.add_argument("--exercises", type=Path, default=SOURCES, help="their folder")
    parser.add_argument("--downloads", type=Path, help="a folder for students' notebooks")
    options = parser.parse_args()
    try:
        if options.downloads:
            options.downloads.mkdir(parents=True, exist_ok=True)
            for path, notebook in read_all(options.exercises):
                nbformat.write(student_view(notebook), options.downloads / path.name)
        else:
            make_course(options.course, read_all(options.exercises))
    except ValueError as error:
        sys.exit(f"assignments: {error}")


def read_all(folder):
    """The notebooks as nbgrader wants them, with their paths."""
    for path in sorted(folder.glob("*.ipynb")):
        try:
            yield path, course_view(nbformat.read(path, as_version=4))
        except ValueError as error:
            raise ValueError(f"{path.name}: {error}") from None


def make_course(course, notebooks):
    """Write sources and settings, and have nbgrader make the release of them."""
    course.mkdir(parents=True, exist_ok=True)
    if not (course / CONFIG.name).exists():
        root, settings = f"{str(ROOT)!r}", CONFIG.read_text(encoding="utf-8")
        settings = settings.replace("str(Path(__file__).parents[1])", root, 1)
        (course / CONFIG.name).write_text(settings, encoding="utf-8")
    api = open_course(course)
    for path, notebook in notebooks:
        folder = course / "source" / path.stem
        folder.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, folder / path.name)
        result = api.generate_assignment(path.stem, force=True, create=True)
        if not result["success"]:
            raise ValueError(f"nbgrader refuses {path.stem}:\n{result['log']}")
        print(course / "release" / path.stem / path.name)
    students.write(course, solved())
    print(course / "students")


def course_view(notebook):
    """The notebook with nbgrader's metadata and markers; ValueError names a bad cell.

    nbgrader makes the students' version of it and grades what comes back.
    """
    cells, number, names = [], "0", {}
    for i, cell in enumerate(notebook.cells):
        kind, points = kind_of(cell, i), cell.metadata.get("points")
        tags = cell.metadata.get("tags", [])
        if kind == "discussion":
            continue
        cell = nbformat.from_dict({**cell, "metadata": {}})
        if cell.cell_type == "markdown":
            if cell.source.startswith("## "):
                number = cell.source.split()[1]
            if kind is None:
                cell.source = LINK.sub(r"\1", cell.source)
                cells.append(cell)
                continue
            if points is None:  # for the book only
                continue
            kind = "written"
        else:
            cell.outputs, cell.execution_count = [], None
            kind = kind or "given"
        try:
            cell.source = marked(cell.source, kind, number, points)
        except ValueError as error:
            raise ValueError(f"cell {i}: {error}") from None
        if "experiment" in tags:
            cells.append(new_code_cell(EXPERIMENT.format(number=number), id=f"try-{i}"))
        name = f"{number.replace('.', '-')}-{kind}"
        names[name] = names.get(name, 0) + 1
        graded = "tests" in kind or kind == "written"
        cell.metadata["nbgrader"] = {
            "schema_version": 3,
            "cell_type": cell.cell_type,
            "grade_id": f"{name}-{names[name]}",
            "grade": graded,
            "solution": kind in ("solution", "written"),
            "locked": kind not in ("solution", "written"),
            "task": False,
            **({"points": points} if graded else {}),
        }
        cells.append(cell)
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    advice = new_markdown_cell(ADVICE, id="advice")
    cells[first:first] = [advice, setup_cell(cells, solved())]
    return nbformat.from_dict({**notebook, "cells": cells})


@functools.cache
def solved():
    """The names of the package that are saved from solutions of the book's exercises."""
    names = set()
    for path in SOURCES.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if "solution" in cell.metadata.get("tags", []) and TAG.search(cell.source):
                names |= {node.name for node in ast.parse(cell.source).body}
    return frozenset(names)


def marked(source, kind, number, points):
    """The source of a cell of this kind, with nbgrader's markers."""
    if found := re.search(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)", source):
        raise ValueError(f"{found[0]!r} must not occur in it: nbgrader takes it for a mark")
    if kind == "solution":
        return mark(source)
    if kind == "hidden-tests":
        return HIDDEN.format(source)
    if kind == "written":
        check_rubric(source, points)
        return WRITTEN.format(number=number, points=points, solution=source)
    return source


def check_rubric(source, points):
    """Raise ValueError unless a rubric stands at the end, which gives all the points."""
    _, _, rubric = source.partition(f"**Rubric** ({points} points)")
    items = re.findall(r"^- (\d+) points?: \S", rubric, re.MULTILINE)
    if sum(map(int, items)) != points:
        raise ValueError(
            f"an answer with {points} points must end with '**Rubric** ({points} points)' "
            f"and '- N points: ...' for all of them, not for {items}"
        )


def student_view(notebook):
    """Of a course's notebook, what students get: nbgrader takes out the rest."""
    notebook = nbformat.from_dict(notebook)
    config = PyFileConfigLoader(CONFIG.name, str(CONFIG.parent)).load_config()
    for preprocessor in (ClearSolutions, ClearHiddenTests):
        notebook, _ = preprocessor(config=config).preprocess(notebook, {})
    return notebook


def kind_of(cell, number):
    """The one tag of TAGS that a cell has, or None. Raises ValueError if there are more."""
    kinds = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
    if len(kinds) > 1:
        raise ValueError(f"cell {number}: it must have one of the tags {TAGS}, not {kinds}")
    return kinds[0] if kinds else None


def mark(source):
    """Definitions, with nbgrader's markers around what students are to write.

    That is the body of each function but for its docstring. Raises ValueError for
    anything but functions, classes of methods, imports and constants, for a function
    without a docstring, and for what students would see of a solution.
    """
    source = re.sub(r" *# ?@save$", "", source, flags=re.MULTILINE)
    lines, functions = source.splitlines(), []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            check_documented(node)
            functions += node.body[1:]
        elif isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Assign):
            line = lines[node.lineno - 1]
            raise ValueError(f"a solution must hold definitions only, not {line!r}")
    hidden = set()
    for node in reversed(functions):
        if not isinstance(node, ast.FunctionDef):
            line = lines[node.lineno - 1].strip()
            raise ValueError(f"a class in a solution must hold methods only, not {line!r}")
        check_documented(node)
        body = node.body[ast.get_docstring(node) is not None :]
        for part in (node.body[0], *body[:1]):
            if lines[part.lineno - 1][: part.col_offset].strip():
                raise ValueError(f"the body of {node.name} must begin on a line of its own")
        first = node.body[0].end_lineno if body != node.body else body[0].lineno - 1
        hidden.update(range(first + 1, node.end_lineno + 1))
        indent = " " * node.body[0].col_offset
        lines.insert(node.end_lineno, indent + MARKS[1])
        lines.insert(first, indent + MARKS[0])
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.start[0] not in hidden:
            raise ValueError(f"students would see {token.string!r}: put it into a body")
    return "\n".join(lines)


def check_documented(node):
    """Raise ValueError unless a definition has a docstring, or a name like __init__."""
    if ast.get_docstring(node) is None and not node.name.startswith("__"):
        raise ValueError(f"{node.name} must have a docstring: all that students get of it")


if __name__ == "__main__":
    main()
