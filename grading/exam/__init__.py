"""An exam on paper, with numbers of your own: `make exam SEED=...`.

Each chapter has two templates, which draw their numbers from a random generator. Its seed
is the word that you choose, with the template's name. So the same word gives the same
questions everywhere, for any choice of them, and this public source gives no number
away.

A template is a function, such as soft_lookup in chapter_01.py, and a text beside it, such
as 01_soft_lookup.md. The function draws and computes. The text has the question below its
title, and two more headings: Answer, and The usual mistake. In it, `<<output>>` stands for
the variable `output` of the function, written in TeX. Any expression of Jinja may stand
there, also with the functions that TEXTS has.
"""

import random
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).parent
MINUTES = POINTS = 10  # for a question
HEADINGS = "\n# Answer\n", "\n# The usual mistake\n"
CHAPTERS = tuple(
    int(path.stem.removeprefix("chapter_")) for path in sorted(HERE.glob("chapter_*.py"))
)


class Question(NamedTuple):
    """One question, drawn. Texts are Markdown, with formulas between dollar signs."""

    title: str
    points: int
    text: str  # what students read
    answer: str  # step by step, and at its end **Rubric** (10 points), as in the exercises
    mistake: str  # the usual wrong result for these numbers, and why it is wrong
    drawn: dict  # the numbers that were drawn, by name
    result: dict  # the numbers that the answer states, by name
    wrong: dict  # those that the mistake states, by the same names; not all need be there


def templates(chapter: int):
    """The functions that draw the questions of a chapter.

    Raises ValueError for a chapter that has none.
    """
    if chapter not in CHAPTERS:
        raise ValueError(f"there are questions for the chapters {CHAPTERS}, not {chapter}")
    return import_module(f"grading.exam.chapter_{chapter:02}").QUESTIONS


def choose(names) -> dict:
    """The templates of these chapters and questions, by their numbers.

    "3" names the two of chapter 3, "3.2" its second. Raises ValueError for a name of none.
    """
    numbered = {
        f"{chapter}.{i}": template
        for chapter in CHAPTERS
        for i, template in enumerate(templates(chapter), start=1)
    }
    chosen = {}
    for name in names:
        found = [each for each in numbered if name in (each, each.partition(".")[0])]
        if not found:
            raise ValueError(
                "QUESTIONS must be chapters, such as 3, or single questions, such as 3.2, "
                f"of the chapters {CHAPTERS}, not {name!r}"
            )
        chosen |= {each: numbered[each] for each in found}
    return chosen


def draw(template, seed: str) -> Question:
    """The question that this template makes of the numbers of this seed."""
    return template(random.Random(f"{seed}/{template.__name__}"))


def question(name: str, names: dict, drawn: dict, result: dict, wrong: dict) -> Question:
    """The question whose text has this name, with the variables that its function has."""
    written = TEXTS.get_template(f"{name}.md").render(names)
    text, _, rest = written.partition(HEADINGS[0])
    answer, _, mistake = rest.partition(HEADINGS[1])
    title, _, text = text.removeprefix("# ").partition("\n")
    texts = (each.strip() for each in (text, answer, mistake))
    return Question(title, POINTS, *texts, drawn, result, wrong)


def tex(number) -> str:
    r"""A number, a tuple of numbers or a matrix (a tuple of tuples) in TeX.

    Fractions become integers or \tfrac; other numbers have at most two decimals. A string
    stays as it is.
    """
    if isinstance(number, str):
        return number
    if isinstance(number, tuple) and isinstance(number[0], tuple):
        rows = r" \cr ".join(" & ".join(map(tex, row)) for row in number)
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"
    if isinstance(number, tuple):
        return f"({', '.join(map(tex, number))})"
    if isinstance(number, Fraction) and number.denominator > 1:
        sign = "-" if number < 0 else ""
        return rf"{sign}\tfrac{{{abs(number.numerator)}}}{{{number.denominator}}}"
    return f"{float(number):.2f}".rstrip("0").rstrip(".")


def commas(numbers) -> str:
    """Numbers in TeX, one after the other."""
    return ", ".join(map(tex, numbers))


def weighted_sum(weights, values) -> str:
    """The sum of products in TeX, written out, with negative values in parentheses."""
    shown = [f"({tex(v)})" if v < 0 else tex(v) for v in values]
    return " + ".join(rf"{tex(w)} \cdot {v}" for w, v in zip(weights, shown))


def mean(weights, values) -> Fraction:
    """The mean of the values with these weights, which need not sum to 1."""
    return Fraction(sum(w * v for w, v in zip(weights, values))) / sum(weights)


def fractions(parts) -> tuple:
    """The parts divided by their sum: attention weights from exponentials."""
    return tuple(Fraction(part) / sum(parts) for part in parts)


TEXTS = Environment(
    loader=FileSystemLoader(HERE),
    variable_start_string="<<",  # since braces are TeX's
    variable_end_string=">>",
    block_start_string="<%",
    block_end_string="%>",
    finalize=tex,
    undefined=StrictUndefined,
)
TEXTS.globals |= {
    function.__name__: function
    for function in (commas, fractions, max, str, sum, weighted_sum)
}
