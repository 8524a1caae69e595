"""Name the folds of a page after what they hold, for readers who only hear their names.

A fold shows a word or two: Code, Check, Answer, Tests, A tempting answer, Solution. Code
says what it defines, or that it draws a figure. The name of a fold adds the figure, or else
the first line of code that defines nothing; the question that is answered; the exercise
that is tested or solved.
"""

import re
from html import escape
from textwrap import shorten

from bs4 import BeautifulSoup

SHOWN = {  # what myst-nb writes above folded code, and what a reader sees instead
    "Show code cell source": "Code",
    "Hide code cell source": "Code",
    "Show code cell content": "Check",  # code and output that compare a claim
    "Hide code cell content": "Check",
}
# A summary without a name of its own, and the words of folded code, closed and open.
PLAIN = re.compile(r"<summary>(\s*<p[^>]*>Code</p>\s*<p[^>]*>Code</p>)?")
DEFINED = re.compile(r"^(?:class|def) (\w+)", re.MULTILINE)
FORMULA = ".math"


def name_folds(body: str) -> str:
    """The HTML of a page, with an `aria-label` for each fold."""
    for words, word in SHOWN.items():
        body = body.replace(words, word)
    page = BeautifulSoup(body, "lxml")
    for formula in page.select(FORMULA):
        formula.replace_with("…")
    summaries = [tag for tag in page.find_all("summary") if not tag.attrs]
    names = iter([(code_title(summary), fold_name(summary)) for summary in summaries])

    def named(plain):
        title, name = next(names)
        words = (plain[1] or "").replace(">Code<", f">{escape(title)}<")
        return f'<summary aria-label="{escape(name)}">{words}'

    return PLAIN.sub(named, body)


def code_title(summary) -> str:
    """What a reader sees above folded code."""
    cell, code = summary.find_parent("div", class_="cell"), summary.parent.find("pre")
    if cell and cell.find("img", alt=True):
        return "Code of the figure"
    if cell and code and re.match(r"import |from ", code.text):
        return "Code: imports"
    names = DEFINED.findall(code.text) if cell and code else []
    return f"Code: {shorten(', '.join(names), 50, placeholder=' …')}" if names else "Code"


def fold_name(summary) -> str:
    fold, word = summary.parent, summary.text.split("\n")[1 if summary.find("p") else 0]
    cell = fold.find_parent("div", class_="cell")
    if cell and "hide" not in fold.get("class", []):
        return word  # a fold in an output, which names itself
    if cell and (image := cell.find("img", alt=True)):
        about = re.split(r"(?<=\w)\. ", image["alt"])[0]
        word = code_title(summary) if word == "Code" else word
    elif cell and word == "Code" and code_title(summary) != word:
        return code_title(summary)
    elif cell:
        about = fold.find("pre").text.strip().partition("\n")[0]
    elif word == "Answer":
        about = fold.find_previous("p").text
    elif word == "About each answer":  # of a guess, whose answers are a list
        about = fold.find_previous("ul").find_previous("p").text
    else:
        about = fold.find_previous("h2").text.rstrip("#")
    return f"{word}: {shorten(about, 90, placeholder=' …')}"
