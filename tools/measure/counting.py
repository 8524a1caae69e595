"""Train the small GPT of chapter 11 with more seeds, beside models that only count.

    make counting [WRITE=1]

The table has the bits per byte of the held-out files of Python's library, of all and of
their first 5,000 characters. The code is that of the notebook's cells, in whose kernel
`measure` runs. With WRITE=1, the table goes to book/_generated.
"""

import sys

import torch

import d2lmini
from tools import ROOT
from tools.measure import chapter, results
from tools.measure.scores import spread

NOTEBOOK = ROOT / "notebooks" / "11_gpt.ipynb"
LAST = "scores, begin = compare(whole)"  # in the last cell that is needed
COLUMNS = "all", "5,000 characters"
UPDATES = 280, 840
SEEDS = 0, 1, 2


def text_of_updates(tokens, updates):
    """The tokens of as many random windows as our GPT reads, one after the other."""
    torch.manual_seed(0)
    batches = d2lmini.TokenWindows(tokens, updates).train_dataloader()
    return torch.cat([X.flatten() for X, _ in batches]).tolist()


def measure(names):
    """The table, given the names that the notebook's cells define.

    The counts are made anew there, from a part of the text, so the names are changed.
    """
    texts, bits = (names["whole"], names["whole"][:5000]), names["bits"]
    rows = [["zlib", *(f"{names[part]['zlib']:.2f}" for part in ("scores", "begin"))]]
    for n in (1, 2, 3):
        found = [names["counting_bits"](text, n) for text in texts]
        rows.append([f"counts of up to {n} tokens", *(f"{x:.2f}" for x in found)])
    names["runs"], names["follow"], names["kinds"] = names["count_runs"](
        text_of_updates(names["tokens"], UPDATES[0])
    )
    found = [f"{names['counting_bits'](text, 3):.2f}" for text in texts]
    title = f"counts of up to 3 tokens, of as much text as {UPDATES[0]} updates read"
    rows.append([title, *found])
    for updates in UPDATES:
        models = [
            d2lmini.train_gpt(names["tokens"], updates, vocab_size=2048, seed=seed)
            for seed in SEEDS
        ]
        found = [[bits(m, names["tokenizer"], text) for m in models] for text in texts]
        cells = [spread(values, 2) for values in found]
        rows.append([f"our GPT, {updates} updates", *cells])
    return {"counting": f"{results.head(['', *COLUMNS])}\n{results.lines(*rows)}"}


if __name__ == "__main__":
    chapter.main(sys.modules[__name__])
