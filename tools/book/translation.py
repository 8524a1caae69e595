"""Translations that pages show: a reader's own sentence, and those of one vector.

A page has it where its text says `{{ translation }}`. What it shows at first is computed
while the book is built, by the same forward.js and weights that the page reads when
somebody touches it. `{{ wrong_translations }}` is a table of sentences that it gets wrong.
`{{ one_vector }}` is a figure of d2lmini/data/one_vector.json.
"""

import io
import json
import statistics
from functools import cache
from pathlib import Path

from py_mini_racer import MiniRacer

from tools import ROOT, filled
from tools.book import drawings

FORWARD = ROOT / "d2lmini" / "data" / "forward.js"  # copied to _static
WEIGHTS = ROOT / "book" / "_static" / "translator.js"
SENTENCE = "the cat slept because it ate ."
EXAMPLES = [
    "I am hungry.",
    "Where is my book?",
    "The red jacket is on the table.",
    "The cat sees the dog.",
    "Do you speak French?",
]
THEN = {"The cat sees the dog.": "The dog sees the cat."}
WRONG = {  # sentences that visitors typed, and what they mean
    "It slept because the cat ate.": "il a dormi parce que le chat a mangé",
    "Paul gave Anna a red flower.": "paul a donné une fleur rouge à anna",
    "She gave him a book for his birthday.": (
        "elle lui a donné un livre pour son anniversaire"
    ),
    "We will stay at home.": "nous resterons à la maison",
    "They were eating.": "ils mangeaient",
    "Nobody likes me.": "personne ne m'aime",
    "The red jacket is not mine.": "la veste rouge n'est pas à moi",
}
LOAD = "const model = d2lForward.load(d2lModels.translator)"
TRANSLATE = """(sentence => d2lForward.translate(
  model, d2lForward.tokenize(model, sentence).ids))(SENTENCE)"""
ROUND = "(_, x) => typeof x === 'number' ? Number(x.toFixed(4)) : x"


class Page:
    """The page's own forward pass, weights and other scripts, in V8."""

    def __init__(self, weights=WEIGHTS, *scripts, start=LOAD):
        self.v8 = MiniRacer()
        for path in (FORWARD, weights, *scripts):
            self.v8.eval(Path(path).read_text(encoding="utf-8") + "\n;0")
        self.v8.eval(f"{start}; 0")

    def call(self, code, replacer="undefined"):
        """The value of JavaScript, in which stands what `start` defines."""
        return json.loads(self.v8.eval(f"JSON.stringify({code}, {replacer})"))


def add_views(app, config):
    """Set what pages substitute, and let the forward pass stand beside the weights."""
    config.html_static_path.append(str(FORWARD))
    config.myst_substitutions |= {
        "translation": view(EXAMPLES),
        "wrong_translations": wrong_translations(),
        "one_vector": one_vector(),
    }


def wrong_translations():
    """What the page writes for sentences that it gets wrong, as a Markdown table."""
    page = Page()
    rows = ["| English | the page writes | right |", "|---|---|---|"]
    for english, right in WRONG.items():
        target = page.call(translated(english))["target"]
        written = " ".join(token for token in target if token != "<eos>").removesuffix(" .")
        rows.append(f"| {english} | *{written}* | *{right}* |")
    return "\n".join(rows)


def translated(sentence):
    """JavaScript that translates a sentence."""
    return TRANSLATE.replace("SENTENCE", json.dumps(sentence))


def one_vector():
    """A figure of three sentences, translated with attention and without, as HTML.

    They are the longest of those in d2lmini/data/one_vector.json, one for each length, that
    attention translates like the reference and one vector does not.
    """
    import d2lmini as d2l  # slow, since it needs torch

    measured = d2l.one_vector()
    found = [
        each
        for each in measured["sentences"]
        if each["attention"] == each["reference"] != each["one vector"]
    ][-3:]
    english, french = ([each[key] for each in found] for key in ("English", "reference"))
    translations = {
        kind: [each[kind] for each in found] for kind in ("one vector", "attention")
    }
    d2l.draw_translations(english, french, translations)
    svg = io.BytesIO()
    d2l.plt.savefig(svg, format="svg", metadata={"Date": None})
    d2l.plt.close()
    told = " ".join(
        f"{en} One vector: {one} Attention: {two}"
        for en, one, two in zip(english, *translations.values())
    )
    means = [
        statistics.mean(seed[-1] for seed in measured["BLEU"][kind])
        for kind in translations
    ]
    return filled(
        __file__,
        "one_vector.html",
        drawing=drawings.inline(svg.getvalue().decode(), told, "one-vector"),
        means=means,
        right=[statistics.mean(measured["right"][kind]) for kind in translations],
        count=measured["held_out"],
    )


def view(examples):
    """The view as Markdown."""
    from d2lmini.transformer import translation_html  # slow, since it needs torch

    scripts = [f"../_static/{path.name}" for path in (FORWARD, WEIGHTS)]
    options = {"scripts": scripts, "examples": examples, "then": THEN}
    text = translation_html(first_trace(SENTENCE), **options)
    return f"~~~~{{raw}} html\n{text}\n~~~~"


@cache
def first_trace(sentence):
    """What the page computes for a sentence, to four digits."""
    return Page().call(translated(sentence), ROUND)
