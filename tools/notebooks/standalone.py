"""Give the book's downloads a first cell that brings the package along.

The first code cell of each notebook becomes one that unpacks d2lmini where it is not
installed, in Colab for instance, or where another d2lmini is installed than the page was
made with: it compares a hash of the code. It carries the package, without its commands, as
compressed text, so it needs no network and no address. It unpacks into a new folder, into
which nobody else can have put anything, and which goes when the kernel ends. The phrasebook
comes along only where it is needed.

The cell also installs from PyPI what the notebook needs and what is missing. A download
expects Jupyter, PyTorch and matplotlib, which the start page asks for; what else its code
and the code of the package import, uses.py finds.
"""

import ast
import base64
import hashlib
import json
import lzma
import re
import textwrap
from functools import cache
from importlib import metadata

import nbformat

from tools import ROOT, filled
from tools.notebooks.save import PACKAGE
from tools.notebooks.uses import uses

# What is there with Jupyter, PyTorch and matplotlib, which a download expects.
EXPECTED = {"IPython", "matplotlib", "matplotlib_inline", "numpy", "torch"}
COMMAND = 'if __name__ == "__main__":'  # of a module that no notebook needs
STUB = "raise NotImplementedError"
CELL = {  # folded in Colab, in JupyterLab and in the book
    "cellView": "form",
    "jupyter": {"source_hidden": True},
    "tags": ["hide-input", "nbval-ignore-output"],
}


def add_setup(notebook, stubs=()):
    """Put the cell before the first code cell, in place of one that is there already."""
    cells = [cell for cell in notebook.cells if cell.get("id") != "setup"]
    first = next(i for i, cell in enumerate(cells) if cell.cell_type == "code")
    notebook.cells = [*cells[:first], setup_cell(cells, stubs), *cells[first:]]


def setup_cell(cells, stubs=()):
    """The cell that brings what the code of these cells needs, and these names as stubs.

    It takes an installed package without stubs, or with the same ones.
    """
    used = uses([cell.source for cell in cells if cell.cell_type == "code"])
    files = package_files(used.data, stubs)
    brought = {name: text for name, text in files.items() if COMMAND not in text}
    known = {*map(digest, (files, brought, package_files(())))}
    version = re.search('__version__ = "(.+)"', files[f"{PACKAGE}/__init__.py"])[1]
    needed = {name: to_install(name) for name in sorted(used.libraries - EXPECTED)}
    source = filled(
        __file__,
        "setup_cell.py.j2",
        packed=pack(brought),
        digests=json.dumps(sorted(known)),
        version=version,
        needed=needed and json.dumps(needed, indent=4),
    )
    return nbformat.v4.new_code_cell(source.rstrip("\n"), id="setup", metadata=CELL)


packages_distributions = cache(metadata.packages_distributions)  # which takes its time


def to_install(library):
    """What pip installs to bring a library, given the name under which it is imported.

    If the library is not installed here, that is taken to be the name of the package too.
    """
    package = packages_distributions().get(library, [library.replace("_", "-")])[0]
    text = (ROOT / "requirements-no-deps.txt").read_text(encoding="utf-8")
    pinned = re.search(rf"^{re.escape(package)}==\S+", text, re.MULTILINE)
    return f"--no-deps {pinned[0]}" if pinned else package


def package_files(data, stubs=()):
    """The text of each module and these files of data; some definitions can be stubs.

    The text of a font is its bytes in base 64.
    """
    package = ROOT / PACKAGE
    data = [package / "data" / name for name in data]
    licenses = ROOT / "LICENSE", package / "data" / "OFL.txt"
    files = {}
    for path in [*licenses, *package.glob("*.py"), *data]:
        if path.suffix == ".ttf":
            text = base64.b64encode(path.read_bytes()).decode()
        else:
            text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            text = unsolved(text, stubs)
        files[path.relative_to(ROOT).as_posix()] = text
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


def digest(files):
    """A hash of a package's code, as the setup cell computes it where one is installed."""
    code = "".join(files[name] for name in sorted(files) if name.endswith(".py"))
    return hashlib.sha256(code.encode()).hexdigest()[:12]


def pack(files):
    """Files as compressed text, in lines; the same bytes each time."""
    text = json.dumps(files, sort_keys=True).encode()
    packed = base64.b64encode(lzma.compress(text, preset=9)).decode()
    return textwrap.fill(packed, 120)


def unpack(setup):
    """The files that the source of a setup cell brings along."""
    packed = re.search(r'packed = """(.+?)"""', setup, re.DOTALL)[1]
    return json.loads(lzma.decompress(base64.b64decode(packed)))
