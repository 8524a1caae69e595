"""What pretraining is worth in chapter 10: sentences, verbs, labels, and tasks.

The tables say how well language models write, beside models that count; how the loss falls
with the width; how often each masked model prefers the right form of a hidden verb; how
many labels do without pretraining what few do with it, and what parts of the model do; and
how often SmolLM2 solves a task that its prompt shows. The code is that of the notebook's
cells, in whose kernel `measure` runs. ONLY is the name of one table, and ROW that of one
row of the table of labels.

A pretrained network has had 700 updates before the 300 with labels. So one network from
scratch gets 1,000 with labels, and besides the two rates of all others a third, 0.01, which
can only be to its favour. Fixed before the first run: pretraining is worth fewer labels
than the 300 updates alone say if with 1,000 the network from scratch comes, with a smaller
number of labels than before, to what the pretrained one has with 200; and it is worth
nothing but updates if 200 are enough.
"""

import math
import random
import statistics
from functools import cache, partial
from itertools import combinations, pairwise
from types import SimpleNamespace

import torch
from torch import nn

from experiments import chapter, counting, results
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "10_pretraining.ipynb"
LAST = "def right_or_wrong("  # in the last cell that is needed
SEEDS = 0, 1, 2
RUNS_OF = 2, 3, 4, 5
WIDTHS = 12, 16, 24, 32, 48, 64
NUMBERS = 50, 100, 200, 400, 800, 1600, 3200
FEW = 200, 400, 800, 1600  # for parts of the model
PARTS = "embeddings", "blocks", "shuffled"
UPDATES, AS_MANY = 300, 1000  # with labels, and with those of pretraining
RATES, MORE_RATES = (0.002, 0.005), (0.002, 0.005, 0.01)
COLUMNS = {
    "language_model": ["perplexity", "new sentences", "right ends of new questions"],
    "widths": ["parameters", "held-out loss"],
    "agreement": ["easy", "hard"],
    "many_labels": [f"{number:,} labels" for number in NUMBERS],
    "few_shot": ["task described", "four examples", "their answers exchanged"],
}
TASKS = {
    "the opposite": (
        "Write the opposite of the word.",
        "hot cold, big small, up down, early late, open close, happy sad, fast slow, "
        "rich poor, wet dry, old young, light dark, full empty, strong weak, "
        "north south, day night, black white",
    ),
    "the plural": (
        "Write the plural of the word.",
        "cat cats, box boxes, child children, city cities, mouse mice, house houses, "
        "man men, dog dogs, foot feet, bus buses, baby babies, tree trees, "
        "woman women, knife knives, tooth teeth, day days",
    ),
    "three words in reverse": (
        "Write the words in reverse order.",
        "a b c, one two three, red green blue, cat dog bird, sun moon star, x y z, "
        "he she it, bread milk tea, king queen prince, p q r, day week month, "
        "north east south, up left down, book pen desk, fire water air, eye ear nose",
    ),
}


spread = partial(results.spread, ends=True)


def counting_perplexity(n, page):
    """The held-out perplexity of an n-gram model with the smoothing of Kneser and Ney."""

    def runs(rows):
        return [
            [page.bos] * (n - 1) + [t for t in row if t not in (page.pad, page.bos)]
            for row in rows.tolist()
        ]

    ids = [token for row in runs(page.X["train"]) for token in row]
    prob = counting.kneser_ney(ids, n, len(page.vocab), discount=0.75)
    logs = [
        math.log(prob(tuple(row[i - n : i])))
        for row in runs(page.X["val"])
        for i in range(n, len(row) + 1)
    ]
    return math.exp(-statistics.mean(logs))


def language_models(page):
    rows = []
    for n in RUNS_OF:
        judged = page.judge(page.write_by_counting(n, 3000))
        rows.append([f"counting, runs of {n}", counting_perplexity(n, page), *judged])
    judged = page.judge(page.write_by_counting(2, 3000, hint=page.asks))
    rows.append(["counting pairs, told what asks", None, *judged])
    for seed in SEEDS:
        model = page.train_writer(seed)
        judged = page.judge(page.write(model, 1500, seed))
        score = page.perplexity(model, page.X["val"])
        rows.append([f"Transformer, seed {seed}", score, *judged])
    return [
        [name, f"{score:.1f}" if score else "", *(f"{share:.2f}" for share in shares)]
        for name, score, *shares in rows
    ]


def widths(page):
    """The language model in several widths, with the same text, updates and rate."""
    rows = []
    for width in WIDTHS:
        losses = []
        for seed in SEEDS:
            model = page.train_writer(seed, width)
            losses.append(math.log(page.perplexity(model, page.X["val"])))
        size = sum(weight.numel() for weight in model.parameters())
        rows.append([str(width), f"{size:,}", results.spread(losses, 3)])
    return rows


def agreement(models, page):
    """The shares of right verbs, in easy and in hard sentences, of each model."""
    rows = []
    for seed, model in enumerate(models):
        right = page.prefers(model).float()
        shares = right[~page.hard].mean(), right[page.hard].mean()
        rows.append([f"masked model, seed {seed}", *(f"{share:.3f}" for share in shares)])
    return rows


def many_labels(models, names, row=None):
    """Accuracies of classifiers by the number of labels; each seed has a model of its own.

    All networks but one have as many updates, at the rate with the best mean. The last two
    rows are those of a regression. With `row`, this is the only one.
    """
    task, fine_tune = names["right_or_wrong"], names["fine_tune"]

    def tuned(start, number, updates=UPDATES, rates=RATES):
        runs = {}
        for lr in rates:
            runs[lr] = []
            for seed in SEEDS:
                names["mlm"] = models[seed]
                runs[lr].append(fine_tune(start, task, number, seed, updates, lr))
        return max(runs.values(), key=statistics.mean)

    def counted(pairs, number):
        test = task(600, 999)
        return [regression(task(number, seed), test, pairs) for seed in SEEDS]

    longer = partial(tuned, updates=AS_MANY, rates=MORE_RATES)
    runs = [(start, tuned, start, NUMBERS) for start in ("scratch", "all")]
    runs.insert(1, (f"scratch, {AS_MANY:,} updates", longer, "scratch", NUMBERS))
    runs += [(start, tuned, start, FEW) for start in PARTS]
    for kind in neighbours, all_pairs:
        name = kind.__name__.replace("_", " ")
        runs.append((f"regression on {name}", counted, kind, NUMBERS[2:]))
    rows = []
    for name, accuracies, what, numbers in runs:
        if row not in (None, name):
            continue
        found = {n: accuracies(what, n) for n in numbers}
        rows.append([name, *(spread(found[n]) if n in found else "" for n in NUMBERS)])
    return rows


def neighbours(row):
    return pairwise(row)


def all_pairs(row):
    return combinations(row, 2)


def regression(training, test, pairs):
    """The accuracy of a logistic regression on which pairs of words a sentence has."""
    (X, y), (X_test, y_test) = training, test
    column = {}
    for row in X.tolist():
        for pair in pairs(row):
            column.setdefault(pair, len(column))

    def features(X):
        Z = torch.zeros(len(X), len(column))
        for i, row in enumerate(X.tolist()):
            Z[i, [column[pair] for pair in pairs(row) if pair in column]] = 1
        return Z

    w = nn.Parameter(torch.zeros(len(column)))
    optimizer = torch.optim.LBFGS([w], max_iter=100, line_search_fn="strong_wolfe")
    Z = features(X)

    def closure():
        optimizer.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(Z @ w, y.float())
        loss = loss + 0.001 * w.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return ((features(X_test) @ w > 0) == y_test).float().mean().item()


def pairs_of(task):
    """The questions of a task with their answers."""
    questions = [question.strip() for question in TASKS[task][1].split(",")]
    if task == "three words in reverse":
        return [(words, " ".join(reversed(words.split()))) for words in questions]
    return [tuple(question.split()) for question in questions]


def few_shot(ask):
    """How often SmolLM2 solves tasks, from three draws of the four examples."""
    rows = []
    for name, (description, _) in TASKS.items():
        pairs = pairs_of(name)
        shares = {"described": [], "examples": [], "exchanged": []}
        for seed in SEEDS:
            drawn = random.Random(seed).sample(pairs, len(pairs))
            shots, asked = drawn[:4], drawn[4:]
            answers = [answer for _, answer in shots]
            prompts = {
                "described": [description],
                "examples": [f"{x} -> {y}" for x, y in shots],
                "exchanged": [
                    f"{x} -> {y}" for (x, _), y in zip(shots, answers[1:] + answers[:1])
                ],
            }
            for kind, lines in prompts.items():
                right = [ask(lines, x).lower().rstrip(".") == y for x, y in asked]
                shares[kind].append(statistics.mean(right))
        rows.append([name, *map(spread, shares.values())])
    return rows


def tables(only=None, row=None):
    """The tables, or one of them, or of that of labels one row."""
    wanted = {only: COLUMNS[only]} if only else COLUMNS
    found = chapter.run(NOTEBOOK, measure, [*wanted], row, last=LAST)
    for name, columns in wanted.items():
        yield name, results.table(["", *columns], found[name])


def measure(names, wanted, row=None):
    """The rows of the wanted tables, given the names that the notebook's cells define."""
    page = SimpleNamespace(**names)

    @cache
    def masked_models():
        """The page's masked model, and those of the other seeds."""
        return [page.mlm, *(page.train_masked(seed) for seed in SEEDS[1:])]

    rows = {
        "many_labels": lambda: many_labels(masked_models(), names, row),
        "language_model": lambda: language_models(page),
        "widths": lambda: widths(page),
        "agreement": lambda: agreement(masked_models(), page),
        "few_shot": lambda: few_shot(page.ask),
    }
    return {name: make() for name, make in rows.items() if name in wanted}
