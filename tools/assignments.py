"""Make the students' versions of the exercise notebooks.

    python tools/assignments.py [--out FOLDER]

A notebook of notebooks/exercises/ holds statements, solutions and tests, and its cells say
by their tags which are which:

solution      code: definitions, of which students get the signatures and docstrings;
              Markdown: an answer in words, in place of which students write theirs
tests         what a solution must pass, for students to run
hidden-tests  what it must pass besides; students do not get them
discussion    experiments and wrong answers, for the book only

All other cells students get as they are, and no outputs. The first code cell is preceded
by one that installs the package where it is missing, as in Colab.
"""

import argparse
import ast
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "notebooks" / "exercises"
TAGS = ("solution", "tests", "hidden-tests", "discussion")
SETUP = """\
try:
    import d2lmini
except ModuleNotFoundError:  # a fresh machine, such as Colab's
    %pip install --quiet git+ADDRESS"""


def main():
    """Write the students' notebooks into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    default = ROOT / "_build" / "assignments" / "release"
    parser.add_argument("--out", type=Path, default=default, help="the folder to write to")
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(SOURCES.glob("*.ipynb")):
        try:
            notebook = student_view(nbformat.read(path, as_version=4))
        except ValueError as error:
            sys.exit(f"{path.relative_to(ROOT)}: {error}")
        nbformat.write(notebook, out / path.name)


def student_view(notebook):
    """The notebook as students get it. Raises ValueError, naming the cell."""
    cells = []
    for number, cell in enumerate(notebook.cells):
        kind = kind_of(cell, number)
        if kind in ("hidden-tests", "discussion"):
            continue
        cell = nbformat.from_dict({**cell, "metadata": {}})
        if kind == "solution" and cell.cell_type == "markdown":
            cell.source = "*Your answer:*"
        elif kind == "solution":
            try:
                cell.source = stub(cell.source)
            except ValueError as error:
                raise ValueError(f"cell {number}: {error}") from None
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cells.append(cell)
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    cells.insert(first, new_code_cell(SETUP, id="setup"))
    return nbformat.from_dict({**notebook, "cells": cells})


def kind_of(cell, number):
    """The one tag of TAGS that a cell has, or None. Raises ValueError if there are more."""
    kinds = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
    if len(kinds) > 1:
        raise ValueError(f"cell {number}: it must have one of the tags {TAGS}, not {kinds}")
    return kinds[0] if kinds else None


def stub(source):
    """Definitions without their bodies: signatures, docstrings, and an error.

    Imports and constants stay. Raises ValueError for other statements, and for a function
    without a docstring.
    """
    lines, kept, tree = source.splitlines(), [], ast.parse(source)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            kept += ["", "", *_stub_of(node, lines)] if kept else _stub_of(node, lines)
        elif isinstance(node, ast.Import | ast.ImportFrom | ast.Assign):
            kept += lines[node.lineno - 1 : node.end_lineno]
        else:
            line = lines[node.lineno - 1]
            raise ValueError(f"a solution must hold definitions only, not {line!r}")
    return "\n".join(kept)


def _stub_of(node, lines):
    """The lines of a function, or of a class and its methods, without bodies."""
    documented = ast.get_docstring(node) is not None
    if not documented and not node.name.startswith("__"):
        raise ValueError(f"{node.name} must have a docstring: all that students get of it")
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    end = node.body[0].end_lineno if documented else node.body[0].lineno - 1
    kept, indent = lines[first - 1 : end], " " * node.body[0].col_offset
    if isinstance(node, ast.FunctionDef):
        return [*kept, f"{indent}raise NotImplementedError"]
    for part in node.body[documented:]:
        if isinstance(part, ast.FunctionDef):
            kept += ["", *_stub_of(part, lines)]
    return kept


if __name__ == "__main__":
    main()
