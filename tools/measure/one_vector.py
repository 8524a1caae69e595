"""Translate the held-out sentences through one vector and with attention, by length.

    make one_vector [WRITE=1]

The models are those of the notebooks on translation and of chapter 4, of three seeds, and
the translations those of seed 0. Of each length of the English sentences, the program
takes the one whose two numbers of mistakes are nearest to the means of this length; of
several the first. With WRITE=1 it writes d2lmini/data/one_vector.json, from which the
pages draw.
"""

import argparse
import difflib
import json
import math
import statistics

import d2lmini
from tools import ROOT
from tools.measure import chapter, results

FILE = ROOT / "d2lmini" / "data" / "one_vector.json"
# For each kind a notebook, its last cell that is needed, and the models of three seeds.
MODELS = {
    "one vector": ("00_translation", "models = [train(seed)", "models"),
    "attention": (
        "04_bahdanau",
        "def train(Decoder",
        "[train(Seq2SeqAttentionDecoder, seed) for seed in range(3)]",
    ),
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


def measure(data, translations):
    """What the file holds, from the translations of all held-out sentences by seed."""
    english, french = data.sentences(train=False)
    return {
        "sentences": typical(
            english, french, {kind: seeds[0] for kind, seeds in translations.items()}
        ),
        "held_out": len(english),
        "tokens": list(GROUPS),
        "BLEU": {
            kind: [
                [
                    round(d2lmini.held_out_bleu(data, preds, *group), 1)
                    for group in GROUPS.values()
                ]
                for preds in seeds
            ]
            for kind, seeds in translations.items()
        },
    }


def run():
    """Train the models in their notebooks, and measure."""
    translations = {}
    for kind, (name, last, models) in MODELS.items():
        translations[kind] = chapter.run(
            ROOT / "notebooks" / f"{name}.ipynb",
            f"[importlib.import_module('d2lmini').translate(model, data, "
            f"data.sentences(train=False)[0]) for model in {models}]",
            last=last,
        )
    data = d2lmini.MTFraEng(
        64, num_steps=11, num_train=2200, num_val=500, seed=1, min_freq=20
    )
    return measure(data, translations)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"to {FILE.name}")
    options = parser.parse_args()
    origin = results.origin().strip("*")
    text = json.dumps(run() | {"origin": origin}, ensure_ascii=False, indent=1)
    print(text)
    if options.write:
        FILE.write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
