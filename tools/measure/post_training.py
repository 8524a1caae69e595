"""Run chapter 12 with several seeds: what each stage of post-training brings.

    make post_training [SEEDS=5] [WRITE=1]

The notebook runs as it is, and then with other values of SEED, which its cell tagged
`parameters` defines. Its `results` hold the tables by name. The controls that the page has
no time for come in addition, made in the notebook's kernel from what its cells define. The
rates and the numbers of steps were chosen with the seeds 0 to 2, so the later seeds, whose
text and test questions are others, are a test of these choices. With WRITE=1, the tables
go to book/_generated.
"""

import argparse
import copy
import random
import sys
from types import SimpleNamespace

import torch

import d2lmini as d2l
from tools import ROOT
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "12_post_training.ipynb"
TABLES = {
    "post_training": ["right", "with steps", "bits per byte"],
    "rewards": ["right", "with steps"],
    "price": ["in order", "KL", "with steps"],
}
DIGITS = {"KL": 1, "bits per byte": 2}  # all other columns are shares
PRICES = 0.1, 1, 10
DRAWN = 1600  # questions, with 8 answers each, as many as 100 steps of GRPO draw


def measure(names):
    """The rows of each table, by the names of the models, given the notebook's names."""
    page = SimpleNamespace(**names)
    found = page.results
    stages = found["fine_tuning"] | fine_tuning(page)
    stages["LoRA, rank 1"] = found["lora"]["LoRA, rank 1"]
    stages |= {f"LoRA, rank {rank}": lora(page, rank) for rank in (2, 8)}
    for name in ("with steps", "at once"):
        stages[f"DPO, answers {name} preferred"] = found["preferences"][name]
    preferred = "fine-tuned on answers with steps"
    stages[f"{preferred}, drawn"] = found["preferences"][preferred]
    rewarded = {"GRPO, the reward of the page": found["reward"]}
    rewarded["GRPO with the wrong reward"] = found["wrong_reward"]["after"]
    return {
        "post_training": stages,
        "rewards": rewarded | rewards(page),
        "price": {f"β = {beta}": price(page, beta) for beta in PRICES},
    }


def encode(page, pairs):
    """Tokens and mask of pairs (question, answer)."""
    prompts = [page.dialogue(page.ask(question)) for question, _ in pairs]
    answers = [answer for _, answer in pairs]
    return d2l.encode_answers(page.tokenizer, prompts, answers, "<|end|>")


def tune(page, pairs, model=None, **options):
    """A copy of the model, by default the one with new embeddings, trained on pairs."""
    model = copy.deepcopy(page.start if model is None else model)
    return page.fine_tune(model, *encode(page, pairs), **options)


def fine_tuning(page):
    """Other ways of fine-tuning than the page's, with the same hundred questions."""
    tokens, mask = page.sft_data
    whole = mask.flip(1).cumsum(1).flip(1) > 0  # the questions, too
    longer = page.fine_tune(copy.deepcopy(page.start), tokens, mask, num_steps=600)
    models = {
        "steps in all hundred": tune(page, [(q, page.solve(q)) for q in page.examples]),
        "no steps at all": short_answers(page),
        "loss on questions, too": page.fine_tune(copy.deepcopy(page.start), tokens, whole),
        "three times as long": longer,
        "the template's three vectors alone": template_alone(page, page.sft_data),
        "these alone, answers with steps only": template_alone(page, page.filtered_data),
    }
    return {f"fine-tuned, {name}": page.report(m) for name, m in models.items()}


def template_alone(page, data):
    """The model with new embeddings, of which only these are trained."""
    model = copy.deepcopy(page.start).requires_grad_(False)
    weight = model.embedding.weight.requires_grad_(True)
    before, rows = weight.detach().clone(), len(page.SPECIAL)
    weight.register_hook(lambda grad: grad.index_fill(0, torch.arange(rows, len(grad)), 0))
    page.fine_tune(model, *data, lr=0.01)
    with torch.no_grad():
        weight[rows:] = before[rows:]  # undoes the weight decay
    return model


def short_answers(page):
    return tune(page, [(q, str(sum(q))) for q in page.examples])


def lora(page, rank):
    """The row of LoRA with another rank, trained as the page does with rank 1."""
    _ = torch.manual_seed(page.SEED)
    model = d2l.add_lora(copy.deepcopy(page.start), rank, page.matrices)
    return page.report(page.fine_tune(model, *page.sft_data, lr=0.01))


def rejection_sampling(page, model, rounds, num_steps):
    """Draw answers, keep the right ones, train on these, and begin again.

    All rounds together draw as many answers as GRPO, to as many questions.
    """
    for i in range(rounds):
        chosen = page.questions[100 + DRAWN * i // rounds :][: DRAWN // rounds]
        prompts = [page.dialogue(page.ask(q)) for q in chosen]
        *_, texts = d2l.sample_answers(model, page.tokenizer, prompts, 8, "<|end|>", seed=i)
        kept = [
            (question, text.removesuffix("<|end|>"))
            for question, text in zip((q for q in chosen for _ in range(8)), texts)
            if page.right(question, text)
        ]
        if kept:
            model = tune(page, kept, model, num_steps=num_steps)
    return model


def rewards(page):
    """Other rewards than the page's, and methods that draw as many answers as GRPO.

    They start from the fine-tuned model, from the one that has only new embeddings, and
    from one whose examples have no steps.
    """
    rng = random.Random(page.SEED)
    others = {
        "an equals sign": lambda _, text: float("=" in text),
        "random": lambda *_: float(rng.random() < 0.5),
    }
    runs = {name: page.grpo(page.sft, reward)[1] for name, reward in others.items()}
    rows = {f"GRPO, reward: {name}": history[-1] for name, history in runs.items()}
    _, _, after_40, *_ = runs["random"]  # it has every 20th step
    rows["GRPO, reward: random, after 40 steps"] = after_40
    starts = {
        "": page.sft,
        "no examples: ": page.start,
        "examples without steps: ": short_answers(page),
    }
    for name, model in starts.items():
        if name:
            rows[f"{name}before"] = page.report(model)
            rows[f"{name}GRPO"] = page.report(page.grpo(model, page.right)[0])
        for rounds, num_steps in ((1, 400), (10, 40), (20, 20)):
            sampled = rejection_sampling(page, model, rounds, num_steps)
            title = f"{name}rejection sampling, rounds: {rounds}"
            rows[title] = page.report(sampled)
    return rows


@torch.no_grad()
def drift(page, model):
    """The divergence from the fine-tuned model in nats, a mean over drawn answers."""
    prompts = [page.dialogue(page.ask(q)) for q in page.test_questions]
    tokens, mask, _ = d2l.sample_answers(
        model, page.tokenizer, prompts, 1, "<|end|>", seed=0
    )
    new, old = (d2l.answer_log_probs(m, tokens, mask) for m in (model, page.sft))
    return (new - old).sum(dim=1).mean().item()


def price(page, beta):
    """DPO for steps with one value of its price: pairs in order, divergence, steps."""
    model = page.dpo(copy.deepcopy(page.sft), *page.pairs["with steps"], beta=beta)
    pairs = page.make_pairs(page.sft, page.test_questions, page.rules["with steps"])
    with torch.no_grad():
        margins = d2l.dpo_margin(model, page.sft, *pairs, beta)
    return {
        "in order": (margins > 0).float().mean().item(),
        "KL": drift(page, model),
        "with steps": page.report(model, greedy=False)["with steps"],
    }


def table(runs, columns):
    """Markdown: for each model what its columns have, one number for each seed.

    Shares are in percent. A model that has not been measured in a column is left out there.
    """

    def cell(name, column):
        found = [run[name][column] for run in runs if column in run[name]]
        if column in DIGITS:
            return " / ".join(f"{value:.{DIGITS[column]}f}" for value in found)
        return " / ".join(f"{100 * value:.0f}" for value in found)

    rows = [[name, *(cell(name, column) for column in columns)] for name in runs[0]]
    return results.head(["", *columns]) + "\n" + results.lines(*rows)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="how many")
    parser.add_argument("--write", action="store_true", help="to the page of results")
    options = parser.parse_args(argv)
    origin = results.origin()
    here = f"importlib.import_module({__spec__.name!r}).measure(globals())"
    runs = []
    for seed in range(options.seeds):
        runs.append(chapter.run(NOTEBOOK, here, seed))
        print(f"seed {seed}:", runs[-1], file=sys.stderr, flush=True)
    for name, columns in TABLES.items():
        text = table([found[name] for found in runs], columns)
        print(text)
        if options.write:
            results.write(name, text, origin)


if __name__ == "__main__":
    sys.exit(main())
