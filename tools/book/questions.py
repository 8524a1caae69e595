r"""Five questions a page that a program can check: from book/questions/ into the pages.

A page's file is a list. Each question has `ask` and, for whoever has answered,
`because`, in Markdown on one line with formulas in $...$. There are two kinds:

- A choice has `choices`: one `right`, the others `wrong`, each with its `why`.
- A number has `answer`, and `compute`, an expression in Python with torch and math from
  which a test works it out. `within` is the tolerance, if not 0.01 (0 for a whole number).
  `wrong` lists tempting numbers, each with its `answer`, `compute` and `why`.

They stand before the exercises of the page, in the book alone, as forms. A <template> for
each answer that is known has the words for whoever gives it, so that formulas in them are
set with those of the page. book/_static/questions.js checks and remembers.

book/class.yml has questions for a class that thinks, votes and discusses: for each chapter
a list of choices in the same form, in which the right one has a `why` as well, and `after`
is the slide after which to ask. A choice that is a number has its own `compute`. They stand
on the slides, on the page about teaching, and in the bank for learning platforms.
"""

import html
from hashlib import sha256
from pathlib import Path

import yaml
from docutils import nodes
from markdown_it import MarkdownIt
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin

from tools import filled
from tools.book import pages
from tools.notebooks.save import chapter_paths

FOLDER = "book/questions"
CLASS = "book/class.yml"
INTRODUCTION = (
    "Each answer is checked at once. What you have answered stays on this device."
)
STATE = (
    '<p class="state" hidden><span></span> <button type="button">Clear my answers</button>'
)


def setup(app):
    # before Sphinx reads the headings, or the table of contents would lack this one
    app.connect("doctree-read", add, priority=400)
    app.connect("html-page-context", add_files)


def read(root: Path, name: str) -> list[dict]:
    """The questions about a notebook, none if it has no file."""
    path = root / FOLDER / f"{name}.yml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else []


def for_class(root: Path, name: str) -> list[dict]:
    """The questions about a chapter for the class, none if it has no file or no entry."""
    path = root / CLASS
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return known.get(name, [])


def without_votes(question: dict) -> dict:
    """A question for the class without what each vote means, which is told to a teacher."""
    choices = [{k: v for k, v in c.items() if k != "why"} for c in question["choices"]]
    return question | {"choices": choices}


def lettered(question: dict) -> list[tuple[str, str, dict]]:
    """The choices of a question, if it has some, with their letters and texts."""
    return [
        (letter, choice.get("right") or choice["wrong"], choice)
        for letter, choice in zip("ABCD", question.get("choices", []), strict=False)
    ]


def folded(root: Path) -> str:
    """The questions for the class with what each vote means, a fold for each chapter."""
    parts = []
    for path in chapter_paths(root):
        if asked := for_class(root, path.stem):
            title = html.escape(pages.title(pages.read(path)))
            parts.append(f"<details>\n<summary>{title}</summary>")
            parts += map(told, asked)
            parts.append("</details>")
    return "\n\n".join(parts)


def told(question: dict) -> str:
    """A question for the class in Markdown, with the answer and what each vote means."""
    lines = [f"*After the slide “{question['after']}”.* {question['ask']}", ""]
    for letter, text, choice in lettered(question):
        right = " (right)" if "right" in choice else ""
        lines.append(f"- **{letter}** {text}{right}. *{choice['why']}*")
    return "\n".join([*lines, "", question["because"]])


def tolerance(known) -> float:
    """How far from a known number, right or tempting, an answer may lie."""
    whole = float(known["answer"]).is_integer()
    return known.get("within", 0 if whole else 0.01)


def add(app, doctree):
    """Insert the questions about a page before its exercises."""
    folder, _, name = app.env.docname.rpartition("/")
    questions = read(Path(app.srcdir), name) if folder == "notebooks" else []
    if not questions:
        return
    app.env.note_dependency(f"{FOLDER}/{name}.yml")
    forms = "".join(form(question, i) for i, question in enumerate(questions, start=1))
    text = f'<div class="questions" data-page="{name}">\n{forms}{STATE}\n</div>'
    section = nodes.section(ids=["check-yourself"], names=["check yourself"])
    section += nodes.title("", "Check yourself")
    section += nodes.paragraph("", INTRODUCTION, classes=["questions"])
    section += nodes.raw("", text, format="html", classes=["questions"])
    sections = [node for node in doctree.findall(nodes.section) if node["ids"]]
    (exercises,) = (node for node in sections if node["ids"][0] == "exercises")
    exercises.parent.insert(exercises.parent.index(exercises), section)


def add_files(app, pagename, templatename, context, doctree):
    """Load script and style on pages with questions, and where their progress is shown."""
    folder, _, name = pagename.rpartition("/")
    asked = folder == "notebooks" and read(Path(app.srcdir), name)
    if asked or pagename == "book/index":
        app.add_js_file("questions.js")
        app.add_css_file("questions.css")


def form(question: dict, number: int) -> str:
    """A question in HTML, with the words for each answer."""
    choices = [text for _, text, _ in lettered(question)]
    same = repr([question["ask"], choices or question["answer"]])
    return filled(
        __file__,
        "question.html",
        name=sha256(same.encode()).hexdigest()[:8],
        number=number,
        ask=inline(question["ask"]),
        choices=[inline(choice) for choice in choices],
        outcomes=outcomes(question),
    )


def outcomes(question) -> list[dict]:
    """The answers that are known, with what is told to whoever gives them."""
    if choices := question.get("choices"):
        known = [{**choice, "answer": i, "within": 0} for i, choice in enumerate(choices)]
    else:
        known = [{**question, "right": True}, *question.get("wrong", [])]
    return [
        {
            "answer": each["answer"],
            "within": tolerance(each),
            "right": "right" in each,
            "told": inline(each.get("why") or question["because"]),
        }
        for each in known
    ]


def inline(text: str) -> Markup:
    """Markdown on one line as HTML, with formulas as Sphinx writes them."""
    return Markup(PARSER.renderInline(text))


def formula(renderer, tokens, i, options, env):
    tex = html.escape(tokens[i].content)
    return rf'<span class="math notranslate nohighlight">\({tex}\)</span>'


PARSER = MarkdownIt("commonmark").use(dollarmath_plugin)
PARSER.add_render_rule("math_inline", formula)
