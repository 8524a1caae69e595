"""Run notebooks and store their outputs, ready for the book and for nbval.

    python -m tools.notebooks.execute                  those whose outputs are out of date
    python -m tools.notebooks.execute --all            every notebook of notebooks/
    python -m tools.notebooks.execute NOTEBOOK ...     only these
    python -m tools.notebooks.execute --refresh ...    renew all of their outputs

Out of date are those whose code has changed since they were stored, or something that it
uses of the package (uses.py). Several notebooks run at a time (workers.py).

All outputs of a notebook come from one run. A cell tagged `nbval-ignore-output` prints what
no two runs share (a timing, a training curve). So a notebook is left as it is, byte for
byte, if its outputs are not out of date, and if all other cells print what they printed
then. Otherwise every output is renewed, and so it is with `--refresh`. Pictures are not
compared, as they are not by nbval: some draw what an unstable cell has measured. The time
that the notebook took to run is noted in it, rounded, and kept as long as it comes out
alike. When a cell fails, the notebook, the cell and the traceback are printed, the file
stays untouched, and the next notebook is run.
"""

import argparse
import copy
import hashlib
import os
import re
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from tools import every_notebook
from tools.notebooks import workers
from tools.notebooks.uses import fingerprint

UNSTABLE = "nbval-ignore-output"
SVG = "image/svg+xml"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ID = re.compile(r"[0-9a-f]{8}")  # what all cells are called, whichever editor made them
# A coordinate of a figure, to be rounded: so that a diff shows what a reader could see.
COORDINATE = re.compile(r"\b[1-9]\d*\.\d{2,}")
MARKUP = re.compile(r"<[^>]+>")  # but not a text, which may be a number
# The name of a clip path, which matplotlib may take from the address of an object.
CLIP_PATH = re.compile(r'(?<=<clipPath id=")p[0-9a-f]{10}(?=")')
# The fonts of a text in a figure. They become fonts that browsers have, as wide as the one
# with which matplotlib has measured the text (notebooks/further/00_drawing.ipynb).
FONTS = re.compile(r"(?<=font-family: )[^;\"]+")
PAGE_FONTS = "Arial, 'Liberation Sans', Helvetica, sans-serif"
# What a running time is rounded up to, in seconds.
TIMES = 5, 10, 20, 30, 60, 120, 180, 300, 600
ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Failed(Exception):
    """A notebook that cannot be run: which one, where and why."""


def code_cells(notebook) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def unstable(cell) -> bool:
    return UNSTABLE in cell.metadata.get("tags", [])


def normalise(notebook) -> None:
    """Number the code cells 1..n, and even out what depends on the run or the editor."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells):
        if not ID.fullmatch(cell.id):
            cell.id = hashlib.sha256(f"{number} {cell.source}".encode()).hexdigest()[:8]
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = number
        for name in ("execution", "collapsed", "scrolled"):
            cell.metadata.pop(name, None)
        for place, output in enumerate(cell.outputs):
            if "execution_count" in output:
                output.execution_count = number
            data = output.get("data", {})
            data.pop("application/vnd.jupyter.widget-view+json", None)
            if SVG in data:
                data[SVG] = normalise_svg(data[SVG], f"{cell.id}-{place}")


def normalise_svg(svg: str, figure: str) -> str:
    """Round coordinates, name clip paths by figure and order, and use browsers' fonts."""
    svg = FONTS.sub(PAGE_FONTS, svg)
    svg = MARKUP.sub(
        lambda tag: COORDINATE.sub(lambda number: f"{float(number[0]):.1f}", tag[0]), svg
    )
    for number, name in enumerate(CLIP_PATH.findall(svg)):
        svg = svg.replace(name, f"clip-{figure}-{number}")
    return svg


def sources(notebook) -> list[str]:
    return [cell.source for cell in code_cells(notebook)]


def keep_outputs(notebook, stored) -> bool:
    """Give the cells their stored outputs, if the same code has had the same results.

    Returns whether it has. The stored outputs are of one run if the cells are numbered in
    order: an editor that has run or cleared some of them numbers them in another way.
    """
    pairs = list(zip(code_cells(notebook), code_cells(stored)))
    same = (
        stored.metadata.get("fingerprint") == notebook.metadata.fingerprint
        and all(new.execution_count == old.execution_count for new, old in pairs)
        and all(results(new) == results(old) for new, old in pairs)
    )
    for new, old in pairs if same else []:
        new.outputs = old.outputs
    return same


def results(cell) -> list:
    """The outputs of a cell that are the same in every run; none of an unstable cell."""
    found = [] if unstable(cell) else copy.deepcopy(cell.outputs)
    for output in found:
        output.get("data", {}).pop(SVG, None)
    return found


def note_time(notebook, seconds: float, stored: int | None) -> None:
    """Note how long the notebook ran, but keep what is stored unless it is far off."""
    if stored is None or not stored / 3 < seconds < 1.5 * stored:
        stored = next((limit for limit in TIMES if seconds <= limit), TIMES[-1])
    notebook.metadata["running_seconds"] = stored


def run(notebook, path: Path) -> None:
    """Run every cell; raise Failed when one fails."""
    started = []
    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        coalesce_streams=True,
        on_cell_start=lambda cell, cell_index: started.append(cell),
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute()
    except (CellExecutionError, DeadKernelError) as error:
        number = sum(cell.cell_type == "code" for cell in started)
        reason = ANSI.sub("", str(error))
        raise Failed(f"{path}, code cell [{number}]: {reason}") from None


def execute(path: Path, refresh: bool = False) -> bool:
    """Run one notebook; write it back and return True if its text changed.

    Raises Failed, the file untouched, when a cell fails or there is no such notebook.
    """
    try:
        text = path.read_text(encoding="utf-8")
        notebook, stored = (nbformat.reads(text, as_version=4) for _ in range(2))
    except Exception as error:  # nbformat raises many kinds
        raise Failed(f"{path}: is no readable notebook: {error}") from None
    start = time.perf_counter()
    run(notebook, path)
    seconds = time.perf_counter() - start
    normalise(notebook)
    notebook.metadata["fingerprint"] = fingerprint(sources(notebook))
    noted = stored.metadata.get("running_seconds")
    if not refresh and keep_outputs(notebook, stored) and noted:
        notebook.metadata["running_seconds"] = noted
    else:
        note_time(notebook, seconds, noted)
    new = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
    if new == text:
        return False
    if path.read_text(encoding="utf-8") != text:
        raise Failed(f"{path}: was changed while it ran, so nothing is stored")
    part = path.with_suffix(".ipynb.part")  # an interrupt leaves the notebook whole
    part.write_text(new, encoding="utf-8", newline="\n")
    part.replace(path)
    return True


def out_of_date(path: Path) -> bool:
    """Whether its outputs are of other code than it has now."""
    try:
        notebook = nbformat.read(path, as_version=4)
        return notebook.metadata.get("fingerprint") != fingerprint(sources(notebook))
    except Exception:  # its run will say what is wrong
        return True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--all", action="store_true", help="every notebook")
    parser.add_argument("--refresh", action="store_true", help="renew all outputs")
    options = parser.parse_args(argv)
    # As in nbval's run: without a GPU, and with one thread.
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    paths = options.notebooks
    if not paths:
        paths = [p for p in every_notebook() if options.all or out_of_date(p)]
    if len(paths) != 1:
        return execute_all(paths, options.refresh)
    (path,) = paths
    try:
        print(f"{path}: {'updated' if execute(path, options.refresh) else 'unchanged'}")
    except Failed as error:
        print(f"execute: {error}", file=sys.stderr)
        return 1
    return 0


def execute_all(paths: list[Path], refresh: bool) -> int:
    """Run each notebook in a process of its own."""
    refreshed = ["--refresh"] if refresh else []
    program = ["-m", "tools.notebooks.execute", *refreshed]
    failed = 0
    for run in workers.run_each(workers.longest_first(paths), *program):
        if run.status:
            failed += 1
            print(run.stderr, end="", file=sys.stderr, flush=True)
        else:
            print(f"{run.stdout.strip()}, {run.left} left", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
