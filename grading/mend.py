"""Put a student's notebook back into the form in which it was given out.

Every cell that was given out begins with its id, `# id: 1-2-tests-1`, and has it in its
metadata, too. Whoever splits, copies or moves a cell, or uses a program that drops
metadata, leaves most of these ids. `mend` sorts the notebook by them: what was given out
comes back, and all that a student has written stays. Where an answer in words is blank and
other text of its exercise may be meant for it, this text is copied there, so that a grader
reads it. What another exercise has is only referred to.

For nbgrader this is a step in the course's settings (settings.py), for otter-grader a
plugin (otter_plugin.py).
"""

import ast
import re

import nbformat
from nbformat.v4 import new_markdown_cell

from tools.notebooks.exercises import EXERCISE, WRITE_HERE

NOTE = "**Before grading**, cells of this notebook were mended."
ID = re.compile(r"^(?:# id: |<!-- id: )([\w-]+)(?: -->)? *$", re.MULTILINE)
HIDDEN = re.compile(r"(BEGIN|END) HIDDEN TESTS")  # nbgrader's marks, no student's
TAG = re.compile(r"<(?!!-- id: )(?=[a-zA-Z/!?])")  # the beginning of HTML
SETUP = "#@title Setup"  # which unpacks the package: a long cell that grading does not need
OTHER = "other"  # in the place of an id: exercises that the assignment does not have
PLACES = {None: "above all exercises", OTHER: "exercises that were not given out"}
COPIED = "*Copied from other cells, which may be meant for this answer:*"
LOOK = "*Blank. What was added or changed at these places may be meant for it:* {}"


def without_setup(notebook):
    """The cells of a notebook but for the one that unpacks the package."""
    return [cell for cell in notebook.cells if not cell.source.startswith(SETUP)]


def mend(cells, release):
    """The cells in the order of the release, and remarks on what was done."""
    given = {grade_id(cell): cell for cell in release if grade_id(cell)}
    below = sort(cells, release, given)
    elsewhere = {
        function
        for found in below.values()
        for has_id, cell in found
        if not has_id and cell.cell_type == "code"
        for function in defined(cell)
    }
    first = next(name for name in given if re.match(r"\d+-\d+-", name))
    mended = []
    for original in release:
        name = grade_id(original)
        if name is None:
            mended.append(original)
            continue
        if name == first:  # after the imports
            mended += [cell for _, cell in below[None]]
        found = below.get(name, [])
        if original.metadata.nbgrader.locked:
            changed = [cell for has_id, cell in found if has_id and differs(cell, original)]
            others = [cell for has_id, cell in found if not has_id]
            mended += [*changed, original, *others]
        elif original.cell_type == "code":
            mended += code_answer(original, found, elsewhere)
        else:
            mended += answer_in_words(original, found, *meant_for(name, below, given))
    mended += [cell for _, cell in below.get(OTHER, [])]
    missing = [name for name in given if name not in below]
    times = {name: sum(has_id for has_id, _ in found) for name, found in below.items()}
    remarks = {
        "split or copied; all of it is kept": [n for n, many in times.items() if many > 1],
        "missing; what was not yours to write is back": missing,
    }
    remarks = [f"{said(names)}: {what}" for what, names in remarks.items() if names]
    return mended, remarks


def sort(cells, release, given):
    """For each id the cells that have it, or stand below one that does: (has it, cell).

    Those above all ids are at None, and exercises that were not given out at OTHER. What
    was given out without an id is left out.
    """
    known = {cell.source.strip() for cell in release if not grade_id(cell)} | {""}
    below, at = {None: []}, None
    for cell in cells:
        marks = [found for found in ID.finditer(cell.source) if found[1] in given]
        starts = [0, *(found.start() for found in marks[1:]), len(cell.source)]
        names = [found[1] for found in marks] or [grade_id(cell)]
        for name, begin, end in zip(names, starts, starts[1:]):
            part = nbformat.from_dict({**cell, "metadata": {}})
            part.source = cell.source[begin:end].strip("\n")
            if name in given:
                at = name
            elif part.source.strip() in known:
                continue
            elif name or ID.search(part.source) or EXERCISE.match(part.source):
                at = OTHER
            below.setdefault(at, []).append((name in given, part))
    return below


def grade_id(cell):
    """The id that nbgrader knows a cell by, or None."""
    return cell.metadata.get("nbgrader", {}).get("grade_id")


def sheets(path):
    """The numbers of the sheets whose exercises a notebook has, by the ids of its cells."""
    found = set()
    for cell in nbformat.read(path, as_version=4).cells:
        for name in (grade_id(cell) or "", *ID.findall(cell.source)):
            found |= set(re.findall(r"^\d+(?=-\d+-)", name))  # 0-given-1 is of all sheets
    return found


def differs(cell, original):
    """Whether a cell holds other text than the one that was given out."""
    return cell.source.strip() not in (original.source.strip(), "")


def code_answer(original, found, elsewhere):
    """The cells of a solution, the first with the marks; none if there are none.

    The stub is left out, too, if a function of it is defined elsewhere in the notebook,
    which it would undo.
    """
    cells = [cell for has_id, cell in found if not has_id or differs(cell, original)]
    whole = "\n".join(cell.source for cell in cells)
    if parses(whole) and not all(parses(cell.source) for cell in cells):
        del cells[1:]  # it was split within a definition
        cells[0].source = whole
    if any(has_id and differs(cell, original) for has_id, cell in found):
        cells[0].metadata["nbgrader"] = original.metadata.nbgrader
    elif found and not defined(original) & elsewhere:
        cells.insert(0, nbformat.from_dict(original))
    return cells


def defined(cell):
    """The names of the functions and classes of a cell."""
    return set(re.findall(r"^(?:def|class) (\w+)", cell.source, re.MULTILINE))


def parses(source):
    """Whether this is Python."""
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


def answer_in_words(original, found, others, places):
    """The answer in one cell, or what may be meant for it, and the cells below it."""
    begin = original.source.removesuffix(WRITE_HERE).strip()
    heading = begin.splitlines()[-1]
    words = []
    for has_id, cell in found:
        text = ID.sub("", cell.source).replace(heading, "").replace(WRITE_HERE, "").strip()
        if text and (has_id or cell.cell_type == "markdown"):
            words.append(text)
    if not words and others:
        words = [COPIED, *map(quoted, others)]
    elif not words and places:
        words = [LOOK.format(said(places))]
    answer = nbformat.from_dict(original)
    if words:
        answer.source = "\n\n".join([begin, *words])
    return [answer, *(cell for _, cell in found if cell.cell_type == "code")]


def meant_for(name, below, given):
    """What may hold an answer in words which is blank: its cells, and where others stand.

    The cells are text that was added or changed in its exercise or above all exercises, and
    code that was added to the answer. The others are what was added or changed besides:
    code in its exercise, and text in others; code there, too, if the answer's cell is
    missing.
    """
    exercise, cells, places = re.match(r"\d+-\d+-", name)[0], [], []
    for other, found in below.items():
        near = (other or "").startswith(exercise)
        elsewhere = not near and re.match(rf"\d+-\d+-|{OTHER}", other or "")
        for has_id, cell in found:
            locked = has_id and given[other].metadata.nbgrader.locked
            if has_id and not (locked and differs(cell, given[other])):
                continue
            text = cell.cell_type == "markdown"
            if (text and not elsewhere) or other == name:
                cells.append(cell)
            elif near or name not in below or (text and other != OTHER):
                places.append(PLACES.get(other, other))
    return cells, list(dict.fromkeys(places))


def quoted(cell):
    """The text of a cell for an answer in words."""
    return cell.source if cell.cell_type == "markdown" else f"```\n{cell.source}\n```"


def said(names):
    """Ids as a student would say them: 1-2-hidden-tests-1 is 1.2 hidden tests 1."""
    names = [re.sub(r"^(\d+)-(\d+)", r"\1.\2", name).replace("-", " ") for name in names]
    return ", ".join(names) if len(names) < 10 else f"{len(names)} cells"


def add_rubrics(notebook, source):
    """Put the rubric of each written answer below it."""
    rubrics = {}
    for cell in source.cells:
        _, heading, rest = cell.source.partition("**Rubric**")
        if heading and grade_id(cell):
            rubric = heading + rest.partition("</details>")[0].rstrip()
            rubrics[grade_id(cell)] = rubric
    for i, cell in reversed(list(enumerate(notebook.cells))):
        if grade_id(cell) in rubrics:
            notebook.cells.insert(i + 1, new_markdown_cell(rubrics[grade_id(cell)]))
