"""Run notebooks and store their outputs, ready for the book and for nbval.

    python tools/execute.py                     every notebook of notebooks/
    python tools/execute.py NOTEBOOK ...        only these
    python tools/execute.py --refresh ...       also renew what is normally kept

A notebook whose outputs come out the same is left as it is, byte for byte. A cell tagged
`nbval-ignore-output` prints what no two runs share (a timing, a training curve), so its
stored output is kept as long as its own source is unchanged; `--refresh` renews it, which is
due when code that it calls has changed. When a cell fails, the notebook, the cell and the
traceback are printed and the file stays untouched.
"""

import argparse
import hashlib
import os
import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

ROOT = Path(__file__).resolve().parent.parent
UNSTABLE = "nbval-ignore-output"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def unstable(cell) -> bool:
    return UNSTABLE in cell.metadata.get("tags", [])


def fingerprint(cell) -> str:
    return hashlib.sha256(cell.source.encode()).hexdigest()[:12]


def normalise(notebook) -> None:
    """Number the code cells 1..n and drop what depends on the run or the editor."""
    notebook.metadata = nbformat.from_dict(METADATA)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for number, cell in enumerate(code, start=1):
        cell.execution_count = number
        for name in ("execution", "collapsed", "scrolled"):
            cell.metadata.pop(name, None)
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)


def keep_unstable(notebook, stored) -> None:
    """Put back the stored outputs of unstable cells whose source has not changed."""
    kept = {
        cell.metadata.get("source_hash"): cell.outputs
        for cell in stored.cells
        if cell.cell_type == "code" and unstable(cell) and cell.outputs
    }
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("source_hash", None)
        if unstable(cell):
            cell.metadata["source_hash"] = fingerprint(cell)
            cell.outputs = kept.get(fingerprint(cell), cell.outputs)


def failure(path: Path, notebook, error: Exception) -> str:
    """Where a run failed, and how."""
    number = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        number += 1
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                trace = ANSI.sub("", "\n".join(output.traceback))
                return f"{path}, code cell [{number}]:\n{trace}"
    return f"{path}: {ANSI.sub('', str(error))}"


def execute(path: Path, refresh: bool = False) -> bool:
    """Run one notebook; write it back and return True if its text changed.

    Raises CellExecutionError or DeadKernelError, the file untouched, when a cell fails.
    """
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=None,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute()
    except (CellExecutionError, DeadKernelError) as error:
        error.report = failure(path, notebook, error)
        raise
    stored = nbformat.reads(text, as_version=4)
    if refresh:
        stored.cells = []
    keep_unstable(notebook, stored)
    normalise(notebook)
    new = nbformat.writes(notebook, version=4).rstrip("\n") + "\n"
    if new == text:
        return False
    part = path.with_suffix(".ipynb.part")
    part.write_text(new, encoding="utf-8", newline="\n")
    part.replace(path)
    return True


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--refresh", action="store_true", help="renew unstable outputs too")
    options = parser.parse_args(argv)
    os.environ |= {"OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}  # as in nbval's run
    failed = 0
    for path in options.notebooks or sorted((ROOT / "notebooks").rglob("*.ipynb")):
        try:
            changed = execute(path, options.refresh)
        except (CellExecutionError, DeadKernelError) as error:
            print(f"execute: {error.report}", file=sys.stderr)
            failed += 1
        except (OSError, ValueError) as error:  # missing, or no notebook
            print(f"execute: {path}: {error}", file=sys.stderr)
            failed += 1
        else:
            print(f"{path}: {'updated' if changed else 'unchanged'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
