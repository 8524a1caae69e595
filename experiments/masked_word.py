"""Whether the decoder needs the state at which it looks: possessives and their nouns.

French has `sa` or `son` according to the noun, and in chapter 4's heatmap the row of `sa`
looks at the noun. Here the state with the largest weight in the row of a possessive is
masked, in all held-out sentences that have one, and so are others near it. A phrase is
right if the possessive and its next word stand side by side as in the reference. The
second table has the translations of one sentence. The code is that of the notebook's
cells, in whose kernel `measure` runs.
"""

import itertools

import torch

import d2lmini
from experiments import chapter, results
from experiments.attention import NOTEBOOK

LAST = "def mask("  # in the last cell that is needed
POSSESSIVES = {"mon", "ma", "ton", "ta", "son", "sa"}
MASKED = {  # places from that of the largest weight on
    "nothing": [],
    "the state before it": [-1],
    "the state with the largest weight": [0],
    "the next state": [1],
    "this state and the next": [0, 1],
    "all states after it": range(1, 11),
    "this state and all after it": range(11),
}
COLUMNS = ["possessive right", "phrase right"]
SENTENCE = "my brother lost his red jacket ."
TOKENS = {
    "nothing": [],
    "*jacket*": ["jacket"],
    "the full stop": ["."],
    "*jacket* and the full stop": ["jacket", "."],
}
SEEDS = [f"seed {seed}" for seed in range(5)]
NOWHERE = -100  # so far from every place that nothing is masked


def phrase(sentence):
    """The only possessive of a sentence whose form depends on its noun, and the next word.

    None if the sentence has no such possessive, or several.
    """
    pairs = itertools.pairwise(sentence.split())
    found = [pair for pair in pairs if pair[0] in POSSESSIVES]
    return found[0] if len(found) == 1 else None


def looked_at(tokens, weights, phrases):
    """The place (b,) of the largest weight in the row of each possessive.

    That is NOWHERE if the possessive of the reference is not among the tokens.
    """
    steps = [line.index(p) if p in line else None for line, (p, _) in zip(tokens, phrases)]
    found = [
        NOWHERE if step is None else rows[step].argmax().item()
        for rows, step in zip(weights, steps)
    ]
    return torch.tensor(found)


def right(translations, phrases):
    """The fractions that have the possessive, and those that have the whole phrase."""
    lines = [line.split() for line in translations]
    kept = sum(p in line for line, (p, _) in zip(lines, phrases))
    pairs = sum(pair in itertools.pairwise(line) for line, pair in zip(lines, phrases))
    return kept / len(lines), pairs / len(lines)


def masked(model, places, names, sentences):
    """The translations while the states at these places (b, m) are masked."""
    places = places.to(next(model.parameters()).device)
    return d2lmini.translate(names["mask"](model, places), names["data"], sentences)


def tables():
    """The table of fractions, and that of one sentence."""
    yield from chapter.run(NOTEBOOK, measure, last=LAST).items()


def measure(names):
    """The tables, given the names that the notebook's cells define."""
    data, models = names["data"], names["models"]["attention"]
    train, Decoder = names["train"], names["Seq2SeqAttentionDecoder"]
    models = [*models, *(train(Decoder, seed) for seed in range(len(models), len(SEEDS)))]
    found = [(e, phrase(f)) for e, f in zip(*data.sentences(train=False)) if phrase(f)]
    sentences, phrases = zip(*found)
    fractions = {name: [] for name in MASKED}
    written, weight = {name: [] for name in TOKENS}, []
    X, *_ = data.build([SENTENCE])
    for model in models:
        tokens, weights = names["attend"](model, [*sentences])
        places = looked_at(tokens, weights, phrases)[:, None]
        offsets = torch.arange(weights.shape[2]) - places  # (b, m)
        for name, chosen in MASKED.items():
            at = torch.isin(offsets, torch.tensor([*chosen]))
            translations = masked(model, at, names, [*sentences])
            fractions[name].append(right(translations, phrases))
        for name, chosen in TOKENS.items():
            at = torch.isin(X, torch.tensor(data.src_vocab[chosen]))
            written[name] += masked(model, at, names, [SENTENCE])
        (tokens,), weights = names["attend"](model, [SENTENCE])
        at = SENTENCE.split().index("jacket")
        weight.append(f"{weights[0, tokens.index('sa'), at]:.2f}" if "sa" in tokens else "")
    rows = [[name, *map(results.spread, zip(*all))] for name, all in fractions.items()]
    lines = [[name, *translations] for name, translations in written.items()]
    lines.append(["weight at *jacket* in the row of `sa`", *weight])
    return {
        "masked_word": results.table(
            [f"masked, in {len(found)} sentences", *COLUMNS], rows
        ),
        "masked_word_sentence": results.table([SENTENCE, *SEEDS], lines),
    }
