"""Look for solutions in a book that must not have them.

    SOLUTIONS="1 3" python -m tools.book.leaks [FOLDER]

A sheet's secrets are the lines of its solutions, rubrics, hidden tests, tempting answers
and discussions, as far as they stand in nothing that all readers get: the students' view
of a sheet, a chapter, the package with stubs, a page of book/, a released sheet. They are
looked for in each file of the built book, also inside archives, PDF files and data in
base64, and with the escapes of HTML and JavaScript.

Spaces, quotation marks, dots, dashes and emphasis do not count, since a page breaks lines
and sets these in its own way. Formulas, which it holds as pictures, end a piece of prose.
Pieces of fewer than 15 characters are not looked for.
"""

import argparse
import base64
import binascii
import gzip
import html
import io
import json
import lzma
import re
import sys
import unicodedata
import zipfile
from collections import defaultdict
from pathlib import Path

import nbformat
from pypdf import PdfReader

from tools import ROOT, every_notebook
from tools.book.solutions import SHEETS, are_shown, released
from tools.notebooks import exercises
from tools.notebooks.standalone import package_files

SHORTEST, BLOCK = 15, 8  # a line of 2 * BLOCK - 1 characters holds a whole block
IGNORED = re.compile(r"(?:\\[nrt]|[\s\\*_`'\"‘’“”.…–—\u00ad-])+")
TAG = re.compile(r"<[^<>]*>")
ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{60,}\s*)+[A-Za-z0-9+/]*={0,2}")
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
        notebook = nbformat.read(path, as_version=4)
        if path.parent != ROOT / SHEETS or are_shown(path.stem, shown):
            public += strings(path.read_text(encoding="utf-8"))
            public += ["".join(pieces(cell)) for cell in notebook.cells]
            continue
        for cell in exercises.student_view(notebook).cells:
            public += [cell.source, "".join(pieces(cell))]
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
    for line in occurring("\n".join(public), by_block(found)):
        del found[line]
    return found


def pieces(cell):
    """The lines of a cell, those of prose in pieces without Markdown's marks."""
    for line in exercises.untagged(cell.source).splitlines():
        yield from [line] if cell.cell_type == "code" else MARKDOWN.split(line)


def leaks(folder, wanted):
    """The secrets in each file of a folder that has any: path -> (sheet, line) of each."""
    found, holders = {}, by_block(wanted)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            lines = occurring("\n".join(texts(path.read_bytes())), holders)
            if lines:
                name = path.relative_to(folder).as_posix()
                found[name] = [wanted[line] for line in sorted(lines)]
    return found


def by_block(lines):
    """For each block of characters in these plain lines, the lines that hold it."""
    holders = defaultdict(set)
    for line in lines:
        for i in range(len(line) - BLOCK + 1):
            holders[line[i : i + BLOCK]].add(line)
    return holders


def occurring(text, holders):
    """The plain lines that stand in a text.

    The text is cut into blocks: wherever a line begins, it holds a whole one.
    """
    text = plain(text)
    blocks = {text[i : i + BLOCK] for i in range(0, len(text), BLOCK)}
    likely = set().union(*(holders[block] for block in blocks & holders.keys()))
    return {line for line in likely if line in text}


def plain(text):
    return IGNORED.sub("", unicodedata.normalize("NFKC", text))


def texts(data):
    """Each text in the bytes of a file, as it is and without HTML's tags."""
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in archive.namelist():
                yield from texts(archive.read(name))
    elif data.startswith(b"\xfd7zXZ"):
        yield from texts(lzma.decompress(data))
    elif data.startswith(b"\x1f\x8b"):
        yield from texts(gzip.decompress(data))
    elif data.startswith(b"%PDF"):
        for page in PdfReader(io.BytesIO(data)).pages:
            yield page.extract_text()
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return  # a picture or a font
        for part in strings(text):
            part = ESCAPE.sub(lambda found: chr(int(found[1], 16)), part)
            yield html.unescape(part)
            yield html.unescape(TAG.sub("", part))
            for packed in BASE64.findall(part):
                try:
                    inside = base64.b64decode(packed)
                except binascii.Error:
                    continue
                yield from texts(inside)


def strings(text):
    """The strings of a text in JSON, or the text itself."""
    try:
        parts = [json.loads(text)]
    except ValueError:
        yield text
        return
    for part in parts:  # which grows
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            parts += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            if all(isinstance(each, str) for each in part):
                parts.append("".join(part))  # the lines of a cell
            else:
                parts += part


if __name__ == "__main__":
    main()
