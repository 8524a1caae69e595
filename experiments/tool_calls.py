"""How well SmolLM2 calls tools after chapter 12's training, and without some examples.

The notebook runs up to its own training, once for each seed, which draws the examples and
the low-rank parts. The others follow in its kernel: the same number of steps, of equally
many examples each. The test has more requests than on the page.
"""

import json
from types import SimpleNamespace

import torch
from torch import nn

import d2lmini as d2l
from experiments import chapter, results, stages

LAST = 'results["tool_calls"] ='
COLUMNS = "right calls", "answers with the result", "calls on ordinary questions"
TESTED = 32  # requests, and as many results
IN_PROMPT = 4  # conversations with a call, and as many ordinary questions


def tables(seeds=3):
    """The table of right calls and answers."""
    runs = chapter.run_seeds(seeds, stages.NOTEBOOK, measure, last=LAST)
    yield "tool_calls", results.side_by_side(runs, COLUMNS)


def measure(names):
    """The rows of the table, given what the notebook defines."""
    page = SimpleNamespace(**names)
    test = page.make_test(TESTED)
    calls, ordinary = page.call_examples, page.ordinary_examples
    answers, follow_ups = page.result_examples, page.follow_ups
    rows = {"LoRA, as on the page": page.tool_scores(*test)}
    for name, groups in {
        "LoRA, no ordinary questions": [(calls, 4), (answers + follow_ups, 2)],
        "LoRA, no results": [(calls + ordinary, 4), (follow_ups, 2)],
    }.items():
        reset(page)
        page.teach(*groups)
        rows[name] = page.tool_scores(*test)
    reset(page)
    rows = {"not trained": page.tool_scores(*test)} | rows
    examples = [
        message
        for pairs in zip(answers, ordinary)
        for before, answer in pairs
        for message in [*before, page.say("assistant", answer)]
    ]
    for name, messages in {
        "not trained, tools described in the prompt": [described()],
        "not trained, examples in the prompt": examples[: 6 * IN_PROMPT],
    }.items():
        rows[name] = in_prompt(page, messages, test)
    return rows


def reset(page):
    """Begin anew: random first factors, and second factors that are zero."""
    _ = torch.manual_seed(page.SEED)
    for layer in page.smol.modules():
        if isinstance(layer, page.LoRA):
            nn.init.normal_(layer.down, std=len(layer.down) ** -0.5)
            nn.init.zeros_(layer.up)


def described():
    """A system message that says which tools there are and how they are called."""
    forms = [
        json.dumps({"tool": "multiply", "a": 3, "b": 4}),
        json.dumps({"tool": "weather", "city": "London"}),
    ]
    return {
        "role": "system",
        "content": "\n".join(["To use a tool, answer with a call like these:", *forms]),
    }


@torch.no_grad()
def in_prompt(page, messages, test):
    """The scores of the model on tests that stand behind these messages."""
    start = d2l.chatml(messages).removesuffix(d2l.chatml([]))
    prefix = torch.tensor([page.smol_tokenizer.encode(start).ids])
    caches = page.smol.make_caches()
    _ = page.smol(prefix, caches, last_only=True)

    def found(tokens, mask):
        """The most probable tokens in the place of those in the mask."""
        repeated = [cache.select([0] * len(tokens)) for cache in caches]
        logits = page.smol(tokens[:, :-1], repeated)
        return logits[mask[:, 1:]].argmax(dim=-1)

    def exact(_, tokens, mask):
        same = torch.ones_like(mask)
        same[mask] = found(tokens, mask) == tokens[mask]
        return same.all(dim=1).float().mean().item()

    calls, answers, (_, tokens, mask) = test
    first = map(page.smol_tokenizer.id_to_token, found(tokens, mask).tolist())
    called = [token.startswith("{") for token in first]
    scores = exact(*calls), exact(*answers), sum(called) / len(called)
    return dict(zip(COLUMNS, scores))
