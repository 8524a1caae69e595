"""Write a deck of slides for each chapter, for those who lecture from it.

A cell is on the slides if its metadata have `slide`, a list of lines of Markdown. In
JupyterLab it is edited in the property inspector, under *Cell metadata*. For example

    "slide": ["## Temperature", "", "A low temperature prefers the nearest key.",
              "", "$$\\alpha_i = \\mathrm{softmax}(\\mathbf{a} / \\tau)_i$$"]

- Each line that begins with `## ` begins a slide. Text without one, also the empty list,
  continues the slide before.
- Below the text of a code cell stands its picture or table, or else its code and what it
  has printed. The code is left out if it is folded, if the text has code of its own, and if
  both together have more than 12 lines, without docstrings.
- After a line `. . .` follows what the next click shows, for example the answer of a quiz.
- After the slide that it names stands a question for the class (tools/book/questions.py).
- The number of a picture's figure (tools/book/figures.py) is a link to it in the book.
- The whole prose of a cell goes to the speaker's notes (key S) of its slides. So does the
  prose of cells without `slide`, to those of the slide before.

The first slide shows a chapter's title and its question. Formulas, code and numbers on a
slide are those of the notebook, which tests/book/test_slides.py checks. Nothing is loaded
from elsewhere: reveal.js comes from the package sphinx-revealjs and MathJax from
sphinx-mathjax-offline; all decks share one copy. Alt and a click enlarge a picture, and
`?print-pdf` behind a deck's address gives pages to print.
"""

import ast
import base64
import html
import re
import shutil
import struct
from importlib.util import find_spec
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tools import ROOT, filled
from tools.book import figures, pages, questions, tables
from tools.notebooks.save import chapter_paths, untagged

HERE = Path(__file__).parent
MAX_LINES = 12  # of code and what it prints, if both are shown
PAUSE = "\n. . .\n"
VOTE = "Think, vote, discuss"
SVG, PNG, HTML = "image/svg+xml", "image/png", "text/html"
MAX_COLUMNS = 88  # longer lines are broken
TALL, NARROW = 1.1, 2.1  # width to height up to which a picture stands beside a list
PRE = re.compile(r"<pre .*?</pre>", re.DOTALL)
LABEL = re.compile(r"\\tag\{([^}]*)\}\\label\{([^}]*)\}")


def package(name: str) -> Path:
    """The folder of an installed package, which is not imported."""
    return Path(find_spec(name).origin).parent


SHARED = [
    package("sphinx_revealjs") / "_static/revealjs/dist/reveal.css",
    package("sphinx_revealjs") / "_static/revealjs/dist/reveal.js",
    package("sphinx_revealjs") / "_static/revealjs/plugin/notes/notes.js",
    package("sphinx_revealjs") / "_static/revealjs/plugin/zoom/zoom.js",
    package("sphinx-mathjax-offline") / "static/mathjax/tex-svg-full.js",
    ROOT / "book/_static/logo.svg",
    HERE / "slides.css",
]


def write(root: Path, folder: Path):
    """Write the decks of all chapters of a book, and what they share."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in SHARED:
        shutil.copyfile(path, folder / path.name)
    for path in chapter_paths(root):
        asked = questions.for_class(root, path.stem)
        text = deck(pages.read(path), path.stem, asked, figures.before(path))
        (folder / f"{path.stem}.html").write_text(text, encoding="utf-8", newline="\n")


def deck(notebook, name: str, asked: list[dict] = (), before=0) -> str:
    """A page's slides and questions for the class, in HTML.

    The chapter has so many figures `before` those of the page.
    """
    return filled(
        __file__,
        "slides.html",
        title=pages.title(notebook),
        question=pages.question(notebook),
        name=name,
        style=HtmlFormatter(style="default").get_style_defs(".highlight"),
        slides=with_votes(slides(notebook, before), asked),
        anchor=figures.anchor,
        num_lines=lambda body: sum(pre.count("\n") + 1 for pre in PRE.findall(body)),
    )


def slides(notebook, before=0) -> list[dict]:
    """The slides of a notebook: their Markdown, the parts of their HTML, and the notes.

    The first shows only what stands in the template: the title and the question.
    """
    numbers = {label: tag for tag, label in LABEL.findall(pages.prose(notebook))}
    found, place = [new("")], before
    for cell in notebook.cells:
        place += bool(figures.caption(cell))
        of_cell = found[-1:]
        if "slide" in cell.metadata:
            text = "\n".join(cell.metadata["slide"])
            before, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
            add_text(found[-1], before)
            if parts:
                of_cell = [new(part) for part in parts]
                found += of_cell
            if cell.cell_type == "code":
                add_outputs(found[-1], cell)
                if figures.caption(cell):
                    found[-1]["figure"] = figures.name(pages.title(notebook), place)
        if cell.cell_type == "markdown":
            for slide in of_cell:
                slide["notes"] += markdown(for_notes(cell.source, numbers))
    return found


def with_votes(found: list[dict], asked: list[dict]) -> list[dict]:
    """The slides, and after those that the questions for the class name, the questions."""
    found = list(found)
    for question in asked:
        (place,) = (i for i, s in enumerate(found, 1) if s["title"] == question["after"])
        found.insert(place, vote(question))
    return found


def vote(question: dict) -> dict:
    """The slide of a question for the class, whose notes say what each vote means."""
    choices = questions.lettered(question)
    (right,) = (letter for letter, _, choice in choices if "right" in choice)
    listed = [f"- **{letter}** {text}" for letter, text, _ in choices]
    answer = f"**{right}.** {question['because']}"
    slide = new("\n".join([VOTE, "", question["ask"], "", *listed, PAUSE, answer]))
    notes = [f"- **{letter}** {choice['why']}" for letter, _, choice in choices]
    slide["notes"] = markdown("\n".join(notes))
    return slide


def new(text) -> dict:
    """A slide with this text, whose first line is its title."""
    title, _, text = text.partition("\n")
    slide = {"title": title, "text": "", "body": "", "picture": "", "notes": ""}
    slide["figure"] = ""
    slide["heading"] = PARSER.renderInline(title)
    add_text(slide, text)
    return slide


def add_text(slide, text):
    slide["text"] += f"{text}\n"
    first, *later = f"\n{text}\n".split(PAUSE)
    slide["body"] += markdown(first)
    for part in later:
        slide["body"] += f'<div class="fragment">{markdown(part)}</div>'


def add_outputs(slide, cell):
    """Add the picture or table of a code cell, or else its code and what it printed."""
    pictures = "".join(picture(output, cell) for output in cell.outputs)
    table = "".join(output.get("data", {}).get(HTML, "") for output in cell.outputs)
    slide["picture"] += pictures
    if pictures or table:
        slide["body"] += "" if pictures else tables.align(table)
        return
    code, text = short_code(cell), "".join(map(plain, cell.outputs)).rstrip("\n")
    num_lines = len(code.splitlines() + text.splitlines())
    if code and num_lines <= MAX_LINES and "```" not in "".join(cell.metadata["slide"]):
        slide["body"] += preformatted(colored(code), code, "highlight")
    if text:
        slide["body"] += preformatted(html.escape(text), text, "printed")


def picture(output, cell) -> str:
    """The picture of an output, or nothing."""
    data = output.get("data", {})
    if "d2l-figure" in data.get(HTML, ""):
        return f'<div class="wide">{data[HTML]}</div>'
    if SVG in data:
        content, kind = data[SVG].encode(), SVG
        sides = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', data[SVG]).groups()
        width, height = map(float, sides)
    elif PNG in data:
        content, kind = base64.b64decode(data[PNG]), PNG
        width, height = struct.unpack(">II", content[16:24])
    else:
        return ""
    alt = html.escape(cell.metadata["mystnb"]["image"]["alt"])
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    ratio = width / height
    shape = "wide" if ratio > NARROW else "narrow tall" if ratio < TALL else "narrow"
    return f'<img class="{shape}" alt="{alt}" src="{address}">'


def plain(output) -> str:
    """An output as text."""
    return output.text if output.output_type == "stream" else output.data["text/plain"]


def short_code(cell) -> str:
    """The code without docstrings and marks, or nothing if it is folded."""
    if pages.FOLDED & set(cell.metadata.get("tags", [])):
        return ""
    lines = cell.source.splitlines()
    for node in ast.walk(ast.parse(cell.source)):
        documented = isinstance(node, ast.FunctionDef | ast.ClassDef)
        if documented and ast.get_docstring(node) is not None:
            for number in range(node.body[0].lineno, node.body[0].end_lineno + 1):
                lines[number - 1] = None
    code = untagged("\n".join(line for line in lines if line is not None))
    return re.sub(r"\n{3,}", "\n\n", code).strip("\n")


def preformatted(content, text, name):
    """A block whose letters are as large as its longest line allows."""
    columns = min(max(map(len, text.splitlines())), MAX_COLUMNS)
    return f'<pre class="{name}" style="--columns: {columns}">{content}</pre>'


def colored(code: str) -> str:
    return highlight(code, PythonLexer(), HtmlFormatter(nowrap=True)).rstrip("\n")


def for_notes(text, numbers):
    """The text with numbers as references to equations, without links within the page."""
    text = re.sub(r"\$\\eqref\{(.*?)\}\$", lambda label: f"({numbers[label[1]]})", text)
    return re.sub(r"\\label\{.*?\}|\[([^]]*)\]\(#.*?\)", r"\1", text)


def markdown(text: str) -> str:
    """Markdown with formulas as HTML; relative links lead to the pages of the book."""
    tokens = PARSER.parse(text)
    for child in (child for token in tokens for child in token.children or []):
        address = child.attrGet("href")
        if address and not address.startswith("http"):
            page = re.sub(r"\.(?:ipynb|md)\b", ".html", address)
            child.attrSet("href", f"../notebooks/{page}")
    return PARSER.renderer.render(tokens, PARSER.options, {})


def inline(renderer, tokens, i, options, env):
    return rf"\({html.escape(tokens[i].content)}\)"


def display(renderer, tokens, i, options, env):
    return rf"\[{html.escape(tokens[i].content)}\]"


def fence(renderer, tokens, i, options, env):
    code = tokens[i].content
    return preformatted(colored(code), code, "highlight")


PARSER = MarkdownIt("commonmark").enable("table")
PARSER.use(dollarmath_plugin, double_inline=True)
PARSER.add_render_rule("math_inline", inline)
PARSER.add_render_rule("math_inline_double", display)
PARSER.add_render_rule("math_block", display)
PARSER.add_render_rule("fence", fence)
