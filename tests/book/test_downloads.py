"""A book that is built by jupyter-book alone serves what `make book` serves."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools import ROOT
from tools.book import downloads, leaks

CHAPTER = "notebooks/01_queries_keys_values.ipynb"
SHEET = "notebooks/exercises/01_queries_keys_values.ipynb"
SAVED = "notebooks/exercises/03_scoring_functions.ipynb"  # its solutions are in the package
TOC = """
format: jb-book
root: book/index
chapters:
- file: notebooks/01_queries_keys_values
  sections:
  - file: notebooks/exercises/01_queries_keys_values
  - file: notebooks/exercises/03_scoring_functions
"""


@pytest.fixture(scope="module")
def small_book(tmp_path_factory):
    """The folder of a book of a chapter and two sheets, and how to build it."""
    folder = tmp_path_factory.mktemp("book")
    shutil.copytree(ROOT / "book", folder / "book")
    for name in ("_config.yml", CHAPTER, SHEET, SAVED):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "_toc.yml").write_text(TOC, encoding="utf-8")
    command = [Path(sys.executable).parent / "jupyter-book", "build", "."]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "REPO": ""}

    def build(solutions="", fails=False):
        environment["SOLUTIONS"] = solutions
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, encoding="utf-8"
        )
        assert bool(done.returncode) == fails, done.stderr[-3000:]
        return done.stdout + done.stderr if fails else folder / "_build" / "html"

    return folder, build


def solved_cells(notebook):
    """The sources of the cells that students must not get, as they stand in a source."""
    hidden = {"solution", "hidden-tests", "tempting", "discussion"}
    cells = [cell for cell in notebook.cells if hidden & set(cell.metadata.get("tags", []))]
    return [cell.source for cell in cells]


@pytest.mark.slow
def test_what_is_served_has_no_solution_and_no_hidden_test_whoever_builds(small_book):
    book = small_book[1]()
    solved = solved_cells(nbformat.read(ROOT / SHEET, as_version=4))
    served = (book / "_sources" / SHEET).read_text(encoding="utf-8")
    cells = {cell.source for cell in nbformat.reads(served, as_version=4).cells}
    assert len(solved) > 20 and not cells & set(solved)
    assert "id: 1-1-hidden-tests" in served and "### BEGIN" not in served
    for name in (CHAPTER, SHEET):
        text = nbformat.writes(downloads.served(ROOT / name))
        assert (book / "_sources" / name).read_text(encoding="utf-8") == text
    assert (book / "slides" / "01_queries_keys_values.html").is_file()
    assert re.fullmatch(r"d2lmini-.+\.whl", next(book.glob("*.whl")).name)


@pytest.mark.weekly  # takes more than a minute
def test_a_book_shows_solutions_of_released_sheets_and_no_others(small_book):
    build = small_book[1]
    wanted = leaks.secrets([])
    held_back = leaks.secrets([Path(SHEET).stem])
    book = build()
    found = leaks.leaks(book, wanted)
    for path in (SHEET, SAVED):
        lines = {each for each in wanted.values() if each[0] == Path(path).stem}
        assert len(lines) > 200
        assert lines <= set(found[path.replace(".ipynb", ".html")])
    (wheel,) = book.glob("*.whl")
    saved = set(found[wheel.name])
    assert len(saved) > 5 and saved <= set(found[f"_sources/{CHAPTER}"])
    (book / downloads.SOLUTIONS).touch()  # printed from this book

    build(Path(SHEET).stem)
    assert not leaks.leaks(book, held_back)
    shown = leaks.leaks((book / SHEET).parent, wanted)
    assert shown == {f"{Path(SHEET).stem}.html": found[SHEET.replace(".ipynb", ".html")]}
    assert not (book / downloads.SOLUTIONS).exists()
    assert "SOLUTIONS must be 0, or name" in build("17", fails=True)


@pytest.mark.weekly
def test_a_page_that_is_built_again_is_served_without_solutions_too(small_book):
    folder, build = small_book
    path = folder / SHEET
    path.write_text(path.read_text(encoding="utf-8") + " ", encoding="utf-8")
    served = build() / "_sources" / SHEET
    text = nbformat.writes(downloads.served(ROOT / SHEET))
    assert served.read_text(encoding="utf-8") == text
