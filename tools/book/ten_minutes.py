"""The pictures of the page *Attention in ten minutes*.

Most of them are figures of the chapters, with fewer controls: what they show is read from
the outputs of the executed notebooks, so that this page has the same numbers. Three are
its own (ten_minutes.js), about the same words. Without scripts each is a table.
"""

import difflib
import html
import json
import re
import statistics
from unittest import mock

import nbformat

from tools import ROOT, beside, filled
from tools.book import first_screen

PAGE = "book/ten_minutes"
# Cells of the chapters with the figures that are shown here again.
STAGE = "01_queries_keys_values", "ff700e02"
MATRIX = "03_scoring_functions", "ff000003"
MASKS = "03_scoring_functions", "a3f00003"
ALIGNMENT = "04_bahdanau", "ad1f50b4"
ASKS, FOUND = "it", "cat"
START = 3.0, 1.5  # of the query that is dragged, where it hides no key and no thread
# What the wrong translations say, and what their buttons are called.
MEANINGS = {
    "sa sœur a trouvé une vieille guitare noire .": (
        "the guitar",
        "his sister found an old black guitar",
    ),
    "claire a trouvé un stylo noir à nice .": (
        "the bag",
        "Claire found a black pen in Nice",
    ),
}
KINDS = "one vector", "attention"


def add_frames(app, config):
    """Set what the page substitutes."""
    config.myst_substitutions["ten"] = frames()


def add_style(app, pagename, templatename, context, doctree):
    """Put the page's style into its head, so that nothing is painted without it."""
    if pagename == PAGE:
        style = beside(__file__, "ten_minutes.css")
        context["metatags"] = context.get("metatags", "") + f"<style>\n{style}</style>"


def frames():
    """The pictures as Markdown, by name, and counts."""
    stage, matrix = stored(*STAGE), stored(*MATRIX)
    found = {
        "cut": first_screen.small(),
        "vector": vector(),
        "asks": asks(stage),
        "drag": drag(stage),
        "soften": soften(stage),
        "sum": summed(stage),
        "six": six(matrix),
        "mask": output(*MASKS),
        "alignment": alignment(stored(*ALIGNMENT)),
        "formula": filled(__file__, "ten_minutes_formula.html"),
    }
    found["formula"] += f"\n<script>\n{beside(__file__, 'ten_minutes.js')}</script>"
    return {name: f"~~~~{{raw}} html\n{text}\n~~~~" for name, text in found.items()} | (
        counts()
    )


# --- what the chapters have ---------------------------------------------------------------


def output(chapter, cell):
    """The HTML that a cell of an executed chapter displays."""
    path = ROOT / "notebooks" / f"{chapter}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    (found,) = (each for each in cells if each.id == cell)
    return next(out.data["text/html"] for out in found.outputs if "data" in out)


def stored(chapter, cell):
    """What the figure of a cell was given."""
    return json.loads(
        html.unescape(re.search(r'data-given="([^"]*)"', output(chapter, cell))[1])
    )


def displayed(show, *args, **options):
    """The HTML that a function of the package displays."""
    with mock.patch("IPython.display.display") as display:
        show(*args, **options)
    return display.call_args.args[0]["text/html"]


def asked(stage):
    """The words of chapter 1, and their scores and weights for the query of *it*."""
    import torch  # slow, as is the package

    keys, query = torch.tensor(stage["keys"]), torch.tensor(stage["handles"][0][1])
    scores = keys @ query
    weights = torch.softmax(scores / stage["temperature"], dim=0)
    return stage["tokens"], keys, query, scores, weights


# --- the frames ---------------------------------------------------------------------------


def vector():
    """Sentences whose meaning one vector has lost, with wrong words marked."""
    import d2lmini as d2l

    sentences, rows = [], []
    for each in d2l.one_vector()["sentences"]:
        if each["one vector"] not in MEANINGS:
            continue
        name, meaning = MEANINGS[each["one vector"]]
        lines = {kind: compared(each["reference"], each[kind]) for kind in KINDS}
        sentences.insert(
            0, {"name": name, "english": words(each["English"]), "meaning": meaning} | lines
        )
        rows.insert(0, [each["English"], each["one vector"], each["attention"]])
    title = "Translations through one vector and with attention"
    head = ["English", "through one vector", "with attention"]
    return figure("vector", title, {"sentences": sentences}, head, rows)


def words(sentence):
    return sentence.removesuffix(" .").split()


def compared(reference, sentence):
    """The words of a sentence, each with whether the reference has another one there."""
    wanted, found = words(reference), words(sentence)
    codes = difflib.SequenceMatcher(None, wanted, found, autojunk=False).get_opcodes()
    return [
        [word, kind != "equal"]
        for kind, _, _, start, end in codes
        for word in found[start:end]
    ]


def counts():
    """What the text counts: for frame 1 nouns, and for frame 2 held-out sentences.

    Of these the mean of three seeds is right, through one vector and with attention.
    """
    import d2lmini as d2l

    measured = d2l.one_vector()
    right = [round(statistics.mean(measured["right"][kind])) for kind in KINDS]
    names = "held_out", "one_vector_right", "attention_right"
    found = dict(zip(names, [measured["held_out"], *right]))
    nouns = first_screen.stored()["counts"]
    return found | {"turned": nouns["turned"], "feminine": nouns["feminine"]}


def asks(stage):
    tokens, keys, query, scores, _ = asked(stage)
    data = {"tokens": tokens, "keys": keys.tolist(), "query": query.tolist()}
    data |= {"asks": ASKS, "axes": stage["axes"], "scores": scores.tolist()}
    rows = [
        [token, pair(key), f"{score:g}"] for token, key, score in zip(tokens, keys, scores)
    ]
    title = f"The query {pair(query)} of {ASKS}, and the keys"
    return figure("asks", title, data, ["word", "key", "score"], rows)


def drag(stage):
    """The stage without its controls for learning and for other sentences."""
    import torch

    import d2lmini as d2l

    presets = {
        name.replace("the query of it", "an animal"): to for name, to in stage["presets"]
    }
    keys = torch.tensor(stage["keys"])
    ((name, _),) = stage["handles"]
    text = displayed(d2l.show_stage, stage["tokens"], keys, {name: START}, presets)
    return text.replace("Queries and keys in a plane", "A query and keys in a plane")


def soften(stage):
    import d2lmini as d2l

    tokens, _, _, scores, _ = asked(stage)
    temperature = round(stage["temperature"], 2)
    return displayed(d2l.show_softmax, scores[None], [ASKS], tokens, temperature)


def summed(stage):
    """The weighted sum of values that say which animal a word is."""
    import torch

    import d2lmini as d2l

    tokens, _, _, _, weights = asked(stage)
    place, sentences = tokens.index(FOUND), []
    for i, (name, _) in enumerate(stage["answers"]):
        values = torch.zeros(len(tokens), len(stage["answers"]))
        values[place, i] = 1
        result = d2l.attention_pooling(weights[None], values)[0]
        named = [*tokens[:place], name, *tokens[place + 1 :]]
        sentences.append(
            {"name": name, "tokens": named, "values": values.tolist()}
            | {"output": result.tolist()}
        )
    data = {"weights": weights.tolist(), "place": place, "asks": ASKS}
    data |= {"sentences": sentences}
    rows = [
        [each["name"], f"{weights[place]:.2f}", *(f"{x:.2f}" for x in each["output"])]
        for each in sentences
    ]
    head = ["word", "weight", *(f"sum: a {each['name']}?" for each in sentences)]
    return figure("sum", "The weighted sum of the values", data, head, rows)


def six(matrix):
    import torch

    import d2lmini as d2l

    rows = torch.tensor(matrix["rows"])
    return displayed(
        d2l.show_stage,
        matrix["tokens"],
        torch.tensor(matrix["keys"]),
        dict(matrix["handles"]),
        dict(matrix["presets"]),
        rows=rows,
        token=matrix["token"],
    )


def alignment(given):
    """The alignment of chapter 4, first of the word *rouge*."""
    import torch

    import d2lmini as d2l

    weights = torch.tensor(given["weights"][0][0][0], dtype=torch.float64) / 100
    french, english = (
        [token.replace("<eos>", "(end)") for token in given[side][0]]
        for side in ("rows", "columns")
    )
    labels = {"xlabel": "English", "ylabel": "French", "query": "rouge"}
    return displayed(d2l.show_attention, weights, french, english, **labels)


def pair(vector):
    return f"({', '.join(f'{x:g}' for x in vector)})"


def figure(kind, title, data, head, rows):
    """A picture of ten_minutes.js, and the table that stands for it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    parts = {"kind": kind, "title": title, "data": text, "head": head, "rows": rows}
    return filled(__file__, "ten_minutes.html", **parts)
