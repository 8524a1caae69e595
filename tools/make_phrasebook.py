"""Write d2lmini/data/phrasebook.tsv, the English-French sentences that models train on.

    python tools/make_phrasebook.py             write the file
    python tools/make_phrasebook.py --check     exit 1 if the file is not what this writes

The sentences come from a grammar: the lists of `phrasebook_words.py`, the forms of
`phrasebook_grammar.py` and the kinds of sentence of `phrasebook_patterns.py`. A line is an
English sentence, a tab and its French one, both in tokens. Short sentences stand first, in
a fixed random order within a length. No English sentence has two French ones: "you" is
`tu` unless a word such as "sir", "children" or "you two" makes it `vous`, and "I", "you"
and "they" are masculine unless the sentence says otherwise. Most of the long sentences are
dense: many of their words vary, so that they are harder than short ones.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from phrasebook_grammar import Pair, tidy_english, tidy_french
from phrasebook_patterns import DENSE, PATTERNS

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "d2lmini" / "data" / "phrasebook.tsv"
SEED = 10
LONGEST = 10  # tokens of a sentence, on either side
RAREST = 5  # times that a token is seen at least
COMMON = 16  # a token seen more often is no reason to keep a pair
QUOTAS = {2: 80, 3: 680, 4: 1050, 5: 1310, 6: 1370, 7: 1290, 8: 1110, 9: 960, 10: 760}
CORE = [  # what the course translates in its text; never left out
    ("go .", "va !"),
    ("i lost .", "j'ai perdu ."),
    ("he's calm .", "il est calme ."),
    ("i'm home .", "je suis chez moi ."),
]


# --- From patterns to the file -----------------------------------------------------------


class Conflict(Exception):
    """Two patterns give one English sentence different French ones."""


def tokens(sentence: str) -> list[str]:
    return sentence.split(" ")


def candidates() -> dict[str, list[Pair]]:
    """What every pattern offers, by its name, within the allowed lengths."""
    meaning: dict[str, tuple[str, str]] = {en: (fr, "core") for en, fr in CORE}
    offered: dict[str, list[Pair]] = {}
    for name, (_, function) in PATTERNS.items():
        offered[name] = []
        for raw_en, raw_fr in function():
            en, fr = tidy_english(raw_en), tidy_french(raw_fr)
            if en not in meaning:
                meaning[en] = fr, name
                if max(len(tokens(en)), len(tokens(fr))) <= LONGEST:
                    offered[name].append((en, fr))
            elif meaning[en][0] != fr:
                raise Conflict(
                    f"{en!r}: {fr!r} ({name}), {meaning[en][0]!r} ({meaning[en][1]})"
                )
    return offered


def word_counts(pairs: list[Pair]) -> list[Counter]:
    """How often each token is seen, in English and in French."""
    return [
        Counter(word for pair in pairs for word in tokens(pair[side])) for side in (0, 1)
    ]


def rarest(pair: Pair, counts: list[Counter]) -> int:
    """How often the rarest token of a pair is seen."""
    return min(counts[side][word] for side in (0, 1) for word in tokens(pair[side]))


def learnable(pairs: list[Pair]) -> list[Pair]:
    """Drop the pairs with a token too rare to be learnt, until there are none."""
    while True:
        counts = word_counts(pairs)
        kept = [pair for pair in pairs if pair in CORE or rarest(pair, counts) >= RAREST]
        if len(kept) == len(pairs):
            return kept
        pairs = kept


def thin(pairs: list[Pair], dense: set[Pair]) -> list[Pair]:
    """Bring each length to its quota: dense pairs first, then those with rarer words."""
    counts = word_counts(pairs)
    rng = random.Random(SEED)
    weight = {pair: rng.random() * min(rarest(pair, counts), COMMON) for pair in pairs}
    weight |= dict.fromkeys(dense, 0)
    left = list(CORE)
    for length, quota in QUOTAS.items():
        same = [
            pair for pair in pairs if len(tokens(pair[0])) == length and pair not in CORE
        ]
        left += sorted(same, key=weight.__getitem__)[:quota]
    return left


def draw() -> list[Pair]:
    """A sample of every pattern, and the core, thinned to the quotas."""
    drawn, dense = list(CORE), set()
    for name, pairs in candidates().items():
        rng = random.Random(f"{SEED} {name}")
        sample = rng.sample(pairs, min(PATTERNS[name][0], len(pairs)))
        drawn += sample
        if name in DENSE:
            dense.update(sample)
    return learnable(thin(learnable(drawn), dense))


def generate() -> str:
    """The text of the file: short sentences first, shuffled within a length."""
    pairs = sorted(draw())
    random.Random(SEED).shuffle(pairs)
    pairs.sort(key=lambda pair: (len(tokens(pair[0])), pair not in CORE))
    return "".join(f"{en}\t{fr}\n" for en, fr in pairs)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 if the file differs")
    args = parser.parse_args(argv)
    try:
        text = generate()
    except Conflict as conflict:
        print(f"two meanings: {conflict}", file=sys.stderr)
        return 1
    if args.check:
        stored = FILE.read_bytes() if FILE.is_file() else None
        if stored != text.encode():
            state = "is missing" if stored is None else "is not what the tool writes"
            print(f"{FILE.relative_to(ROOT)} {state}; run python tools/make_phrasebook.py")
            return 1
        return 0
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_bytes(text.encode())
    print(f"{FILE.relative_to(ROOT)}: {text.count(chr(10))} pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
