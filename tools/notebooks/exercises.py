"""The exercise notebooks as students get them, and as the book shows them.

A notebook of notebooks/exercises/ holds statements, solutions and tests, and its cells say
by their tags which are which:

core          on the statement, whose heading is `## 1.2 Title`: an exercise that courses
              assign; the others are optional
solution      code: definitions, of which students get the signatures and docstrings;
              Markdown: an answer in words. With points in its metadata it is graded by
              hand, after the rubric at its end, and students get a cell to answer in
experiment    with it: they get a code cell, too, that is run but not graded
tests         what a solution must pass, for students to run
hidden-tests  what it must pass besides; students do not get them
              (`drawn` in the metadata is for private tests: grading/private.py)
discussion    what the solution means, with experiments, for the book only
tempting      a wrong answer that many would give, and why it fails, for the book only

All other cells students get as they are, without outputs and links to other pages. The
first code cell is preceded by one that unpacks the package where it is missing, as in
Colab (standalone.py). The cells have nbgrader's metadata, so that the notebook can be
graded when it is handed in, and begin with the same id in a line of their own, which
programs that drop metadata keep.

In the book, the tests, the tempting answer and the solution of an exercise are three folds
below its statement (folded); in one without solutions (tools/book/solutions.py), the tests
that students get are the only one.
"""

import ast
import functools
import io
import re
import tokenize

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from tools import ROOT, beside
from tools.notebooks.save import TAG, untagged
from tools.notebooks.standalone import STUB, body_of, setup_cell

SOURCES = ROOT / "notebooks" / "exercises"
TAGS = ("solution", "tests", "hidden-tests", "discussion", "tempting")
FOR_THE_BOOK = ("discussion", "tempting")
EXERCISE = re.compile(r"## (\d+\.\d+) ")
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]*\)")  # to a page of the book
ADVICE = beside(__file__, "advice.md").strip()
MORE_TESTS = "# More tests run here when your work is graded."
HEADING = "**Your answer to {number}** *({points} points, graded by hand)*\n\n"
WRITE_HERE = "*Write here.*"
FOLDS = {
    "Tests": ("tests", "hidden-tests"),
    "A tempting answer": ("tempting",),
    "Solution": ("solution", "discussion"),
}
DETAILS = re.compile(r"<details>\n<summary>Solution</summary>\n*|\n*</details>$")
ID = {"code": "# id: {}", "markdown": "<!-- id: {} -->"}
EXPERIMENT = "# {number}: a cell for your experiments, which is not graded\n"


def student_view(notebook):
    """The notebook that students get. ValueError names a cell that cannot be hidden."""
    return view_of(notebook, shown)


def view_of(notebook, write, core_only=False):
    """The notebook without what is for the book only, and with nbgrader's metadata.

    write(source, kind, number, points) is the source that a cell of this kind gets. With
    core_only, the optional exercises are left out, and so is the introduction to all.
    """
    cells, number, counts, used, left_out = [], "0", {}, [], False
    for i, cell in enumerate(notebook.cells):
        kind, points = kind_of(cell, i), cell.metadata.get("points")
        tags = cell.metadata.get("tags", [])
        if found := EXERCISE.match(cell.source):
            number = found[1]
            left_out = core_only and "core" not in tags
        elif core_only and i == 0:
            cell = nbformat.from_dict({**cell, "source": cell.source.partition("\n")[0]})
        if left_out or kind in FOR_THE_BOOK:
            continue
        used.append(cell)
        cell = nbformat.from_dict({**cell, "metadata": {}})
        if cell.cell_type == "markdown":
            if kind is None:
                cell.source = LINK.sub(r"\1", cell.source)
                cells.append(cell)
            if kind is None or points is None:
                continue
            kind = "written"
        else:
            cell.outputs, cell.execution_count = [], None
            kind = kind or "given"
        try:
            cell.source = write(cell.source, kind, number, points)
        except ValueError as error:
            raise ValueError(f"cell {i}: {error}") from None
        if "experiment" in tags:
            cells.append(new_code_cell(EXPERIMENT.format(number=number), id=f"try-{i}"))
        name = f"{number.replace('.', '-')}-{kind}"
        counts[name] = counts.get(name, 0) + 1
        name = f"{name}-{counts[name]}"
        cell.source = f"{ID[cell.cell_type].format(name)}\n{cell.source}"
        graded = "tests" in kind or kind == "written"
        cell.metadata["nbgrader"] = {
            "schema_version": 3,
            "cell_type": cell.cell_type,
            "grade_id": name,
            "grade": graded,
            "solution": kind in ("solution", "written"),
            "locked": kind not in ("solution", "written"),
            "task": False,
            **({"points": points} if graded else {}),
        }
        cells.append(cell)
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    setup = setup_cell(used, solved())
    cells[first:first] = [new_markdown_cell(ADVICE, id="advice"), setup]
    return nbformat.from_dict({**notebook, "cells": cells})


def folded(notebook, solutions=True):
    """The notebook as the book shows it: below each statement, three folds.

    Without solutions there is one, with the tests that students get.
    """
    parts = [[]]
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and cell.source.startswith("## "):
            parts.append([])
        parts[-1].append((kind_of(cell, i), nbformat.from_dict(cell)))
    cells = []
    for part in parts:
        cells += [cell for kind, cell in part if kind is None]
        for title, kinds in FOLDS.items():
            inside = [
                cell
                for kind, cell in part
                if kind in kinds and (solutions or kind == "tests")
            ]
            for cell in inside:
                cell.source = DETAILS.sub("", cell.source)
                tags = cell.metadata["tags"]
                if "hide-input" in tags and "discussion" not in tags:
                    tags.remove("hide-input")  # the fold hides it
            if inside:
                summary = f"<details>\n<summary>{title}</summary>"
                inside = (
                    new_markdown_cell(summary),
                    *inside,
                    new_markdown_cell("</details>"),
                )
            cells += inside
    return nbformat.from_dict({**notebook, "cells": cells})


@functools.cache
def solved(released=()):
    """The names of the package that are saved from solutions of the book's exercises.

    Sheets that are released are left out.
    """
    names = set()
    for path in SOURCES.glob("*.ipynb"):
        if path.stem in released:
            continue
        for cell in nbformat.read(path, as_version=4).cells:
            if "solution" in cell.metadata.get("tags", []) and TAG.search(cell.source):
                names |= {node.name for node in ast.parse(cell.source).body}
    return frozenset(names)


def kind_of(cell, number):
    """The one tag of TAGS that a cell has, or None. Raises ValueError if there are more."""
    kinds = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
    if len(kinds) > 1:
        raise ValueError(f"cell {number}: it must have one of the tags {TAGS}, not {kinds}")
    return kinds[0] if kinds else None


def shown(source, kind, number, points):
    """What students see of a cell of this kind."""
    if kind == "solution":
        return stub(source)
    if kind == "hidden-tests":
        return MORE_TESTS
    if kind == "written":
        check_rubric(source, points)
        return HEADING.format(number=number, points=points) + WRITE_HERE
    return source


def stub(source):
    """Definitions whose functions are not implemented."""
    lines = untagged(source).splitlines()
    for body, indent in reversed(bodies(source)):
        lines[body] = [indent + STUB]
    return "\n".join(lines)


def bodies(source):
    """The lines, as a slice, and the indent of each body that students are to write.

    That is the body of each function but for its docstring. Raises ValueError for
    anything but functions, classes of methods, imports and constants, for a function
    without a docstring, and for what students would see of a solution.
    """
    source = untagged(source)
    lines, functions, found = source.splitlines(), [], []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            check_documented(node)
            functions += node.body[1:]
        elif isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Assign):
            line = lines[node.lineno - 1]
            raise ValueError(f"a solution must hold definitions only, not {line!r}")
    if not functions:
        raise ValueError("a solution must define a function")
    hidden = set()
    for node in functions:
        if not isinstance(node, ast.FunctionDef):
            line = lines[node.lineno - 1].strip()
            raise ValueError(f"a class in a solution must hold methods only, not {line!r}")
        check_documented(node)
        body = node.body[ast.get_docstring(node) is not None :]
        for part in (node.body[0], *body[:1]):
            if lines[part.lineno - 1][: part.col_offset].strip():
                raise ValueError(f"the body of {node.name} must begin on a line of its own")
        found.append(body_of(node))
        hidden.update(range(found[-1][0].start + 1, node.end_lineno + 1))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and token.start[0] not in hidden:
            raise ValueError(f"students would see {token.string!r}: put it into a body")
    return found


def check_documented(node):
    """Raise ValueError unless a definition has a docstring, or a name like __init__."""
    if ast.get_docstring(node) is None and not node.name.startswith("__"):
        raise ValueError(f"{node.name} must have a docstring: all that students get of it")


def check_rubric(source, points):
    """Raise ValueError unless a rubric stands at the end, which gives all the points."""
    _, _, rubric = source.partition(f"**Rubric** ({points} points)")
    items = re.findall(r"^- (\d+) points?: \S", rubric, re.MULTILINE)
    if sum(map(int, items)) != points:
        raise ValueError(
            f"an answer with {points} points must end with '**Rubric** ({points} points)' "
            f"and '- N points: ...' for all of them, not for {items}"
        )
