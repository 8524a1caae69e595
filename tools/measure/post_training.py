"""Run chapter 12 with several seeds: what each stage of post-training brings.

    make post_training [SEEDS=3] [WRITE=1]

The notebook runs as it is, and then with other values of SEED, which its cell tagged
`parameters` defines. Its `results` hold the tables by name. A control for the real model
comes in addition: examples in its prompt instead of training. With WRITE=1, the tables go
to book/_generated.
"""

import argparse
import sys

import torch

import d2lmini as d2l
from tools import ROOT
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
TABLES = {
    "post_training": ["right", "with steps"],
    "tool_calls": ["right calls"],
    "price": ["in order", "KL", "with steps"],
}
USER = "<|im_start|>user"
IN_PROMPT = 8  # examples


def run(seed, path=NOTEBOOK):
    """For each of TABLES the rows of this seed, by the names of the models."""
    requests = f"(make_requests({IN_PROMPT}, SEED), (test_requests, test_calls))"
    found, (examples, test) = chapter.run(path, f"(results, {requests})", seed)
    stages = dict(found["fine_tuning"])
    stages |= {f"LoRA, {k}": row for k, row in found["lora"].items() if "rank" in k}
    for name in ("with steps", "at once"):
        stages[f"DPO, answers {name} preferred"] = found["preferences"][name]
    stages["GRPO, 100 steps"] = found["reward"]["GRPO"]
    stages["fine-tuned further, with the operations of GRPO"] = found["reward"]["examples"]
    stages["GRPO with the wrong reward"] = found["wrong_reward"]["after"]
    calls = {
        "not trained": found["tool_calls"]["before"],
        "LoRA": found["tool_calls"]["after"],
        f"not trained, {IN_PROMPT} examples in the prompt": in_prompt(examples, test),
    }
    return stages, calls, found["price"]


def with_examples(requests, calls):
    """A function that puts a request into the template, after these with their calls."""
    turns = [turn(r) + f"{call}<|im_end|>\n" for r, call in zip(requests, calls)]
    system = d2l.chat_prompt("").removesuffix(turn(""))
    return lambda request: system + "".join(turns) + turn(request)


def turn(request):
    """A user's turn and the beginning of the answer: a prompt without what precedes."""
    return USER + d2l.chat_prompt(request).split(USER, 1)[1]


@torch.no_grad()
def in_prompt(examples, test):
    """The row of the untrained model on the test, with the examples in its prompt.

    Both are pairs of two lists, the requests and their calls.
    """
    model, tokenizer = d2l.load_smollm2()
    prompt = with_examples(*examples)
    right = []
    for request, call in zip(*test):
        tokens, mask = d2l.encode_answers(
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
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args(argv)
    origin = results.origin()
    runs = zip(*map(run, range(options.seeds)))
    for (name, columns), found in zip(TABLES.items(), runs):
        text = table(found, columns)
        print(text)
        if options.write:
            results.write(name, text, origin)


if __name__ == "__main__":
    sys.exit(main())
