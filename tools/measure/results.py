"""Tables of what was measured: as Markdown, and on the page book/results.md.

On the page a table stands between the comments <!-- table: NAME --> and <!-- end -->.
"""

import os
import platform
import re
import sys
from datetime import date
from pathlib import Path

import torch

PAGE = Path(__file__).parents[2] / "book" / "results.md"


def lines(*rows):
    """The lines of a Markdown table; a row is a list of strings."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def head(columns):
    """The first two lines of a table whose columns but the first hold numbers."""
    return lines(columns, ["---", *["---:"] * (len(columns) - 1)])


def write(name, table, page=PAGE):
    """Replace a table of the page, and what stands below it about its origin."""
    pattern = rf"(<!-- table: {re.escape(name)} -->\n).*?(<!-- end -->)"
    parts = re.split(pattern, page.read_text(encoding="utf-8"), flags=re.DOTALL)
    if len(parts) != 4:
        raise ValueError(f"{page.name} must have one place <!-- table: {name} -->")
    parts.insert(2, f"\n{table}\n\n{origin()}\n\n")
    page.write_text("".join(parts), encoding="utf-8")


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
