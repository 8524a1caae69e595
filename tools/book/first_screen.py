"""The first screen of the start page: the question, and the weight that answers it.

The answers were stored by experiments/try_it/threads.py. The page's HTML has the last
frame, with both sentences, so that it says all without scripts and on paper;
first_screen.js draws the threads, and lets them be cut. Script and style stand in the page,
so that it is complete when it is first painted, and nothing moves later.
"""

import json
import re

from tools import ROOT, beside, filled
from tools.book import pages

CHAPTER = ROOT / "notebooks" / "01_queries_keys_values.ipynb"
IDEA = 2  # sections of this chapter in which *it* finds its noun
OTHER_HEADS = 7  # of the encoder, beside the one with the threads


def stored():
    """What the start page knows: counts, and the answers for its nouns."""
    return json.loads(beside(__file__, "first_screen.json"))


def add_view(app, config):
    """Set what the start page substitutes."""
    config.myst_substitutions["first_screen"] = view()


def view():
    """The screen as Markdown."""
    return f"~~~~{{raw}} html\n{screen(stored())}\n~~~~"


def small():
    """Its two sentences with the threads of its first noun, and nothing else, as HTML."""
    content = stored()
    return screen(content | {"nouns": content["nouns"][:1]}, small=True)


def screen(content, small=False):
    first, counts = content["nouns"][0], content["counts"]
    return filled(
        __file__,
        "first_screen.html",
        small=small,
        noun=first["noun"],
        french=marked(first["cuts"][0][0]),
        cut=written(first["cuts"][1][0]),
        weight=f"{first['weights'][0]:.2f}",
        minutes=minutes_to_the_idea(),
        counts=counts,
        others=OTHER_HEADS,
        tries=OTHER_HEADS * counts["feminine"],
        style=beside(__file__, "first_screen.css"),
        script=beside(__file__, "first_screen.js"),
        trace=json.dumps(content, ensure_ascii=False, separators=(",", ":")),
    )


def minutes_to_the_idea():
    """How long the beginning of the chapter takes that says how *it* finds its noun."""
    notebook = pages.read(CHAPTER)
    sections = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "markdown" and "## " in cell.source
    ]
    notebook.cells = notebook.cells[: sections[IDEA]]
    return pages.reading_minutes(notebook)


def written(text):
    """A translation of tokens as one would write it."""
    text = text.replace(" .", ".").replace("'", "’")
    return text[0].upper() + text[1:]


def marked(text):
    """The same as HTML, with the words that agree marked."""
    text = re.sub(r"(qu’)(elle|il)", r"\1<b>\2</b>", written(text))
    return re.sub(r"(fatigué)(e?)\.", r"\1<b>\2</b>.", text).replace("<b></b>", "")
