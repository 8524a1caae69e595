"""Write what the pages of a finished book let readers download.

The theme's download button gives the file in `_sources`, where Sphinx puts a copy of each
notebook. Here every copy is replaced: by one that brings the package along (standalone.py),
and on a page of exercises by the students' version, without solutions and hidden tests
(exercises.py). Beside the pages stands the package as a wheel.
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

BUILD = """
import sys
from setuptools import build_meta
build_meta.build_wheel(sys.argv[1])
"""


def write(source, folder):
    """Write the downloads of a book in this folder, whose sources are in that one."""
    for copy in (folder / "_sources").rglob("*.ipynb"):
        path = source / copy.relative_to(folder / "_sources")
        if not path.exists():  # its page has another name now, or is gone
            copy.unlink()
            continue
        text = nbformat.writes(served(path))
        copy.write_text(text, encoding="utf-8", newline="\n")
    write_wheel(folder)


def served(path):
    """The notebook of a page as readers get it."""
    notebook = nbformat.read(path, as_version=4)
    if path.parent.name == "exercises":
        return exercises.student_view(notebook)
    standalone.add_setup(notebook)
    return notebook


def write_wheel(folder):
    """Build the package into this folder, from a copy in which setuptools may write."""
    for old in folder.glob(f"{PACKAGE}-*.whl"):
        old.unlink()
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(ROOT / PACKAGE, Path(copy, PACKAGE))
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, copy)
        command = [sys.executable, "-c", BUILD, str(folder)]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    if done.returncode:
        from sphinx.errors import (
            ExtensionError,
        )  # which Colab lacks, where no book is built

        raise ExtensionError(f"the wheel cannot be built: {done.stderr}")
