"""The adder of the page Try it: chapter 12's models answer one question side by side.

A page has it where its text says `{{ adder }}`. What it shows at first is computed while
the book is built, by the same scripts and weights that the page reads when somebody asks
something else. The experiment `adder` stores the weights.
"""

import html
import json

from tools import ROOT, filled
from tools.book import translation

FILE = ROOT / "book" / "_static" / "adder.js"
FOLDER = ROOT / "tools" / "book"
SCRIPT, STYLE = FOLDER / "adder_view.js", FOLDER / "adder_view.css"
NUMBERS = 38, 4, 5
NOTES = {
    "base model": "pretrained, and asked in the form of its text",
    "fine-tuned": "on 300 answers, half of them with steps",
    "rewarded": "paid for the right sum",
    "rewarded wrongly": "paid if its own sums agree",
}
STORED = """[
  d2lModels.adder.models.map(({name, template, right}) => ({name, template, right})),
  d2lModels.adder.questions.length]"""


def add_view(app, config):
    """Set what the page substitutes."""
    config.myst_substitutions |= {"adder": view()}


def page():
    """The page's own scripts in V8, in which `models` are the four."""
    start = "const models = d2lAdder.load(d2lModels.adder)"
    return translation.Page(FILE, SCRIPT, start=start)


def view(numbers=NUMBERS):
    """The view as Markdown, with the answers to these numbers."""
    v8, question = page(), json.dumps(numbers)
    models, of = v8.call(STORED)
    for i, model in enumerate(models):
        answer = v8.call(f"d2lAdder.answer(models[{i}], {question})", translation.ROUND)
        steps = [{"top": step["top"][:3]} for step in answer["steps"]]
        model |= {"note": NOTES[model["name"]], "of": of}
        model |= {"target": answer["target"], "steps": steps}
    scripts = [f"../_static/{path.name}" for path in (translation.FORWARD, FILE)]
    given = {"scripts": scripts, "numbers": numbers, "models": models}
    asked = " ".join(map(str, numbers))
    text = filled(
        __file__,
        "addition.html",
        style=STYLE.read_text(encoding="utf-8"),
        answers="\n".join(still(asked, model) for model in models),
        given=json.dumps(given, ensure_ascii=False).replace("</", r"<\/"),
        script=SCRIPT.read_text(encoding="utf-8"),
    )
    return f"~~~~{{raw}} html\n{text}~~~~"


def still(asked, model):
    """What stands on the page without scripts: a question and an answer."""
    written = "".join(model["target"]).removesuffix(model["template"]["end"]).strip()
    return (
        f"<li><b>{model['name']}</b>, {model['note']}: {asked}: {html.escape(written)}</li>"
    )
