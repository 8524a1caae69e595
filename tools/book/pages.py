"""What each page says of itself: its question, and the minutes to read and to run it.

The book's extension writes the minutes below a page's title, and the table of chapters on
the start page. A minute of reading is 140 words of prose, without formulas, folds, quiz and
exercises, or 7 lines of visible code, or 60 folded ones, or a figure. How long a page runs,
`execute` has noted in it.
"""

import re
from pathlib import Path

import nbformat

from tools.book import figures
from tools.notebooks.save import chapter_paths

FOLDED = {"hide-input", "hide-cell"}
# No prose: folds, code, formulas, tables, headings, and where a link leads.
NO_PROSE = re.compile(
    r"<details.*?</details>|```.*?```|\$\$.*?\$\$|\$[^$]*\$"
    r"|^ *[|#].*?$|\]\(.*?\)",
    re.DOTALL | re.MULTILINE,
)
PRACTICE = re.compile(r"^## (?:Quiz|Exercises)\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)


def read(path: Path):
    return nbformat.read(path, as_version=4)


def prose(notebook) -> str:
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    return "\n\n".join(cells)


def title(notebook) -> str:
    return re.search(r"^# (.+)$", prose(notebook), re.MULTILINE)[1]


def question(notebook) -> str:
    """The question that the page answers, which stands in italics below its title."""
    return re.search(r"^# .+\n\n\*(.+\?)\*$", prose(notebook), re.MULTILINE)[1]


def reading_minutes(notebook) -> int:
    text = NO_PROSE.sub(" ", PRACTICE.sub("", prose(notebook)))
    words = len(re.findall(r"\w[\w’'–-]*", text))
    lines = {False: 0, True: 0}  # by whether they are folded
    for cell in notebook.cells:
        if cell.cell_type == "code":
            folded = bool(FOLDED & set(cell.metadata.get("tags", [])))
            lines[folded] += sum(bool(line.strip()) for line in cell.source.splitlines())
    pictures = sum(bool(figures.caption(cell)) for cell in notebook.cells)
    return max(1, round(words / 140 + lines[False] / 7 + lines[True] / 60 + pictures))


def running_time(notebook) -> str:
    """How long all cells run on one core without a GPU, or nothing if it is not noted."""
    seconds = notebook.metadata.get("running_seconds")
    if seconds is None:
        return ""
    return f"{seconds}\u00a0s" if seconds < 60 else f"{seconds // 60}\u00a0min"


def times(notebook) -> str:
    """The line below the title of a page."""
    line = f"{reading_minutes(notebook)}\u00a0min to read"
    running = running_time(notebook)
    return f"{line} · about {running} to run" if running else line


def work(notebook) -> str:
    """How long the exercises of a page take."""
    text = prose(notebook)
    found = re.findall(r"^\*\((core|optional), \w+, (\d+) minutes", text, re.MULTILINE)
    core = sum(int(minutes) for kind, minutes in found if kind == "core")
    both = sum(int(minutes) for _, minutes in found)
    return f"{core} minutes for the core exercises, {both} for all"


def table(root: Path) -> str:
    """The chapters in Markdown, with links for the start page in book/."""
    lines = ["| page | question | read | run |", "|---|---|---|---|"]
    for path in chapter_paths(root):
        notebook = read(path)
        link = f"[{title(notebook)}](../{path.relative_to(root).as_posix()})"
        minutes = f"{reading_minutes(notebook)}\u00a0min"
        row = [link, question(notebook), minutes, running_time(notebook)]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)
