"""Give a student's notebook back the marks by which nbgrader knows its cells.

Whoever splits or copies a cell copies its marks, and some programs drop them all. Restore,
which a course's settings put before nbgrader's own steps, compares the notebook with the
released one. What was released and is missing comes back; of several cells with the same
mark one keeps it; all code stays. A note at the top says what was done. Below each written
answer stands its rubric, for the grader and the student.
"""

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_markdown_cell
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Unicode

NOTE = "restored"  # the id of the cell with the note
FOREIGN = "this looks like the notebook of another assignment"


class Restore(NbGraderPreprocessor):
    """The step of nbgrader that restores the marks."""

    course = Unicode(".", help="the course's folder").tag(config=True)

    def preprocess(self, nb, resources):
        name = Path(resources["nbgrader"]["assignment"], resources["nbgrader"]["notebook"])
        release, source = (
            nbformat.read(Path(self.course, part, f"{name}.ipynb"), as_version=4)
            for part in ("release", "source")
        )
        remarks = mend(nb, release)
        for cell in nb.cells:
            if cell.cell_type == "markdown":  # no HTML, which could hold a script
                cell.source = re.sub(r"<(?=[a-zA-Z/!?])", "< ", cell.source)
        nb.metadata.pop("widgets", None)
        add_rubrics(nb, source)
        if remarks:
            lines = "".join(f"- {remark}\n" for remark in remarks)
            note = f"**Before grading**, cells of this notebook were mended.\n\n{lines}"
            nb.cells.insert(0, new_markdown_cell(note, id=NOTE))
        return nb, resources


def mend(notebook, release):
    """Mark the cells as in the release; returns what was done, for the student."""
    originals = {}
    for cell in release.cells:
        if "nbgrader" in cell.metadata:
            originals[cell.metadata["nbgrader"]["grade_id"]] = cell
    found, unmarked = {mark: [] for mark in originals}, []
    for cell in notebook.cells:
        mark = cell.metadata.pop("nbgrader", {}).get("grade_id")
        found.get(mark, unmarked).append(cell)
    at, copied, lost, missing, joined = -1, [], [], [], []
    for mark, original in originals.items():
        same = found[mark]
        if len(same) > 1:
            copied.append(mark)
        if not same:
            same = candidates(notebook.cells[at + 1 :], original, release, unmarked)
            (lost if same else missing).append(mark)
        if not same:
            marks = original.metadata["nbgrader"]
            if marks["solution"] and not marks["grade"]:
                continue  # its stub would undo what may be defined elsewhere
            same = [nbformat.from_dict(original)]
            notebook.cells.insert(at + 1, same[0])
        cell = max(same, key=lambda cell: likeness(cell, original))
        cell.metadata["nbgrader"] = original.metadata["nbgrader"]
        at = place(cell, notebook.cells)
        if cell.cell_type == "markdown" and cell.source == original.source:
            below = candidates(notebook.cells[at + 1 :], original, release, unmarked)
            if below:
                cell.source = "\n\n".join(each.source for each in [cell, *below])
                joined.append(mark)
    if not any("-solution-" in mark for mark in [*lost, *filter(found.get, found)]):
        return [FOREIGN]
    remarks = {
        "split or copied; all their code was run": copied,
        "without the marks that they were given out with": lost,
        "answered in a cell below, which was added": joined,
        "missing; what was not yours to write is back": missing,
    }
    return [f"{said(marks)}: {what}" for what, marks in remarks.items() if marks]


def said(marks):
    """Marks as a student would say them: 1-2-hidden-tests-1 is 1.2 hidden tests 1."""
    names = [re.sub(r"^(\d+)-(\d+)", r"\1.\2", mark).replace("-", " ") for mark in marks]
    return ", ".join(names) if len(names) < 10 else f"{len(names)} cells"


def candidates(cells, original, release, unmarked):
    """The unmarked ones of these cells that can be the one that was given out."""
    given = {cell.source.strip() for cell in release.cells} - {original.source.strip()}
    between = True  # the cell before the missing one and the next that was given out
    chosen = []
    for cell in cells:
        between &= cell.source.strip() not in given
        if place(cell, unmarked) is not None and cell.cell_type == original.cell_type:
            answer = between and cell.cell_type == "markdown" and cell.source[:1] != "#"
            if answer or any(likeness(cell, original)[:2]):
                chosen.append(cell)
    return chosen


def place(cell, cells):
    """The index of this very cell."""
    return next((i for i, each in enumerate(cells) if each is cell), None)


def likeness(cell, original):
    """How much a cell looks like the one that was given out: the larger, the more."""
    unchanged = cell.source.strip() == original.source.strip()
    if not original.metadata["nbgrader"]["solution"]:
        return unchanged, False, 0
    if original.cell_type == "markdown":
        named = cell.source.startswith(original.source.partition("\n")[0])
    else:
        named = bool(defined(original.source) & defined(cell.source))
    return named and not unchanged, unchanged, len(cell.source)


def defined(source):
    """The names of the functions and classes of a cell."""
    return set(re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE))


def add_rubrics(notebook, source):
    """Put the rubric of each written answer below it."""
    rubrics = {}
    for cell in source.cells:
        _, heading, rest = cell.source.partition("**Rubric**")
        if heading and cell.metadata.get("nbgrader", {}).get("grade"):
            rubric = heading + rest.partition("</details>")[0].rstrip()
            rubrics[cell.metadata["nbgrader"]["grade_id"]] = rubric
    for i, cell in reversed(list(enumerate(notebook.cells))):
        if (mark := cell.metadata.get("nbgrader", {}).get("grade_id")) in rubrics:
            notebook.cells.insert(i + 1, new_markdown_cell(rubrics[mark]))
