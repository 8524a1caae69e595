"""How well a GPT learns a text of its own in one, ten and sixty minutes.

The text is Python's library with its packages, held out are the files that chapter 11
holds out. The minutes are those of two cores with instructions for bfloat16, which compute
an update in 0.44 seconds; what is trained is a number of updates. A trained model is kept
in the folder ROOT, and is not trained again if it is there. Beside the models stand two
compressors, and SmolLM2, which has read much more.
"""

import lzma
import sys
import zlib
from pathlib import Path

import torch

import d2lmini
from experiments import results

UPDATES = {"1 minute": 130, "10 minutes": 1360, "60 minutes": 8200}
COLUMNS = ["", "bits per byte"]
PROMPT = "def main("
SIZES = {  # n tokens are a window, as short for SmolLM2
    "vocab_size": 2048,
    "num_hiddens": 256,
    "num_blks": 4,
    "num_heads": 8,
    "num_kv_heads": 4,
    "n": 256,
    "batch_size": 12,
    "lr": 0.003,
    "precision": "bf16-mixed",
}


def tables(root="data"):
    """The table of bits per byte, and below it a sample of each model."""
    training, held_out = d2lmini.standard_library(packages=True)
    tokenizer = d2lmini.train_bpe(training, SIZES["vocab_size"])
    tokens, val_tokens = encode(tokenizer, training), encode(tokenizer, held_out)
    read, wanted = ("".join(part).encode() for part in (training, held_out))
    n = SIZES["n"]
    rows, samples = {}, {}
    for title, num_updates in UPDATES.items():
        model = trained(tokens, num_updates, root)
        rows[f"{title}, {num_updates:,} updates"] = d2lmini.bits_per_byte(
            model, val_tokens, len(wanted), n
        )
        samples[title] = PROMPT + d2lmini.complete(
            model, tokenizer, PROMPT, n // 2, top_p=0.9, seed=0
        )
        print(title, *rows.values(), samples[title], sep="\n", file=sys.stderr, flush=True)
    rows |= compressed(read, wanted)
    rows[f"SmolLM2, windows of {n} tokens"] = smollm2(held_out, n)
    yield "own_text", page(rows, samples)


def encode(tokenizer, texts):
    """The tokens of texts, one after the other, as a tensor."""
    return torch.tensor([i for code in tokenizer.encode_batch(texts) for i in code.ids])


def trained(tokens, num_updates, root):
    """The model after so many updates, from the root folder if it is there."""
    path = Path(root, f"own_text_{num_updates}.pt")
    if path.exists():
        model = d2lmini.train_gpt(tokens, 1, **SIZES)
        model.load_state_dict(torch.load(path))
    else:
        model = d2lmini.train_gpt(tokens, num_updates, **SIZES)
        path.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.state_dict(), path)
    return model.eval()


def compressed(training, held_out):
    """Bits per byte of the compressors on the held-out text."""

    def lzma_size(data):
        return len(lzma.compress(data, preset=9))

    sizes = {
        "zlib": len(zlib.compress(held_out, 9)),
        "lzma": lzma_size(held_out),
        "lzma, after the training text": lzma_size(training + held_out)
        - lzma_size(training),
    }
    return {name: 8 * size / len(held_out) for name, size in sizes.items()}


def smollm2(held_out, n):
    """Bits per byte of SmolLM2, in windows of n of its own tokens."""
    model, tokenizer = d2lmini.load_smollm2()
    tokens = encode(tokenizer, held_out)
    return d2lmini.bits_per_byte(model, tokens, len("".join(held_out).encode()), n)


def page(rows, samples):
    """The table of bits per byte, and the samples below it."""
    table = results.table(COLUMNS, ([name, f"{bits:.2f}"] for name, bits in rows.items()))
    blocks = [
        f"After {title}:\n\n```python\n{text.rstrip()}\n```"
        for title, text in samples.items()
    ]
    return "\n\n".join([table, *blocks])
