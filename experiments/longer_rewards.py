"""Chapter 12's rejection sampling and GRPO, eight times as long, and from two starts.

The page stops after 40 steps of GRPO, or 8 rounds of rejection sampling, both with 5,120
answers. Here they go on as they are, with the same rates, to eight times as many. They
start from the model that was fine-tuned on mixed examples, as on the page, and from that
of the 150 examples with steps. The control trains this second model on its examples again,
with as many updates as rejection sampling makes of drawn answers.

This was fixed before the first run: the five seeds, the number of answers, and that each
model is tested after every 5,120 of them. No run is stopped by what it reaches. The page's
test questions choose nothing. Of each run a model is chosen by the questions from 1000 on,
which no model is trained on: the first of those with the most right answers there.
"""

import ast
import copy
import random
import statistics
from types import SimpleNamespace

import torch

import d2lmini as d2l
from experiments import chapter, results, stages
from tools.book import pages

LAST = 'results["fine_tuning"] ='
LATER = "grpo_loss", "grpo_step"  # of later cells, of which nothing else is needed
SEEDS = 5
PARTS, STEPS, ROUNDS = 8, 40, 8  # a part has as many steps or rounds as the page
ANSWERS = 128  # in a step of GRPO: eight to each of sixteen questions
SHOWN = 1, 3, 8  # parts, for which there is a number for each seed
BASE = "base model, own format"
DRAWN = [f"{part * STEPS * ANSWERS:,}" for part in range(PARTS + 1)]
COLUMNS = {
    "longer_rewards": ["answers drawn", *DRAWN],
    "longer_rewards_seeds": [
        "",
        *(f"seed {seed}" for seed in range(SEEDS)),
        "mean",
        "mean at τ = 1",
    ],
}


def tables():
    """Means over five seeds against the steps, and the numbers of the seeds."""
    runs = chapter.run_seeds(SEEDS, stages.NOTEBOOK, measure, last=LAST)
    yield "longer_rewards", means(runs)
    yield "longer_rewards_seeds", each_seed(runs)


def means(runs):
    """A row for each way, and a column for each number of answers drawn."""
    rows = [
        [name, *(percent(mean(runs, name, part)) for part in range(PARTS + 1))]
        for name in runs[0]["parts"]
    ]
    base = statistics.mean(run["base"]["test"] for run in runs)
    rows.append([BASE, percent(base), *[""] * PARTS])
    return results.table(COLUMNS["longer_rewards"], rows)


def mean(runs, name, part, column="test"):
    return statistics.mean(run["parts"][name][part][column] for run in runs)


def percent(share):
    return f"{100 * share:.0f}"


def each_seed(runs):
    """Right answers at some of these numbers, and of the models that are chosen."""
    rows = []

    def add(name, found):
        right = [run["test"] for run in found]
        drawn = statistics.mean(run["drawn"] for run in found)
        values = [*right, statistics.mean(right), drawn]
        rows.append([name, *map(percent, values)])

    add(BASE, [run["base"] for run in runs])
    for name in runs[0]["parts"]:
        for part in SHOWN:
            found = [run["parts"][name][part] for run in runs]
            add(f"{name}, {DRAWN[part]} answers", found)
        add(f"{name}, chosen", [chosen(run["parts"][name]) for run in runs])
    return results.table(COLUMNS["longer_rewards_seeds"], rows)


def chosen(parts):
    """The first of those with the most right answers to the questions set aside."""
    return max(parts, key=lambda part: part["set aside"])


def measure(names):
    """Right answers after each part of each way, and those of the base model."""
    define(names, *LATER)
    page = SimpleNamespace(**names)
    mixed = page.sft
    filtered = page.models_so_far["fine-tuned, answers with steps only"]
    ways = {
        "mixed examples, then rejection sampling": (rejection_sampling, mixed),
        "mixed examples, then GRPO": (grpo, mixed),
        "filtered examples, then rejection sampling": (rejection_sampling, filtered),
        "filtered examples, then GRPO": (grpo, filtered),
        "filtered examples, then the same again": (same_again, filtered),
    }
    own = {"template": stages.own_format, "end": "\n"}
    return {
        "base": scores(page, page.base, **own),
        "parts": {
            name: [scores(page, start), *(scores(page, m) for m in train(page, start))]
            for name, (train, start) in ways.items()
        },
    }


def define(names, *functions):
    """Define functions of the notebook, without running the cells that they stand in."""
    for cell in pages.read(stages.NOTEBOOK).cells:
        body = ast.parse(cell.source).body if cell.cell_type == "code" else []
        for node in body:
            if isinstance(node, ast.FunctionDef) and node.name in functions:
                exec(compile(ast.Module([node], []), "<chapter 12>", "exec"), names)


def scores(page, model, **options):
    """Right answers to the test questions, also drawn ones, and to those set aside."""
    aside = page.questions[1000:]
    return {
        "test": right(page, model, page.test_questions, temperature=0, **options),
        "set aside": right(page, model, aside, temperature=0, **options),
        "drawn": right(page, model, page.test_questions, seed=0, **options),
    }


def right(page, model, questions, template=None, end="<|end|>", **options):
    """The share of questions whose answer is right, in the chat template by default."""
    template = template or page.dialogue
    prompts = [template(page.ask(question)) for question in questions]
    *_, texts = d2l.sample_answers(model, page.tokenizer, prompts, 1, end, **options)
    return sum(map(page.right, questions, texts)) / len(questions)


def grpo(page, model, lr=0.0002):
    """Yield the model after each part. It is trained as on the page, and longer."""
    model, rng = copy.deepcopy(model), random.Random(page.SEED)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr, betas=(0.9, 0.95), weight_decay=0, fused=True
    )
    for step in range(PARTS * STEPS):
        asked = rng.sample(page.questions[300:1000], 16)
        page.grpo_step(model, optimizer, asked, page.right, seed=step)
        if (step + 1) % STEPS == 0:
            yield model


def rejection_sampling(page, model, num_steps=20, G=8):
    """Yield the model after each part; after all questions come the first ones again."""
    pool, size = page.questions[300:1000], STEPS * ANSWERS // (ROUNDS * G)
    for i in range(PARTS * ROUNDS):
        asked = [pool[j % len(pool)] for j in range(size * i, size * (i + 1))]
        asked = [question for question in asked for _ in range(G)]
        prompts = [page.dialogue(page.ask(question)) for question in asked]
        *_, texts = d2l.sample_answers(model, page.tokenizer, prompts, 1, "<|end|>", seed=i)
        kept = [
            (question, text.removesuffix("<|end|>"))
            for question, text in zip(asked, texts)
            if page.right(question, text)
        ]
        if kept:
            model = stages.tune(page, kept, model, num_steps=num_steps)
        if (i + 1) % ROUNDS == 0:
            yield model


def same_again(page, model, num_steps=20):
    """Yield the model after each part, always trained on the examples with steps."""
    model = copy.deepcopy(model)
    for i in range(PARTS * ROUNDS):
        page.fine_tune(model, *page.filtered_data, num_steps)
        if (i + 1) % ROUNDS == 0:
            yield model
