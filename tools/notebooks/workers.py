"""Run a program on many notebooks: several at a time, and the longest first.

As many run at a time as there are cores, and memory for them; each has one thread
(conftest.py, execute.py).
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

import nbformat
import psutil

from tools import ROOT

GIGABYTES = 3  # that a notebook may need: chapter 12, which trains a part of SmolLM2, has 2


class Run(NamedTuple):
    """How a program has ended that was run on a notebook."""

    path: Path
    status: int | None  # None if there was no time left
    stdout: str
    stderr: str
    seconds: float
    left: int  # notebooks that are not done yet


def longest_first(paths: list[Path]) -> list[Path]:
    return sorted(paths, key=running_seconds, reverse=True)


def running_seconds(path: Path) -> int:
    try:
        return nbformat.read(path, as_version=4).metadata.get("running_seconds", 0)
    except Exception:  # whoever runs it will say what is wrong
        return 0


def run_each(
    paths: list[Path], *arguments: str, deadline: float | None = None
) -> Iterator[Run]:
    """Run `python ARGUMENTS PATH` for each path; yields a Run as soon as one is done.

    What runs at the deadline, a time of `time.monotonic`, is ended; no more is started.
    """

    def run(path):
        start = time.monotonic()
        left = None if deadline is None else max(0, deadline - start)
        command = [sys.executable, *arguments, str(path)]
        options = {"cwd": ROOT, "capture_output": True, "encoding": "utf-8"}
        try:
            done = subprocess.run(command, timeout=left, **options)
        except subprocess.TimeoutExpired:
            done = subprocess.CompletedProcess(command, None, "", "")
        return path, done, time.monotonic() - start

    left = len(paths)
    with ThreadPoolExecutor(num_workers()) as pool:
        try:
            for future in as_completed([pool.submit(run, path) for path in paths]):
                path, done, seconds = future.result()
                left -= 1
                yield Run(path, done.returncode, done.stdout, done.stderr, seconds, left)
        except BaseException:  # after Ctrl-C the others do not start
            pool.shutdown(cancel_futures=True)
            raise


def num_workers() -> int:
    memory = psutil.virtual_memory().available // (GIGABYTES * 2**30)
    return max(1, min(os.cpu_count(), memory))
