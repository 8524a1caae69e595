"""Run chapter 12 with several seeds: what each stage of post-training brings.

    .venv/bin/python -m tools.measure.post_training [--seeds 0 1 2] [--write]

The code is that of the notebook, with another SEED and without the chat; its bar charts
become rows. A control for the real model comes in addition: examples in its prompt instead
of training. With --write, the tables go to book/_generated.
"""

import argparse
import sys

import matplotlib
import torch

import d2lmini as d2l
from tools import ROOT
from tools.book import pages
from tools.measure import results

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
TABLES = {
    "post_training": ["right", "with steps"],
    "tool_calls": ["right calls"],
    "price": ["in order", "KL", "with steps"],
}
CHAT = "typed = iter"
USER = "<|im_start|>user"
IN_PROMPT = 8  # examples


def run(seed, cells):
    """Name -> row of each model that the notebook's cells train from this seed."""
    tables, names = [], {}
    for source in cells:
        if CHAT in source:
            continue
        exec(source.replace("SEED = 0", f"SEED = {seed}"), names)
        names["bars"] = lambda rows, columns=(): tables.append(rows)
    fine_tuning, lora, real, preferences, price, _, wrong = tables
    found = dict(fine_tuning)
    found |= {f"LoRA, {name}": row for name, row in lora.items() if "rank" in name}
    for name in ("with steps", "at once"):
        found[f"DPO, answers {name} preferred"] = preferences[name]
    found["GRPO, 100 steps"] = names["history"][-1]
    found["fine-tuned further, with the operations of GRPO"] = names["control"][-1]
    found["GRPO with the wrong reward"] = wrong["after"]
    calls = {"not trained": real["before"], "LoRA": real["after"]}
    calls[f"not trained, {IN_PROMPT} examples in the prompt"] = in_prompt(seed, names)
    return found, calls, price


def with_examples(requests, calls):
    """A function that puts a request into the template, after these with their calls."""
    turns = [turn(r) + f"{call}<|im_end|>\n" for r, call in zip(requests, calls)]
    system = d2l.chat_prompt("").removesuffix(turn(""))
    return lambda request: system + "".join(turns) + turn(request)


def turn(request):
    """A user's turn and the beginning of the answer: a prompt without what precedes."""
    return USER + d2l.chat_prompt(request).split(USER, 1)[1]


@torch.no_grad()
def in_prompt(seed, names):
    """The row of the untrained model with examples in its prompt, drawn from the seed."""
    model, tokenizer = d2l.load_smollm2()
    prompt = with_examples(*names["make_requests"](IN_PROMPT, seed))
    right = []
    for request, call in zip(names["test_requests"], names["test_calls"]):
        tokens, mask = names["encode_answers"](
            tokenizer, [prompt(request)], [call], "<|im_end|>"
        )
        found = model(tokens[:, :-1])[mask[:, 1:]].argmax(dim=-1)
        right.append(float((found == tokens[mask]).all()))
    return {"right calls": sum(right) / len(right)}


def table(runs, columns):
    """Markdown: for each model its shares in percent, one number for each seed.

    The KL divergence is no share, and is in nats.
    """
    rows = []
    for name in runs[0]:
        shares = [
            " / ".join(
                f"{found[name][column]:.1f}"
                if column == "KL"
                else f"{100 * found[name][column]:.0f}"
                for found in runs
            )
            for column in columns
        ]
        rows.append([name, *shares])
    return results.head(["", *columns]) + "\n" + results.lines(*rows)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(argv)
    matplotlib.use("Agg")
    notebook = pages.read(NOTEBOOK)
    cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    runs = zip(*(run(seed, cells) for seed in options.seeds))
    for (name, columns), found in zip(TABLES.items(), runs):
        text = table(found, columns)
        print(text)
        if options.write:
            results.write(name, text)


if __name__ == "__main__":
    sys.exit(main())
