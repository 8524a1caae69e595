"""What a prompt costs in seconds: reading it, and one more token after it.

SmolLM2 in float32, one reader, one core. A time is what the processor spent on the program,
so that it does not count when other programs have the core. The prompt is the prose of
chapter 1, again and again. *To read it* is the time of one call for all tokens of the
prompt, which computes the logits of the last one alone. *One more token* is a call for the
next token, with the cache of the prompt: the median of some such calls, one after the
other. The table has the shortest of a few turns of all lengths, since others, who share the
memory, can only make a turn longer.
"""

import sys
import time
from itertools import cycle, islice
from statistics import median

import torch

import d2lmini
from experiments import results
from tools import ROOT
from tools.book import pages

LENGTHS = 125, 500, 2000, 8000  # SmolLM2 reads 8,192 tokens
NEW = 8  # tokens after each prompt
COLUMNS = (
    "tokens in the prompt",
    "seconds to read it",
    "times the shortest",
    "ms a token of it",
    "ms for one more token",
    "times that of the shortest",
    "MB of cache",
)


def tables(turns=3):
    """The table of seconds."""
    torch.set_num_threads(1)
    origin = results.origin()
    model, tokenizer = d2lmini.load_smollm2()
    yield "prompt_time", page(measure(model.eval(), text(tokenizer), turns)), origin


def text(tokenizer):
    """The tokens (n,) of the longest prompt."""
    notebook = pages.read(ROOT / "notebooks" / "01_queries_keys_values.ipynb")
    tokens = tokenizer.encode(pages.prose(notebook)).ids
    return torch.tensor([*islice(cycle(tokens), max(LENGTHS))])


def measure(model, tokens, turns, lengths=LENGTHS):
    """For each length the seconds to read it, those of one more token, and the bytes."""
    answer(model, tokens[: lengths[0]])  # what the first call prepares does not count
    found = {n: [] for n in lengths}
    for _ in range(turns):
        for n in lengths:
            found[n].append(answer(model, tokens[:n]))
            print(n, *found[n][-1], file=sys.stderr, flush=True)
    return {n: [min(each) for each in zip(*turns)] for n, turns in found.items()}


def answer(model, prompt):
    """The seconds to read a prompt (n,), those of one more token, and the cache's bytes."""
    caches = model.make_caches()
    new, first = call(model, prompt, caches)
    num_bytes, steps = sum(cache.nbytes for cache in caches), []
    for _ in range(NEW):
        new, seconds = call(model, new, caches)
        steps.append(seconds)
    return first, median(steps), num_bytes


@torch.no_grad()
def call(model, tokens, caches):
    """The next token (1,) after tokens (n,), greedily, and the seconds of the call."""
    start = time.process_time()
    logits = model(tokens[None], caches, last_only=True)
    new = logits[0, -1:].argmax(dim=-1)
    return new, time.process_time() - start


def page(found):
    """The table: a row for each length."""
    first, rows = next(iter(found.values())), []
    for n, (prefill, step, num_bytes) in found.items():
        numbers = (
            f"{prefill:.1f}",
            f"{prefill / first[0]:.0f}",
            f"{1e3 * prefill / n:.1f}",
            f"{1e3 * step:.0f}",
            f"{step / first[1]:.1f}",
            f"{num_bytes / 1e6:.0f}",
        )
        rows.append([f"{n:,}", *numbers])
    return results.table(COLUMNS, rows)
