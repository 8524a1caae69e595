"""How well the small GPT of chapter 11 predicts, beside models that only count.

The table has the bits per byte of the held-out files of Python's library, of all and of
their first 5,000 characters. The code is that of the notebook's cells, in whose kernel
`measure` runs.
"""

import math
import zlib
from collections import Counter

import torch

import d2lmini
from experiments import chapter, results
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "11_gpt.ipynb"
LAST = "def bits_of(compressed)"  # in the last cell that is needed
COLUMNS = "all", "5,000 characters"
UPDATES = 280, 840
SEEDS = 0, 1, 2


def text_of_updates(tokens, updates):
    """The tokens that random windows, as many as our GPT reads, have; each place once."""
    torch.manual_seed(0)
    places = torch.arange(len(tokens))
    batches = d2lmini.TokenWindows(places, updates).train_dataloader()
    return tokens[torch.cat([X.flatten() for X, _ in batches]).unique()].tolist()


def kneser_ney(ids, n, vocab_size, discount=0.8):
    """A function: the probability of the last token of a run of up to n, given the others.

    It counts the runs in ids, with the smoothing of Kneser and Ney (Going further 10).
    Each count gives up the discount, for the sake of the runs without their first token.
    A shorter run counts as often as different tokens stand before it.
    """
    counts = [Counter(zip(*(ids[k:] for k in range(size + 1)))) for size in range(n)]
    counts[:-1] = [Counter(run[1:] for run in longer) for longer in counts[1:]]
    totals, kinds = [Counter() for _ in counts], [Counter() for _ in counts]
    for found, total, kind in zip(counts, totals, kinds):
        for run, number in found.items():
            total[run[:-1]] += number
            kind[run[:-1]] += 1

    def prob(run):
        if not run:
            return 1 / vocab_size
        k, before, shorter = len(run) - 1, run[:-1], prob(run[1:])
        if not totals[k][before]:
            return shorter
        kept, given = counts[k][run] - discount, discount * kinds[k][before]
        return (max(kept, 0) + given * shorter) / totals[k][before]

    return prob


def bits_of(text, tokenizer, prob, n):
    """Bits per byte of a text, given the function for the probability of a run."""
    ids = tuple(tokenizer.encode(text).ids)
    runs = (ids[max(0, end - n) : end] for end in range(1, len(ids) + 1))
    return -sum(math.log2(prob(run)) for run in runs) / len(text.encode())


def tables():
    """The table of bits per byte."""
    rows = chapter.run(NOTEBOOK, measure, last=LAST)
    yield "counting", results.table(["", *COLUMNS], rows)


def zlib_bits(text):
    """Bits per byte of zlib."""
    return 8 * len(zlib.compress(text.encode(), 9)) / len(text.encode())


def measure(names):
    """The rows of the table, given the names that the notebook's cells define.

    The counts are made anew there, from a part of the text, so the names are changed.
    """
    texts, bits = (names["whole"], names["whole"][:5000]), names["bits"]
    rows = [["zlib", *(f"{zlib_bits(text):.2f}" for text in texts)]]

    def add(title, score, *arguments):
        rows.append([title, *(f"{score(text, *arguments):.2f}" for text in texts)])

    for n in (1, 2, 3):
        add(f"counts of up to {n} tokens", names["counting_bits"], n)
    sources = {"": names["tokens"].tolist()}
    for updates in UPDATES:
        part = f", of what {updates} updates read"
        sources[part] = text_of_updates(names["tokens"], updates)
        names["runs"], names["follow"], names["kinds"] = names["count_runs"](sources[part])
        add(f"counts of up to 3 tokens{part}", names["counting_bits"], 3)
    tokenizer = names["tokenizer"]
    for part, ids in sources.items():
        for n in (3, 5):
            prob = kneser_ney(ids, n, tokenizer.get_vocab_size())
            add(f"Kneser–Ney, up to {n} tokens{part}", bits_of, tokenizer, prob, n)
    for updates in UPDATES:
        models = [
            d2lmini.train_gpt(names["tokens"], updates, vocab_size=2048, seed=seed)
            for seed in SEEDS
        ]
        found = [[bits(m, names["tokenizer"], text) for m in models] for text in texts]
        rows.append([f"our GPT, {updates} updates", *map(results.spread, found)])
    return rows
