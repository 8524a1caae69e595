"""Mending: whatever happens to a notebook, no answer is lost, and none is 0 unread."""

import copy

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from small_course import CELLS, DOUBLE

from grading.mend import grade_id, mend
from tools.notebooks import exercises

pytestmark = pytest.mark.slow  # of those that need nbgrader

RELEASE = exercises.student_view(new_notebook(cells=CELLS)).cells
WORDS = [cell for cell in RELEASE if "-written-" in (grade_id(cell) or "")]


def answered():
    """The notebook with an answer of two lines in each cell that students write in."""
    cells = copy.deepcopy(RELEASE)
    for i, cell in enumerate(cells):
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = cell.source.replace("raise NotImplementedError", "pass")
            cell.source = cell.source.replace(exercises.WRITE_HERE, "")
            cell.source += f"\n\n# answer {i} a\n# answer {i} b"
    return cells


def answers(cells):
    """All lines in these cells that a student has written."""
    lines = "\n".join(cell.source for cell in cells).splitlines()
    return {line for line in lines if line.startswith("# answer")}


def happen(cells, events):
    """Delete, copy, split and strip cells, or move them to the top."""
    for what, place, line in events:
        i = place % len(cells)
        cell, lines = cells[i], cells[i].source.splitlines()
        if what == "delete" and len(cells) > 1:
            del cells[i]
        elif what == "copy":
            cells.insert(i, copy.deepcopy(cell))
        elif what == "split":
            rest = copy.deepcopy(cell)
            at = line % (len(lines) + 1)
            cell.source, rest.source = "\n".join(lines[:at]), "\n".join(lines[at:])
            cells.insert(i + 1, rest)
        elif what == "strip":
            cell.metadata = nbformat.from_dict({})
        elif what == "forget":  # the metadata, and the line with the id
            cell.metadata = nbformat.from_dict({})
            cell.source = "\n".join(part for part in lines if "id: " not in part)
        elif what == "move":
            cells.insert(0, cells.pop(i))
    return cells


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "copy", "split", "strip", "forget", "move"]),
        st.integers(0, 30),
        st.integers(0, 8),
    ),
    max_size=12,
)


@settings(max_examples=400, deadline=None)
@given(EVENTS)
def test_no_answer_is_lost_and_none_is_0_unread(events):
    cells = happen(answered(), events)
    left = answers(cells)
    mended, _ = mend(cells, RELEASE)
    assert left <= answers(mended)
    found = {grade_id(cell): cell for cell in mended if grade_id(cell)}
    for original in RELEASE:
        if grade_id(original) and original.metadata.nbgrader.locked:
            assert found[grade_id(original)].source == original.source
    for original in WORDS:
        own = answers([c for c in answered() if grade_id(c) == grade_id(original)])
        if own & left:  # nbgrader gives 0 only to what is as it was given out
            assert found[grade_id(original)].source != original.source


def test_an_untouched_notebook_is_left_as_it_is():
    mended, remarks = mend(copy.deepcopy(RELEASE), RELEASE)
    assert [cell.source for cell in mended] == [cell.source for cell in RELEASE]
    assert remarks == []


def place(cells, text):
    """The index of the first cell that holds this text."""
    return next(i for i, cell in enumerate(cells) if text in cell.source)


@pytest.mark.parametrize("kind", [new_markdown_cell, new_code_cell])
def test_an_answer_in_another_cell_is_read(kind):
    cells = copy.deepcopy(RELEASE)
    cells.insert(place(cells, "Your answer to 0.1") + 1, kind("Because it is twice."))
    mended, _ = mend(cells, RELEASE)
    answer = mended[place(mended, "Your answer to 0.1")]
    assert "Because it is twice." in answer.source and grade_id(answer)


def test_a_blank_answer_receives_neither_words_of_another_exercise_nor_code():
    cells = copy.deepcopy(RELEASE)
    words = new_markdown_cell("Because it is twice.")
    cells.insert(place(cells, "Your answer to 0.1") + 1, words)
    cells.insert(place(cells, "# id: 0-2-solution-1") + 1, new_code_cell("half = 1 / 2"))
    mended, _ = mend(cells, RELEASE)
    blank = mended[place(mended, "Your answer to 0.2")].source
    assert "twice" not in blank and "half" not in blank
    assert exercises.WRITE_HERE not in blank  # so that nbgrader has it read
    assert blank.endswith("0.1 written 1, 0.2 solution 1")


def test_words_elsewhere_in_the_exercise_are_copied_alone():
    cells = copy.deepcopy(RELEASE)
    words = [new_markdown_cell(f"Because of {n}.") for n in ("one", "two")]
    cells.insert(place(cells, "Your answer to 0.1"), words[0])
    cells.insert(place(cells, "Your answer to 0.2"), words[1])
    mended, _ = mend(cells, RELEASE)
    for i, (own, other) in enumerate([("one", "two"), ("two", "one")], 1):
        answer = mended[place(mended, f"Your answer to 0.{i}")].source
        assert f"Because of {own}." in answer and other not in answer


def test_a_solution_in_the_cell_of_the_tests_is_run_before_the_tests():
    cells = copy.deepcopy(RELEASE)
    del cells[place(cells, "# id: 0-1-solution-1")]
    tests = cells[place(cells, "# id: 0-1-tests-1")]
    tests.source += "\n\ndef double(x):\n    return 2 * x"
    mended, remarks = mend(cells, RELEASE)
    sources = [cell.source for cell in mended]
    original = RELEASE[place(RELEASE, "# id: 0-1-tests-1")].source
    assert sources.index(tests.source) == sources.index(original) - 1
    assert remarks == ["0.1 solution 1: missing; what was not yours to write is back"]


def test_a_stub_does_not_undo_what_is_defined_elsewhere():
    cells = copy.deepcopy(RELEASE)
    cells.insert(place(cells, "# id: 0-1-solution-1"), new_code_cell(DOUBLE))
    mended, _ = mend(cells, RELEASE)
    assert "0-1-solution-1" not in [grade_id(cell) for cell in mended]
    sources = [cell.source for cell in mended]
    assert sources.index(DOUBLE) < place(mended, "# id: 0-1-tests-1")


def test_cells_that_were_merged_are_taken_apart():
    cells = copy.deepcopy(RELEASE)
    i = place(cells, "# id: 0-1-solution-1")
    cells[i].source = f"one = 1\n{cells[i].source}\n\n{cells.pop(i + 1).source}"
    mended, _ = mend(cells, RELEASE)
    solution = mended[place(mended, "# id: 0-1-solution-1")]
    assert solution.source.startswith("one = 1\n") and "assert" not in solution.source


def test_a_solution_that_was_split_within_a_function_is_whole_again():
    cells = copy.deepcopy(RELEASE)
    i = place(cells, "# id: 0-1-solution-1")
    lines = [*DOUBLE.splitlines(), "    # doubled"]
    cells[i].source = "\n".join(["# id: 0-1-solution-1", lines[0], lines[1]])
    cells.insert(i + 1, new_code_cell("\n".join(lines[2:])))
    mended, _ = mend(cells, RELEASE)
    source = mended[place(mended, "# id: 0-1-solution-1")].source
    assert source == "\n".join(["# id: 0-1-solution-1", *lines])
