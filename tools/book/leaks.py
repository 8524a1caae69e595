"""Look for solutions in a book that must not have them.

    SOLUTIONS="1 3" python -m tools.book.leaks [FOLDER]

A sheet's secrets are the lines of its solutions, rubrics, hidden tests, tempting answers
and discussions, as far as they stand in nothing that all readers get: the students' view
of a sheet, a chapter, the package with stubs, a page of book/, a released sheet. They are
looked for in the pages, slides, scripts and notebooks of the built book, and in the package
that the wheel and the notebooks bring along. PDF files are not opened: they are printed
from the pages.

Spaces, quotation marks, dots, dashes and emphasis do not count, since a page breaks lines
and sets these in its own way. Formulas, which it holds as pictures, end a piece of prose.
Pieces of fewer than 15 characters are not looked for.
"""

import argparse
import html
import re
import sys
import unicodedata
import zipfile
from pathlib import Path

import nbformat

from tools import ROOT, every_notebook
from tools.book.solutions import SHEETS, are_shown, released
from tools.notebooks import exercises
from tools.notebooks.save import untagged
from tools.notebooks.standalone import package_files, unpack

SHORTEST = 15
READ = ".html", ".ipynb", ".js", ".md", ".whl"  # others are pictures, fonts and styles
IGNORED = re.compile(r"(?:\\[nrt]|[\s\\*_`'\"‘’“”.…–—\u00ad-])+")
TAG = re.compile(r"<[^<>]*>")
MARKDOWN = re.compile(r"\$+|(?<!\\)\||\]\([^)]*\)|<[^>]*>|\[|^\s*(?:[-*]|\d+\.) ")


def main():
    """Print what a book shows of solutions, and exit with 1 if there is any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "html")
    folder = parser.parse_args().folder
    if not any(folder.rglob("*.html")):
        sys.exit(f"leaks: there is no book in {folder}: run `make book` first")
    wanted = secrets(released(ROOT) or [])
    found = set()
    for path, lines in leaks(folder, wanted).items():
        print(*(f"{path}: {sheet}: {line}" for sheet, line in lines), sep="\n")
        found.update(lines)
    print(f"{len(found)} of {len(wanted)} lines of solutions were found in {folder}.")
    sys.exit(bool(found))


def secrets(shown):
    """What must not be found if the solutions of these sheets are shown.

    A dictionary from the plain form of a line to its sheet and the line.
    """
    public, found = [], {}
    for path in every_notebook():
        if path.parent != ROOT / SHEETS or are_shown(path.stem, shown):
            public.append(text_of(path))
            continue
        notebook = nbformat.read(path, as_version=4)
        public += [cell.source for cell in exercises.student_view(notebook).cells]
        for i, cell in enumerate(notebook.cells):
            if exercises.kind_of(cell, i) not in (None, "tests"):
                for piece in pieces(cell):
                    if len(plain(piece)) >= SHORTEST:
                        found.setdefault(plain(piece), (path.stem, piece))
    public += package_files((), exercises.solved(tuple(shown))).values()
    for path in (ROOT / "book").rglob("*.*"):
        # The page for instructors might quote a test.
        if path.suffix in (".md", ".yml") and path.stem != "instructors":
            public.append(path.read_text(encoding="utf-8"))
    text = plain("\n".join(public))
    return {line: place for line, place in found.items() if line not in text}


def pieces(cell):
    """The lines of a cell, those of prose in pieces without Markdown's marks."""
    for line in untagged(cell.source).splitlines():
        yield from [line] if cell.cell_type == "code" else MARKDOWN.split(line)


def leaks(folder, wanted):
    """The secrets in each file of a folder that has any: path -> (sheet, line) of each."""
    found = {}
    for path in sorted(folder.rglob("*")):
        text = plain(text_of(path)) if path.suffix in READ else ""
        if lines := sorted(line for line in wanted if line in text):
            name = path.relative_to(folder).as_posix()
            found[name] = [wanted[line] for line in lines]
    return found


def text_of(path):
    """What stands in a file of the book; a page as it is, and without its tags."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            parts = [wheel.read(name) for name in wheel.namelist()]
        return "\n".join(part.decode(errors="replace") for part in parts)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        parts = []
        for cell in nbformat.reads(text, as_version=4).cells:
            parts += [cell.source, str(cell.metadata), str(cell.get("outputs"))]
            parts += unpack(cell.source).values() if cell.get("id") == "setup" else []
        return "\n".join(parts)
    return html.unescape(text) + html.unescape(TAG.sub("", text))


def plain(text):
    return IGNORED.sub("", unicodedata.normalize("NFKC", text))


if __name__ == "__main__":
    main()
