"""Run notebooks again, and compare what they print with what is stored, by nbval.

    python -m tools.notebooks.compare                 those that are stale
    python -m tools.notebooks.compare --all           every notebook
    python -m tools.notebooks.compare NOTEBOOK ...    only these
    python -m tools.notebooks.compare --shard 1/3     every third one, from the longest on

A notebook is stale until it has passed here as it is. That is: the file with its outputs,
what it uses of the package (uses.py), the required versions, conftest.py, and the variables
that choose a device or a way to compute. What has
passed is noted in _build/passed, which `make clean` removes. A line says when a notebook
has passed or failed, and how many are left (workers.py).
"""

import argparse
import hashlib
import os
import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import nbformat

from tools import ROOT, every_notebook
from tools.notebooks import workers
from tools.notebooks.execute import sources
from tools.notebooks.uses import fingerprint

PASSED = ROOT / "_build" / "passed"
REQUIRED = "requirements.txt", "requirements-no-deps.txt", "conftest.py"
SETTINGS = "CUDA_VISIBLE_DEVICES", "ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS"
NBVAL = "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--all", action="store_true", help="also those that have passed")
    parser.add_argument("--shard", default="1/1", help="which part of how many, as 1/3")
    options = parser.parse_args(argv)
    part, parts = map(int, options.shard.split("/"))
    every = options.notebooks or every_notebook(ROOT)
    keys = {path: key(path) for path in every}
    passed = set(PASSED.read_text(encoding="utf-8").split()) if PASSED.exists() else set()
    if options.all or options.notebooks:
        passed = set()
    wanted = [path for path in every if keys[path] not in passed]
    wanted = workers.longest_first(wanted)[part - 1 :: parts]
    print(f"{len(wanted)} of {len(every)} notebooks to run and compare", flush=True)
    failed = 0
    for run in workers.run_each(wanted, *NBVAL):
        outcome = f"{'failed' if run.status else 'passed'} after {run.seconds:.0f} s"
        place = f"{run.path.parent.name}/{run.path.name}"
        print(f"{place}: {outcome}, {run.left} left", flush=True)
        if run.status:
            failed += 1
            print(run.stdout + run.stderr, flush=True)
        else:
            PASSED.parent.mkdir(exist_ok=True)
            with open(PASSED, "a", encoding="utf-8") as file:
                file.write(f"{keys[run.path]}\n")
    return 1 if failed else 0


def key(path: Path) -> str:
    """A hash of all on which the outcome of a comparison depends."""
    text = path.read_text(encoding="utf-8", errors="replace")
    parts = [text]
    with suppress(Exception):  # if it cannot be read, its run will say so
        parts.append(fingerprint(sources(nbformat.reads(text, as_version=4))))
    parts += [os.environ.get(name, "not set") for name in SETTINGS]
    parts += [(ROOT / name).read_text(encoding="utf-8") for name in REQUIRED]
    parts += [sys.version, version("torch")]  # which requirements.txt leaves open
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
