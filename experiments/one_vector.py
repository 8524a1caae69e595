"""How held-out sentences are translated through one vector and with attention, by length.

The models are those of the notebooks on translation and of chapter 4, of three seeds, and
the translations those of seed 0. Of each length of the English sentences, the program
takes the one whose two numbers of mistakes are nearest to the means of this length; of
several the first. The pages draw from the file.
"""

import difflib
import json
import math
import statistics

import d2lmini
from experiments import chapter, results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "one_vector.json"
# For each kind its notebook, and the last cell that is needed.
NOTEBOOKS = {
    "one vector": ("00_translation", "models = [train(seed)"),
    "attention": ("04_bahdanau", "def train(Decoder"),
}
GROUPS = {"2–4": (2, 4), "5–6": (5, 6), "7–8": (7, 8), "9–10": (9, 10), "all": (0, 99)}


def mistakes(reference, translation):
    """How many tokens are to be replaced, removed or added, in the order of difflib."""
    wanted, words = reference.split(), translation.split()
    found = difflib.SequenceMatcher(None, wanted, words, autojunk=False).get_opcodes()
    return sum(max(j - i, n - m) for kind, i, j, m, n in found if kind != "equal")


def typical(english, french, translations):
    """For each length one sentence, with its reference and its translations.

    `translations` has all sentences of one model for each kind.
    """
    lengths = [len(sentence.split()) for sentence in english]
    counts = [
        [mistakes(wanted, pred) for pred in preds]
        for wanted, *preds in zip(french, *translations.values())
    ]
    found = []
    for length in sorted({*lengths}):
        rows = [i for i, one in enumerate(lengths) if one == length]
        means = [statistics.mean(column) for column in zip(*(counts[i] for i in rows))]
        best = min(rows, key=lambda i, means=means: math.dist(counts[i], means))
        texts = {kind: preds[best] for kind, preds in translations.items()}
        found.append({"English": english[best], "reference": french[best], **texts})
    return found


def tables():
    """The file, after the models were trained in their notebooks."""
    origin = {"origin": results.origin().strip("*")}
    yield FILE, json.dumps(measure() | origin, ensure_ascii=False, indent=1)


def translations(names, kind):
    """Those of all held-out sentences, by three models, given what a notebook defines."""
    if kind == "attention":
        train, Decoder = names["train"], names["Seq2SeqAttentionDecoder"]
        models = [train(Decoder, seed) for seed in range(3)]
    else:
        models = names["models"]
    english, _ = names["data"].sentences(train=False)
    return [d2lmini.translate(model, names["data"], english) for model in models]


def measure():
    """What the file holds."""
    data = d2lmini.MTFraEng(
        64, num_steps=11, num_train=2200, num_val=500, seed=1, min_freq=20
    )
    english, french = data.sentences(train=False)
    translated = {
        kind: chapter.run(
            ROOT / "notebooks" / f"{name}.ipynb", translations, kind, last=last
        )
        for kind, (name, last) in NOTEBOOKS.items()
    }
    return {
        "sentences": typical(
            english, french, {kind: seeds[0] for kind, seeds in translated.items()}
        ),
        "held_out": len(english),
        "right": {
            kind: [sum(map(str.__eq__, preds, french)) for preds in seeds]
            for kind, seeds in translated.items()
        },
        "tokens": list(GROUPS),
        "BLEU": {
            kind: [
                [
                    round(d2lmini.held_out_bleu(data, preds, *group), 1)
                    for group in GROUPS.values()
                ]
                for preds in seeds
            ]
            for kind, seeds in translated.items()
        },
    }
