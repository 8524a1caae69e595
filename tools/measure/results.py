"""Tables of what was measured, as Markdown; the page book/results.md includes them."""

import os
import platform
import re
import subprocess
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


def write(name, table, origin, folder=FOLDER):
    """Write a table, and below it where it comes from, into a file of its own."""
    text = f"{table}\n\n{origin}\n"
    Path(folder, f"{name}.md").write_text(text, encoding="utf-8", newline="\n")


def origin():
    """The date, the command, the commit and the machine.

    To be called before measuring, since the files can change while a program runs.
    """
    cpuinfo, today = Path("/proc/cpuinfo"), date.today()
    found = cpuinfo.exists() and re.search(
        r"model name\s*: (.+)", cpuinfo.read_text(encoding="utf-8")
    )
    return (
        f"*Measured on {today.day} {today:%B %Y} by `{command(sys.argv)}`{commit()}, on "
        f"{found[1] if found else platform.machine()} with {os.cpu_count()} cores "
        f"({torch.get_num_threads()} used), with Python {platform.python_version()} and "
        f"PyTorch {torch.__version__}.*"
    )


def command(argv):
    """How a program was called, as a command of make, without the folder of its data."""
    options = re.findall(r"--(\w+)(?:[ =](?!--)(\S+))?", " ".join(argv[1:]))
    given = [f"{name.upper()}={value or 1}" for name, value in options if name != "root"]
    return " ".join(["make", Path(argv[0]).stem, *given])


def commit(root=ROOT):
    """The commit, and whether anything but the tables was changed; nothing without git."""

    def git(*arguments):
        options = {"cwd": root, "encoding": "utf-8", "stderr": subprocess.DEVNULL}
        return subprocess.check_output(["git", *arguments], **options)

    try:
        number = git("rev-parse", "--short", "HEAD").strip()
        changed = git("status", "--porcelain", "--", ".", ":!book/_generated")
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" at commit {number}{' with local changes' if changed else ''}"
