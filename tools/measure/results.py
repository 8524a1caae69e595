"""Tables of what was measured, as Markdown; the page book/results.md includes them."""

import os
import platform
import re
import sys
from datetime import date
from pathlib import Path

import torch

from tools import ROOT

FOLDER = ROOT / "book" / "_generated"


def lines(*rows):
    """The lines of a Markdown table; a row is a list of strings."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def head(columns):
    """The first two lines of a table whose columns but the first hold numbers."""
    return lines(columns, ["---", *["---:"] * (len(columns) - 1)])


def write(name, table, folder=FOLDER):
    """Write a table, and below it where it comes from, into a file of its own."""
    text = f"{table}\n\n{origin()}\n"
    Path(folder, f"{name}.md").write_text(text, encoding="utf-8", newline="\n")


def origin():
    """The date, the command (without the folder of its data), and the machine."""
    command = " ".join(["-m tools.measure." + Path(sys.argv[0]).stem, *sys.argv[1:]])
    command = re.sub(r" --root[ =]\S+", "", command)
    cpuinfo, today = Path("/proc/cpuinfo"), date.today()
    found = cpuinfo.exists() and re.search(r"model name\s*: (.+)", cpuinfo.read_text())
    return (
        f"*Measured on {today.day} {today:%B %Y} by `.venv/bin/python {command}`, on "
        f"{found[1] if found else platform.machine()} with {os.cpu_count()} cores "
        f"({torch.get_num_threads()} used), with Python {platform.python_version()} and "
        f"PyTorch {torch.__version__}.*"
    )
