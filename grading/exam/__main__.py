"""Write an exam and its answers to _build/exam/SEED: see the package's docstring."""

import argparse
import base64
import html
import re
import tempfile
from pathlib import Path

from jinja2 import Template
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from grading.exam import CHAPTERS, MINUTES, choose, draw
from tools import ROOT, beside
from tools.book import formulas

FONT = re.compile(r'url\("(formulas/[^"]+)"\)')


def delimited(tex: str, options: dict) -> str:
    """A formula as tools/book/formulas.py takes it."""
    left, right = (r"\[", r"\]") if options["display_mode"] else (r"\(", r"\)")
    return f"{left}{html.escape(tex)}{right}"


PARSER = MarkdownIt("commonmark").enable("table")
PARSER.use(dollarmath_plugin, double_inline=True, renderer=delimited)


def pages(seed: str, names) -> dict[str, str]:
    """The exam and its answers in HTML, by the names of their files."""
    questions = [
        (number, draw(template, seed)) for number, template in choose(names).items()
    ]
    template = Template(beside(__file__, "page.html"), autoescape=True)
    texts = {
        f"{name}.html": template.render(
            questions=questions,
            seed=seed,
            minutes=MINUTES * len(questions),
            answers=name == "answers",
            markdown=PARSER.render,
        )
        for name in ("exam", "answers")
    }
    sources = {name: formulas.sources(name, text) for name, text in texts.items()}
    found = formulas.run_mathjax(sources)
    style = inlined(found["css"])
    return {
        name: formulas.put(found["pages"][name], text).replace("/* formulas */", style)
        for name, text in texts.items()
    }


def inlined(css: str) -> str:
    """The style of the formulas, with the parts of MathJax's fonts that they need."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "_static").mkdir()
        formulas.write_style(folder, css)
        css = (folder / formulas.STYLE).read_text(encoding="utf-8")

        def data(match):
            font = base64.b64encode((folder / "_static" / match[1]).read_bytes()).decode()
            return f'url("data:font/woff;base64,{font}")'

        return FONT.sub(data, css)


def word(text: str) -> str:
    if not re.fullmatch(r"\w[\w.-]*", text):
        raise argparse.ArgumentTypeError(
            f"SEED must be one word that nobody can guess, not {text!r}: "
            'make exam SEED=my-word QUESTIONS="1 3.2"'
        )
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="grading.exam", description=__doc__)
    parser.add_argument("seed", type=word)
    parser.add_argument("questions", nargs="*", help="such as 1 3.2; all without them")
    options = parser.parse_args(arguments)
    try:
        texts = pages(options.seed, options.questions or map(str, CHAPTERS))
    except ValueError as error:
        parser.error(str(error))
    folder = ROOT / "_build" / "exam" / options.seed
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
        print(folder / name)


if __name__ == "__main__":
    main()
