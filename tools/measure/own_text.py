"""Train a GPT on a text for one, ten and sixty minutes: its bits per byte, and samples.

    make own_text [ROOT=data] [WRITE=1]

The text is Python's library with its packages, held out are the files that chapter 11
holds out. The minutes are those of two cores with instructions for bfloat16, which compute
an update in 0.44 seconds; what is trained is a number of updates. A trained model is kept
in the root folder, and is not trained again if it is there. Beside the models stand two
compressors, and SmolLM2, which has read much more. With WRITE=1, the table and the samples
go to book/_generated/.
"""

import argparse
import lzma
import sys
import zlib
from pathlib import Path

import torch

import d2lmini
from tools.measure import results

UPDATES = {"1 minute": 130, "10 minutes": 1360, "60 minutes": 8200}
COLUMNS = ["", "bits per byte"]
PROMPT = "def main("
VOCAB_SIZE = 2048
SIZES = {
    "num_hiddens": 256,
    "num_blks": 4,
    "num_heads": 8,
    "num_kv_heads": 4,
    "n": 256,
    "batch_size": 12,
    "lr": 0.003,
    "precision": "bf16-mixed",
}


def encode(tokenizer, texts):
    """The tokens of texts, one after the other, as a tensor."""
    return torch.tensor([i for code in tokenizer.encode_batch(texts) for i in code.ids])


def trained(tokens, num_updates, root, sizes=SIZES):
    """The model after so many updates, from the root folder if it is there."""
    path = Path(root, f"own_text_{num_updates}.pt")
    if path.exists():
        model = d2lmini.train_gpt(tokens, 1, vocab_size=VOCAB_SIZE, **sizes)
        model.load_state_dict(torch.load(path))
    else:
        model = d2lmini.train_gpt(tokens, num_updates, vocab_size=VOCAB_SIZE, **sizes)
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


def measure(texts, updates, root, sizes=SIZES):
    """The rows of the table, and a sample of each model that was trained."""
    training, held_out = texts
    tokenizer = d2lmini.train_bpe(training, VOCAB_SIZE)
    tokens, val_tokens = encode(tokenizer, training), encode(tokenizer, held_out)
    num_bytes = len("".join(held_out).encode())
    rows, samples = {}, {}
    for title, num_updates in updates.items():
        model = trained(tokens, num_updates, root, sizes)
        n = model.max_len
        rows[f"{title}, {num_updates:,} updates"] = d2lmini.bits_per_byte(
            model, val_tokens, num_bytes, n
        )
        samples[title] = PROMPT + d2lmini.complete(
            model, tokenizer, PROMPT, n // 2, top_p=0.9, seed=0
        )
        print(title, *rows.values(), samples[title], sep="\n", file=sys.stderr, flush=True)
    return rows | compressed(*("".join(part).encode() for part in texts)), samples


def page(rows, samples):
    """The table of bits per byte, and the samples below it."""
    table = results.lines(*([name, f"{bits:.2f}"] for name, bits in rows.items()))
    blocks = [
        f"After {title}:\n\n```python\n{text.rstrip()}\n```"
        for title, text in samples.items()
    ]
    return "\n\n".join([f"{results.head(COLUMNS)}\n{table}", *blocks])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default="data", help="the folder of trained models")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args()
    origin = results.origin()
    texts = d2lmini.standard_library(packages=True)
    rows, samples = measure(texts, UPDATES, options.root)
    n = SIZES["n"]  # windows as short as those of our models
    rows[f"SmolLM2, windows of {n} tokens"] = smollm2(texts[1], n)
    text = page(rows, samples)
    print(text)
    if options.write:
        results.write("own_text", text, origin)


if __name__ == "__main__":
    main()
