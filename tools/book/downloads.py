"""Write what the pages of a finished book let readers download.

The theme's download button gives the file in `_sources`, where Sphinx puts a copy of each
notebook. Here every copy is replaced: by one that brings the package along (standalone.py),
and on a page of exercises by the students' version, without solutions and hidden tests
(exercises.py). Beside the pages stands the package as a wheel. In a book that does not show
all solutions, the package has stubs for what exercises ask for (solutions.py).
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from tools import ROOT
from tools.notebooks import exercises, standalone
from tools.notebooks.save import PACKAGE

SOLUTIONS = "d2lmini-solutions.pdf"  # what pdf.py prints besides the book
BUILD = """
import sys
from setuptools import build_meta
build_meta.build_wheel(sys.argv[1])
"""


def write(source, folder, released=None):
    """Write the downloads of a book in this folder, whose sources are in that one.

    The package is without solutions of sheets that are not released (solutions.py).
    """
    stubs = () if released is None else exercises.solved(tuple(released))
    for copy in (folder / "_sources").rglob("*.ipynb"):
        path = source / copy.relative_to(folder / "_sources")
        if not path.exists():  # its page has another name now, or is gone
            copy.unlink()
            continue
        text = nbformat.writes(served(path, stubs))
        copy.write_text(text, encoding="utf-8", newline="\n")
    write_wheel(folder, stubs)
    if released is not None:
        (folder / SOLUTIONS).unlink(missing_ok=True)  # of an earlier `make pdf`


def served(path, stubs=()):
    """The notebook of a page as readers get it; its package has these stubs."""
    notebook = nbformat.read(path, as_version=4)
    if path.parent.name == "exercises":
        return exercises.student_view(notebook)
    standalone.add_setup(notebook, stubs)
    return notebook


def write_wheel(folder, stubs=()):
    """Build the package, with these names as stubs, into a folder; returns its path.

    It is built from a copy, in which setuptools may write.
    """
    for old in folder.glob(f"{PACKAGE}-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ROOT / PACKAGE, Path(copy, PACKAGE))
        for name, text in standalone.package_files((), stubs).items():
            Path(copy, name).write_text(text, encoding="utf-8", newline="\n")
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy)
        command = [sys.executable, "-c", BUILD, str(folder)]
        done = subprocess.run(command, cwd=copy, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"the wheel cannot be built: {done.stderr}")
    return next(folder.glob(f"{PACKAGE}-*.whl"))
