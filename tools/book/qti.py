"""Write the questions of each chapter as a quiz in QTI, for Canvas: `make questions`.

They are those of the bank for Moodle (tools/book/gift.py). The package text2qti makes QTI
1.2 of Markdown in which a question begins with its number, a wrong choice with `a)`, the
right one with `*b)`, what is said of either with `...`, a number with `=`, and in which
`____` asks for an answer in words. Formulas become the images that Canvas makes of LaTeX.

Of a number QTI knows only the right answer. So what is said of tempting numbers stands in
the general feedback.
"""

import textwrap
from pathlib import Path

from text2qti.config import Config
from text2qti.qti import QTI
from text2qti.quiz import Quiz

from tools import ROOT
from tools.book import gift, pages, questions
from tools.notebooks.save import chapter_paths

TARGET = ROOT / "_build" / "questions"


def write(root: Path, folder: Path):
    """Write a zip for each chapter."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in chapter_paths(root):
        quiz = Quiz(text(root, path), config=Config(), source_name=path.name)
        QTI(quiz).save(folder / f"{path.stem}.zip")


def text(root: Path, path: Path) -> str:
    """The questions of a chapter as text2qti reads them."""
    notebook, name = pages.read(path), path.stem
    asked = map(questions.without_votes, questions.for_class(root, name))
    closed = [*questions.read(root, name), *asked]
    in_words = [
        [item("1.", ask), item("...", answer), "____"]
        for ask, answer in gift.quiz(notebook)
    ]
    parts = [f"Quiz title: {pages.title(notebook)}"]
    parts += ["\n".join(lines) for lines in [*map(checked, closed), *in_words]]
    return "\n\n".join(parts) + "\n"


def checked(question: dict) -> list[str]:
    """A choice or a number, with what is said of each answer."""
    said, answers = question["because"], []
    for letter, choice, known in questions.lettered(question):
        answers.append(item(f"{'*' * ('right' in known)}{letter})", choice))
        if "wrong" in known and "why" in known:
            answers.append(item("...", known["why"]))
    if "answer" in question:
        answers = [f"= {question['answer']} +- {questions.tolerance(question)}"]
        for wrong in question.get("wrong", []):
            said += f"\n\nIf you have found {wrong['answer']}: {wrong['why']}"
    return [item("1.", question["ask"]), item("...", said), *answers]


def item(mark: str, markdown: str) -> str:
    """A part of a question: its mark, and its text, indented below its first letter."""
    indented = textwrap.indent(markdown.strip(), " " * (len(mark) + 1))
    return mark + indented[len(mark) :]


if __name__ == "__main__":
    write(ROOT, TARGET)
    print(f"A quiz for each chapter is in {TARGET.relative_to(ROOT)}, in QTI.")
