"""What single weights of the translator decide, for the start page and the page Try it.

In encoder block 2, head 2, *it* looks at its noun. Here this one weight is masked, and the
French is compared, for every noun of nouns.tsv whose English and French the model knows:
the singular nouns of one word for animals and things of the grammar that made its training
data. As controls the same weight is masked in each of the other encoder heads, and each of
the 24 heads is switched off as a whole. A second weight of the same head, from the
adjective to the noun, is masked as well.

A noun *turns* if its pronoun was right and is the other one then. The file for the start
page has the counts of its sentence, and the answers for eight nouns, chosen by this rule:
of the first feminine animals the four whose pronoun turns and the first whose does not, and
the first three masculine ones.
"""

import csv
import json
import re
from pathlib import Path

from experiments import results
from tools import ROOT
from tools.book.translation import Page

FILE = ROOT / "tools" / "book" / "first_screen.json"
NOUNS = Path(__file__).with_name("nouns.tsv")
STACKS = [("encoder", "self"), ("decoder", "self"), ("decoder", "cross")]
HEADS = [[*stack, block, head] for stack in STACKS for block in (0, 1) for head in range(4)]
THREAD = HEADS[5]  # encoder block 2, head 2, counted from 0 in the code
FORM = "the {} slept because it was tired ."
FORMS = {  # sentences, and the word that agrees besides the pronoun
    FORM: "tired",
    "the {} slept because it was hungry .": "hungry",
    "i like the {} because it is red .": "red",
    "i bought the {} because it was beautiful .": "beautiful",
}
COLUMNS = {  # and their heads in the table
    "nouns": "nouns",
    "right": "pronoun right",
    "thread cut": "other pronoun: *it* → noun cut",
    "other encoder heads": "other pronoun: cut in another head",
    "thread of the adjective": "adjective changes: its weight cut",
}
START = """const model = d2lForward.load(d2lModels.translator);
function answer(sentence, off, heads) {
  const { ids, unknown } = d2lForward.tokenize(model, sentence);
  if (unknown.length) return null;
  const { source, target, steps, attentions } = d2lForward.translate(model, ids, off);
  const at = target.findIndex(word => /^qu'(elle|il)$/.test(word));
  const p = word => (steps[at]?.top.find(([token]) => token === word) || [0, 0])[1];
  const weights = ([stack, kind, block, head]) => attentions.find(each =>
    each.stack === stack && each.kind === kind && each.block === block).heads[head].weights;
  return {
    source, text: target.filter(word => word !== "<eos>").join(" "),
    elle: p("qu'elle"), il: p("qu'il"), weights: weights(heads[5]),
    looks: heads.map(head =>
      weights(head)[head[0] === "encoder" ? source.indexOf("it") : at]),
  };
}"""
FEMININE, MASCULINE = 4, 3  # animals of the start page, besides the one that does not turn


class Translator(Page):
    """The page's translator, with parts that are cut."""

    def __init__(self):
        super().__init__(start=START)

    def answer(self, sentence, **off):
        """What it says, and where the pronoun looks; None if it lacks a word."""
        given = ", ".join(map(json.dumps, (sentence, off, HEADS)))
        return self.call(f"answer({given})")


def tables():
    """The file of the start page, and the table of Try it."""
    page, rows, counts = Translator(), [], {}
    for form, word in FORMS.items():
        for feminine in (True, False):
            found = measured(page, form, word, feminine)
            counts[form, feminine] = found
            kind = "feminine" if feminine else "masculine"
            sentence = form.format("…").replace(" .", "")
            rows.append([f"*{sentence}*, {kind}", *map(str, found.values())])
            print(rows[-1], flush=True)
    yield "threads", results.table(["", *COLUMNS.values()], rows)
    animals = chosen(page)
    traces = [trace(page, noun) for noun in animals]
    whole = {"heads": switched_off(page), **told(counts)}
    content = {"counts": whole, "nouns": traces}
    yield FILE, json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def nouns(feminine=None):
    """The nouns, in English; those of one gender if it is given."""
    with NOUNS.open(encoding="utf-8") as file:
        rows = [*csv.reader(file, delimiter="\t")]
    return [en for en, _, kind in rows if feminine in (None, kind == "feminine")]


def pronoun(text):
    """elle, il, or nothing: the pronoun after qu'."""
    found = re.search(r"qu'(elle|il)(?= )", text)
    return found and found[1]


def link(answer, word, noun, head=THREAD):
    """The weight from a word to the noun, as `translate` wants it cut."""
    source = answer["source"]
    return [*head, source.index(word), source.index(noun)]


def measured(page, form, word, feminine):
    """The numbers of a row: how often the pronoun is right, and what then changes."""
    right, gender = 0, "elle" if feminine else "il"
    known = turned = others = adjectives = 0
    for noun in nouns(feminine):
        sentence = form.format(noun)
        whole = page.answer(sentence)
        if whole is None:
            continue
        known += 1
        if pronoun(whole["text"]) != gender:
            continue
        right += 1
        other = {"elle": "il", "il": "elle"}[gender]
        cut = page.answer(sentence, links=[link(whole, "it", noun)])["text"]
        turned += pronoun(cut) == other
        for head in HEADS[:8]:
            if head != THREAD:
                links = [link(whole, "it", noun, head)]
                others += pronoun(page.answer(sentence, links=links)["text"]) == other
        cut = page.answer(sentence, links=[link(whole, word, noun)])["text"]
        adjectives += cut != whole["text"] and pronoun(cut) == gender
    return dict(zip(COLUMNS, (known, right, turned, others, adjectives)))


def switched_off(page):
    """For each head, how many feminine nouns turn if it is switched off."""
    turned = [0] * len(HEADS)
    for noun in nouns(feminine=True):
        sentence = FORM.format(noun)
        whole = page.answer(sentence)
        if whole and pronoun(whole["text"]) == "elle":
            for i, head in enumerate(HEADS):
                off = page.answer(sentence, heads=[head])["text"]
                turned[i] += pronoun(off) == "il"
    return turned


def told(counts):
    """The counts that the start page tells."""
    tired, bought = FORM, list(FORMS)[-1]
    return {
        "feminine": counts[tired, True]["right"],
        "turned": counts[tired, True]["thread cut"],
        "masculine": counts[tired, False]["right"],
        "masculine turned": counts[tired, False]["thread cut"],
        "adjectives": counts[tired, True]["thread of the adjective"],
        "others": counts[tired, True]["other encoder heads"],
        "bought": counts[bought, True]["right"],
        "bought turned": counts[bought, True]["thread cut"],
    }


def chosen(page):
    """The nouns of the start page, by the rule above."""
    turning, resisting = [], []
    for noun in nouns(feminine=True):
        whole = page.answer(FORM.format(noun))
        if whole and pronoun(whole["text"]) == "elle":
            links = [link(whole, "it", noun)]
            cut = page.answer(FORM.format(noun), links=links)["text"]
            (turning if pronoun(cut) == "il" else resisting).append(noun)
        if len(turning) >= FEMININE and resisting:
            break
    known = (noun for noun in nouns(feminine=False) if page.answer(FORM.format(noun)))
    masculine = [noun for noun, _ in zip(known, range(MASCULINE))]
    return [*turning[:FEMININE], resisting[0], *masculine]


def trace(page, noun):
    """The answers for a noun: uncut, with either or both threads cut, without each head."""
    sentence = FORM.format(noun)
    whole = page.answer(sentence)
    it, tired = link(whole, "it", noun), link(whole, "tired", noun)
    at = whole["source"].index(noun)
    cuts = [whole, *(page.answer(sentence, links=x) for x in ([it], [tired], [it, tired]))]
    heads = [page.answer(sentence, heads=[head]) for head in HEADS]
    return {
        "noun": noun,
        "weights": [round(whole["weights"][query][at], 2) for *_, query, _ in (it, tired)],
        "cuts": [short(answer) for answer in cuts],
        "heads": [short(answer, whole["text"]) for answer in heads],
        # in tenths: what the pronoun looks at
        "looks": ["".join(str(min(9, int(10 * w))) for w in row) for row in whole["looks"]],
    }


def short(answer, usual=None):
    """The text, empty where it is the usual one, and the probabilities of the pronouns."""
    text = "" if answer["text"] == usual else answer["text"]
    return [text, round(answer["elle"], 2), round(answer["il"], 2)]
