r"""Write all questions as a bank in Moodle's GIFT: `make questions`.

Each chapter has three categories: the questions that a program checks, from
book/questions/, with a reply to each answer, those for the class, from book/class.yml, and
those of the chapter's quiz, which are answered in words (an essay, with our answer as
general feedback). Texts are HTML. Formulas
stand between \( and \), where Moodle's MathJax filter finds them.

GIFT (https://docs.moodle.org/en/GIFT_format) has a meaning for each of ~ = # { } and :,
which a backslash takes away, as it does for a backslash. A blank line ends a question, so
that lines within a text are written as \n.
"""

import re
from pathlib import Path

from tools import ROOT
from tools.book import pages, questions
from tools.book.slides import PARSER
from tools.notebooks.save import chapter_paths

TARGET = ROOT / "_build" / "questions.gift"
COURSE = "$course$/top/Attention & Transformers"
QUIZ = re.compile(
    r"^\*\*\d+\.\*\* ((?:(?!<details>).)*?)\s*"
    r"<details>\s*<summary>Answer</summary>\s*(.*?)\s*</details>",
    re.DOTALL | re.MULTILINE,
)
WITHIN = re.compile(r"\[([^]]*)\]\((?!http)[^)]*\)")  # a link that only the book has


def bank(root: Path) -> str:
    """The questions about all chapters."""
    parts = []
    for path in chapter_paths(root):
        notebook, name = pages.read(path), path.stem
        title = pages.title(notebook)
        parts.append(f"$CATEGORY: {COURSE}/{title}/Checked\n")
        for i, question in enumerate(questions.read(root, name), start=1):
            parts.append(checked(f"{name}, checked {i}", question))
        if asked := questions.for_class(root, name):
            parts.append(f"$CATEGORY: {COURSE}/{title}/In class\n")
            parts += [
                checked(f"{name}, class {i}", questions.without_votes(each))
                for i, each in enumerate(asked, start=1)
            ]
        parts.append(f"$CATEGORY: {COURSE}/{title}/In words\n")
        for i, (ask, answer) in enumerate(quiz(notebook), start=1):
            feedback = escape(PARSER.render(answer))
            parts.append(
                entry(f"{name}, quiz {i}", PARSER.render(ask), [f"####{feedback}"])
            )
    return "\n".join(parts)


def quiz(notebook) -> list[tuple[str, str]]:
    """The questions in words at the end of a chapter, and their answers, in Markdown."""
    text = WITHIN.sub(r"\1", pages.prose(notebook))
    return QUIZ.findall(text.partition("\n## Quiz\n")[2])


def checked(name: str, question: dict) -> str:
    """A choice or a number, with what is said of each answer."""
    if "choices" in question:
        kind, answers = "", map(choice, question["choices"])
    else:
        others = question.get("wrong", [])
        right = f"={question['answer']}:{questions.tolerance(question)}"
        kind, answers = "#", [right, *map(tempting, others)]
    feedback = escape(PARSER.renderInline(question["because"]))
    text = PARSER.renderInline(question["ask"])
    return entry(name, text, [*answers, f"####{feedback}"], kind)


def choice(answer) -> str:
    if "right" in answer:
        return "=" + escape(PARSER.renderInline(answer["right"]))
    told = [answer[key] for key in ("wrong", "why") if key in answer]
    return "~" + "#".join(escape(PARSER.renderInline(text)) for text in told)


def tempting(number) -> str:
    """A wrong number, which earns nothing and is explained."""
    why = escape(PARSER.renderInline(number["why"]))
    return f"=%0%{number['answer']}:{questions.tolerance(number)}#{why}"


def entry(name, text, answers, kind="") -> str:
    inside = "\n".join(answers)
    return f"::{escape(name)}::[html]{escape(text)} {{{kind}\n{inside}\n}}\n"


def escape(text: str) -> str:
    return re.sub(r"([\\~=#{}:])", r"\\\1", text.strip()).replace("\n", r"\n")


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(bank(ROOT), encoding="utf-8", newline="\n")
    print(f"The questions are in {TARGET.relative_to(ROOT)}, in Moodle's GIFT.")
