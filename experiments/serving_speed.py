"""How fast SmolLM2 answers one reader and sixteen, with each part of chapter 14.

Each reader has a prompt of 128 tokens, from the prose of chapter 1, and gets 64 new ones,
greedily. The time is that of the prompt and of the new tokens. The rows take turns, a ratio
is one within a turn, and the table has medians over the turns. Four readers are answered
one after the other (by the slow loop without a cache only the first), or sixteen together.

Beside the time of a token stands the least that the machine would need for it: the bytes
of all weights, once a call, at the speed of a copy, and the products with all matrices at
the speed of a large product with numbers of the same kind. Attention itself, the cache and
small operations are not in it. Below the table stand these speeds, and the bits per byte
of the prompts, which say what fewer bits cost.
"""

import copy
import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import NamedTuple

import torch

import d2lmini
from experiments import results
from tools import ROOT
from tools.book import pages

PROMPT, NEW = 128, 64  # tokens
READERS, ALONE = 16, 4  # together; one after the other
COLUMNS = (
    "",
    "tokens a second",
    "times the first",
    "ms a token",
    "to read weights",
    "to multiply",
    f"first tokens as in float32, of {NEW}",
)


class Row(NamedTuple):
    """A kind of numbers, a function of model, tokens (b, n) and how many new ones, which
    gives all tokens, and whether all readers are answered together.
    """

    kind: str
    answer: Callable
    together: bool = False


def tables(threads=2, repeats=3):
    """The table of speeds."""
    torch.set_num_threads(threads)
    origin = results.origin()
    model, tokenizer = d2lmini.load_smollm2()
    speeds = machine()
    tokens = prompts(tokenizer)
    num_bytes = len(tokenizer.decode(tokens.flatten().tolist()).encode())
    bits_per_byte = bits(model, tokens, num_bytes)
    text = page(measure(model, tokens, repeats), speeds, bits_per_byte)
    yield "serving", text, origin


# --- the rows ------------------------------------------------------------------------


@torch.no_grad()
def without_cache(model, tokens, num_new):
    for _ in range(num_new):
        new = model(tokens)[:, -1:].argmax(dim=-1)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens


@torch.no_grad()
def all_logits(model, tokens, num_new):
    new, caches = tokens, model.make_caches()
    for _ in range(num_new):
        new = model(new, caches)[:, -1:].argmax(dim=-1)
        tokens = torch.cat((tokens, new), dim=1)
    return tokens


def last_logits(model, tokens, num_new):
    return d2lmini.generate(model, tokens, num_new, temperature=0)


def looked_up(model, tokens, num_new):
    options = {"temperature": 0}
    draft = d2lmini.prompt_lookup
    return d2lmini.speculative_generate(model, draft, tokens, num_new, **options)[0]


ROWS = {
    "float32, without a cache": Row("float32", without_cache),
    "with a cache": Row("float32", all_logits),
    "logits of the last token alone": Row("float32", last_logits),
    "bfloat16": Row("bfloat16", last_logits),
    "8 bits": Row("8 bits", last_logits),
    "8 bits, prompt lookup": Row("8 bits", looked_up),
    f"{READERS} readers together, float32": Row("float32", last_logits, True),
    f"{READERS} readers together, bfloat16": Row("bfloat16", last_logits, True),
    f"{READERS} readers together, 8 bits": Row("8 bits", last_logits, True),
}


def kinds(model):
    """The same model with three kinds of numbers."""
    half = copy.deepcopy(model).to(torch.bfloat16)
    return {"float32": model, "bfloat16": half, "8 bits": d2lmini.quantize(model)}


def prompts(tokenizer):
    """The first tokens of chapter 1's prose, a prompt in each row."""
    notebook = pages.read(ROOT / "notebooks" / "01_queries_keys_values.ipynb")
    tokens = tokenizer.encode(pages.prose(notebook)).ids[: READERS * PROMPT]
    return torch.tensor(tokens).view(READERS, PROMPT)


# --- measuring -----------------------------------------------------------------------


class Work:
    """What calls of a model multiply and read, noted while it is open."""

    def __init__(self, model):
        parts = [*model.parameters(), *model.buffers()]
        stored = {W.data_ptr(): W.nbytes for W in parts}
        rotary = model.blks[0].rotary
        tables = 0 if rotary is None else rotary.cos.nbytes + rotary.sin.nbytes
        self.bytes_a_call = sum(stored.values()) - tables
        self.output = sizes(model.output)
        self.blocks = sum(map(sizes, model.blks.modules()))
        self.model, self.calls, self.operations = model, 0, 0

    def note(self, model, inputs, options):
        b, n = inputs[0].shape
        with_logits = b if options.get("last_only") else b * n
        self.calls += 1
        self.operations += 2 * (b * n * self.blocks + with_logits * self.output)

    def __enter__(self):
        hook = self.model.register_forward_pre_hook
        self.handle = hook(self.note, with_kwargs=True)
        return self

    def __exit__(self, *_):
        self.handle.remove()


def sizes(layer):
    """The number of weights of a linear layer, whatever numbers it has; else 0."""
    linear = torch.nn.Linear, d2lmini.QuantizedLinear
    return layer.out_features * layer.in_features if isinstance(layer, linear) else 0


def run(row, models, tokens, num_new, alone=ALONE):
    """The new tokens (b, num_new), the seconds for each of them, and the work."""
    alone = 1 if row.answer is without_cache else alone
    batches = [tokens] if row.together else tokens[:alone].split(1)
    with Work(models[row.kind]) as work:
        start = time.perf_counter()
        answers = [row.answer(models[row.kind], batch, num_new) for batch in batches]
        seconds = time.perf_counter() - start
    answers = torch.cat(answers)[:, tokens.shape[1] :]
    return answers, seconds / answers.numel(), work


def same_beginning(answers, expected):
    """How many tokens come before the first that differs, a mean over the readers."""
    same = (answers == expected[: len(answers)]).long().cumprod(dim=1)
    return same.sum(dim=1).double().mean().item()


def measure(model, tokens, repeats):
    """A dictionary for each row: `seconds` for a token in each turn, `same` tokens, and
    the `bytes` and `operations` for a token.
    """
    models = kinds(model.eval())
    expected = last_logits(model, tokens, NEW)[:, tokens.shape[1] :]
    found = {title: {"seconds": []} for title in ROWS}
    for row in ROWS.values():  # what the first call prepares does not count
        run(row, models, tokens[:, :8], 2, 1)
    for _ in range(repeats):
        for title, row in ROWS.items():
            answers, seconds, work = run(row, models, tokens, NEW)
            found[title]["seconds"].append(seconds)
            found[title]["same"] = same_beginning(answers, expected)
            found[title]["bytes"] = work.bytes_a_call * work.calls / answers.numel()
            found[title]["operations"] = work.operations / answers.numel()
            print(f"{title}: {1 / seconds:.1f}", file=sys.stderr, flush=True)
    return found


def bits(model, tokens, num_bytes):
    """The bits per byte of the text of prompts (b, n), for each kind of numbers."""
    text, n = tokens.flatten(), tokens.shape[1]
    return {
        kind: d2lmini.bits_per_byte(each, text, num_bytes, n)
        for kind, each in kinds(model).items()
    }


def shortest(function, repeats=9):
    """The seconds of the shortest of some calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def machine():
    """Bytes a second of a copy, read and written, and operations a second of a product of
    square matrices with each kind of numbers.
    """
    size, source = 1024, torch.ones(2**26)
    target = torch.empty_like(source)
    speeds = {"copy": 2 * source.nbytes / shortest(partial(target.copy_, source))}
    X = torch.ones(size, size)
    products = {
        "float32": partial(torch.mm, X, X),
        "bfloat16": partial(torch.mm, X.bfloat16(), X.bfloat16()),
        "8 bits": partial(torch._int_mm, X.to(torch.int8), X.to(torch.int8)),
    }
    return speeds | {kind: 2 * size**3 / shortest(f) for kind, f in products.items()}


# --- the page ------------------------------------------------------------------------


def page(found, speeds, bits_per_byte):
    """The table, and below it the speeds of the machine and the bits."""
    first, lines = next(iter(found.values()))["seconds"], []
    for title, each in found.items():
        ratio = median(a / b for a, b in zip(first, each["seconds"]))
        seconds = median(each["seconds"])
        least = (
            each["bytes"] / speeds["copy"],
            each["operations"] / speeds[ROWS[title].kind],
        )
        numbers = [1 / seconds, ratio, *(1e3 * t for t in (seconds, *least)), each["same"]]
        digits = 1, 1, 1, 1, 1, 0
        lines.append([title, *(f"{x:,.{k}f}" for x, k in zip(numbers, digits))])
    products = [f"{speeds[kind] / 1e9:,.0f} ({kind})" for kind in ("float32", "bfloat16")]
    below = (
        f"A copy moves {speeds['copy'] / 1e9:.1f} GB a second. In thousand millions of "
        f"operations a second, a product of large matrices computes {', '.join(products)} "
        f"and {speeds['8 bits'] / 1e9:,.0f} (8 bits)."
    )
    values = [f"{value:.3f} ({kind})" for kind, value in bits_per_byte.items()]
    below += f" The bits per byte of the prompts are {', '.join(values)}."
    return f"{results.table(COLUMNS, lines)}\n\n{below}"
