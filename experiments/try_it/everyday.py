"""Everyday English and its French: what visitors type, as training data of the translator.

everyday.tsv.xz holds 476 pairs that were written by hand and, after an empty line, 44,513
that a small grammar made once, each English sentence in one way only. `xz -dc` prints them:
English, a tab, French. `git show 875f312:tools/book/everyday.py` prints the grammar.

Tokens and conventions are those of the phrasebook (d2lmini/data/README.md): "you" is `tu`;
"i", "you", "we" and "they" are masculine; questions with "do" take `est-ce que`; the simple
past is the passé composé.
"""

import lzma
import re
from pathlib import Path

FILE = Path(__file__).with_suffix(".tsv.xz")
CAN_BE = "(he|she|it|that|where|who|what|there|how|name)"
EXPANDED = {
    "i'm": "i am",
    "can't": "cannot",
    "won't": "will not",
    r"(\S+)n't": r"\1 not",
    r"(\S+)'re": r"\1 are",
    r"(\S+)'ve": r"\1 have",
    r"(\S+)'ll": r"\1 will",
    r"(\S+)'d": r"\1 would",
    rf"{CAN_BE}'s(?= (?:just|been)(?!\S))": r"\1 has",
    rf"{CAN_BE}'s": r"\1 is",
}


def pairs():
    """Two lists of pairs: those written by hand, and those of the grammar."""
    text = lzma.decompress(FILE.read_bytes()).decode("utf-8")
    parts = text.split("\n\n")
    return [[tuple(line.split("\t")) for line in part.splitlines()] for part in parts]


def expand(text):
    """The English without contractions: i am for i'm; `'s` after a name stays."""
    for short, long in EXPANDED.items():
        text = re.sub(rf"(?<!\S){short}(?!\S)", long, text)
    return text
