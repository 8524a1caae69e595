"""How much a text of SmolLM2 repeats itself: greedy, and with two ways of sampling."""

import statistics

import torch

import d2lmini

COLUMNS = {"repeated runs of four tokens": 2}
PROMPTS = (  # of as many tokens each, to be continued together
    "The cat slept because it",
    "The old man opened the",
    "Once upon a time there",
    "The best way to learn",
    "In the middle of the",
    "When I was a child",
    "The history of the city",
    "On the first day of",
)
WAYS = {
    "greedy": {"temperature": 0},
    "temperature 0.7": {"temperature": 0.7},
    "top-p 0.9": {"top_p": 0.9},
}


def rows(seed):
    """The mean over the prompts of the fraction of runs that have occurred before."""
    model, tokenizer = d2lmini.load_smollm2()
    tokens = torch.tensor([tokenizer.encode(prompt).ids for prompt in PROMPTS])
    end = tokenizer.token_to_id("<|im_end|>")
    for name, options in WAYS.items():
        texts = d2lmini.generate(model, tokens, 80, seed=seed, stop=end, **options)
        new = [text[tokens.shape[1] :] for text in texts.tolist()]
        yield name, (statistics.mean(repeated(until(text, end)) for text in new),)


def until(text, end):
    """The tokens before the first that ends the text."""
    return text[: text.index(end)] if end in text else text


def repeated(text, n=4):
    """The fraction of the runs of n tokens that have occurred before in the text."""
    runs = [*zip(*(text[k:] for k in range(n)))]
    return 1 - len({*runs}) / len(runs) if runs else 0
