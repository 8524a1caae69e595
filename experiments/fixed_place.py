"""Where a fixed place is not enough: phrases whose order differs between the languages.

A decoder with a pointer instead of its attention reads one state a step, at a fixed
distance. Most words of the phrasebook keep their order in French. A colour does not: a red
jacket is `une veste rouge`, and an old house `une vieille maison`. The first table has how
many of both phrases are right in the held-out translations, with the pointers, with
attention, and with its controls. The second has what they write for one sentence. The
code is that of the notebook's cells, in whose kernel `measure` runs. Two more models have
an encoder that reads in both directions, so that a state knows what follows its word.
"""

import itertools
import re
from collections import Counter
from unittest import mock

import d2lmini
from experiments import chapter, results
from experiments.attention import NOTEBOOK, SHIFTS, pointing
from experiments.models import BidirectionalEncoder

LAST = "class StepDecoder("  # in the last cell that is needed
SENTENCE = "my brother lost his red jacket ."
COLUMNS = ["red jacket", "old house"]
BOTH_WAYS = "one state, of the same position, read both ways", "attention, read both ways"
SEEDS = [f"seed {seed}" for seed in range(5)]
# French adjectives that stand behind their noun, and such that stand before it.
BEHIND = re.compile(
    "(roug|jaun)es?|(noir|vert|bleu|froid|chaud|français|italien)e?s?|blanc(he)?s?|"
    "grise?s?|marron"
)
BEFORE = re.compile(
    "(vieux|vieille|vieil)s?|(nouveau|nouvel)(le)?s?|(petit|grand|joli)e?s?|"
    "beau|bel(le)?s?|jeunes?"
)
# What is no noun beside an adjective: the cup is red, very cold, small but red.
NO_NOUN = {"est", "sont", "était", "étaient", "très", "trop", "et", "mais", "que", "."}
NO_NOUN |= {"?", "plus", "aussi", "c'est", "c'était", "n'est", "pas", "parle", "comme"}
NO_NOUN |= {"a", "avait"}  # to be cold


def phrases(sentence):
    """The pairs of a noun and an adjective behind it, and those of one before it.

    A sentence that has both has only the first ones, because its order differs.
    """
    tokens = sentence.split()
    pairs = [pair for pair in itertools.pairwise(tokens) if not NO_NOUN.intersection(pair)]
    behind = Counter(pair for pair in pairs if BEHIND.fullmatch(pair[1]))
    before = Counter(pair for pair in pairs if BEFORE.fullmatch(pair[0]))
    return (behind, Counter()) if behind else (behind, before)


def right(translations, references):
    """The fractions of both kinds of phrases that stand in the translations, too."""
    found, known = [0, 0], [0, 0]
    for translation, reference in zip(translations, references):
        tokens = translation.split()
        written = Counter(itertools.pairwise(tokens))
        for kind, wanted in enumerate(phrases(reference)):
            known[kind] += wanted.total()
            found[kind] += (wanted & written).total()
    return [one / all_of_them for one, all_of_them in zip(found, known)]


def tables():
    """The table of phrases, and that of one sentence."""
    yield from chapter.run(NOTEBOOK, measure, last=LAST).items()


def measure(names):
    """The tables, given the names that the notebook's cells define."""
    kinds = {"no attention": d2lmini.Seq2SeqDecoder}
    for name, shift in SHIFTS.items():
        kinds[f"one state, of {name} position"] = pointing(shift)
    kinds["no query"] = names["NoQueryDecoder"]
    kinds["step query"] = names["StepDecoder"]
    kinds["attention"] = names["Seq2SeqAttentionDecoder"]
    data = names["data"]
    english, french = data.sentences(train=False)
    rows, written = [], []
    kinds |= dict(zip(BOTH_WAYS, (pointing(SHIFTS["the same"]), kinds["attention"])))
    for kind, Decoder in kinds.items():
        encoder = BidirectionalEncoder if kind in BOTH_WAYS else d2lmini.Seq2SeqEncoder
        with mock.patch.object(d2lmini, "Seq2SeqEncoder", encoder):  # which `train` builds
            models = [names["train"](Decoder, seed) for seed in range(len(SEEDS))]
        found = [right(d2lmini.translate(m, data, english), french) for m in models]
        rows.append([kind, *map(results.spread, zip(*found))])
        one = (d2lmini.translate(model, data, [SENTENCE])[0] for model in models)
        written.append([kind, *one])
    return {
        "fixed_place": results.table(["", *COLUMNS], rows),
        "fixed_place_sentence": results.table([SENTENCE, *SEEDS], written),
    }
