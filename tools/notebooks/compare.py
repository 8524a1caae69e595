"""Run notebooks again, and compare what they print with what is stored, by nbval.

    python -m tools.notebooks.compare                 those that are stale
    python -m tools.notebooks.compare --all           every notebook
    python -m tools.notebooks.compare NOTEBOOK ...    only these
    python -m tools.notebooks.compare --shard 1/3     every third one, from the longest on

A notebook is stale until it has passed here as it is. That is: the file with its outputs,
what it uses of the package (uses.py), the required versions, and conftest.py. What has
passed is noted in _build/passed, which `make clean` removes.

As many notebooks run at a time as there are cores, and memory for them, each with one
thread. The longest begin first. A line says when one has passed or failed, and how many are
left.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

import nbformat
import psutil

from tools import ROOT
from tools.notebooks.execute import sources
from tools.notebooks.uses import fingerprint

PASSED = ROOT / "_build" / "passed"
REQUIRED = "requirements.txt", "requirements-no-deps.txt", "conftest.py"
GIGABYTES = 4  # that a notebook may need: the largest trains a part of SmolLM2
NBVAL = "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"


def main(argv=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--all", action="store_true", help="also those that have passed")
    parser.add_argument("--shard", default="1/1", help="which part of how many, as 1/3")
    options = parser.parse_args(argv)
    part, parts = map(int, options.shard.split("/"))
    every = options.notebooks or sorted((ROOT / "notebooks").rglob("[0-9]*.ipynb"))
    if options.all or options.notebooks:
        wanted = every
    else:
        passed = read_passed()
        wanted = [path for path in every if key(path) not in passed]
    wanted = sorted(wanted, key=running_seconds, reverse=True)[part - 1 :: parts]
    print(f"{len(wanted)} of {len(every)} notebooks to run and compare", flush=True)
    return 0 if compare(wanted) else 1


def key(path: Path) -> str:
    """A hash of all on which the outcome of a comparison depends."""
    text = path.read_text(encoding="utf-8")
    parts = [text, fingerprint(sources(nbformat.reads(text, as_version=4)))]
    parts += [(ROOT / name).read_text(encoding="utf-8") for name in REQUIRED]
    parts += [sys.version, version("torch")]  # which requirements.txt leaves open
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def read_passed() -> set[str]:
    return set(PASSED.read_text(encoding="utf-8").split()) if PASSED.exists() else set()


def compare(paths: list[Path]) -> bool:
    """Run these notebooks in this order, and note what has passed; whether all have."""
    failed, left = [], len(paths)
    with ThreadPoolExecutor(num_workers()) as pool:
        runs = [pool.submit(run, path) for path in paths]
        for done in as_completed(runs):
            path, output, seconds = done.result()
            left -= 1
            outcome = "failed" if output else "passed"
            place = f"{path.parent.name}/{path.name}"
            print(f"{place}: {outcome} after {seconds:.0f} s, {left} left")
            if output:
                failed.append(path)
                print(output)
            sys.stdout.flush()
    return not failed


def running_seconds(path: Path) -> int:
    return nbformat.read(path, as_version=4).metadata.get("running_seconds", 0)


def num_workers() -> int:
    memory = psutil.virtual_memory().available // (GIGABYTES * 2**30)
    return max(1, min(os.cpu_count(), memory))


def run(path: Path) -> tuple[Path, str, float]:
    """Compare one notebook: its path, what nbval says if it fails, and the seconds."""
    start, before = time.perf_counter(), key(path)
    done = subprocess.run(
        [sys.executable, *NBVAL, str(path)], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode == 0:
        PASSED.parent.mkdir(exist_ok=True)
        with open(PASSED, "a", encoding="utf-8") as file:
            file.write(f"{before}\n")
    output = done.stdout + done.stderr if done.returncode else ""
    return path, output, time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
