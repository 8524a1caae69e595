"""Tables of what was measured, as Markdown; the page book/results.md includes them."""

import os
import platform
import re
import statistics
import subprocess
import sys
from datetime import date
from pathlib import Path

import torch

from tools import ROOT

FOLDER = ROOT / "book" / "_generated"


def table(columns, rows):
    """A Markdown table, whose columns but the first hold numbers; all cells are strings."""
    line = ["---", *["---:"] * (len(columns) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (columns, line, *rows))


def spread(values, digits=2, ends=False):
    """The mean of values, and how far they differ: nothing if one of them is missing.

    That is the standard deviation of fractions that are not all the same, or with `ends`
    the lowest and the highest, unless they look the same.
    """
    if None in values:
        return ""
    low, mean, high = (
        f"{value:,.{digits}f}"
        for value in (min(values), statistics.mean(values), max(values))
    )
    if ends:
        return mean if low == high else f"{mean} ({low}–{high})"
    if digits == 0 or len({*values}) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values):.{digits}f}"


def tabulate(rows, columns, seeds, **options):
    """The table of an experiment's rows(seed): the mean over the seeds, and the spread.

    `columns` are its columns but the first, with the digits of their numbers.
    """
    found = {}
    for seed in seeds:
        for title, values in rows(seed, **options):
            rounded = [value and round(value, 4) for value in values]
            print(f"seed {seed}, {title}:", *rounded, file=sys.stderr, flush=True)
            found.setdefault(title, []).append(values)
    cells = [
        [title, *map(spread, zip(*runs), columns.values())] for title, runs in found.items()
    ]
    return table(["model", *columns], cells)


def side_by_side(runs, columns, digits=None):
    """A table of the numbers of several runs, given by row and column, with all of them.

    Those of columns without digits are shares, and printed in percent. What a row has not
    measured is left out.
    """

    def cell(row, column):
        found = [run[row][column] for run in runs if column in run[row]]
        if digits and column in digits:
            return " / ".join(f"{value:.{digits[column]}f}" for value in found)
        return " / ".join(f"{100 * value:.0f}" for value in found)

    rows = [[row, *(cell(row, column) for column in columns)] for row in runs[0]]
    return table(["", *columns], rows)


def write(name, text, origin):
    """Write a table, and below it where it comes from, into a file of its own.

    With a path for a name, the text alone is written there.
    """
    if isinstance(name, str):
        name, text = FOLDER / f"{name}.md", f"{text}\n\n{origin}"
    name.write_text(f"{text}\n", encoding="utf-8", newline="\n")


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
    """How the driver was called, as a command of make, without the folder of its data."""
    given = [each for each in argv[1:] if not each.startswith("ROOT=")]
    return " ".join(["make measure", *given])


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
