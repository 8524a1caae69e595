"""What each stage of post-training brings to the small model of chapter 12.

The notebook runs as it is, and then with other values of SEED, which its cell tagged
`parameters` defines. Its `results` hold the tables by name. The controls that the page has
no time for come in addition, made in the notebook's kernel from what its cells define. The
rates and the numbers of steps were chosen by the test questions of the seeds 0 and 1, so
the later seeds, whose text and questions are others, are a test of these choices.
"""

import copy
import random
from types import SimpleNamespace

import torch
from torch import nn

import d2lmini as d2l
from experiments import chapter, results
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
TABLES = {
    "post_training": ["right", "with steps", "bits per byte"],
    "rewards": ["right", "with steps"],
    "samples": ["pass@1", "majority of 8", "majority of 32", "pass@8", "pass@32"],
    "price": ["right", "with steps", "in order", "KL"],
    "steps": ["right", "of those with steps", "drawn", "drawn, of those with steps"],
}
DIGITS = {"KL": 1, "bits per byte": 2}  # all other columns are shares
PREFERENCES = {  # prices, and the number and the rate of the updates
    "β = 0.1, 20 updates": {"beta": 0.1, "num_steps": 20},
    "β = 0.1, 60 updates": {"beta": 0.1, "num_steps": 60},
    "β = 0.1, 60 updates, a third of the rate": {
        "beta": 0.1,
        "num_steps": 60,
        "lr": 0.0001,
    },
    "β = 1, 60 updates": {"beta": 1, "num_steps": 60},
    "β = 10, 60 updates": {"beta": 10, "num_steps": 60},
}
TEMPERATURES = 0.7, 1
ROUND = 20  # steps of each of the eight rounds of rejection sampling


def tables(seeds=5):
    """A table for each stage."""
    runs = chapter.run_seeds(seeds, NOTEBOOK, measure)
    for name, columns in TABLES.items():
        found = [run[name] for run in runs]
        yield name, results.side_by_side(found, columns, DIGITS)


def measure(names):
    """The rows of each table, by the names of the models, given the notebook's names."""
    page = SimpleNamespace(**names)
    found = page.results
    stages = found["fine_tuning"] | fine_tuning(page)
    stages["LoRA, rank 4"] = found["lora"]["LoRA, rank 4"]
    stages |= {f"LoRA, rank {rank}": lora(page, rank) for rank in (1, 2, 8)}
    _, *preferences = found["preferences"].items()
    stages |= {f"DPO, preferred {name}": row for name, row in preferences}
    preferred = page.fine_tune(
        copy.deepcopy(page.sft), *page.pairs[0], num_steps=60, lr=0.0003
    )
    stages["fine-tuned on answers with steps, drawn"] = page.report(preferred)
    rewarded = {
        "rejection sampling, 8 rounds": found["rejection_sampling"],
        "GRPO": found["reward"],
        "GRPO with the wrong reward": found["wrong_reward"]["after"],
    }
    return {
        "post_training": stages,
        "rewards": rewarded | rewards(page),
        "samples": samples(page),
        "price": {name: price(page, options) for name, options in PREFERENCES.items()},
        "steps": steps(page, preferred),
    }


def encode(page, pairs):
    """Tokens and mask of pairs (question, answer)."""
    prompts = [page.dialogue(page.ask(question)) for question, _ in pairs]
    answers = [answer for _, answer in pairs]
    return d2l.encode_answers(page.tokenizer, prompts, answers, "<|end|>")


def tune(page, pairs, model=None, **options):
    """A copy of the model, by default the base model, trained on pairs."""
    model = copy.deepcopy(page.base if model is None else model)
    return page.fine_tune(model, *encode(page, pairs), **options)


def fine_tuning(page):
    """Other ways of fine-tuning than the page's, with the same questions."""
    tokens, mask = page.sft_data
    whole = mask.flip(1).cumsum(1).flip(1) > 0  # the questions, too
    longer = page.fine_tune(copy.deepcopy(page.base), tokens, mask, num_steps=1200)
    models = {
        "steps in all answers": tune(page, [(q, page.solve(q)) for q in page.examples]),
        "no steps at all": short_answers(page),
        "loss on questions, too": page.fine_tune(copy.deepcopy(page.base), tokens, whole),
        "three times as long": longer,
    }
    return {f"fine-tuned, {name}": page.report(m) for name, m in models.items()}


def short_answers(page):
    return tune(page, [(q, str(sum(q))) for q in page.examples])


def lora(page, rank):
    """The row of LoRA with another rank, trained as the page does with rank 4."""
    _ = torch.manual_seed(page.SEED)
    model = d2l.add_lora(copy.deepcopy(page.base), rank, page.matrices)
    return page.report(page.fine_tune(model, *page.sft_data, lr=0.02))


def published(log_probs, old, mask, advantages, reference, beta=0.04, clip=0.2):
    """The loss of GRPO as Shao et al. (2024) published it.

    It is a mean over the tokens of an answer and then over answers, with one bound and
    with a price for the divergence from the reference.
    """
    ratio = (log_probs - old).exp()
    gain = torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages)
    change = reference - log_probs
    gain = gain - beta * (change.exp() - change - 1)
    return -((gain * mask).sum(dim=1) / mask.sum(dim=1)).mean()


def published_grpo(page, model, num_steps=40, lr=0.0002, G=8):
    """A copy of the model, trained as the page does, but with the published loss.

    Its advantages are divided by the standard deviation of their group.
    """
    model, reference = copy.deepcopy(model), model
    optimizer = torch.optim.AdamW(
        model.parameters(), lr, betas=(0.9, 0.95), weight_decay=0, fused=True
    )
    rng = random.Random(page.SEED)
    for step in range(num_steps):
        chosen = rng.sample(page.questions[300:1000], 16)
        prompts = [page.dialogue(page.ask(q)) for q in chosen]
        tokens, mask, texts = d2l.sample_answers(
            model, page.tokenizer, prompts, G, "<|end|>", seed=step
        )
        found = [page.right(chosen[i // G], text) for i, text in enumerate(texts)]
        R = torch.tensor(found).view(-1, G)
        std = R.std(dim=1, keepdim=True) + 1e-4
        advantages = ((R - R.mean(dim=1, keepdim=True)) / std).view(-1, 1)
        with torch.no_grad():
            old, ref = (d2l.answer_log_probs(m, tokens, mask) for m in (model, reference))
        for _ in range(2):
            now = d2l.answer_log_probs(model, tokens, mask)
            optimizer.zero_grad()
            published(now, old, mask[:, 1:], advantages, ref).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1)
            optimizer.step()
    return model


def rewards(page):
    """Other losses and rewards than the page's, and other starts than its model.

    They start from the fine-tuned model, from the base model, and from one whose examples
    have no steps. All draw as many answers as on the page.
    """
    rng = random.Random(page.SEED)

    def equals(_, text):
        return float("=" in text)

    def at_random(*_):
        return float(rng.random() < 0.5)

    one_round, _ = page.rejection_sampling(
        page.sft, page.right, rounds=1, num_steps=8 * ROUND
    )
    rows = {
        "GRPO as published": page.report(published_grpo(page, page.sft)),
        "GRPO, reward: an equals sign": page.grpo(page.sft, equals)[1][-1],
        "GRPO, reward: random": page.grpo(page.sft, at_random)[1][-1],
        "rejection sampling, 1 round": page.report(one_round),
    }
    starts = {"no examples": page.base, "examples without steps": short_answers(page)}
    for name, model in starts.items():
        rows[f"{name}: before"] = page.report(model)
        for method in (page.rejection_sampling, page.grpo):
            title = "GRPO" if method is page.grpo else "rejection sampling, 8 rounds"
            rows[f"{name}: {title}"] = method(model, page.right)[1][-1]
    return rows


def samples(page):
    """pass@k and right majorities of the test questions, by model and temperature."""
    models = {
        "fine-tuned": page.sft,
        "fine-tuned, answers with steps only": page.models_so_far[
            "fine-tuned, answers with steps only"
        ],
        "rejection sampling": page.sampled,
        "GRPO": page.rewarded,
    }
    rows = {}
    for temperature in TEMPERATURES:
        for name, model in models.items():
            rows[f"{name}, τ = {temperature}"] = curves(page, model, temperature)
        own = {"template": own_format, "end": "\n"}
        title = f"base model, own format, τ = {temperature}"
        rows[title] = curves(page, page.base, temperature, **own)
    return rows


def own_format(question):
    """A question of the chat as the base model's text has it."""
    return "\n" + question.replace(" ", "+") + "=?"


def curves(page, model, temperature, **options):
    """The row of a model; a hundred questions at a time, to save memory."""
    parts = []
    for i in range(0, len(page.test_questions), 100):
        chosen = page.test_questions[i : i + 100]
        parts.append(page.sample_curves(model, chosen, temperature, **options))
    passed, voted = torch.tensor(parts).mean(dim=0).tolist()
    passed, voted = (dict(zip(page.K, row)) for row in (passed, voted))
    return {
        "pass@1": passed[1],
        "majority of 8": voted[8],
        "majority of 32": voted[32],
        "pass@8": passed[8],
        "pass@32": passed[32],
    }


@torch.no_grad()
def drift(page, model):
    """The divergence from the fine-tuned model in nats, a mean over drawn answers."""
    prompts = [page.dialogue(page.ask(q)) for q in page.test_questions]
    tokens, mask, _ = d2l.sample_answers(
        model, page.tokenizer, prompts, 1, "<|end|>", seed=0
    )
    new, old = (d2l.answer_log_probs(m, tokens, mask) for m in (model, page.sft))
    return (new - old).sum(dim=1).mean().item()


def price(page, options):
    """DPO for steps: right answers, steps, pairs in order, and the divergence."""
    model = page.dpo(copy.deepcopy(page.sft), *page.pairs, **options)
    pairs = page.make_pairs(page.sft, page.test_questions)
    with torch.no_grad():
        margins = d2l.dpo_margin(model, page.sft, *pairs, options["beta"])
    return page.report(model) | {
        "in order": (margins > 0).float().mean().item(),
        "KL": drift(page, model),
    }


def steps(page, preferred):
    """Right answers, of all and of those with steps, the likeliest ones and drawn ones.

    In one row the fine-tuned model is given the beginning of the steps. `preferred` was
    trained on drawn answers with steps, whatever their numbers.
    """
    every = tune(page, [(q, page.solve(q)) for q in page.examples])
    given = "fine-tuned, the first number and + given"
    models = {
        "fine-tuned": page.sft,
        given: page.sft,
        "fine-tuned on answers with steps, drawn": preferred,
        "fine-tuned, answers with steps only": page.models_so_far[
            "fine-tuned, answers with steps only"
        ],
        "fine-tuned, steps in all answers": every,
        "rejection sampling, 8 rounds": page.sampled,
        "GRPO": page.rewarded,
    }
    rows = {}
    for name, model in models.items():
        likeliest = marks(page, model, name == given, temperature=0)
        drawn = marks(page, model, name == given, seed=0)
        rows[name] = {
            "right": likeliest[0],
            "of those with steps": likeliest[1],
            "drawn": drawn[0],
            "drawn, of those with steps": drawn[1],
        }
    return rows


def marks(page, model, begun, **options):
    """The share of right answers to the test questions, and among those with steps."""
    begins = [f"{q[0]}+" if begun else "" for q in page.test_questions]
    prompts = [page.dialogue(page.ask(q)) for q in page.test_questions]
    prompts = [prompt + begin for prompt, begin in zip(prompts, begins)]
    *_, texts = d2l.sample_answers(model, page.tokenizer, prompts, 1, "<|end|>", **options)
    right = [page.right(q, text) for q, text in zip(page.test_questions, texts)]
    among = [mark for mark, text in zip(right, texts) if "=" in text]
    return sum(right) / len(right), sum(among) / len(among)
