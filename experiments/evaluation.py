"""What SmolLM2 answers to eighty questions, and what it brings to have read them.

The questions are those of d2lmini/data/items.tsv, and what the notebook on evaluation
defines is used. The *answers* of SmolLM2 in several ways are a file of d2lmini/data, from
which this notebook computes its scores. The tables have the verdicts of SmolLM2 as a
*judge* in three prompts, and, for *contamination*, the losses and scores of small models
whose text contained items, of several seeds. ONLY names one of these three.
"""

import copy
import json
from types import SimpleNamespace

import torch

import d2lmini as d2l
from experiments import chapter, results
from tools import ROOT

NOTEBOOK = ROOT / "notebooks" / "further" / "12_evaluation.ipynb"
FILE = ROOT / "d2lmini" / "data" / "evaluation.json"
LAST = "def next_log_probs("  # for the answers
LAST_OF_ALL = "def exposure("
SEEDS = 4  # so that each item is once in each group
COLUMNS = ["loss", "loss, reworded", "right", "right, reworded", "right, no question"]
DIGITS = {"loss": 2, "loss, reworded": 2}  # all other columns are shares
PAIRS = ["right, never", "right, once", "only never", "only once", "p"]
JUDGE = ["first, the right one", "first, the wrong one", "right in both orders"]
BITS = 3  # of the rounded model
NEW_TOKENS = 24  # of a free answer
EXAMPLES = [  # of questions with letters, none of them an item
    ("What do cows give us to drink?", "juice", "tea", "milk", "cola", "C"),
    ("What is the capital of Spain?", "Madrid", "Lisbon", "Seville", "Lima", "A"),
    ("What is five minus two?", "one", "seven", "four", "three", "D"),
    ("What do you do with a bed?", "eat it", "sleep in it", "read it", "fly it", "B"),
]


def tables(only=None):
    """The file of answers, and the tables of the judge and of contamination."""
    if only not in (None, "answers", "judge", "contamination"):
        raise ValueError(f"ONLY is answers, judge or contamination, not {only}")
    if only in (None, "answers"):
        origin = {"origin": results.origin().strip("*")}
        found = chapter.run(NOTEBOOK, answers, last=LAST)
        yield FILE, json.dumps(origin | found, ensure_ascii=False)
    if only in (None, "judge"):
        rows = chapter.run(NOTEBOOK, judge, last=LAST)
        yield "judge", results.table(["", *JUDGE], rows)
    if only in (None, "contamination"):
        pairs, runs = chapter.run(NOTEBOOK, contamination, last=LAST_OF_ALL)
        yield "contamination_pairs", results.table(PAIRS, [pairs])
        yield "contamination", results.side_by_side(runs, COLUMNS, DIGITS)


def answers(names):
    """What the file holds, given the notebook's names."""
    page = SimpleNamespace(**names)
    rows = [list(row) for row in page.items[[*page.LETTERS]].to_numpy()]
    found = {"choices": choices(page, rows)}
    found["letters"] = {
        f"rotated by {i}": letters(page, [row[i:] + row[:i] for row in rows])
        for i in range(4)
    }
    shown = "\n\n".join(
        page.plain(page.lettered(question, row)) + f" {key}"
        for question, *row, key in EXAMPLES
    )
    found["letters"]["four examples"] = letters(page, rows, f"{shown}\n\n")
    found["letters"]["chat"] = [
        rounded(page.next_log_probs(d2l.chat_prompt(text), [*page.LETTERS]))
        for text in map(page.lettered, page.items.question, rows)
    ]
    found["free"] = {
        "plain": free(page, map(page.plain, page.items.question), "Ċ"),  # a line break
        "chat": free(page, map(d2l.chat_prompt, page.items.question), page.END),
    }
    pairs = range(len(page.items))
    found["judge"] = [judged(page, i, page.judge_prompt) for i in pairs]
    return found


def rounded(numbers):
    return [round(x, 3) for x in torch.as_tensor(numbers).tolist()]


def choices(page, rows):
    """For each kind of prompt, the log-probabilities of the choices of each item.

    `alone` is without the question, and `rounded` a model with coarser weights.
    """

    def ask(prompts, space=" "):
        found = []
        for prompt, row in zip(prompts, rows):
            texts = [space + choice for choice in row]
            log_probs, _ = d2l.choice_log_probs(page.smol, page.tokenizer, prompt, texts)
            found.append(rounded(log_probs))
        return found

    plain = [page.plain(question) for question in page.items.question]
    found = {
        "plain": ask(plain),
        "paraphrase": ask(map(page.plain, page.items.paraphrase)),
        "chat": ask(map(d2l.chat_prompt, page.items.question), space=""),
        "alone": ask(["Answer:"] * len(rows)),
    }
    state = copy.deepcopy(page.smol.state_dict())
    round_weights(page.smol.blks, BITS)
    found |= {"rounded": ask(plain), "rounded, alone": ask(["Answer:"] * len(rows))}
    page.smol.load_state_dict(state)
    return found


@torch.no_grad()
def round_weights(module, bits):
    """Round each matrix to multiples of a step, as many as so many bits can tell apart.

    The step is that of a row, whose largest entry it divides.
    """
    for W in module.parameters():
        if W.ndim == 2:
            step = W.abs().amax(dim=1, keepdim=True) / (2 ** (bits - 1) - 1)
            W.copy_((W / step).round() * step)


@torch.no_grad()
def letters(page, rows, shown=""):
    """The log-probabilities of the four letters, for each item."""
    start, names = f"{shown}Question:", [f" {letter}" for letter in page.LETTERS]
    names = [page.tokenizer.encode(name).ids[0] for name in names]
    before = torch.tensor([page.tokenizer.encode(start).ids])  # is read once
    read = page.smol.make_caches()
    _ = page.smol(before, read, last_only=True)
    found = []
    for text in map(page.lettered, page.items.question, rows):
        rest = (shown + page.plain(text)).removeprefix(start)
        tokens = torch.tensor([page.tokenizer.encode(rest).ids])
        caches = [cache.select(slice(None)) for cache in read]
        logits = page.smol(tokens, caches, last_only=True)
        found.append(rounded(logits[0, -1].log_softmax(dim=-1)[names]))
    return found


def free(page, prompts, end):
    """The most probable answers, up to the token `end`; prompts of one length together."""
    prompts, found = list(prompts), {}
    lengths = [len(page.tokenizer.encode(prompt).ids) for prompt in prompts]
    options = {"temperature": 0, "max_new_tokens": NEW_TOKENS}
    for n in sorted({*lengths}):
        group = [prompt for prompt, length in zip(prompts, lengths) if length == n]
        *_, texts = d2l.sample_answers(page.smol, page.tokenizer, group, 1, end, **options)
        found |= zip(group, texts)
    return [found[prompt].split(page.END)[0].strip() for prompt in prompts]


def letters_prompt(question, first, second):
    """As the notebook's prompt for a judge, with letters for numbers."""
    pair = f"Question: {question}\n\nAnswer A: {first}\nAnswer B: {second}"
    return d2l.chat_prompt(f"{pair}\n\nWhich answer is better, A or B?") + "Answer"


def plain_prompt(question, first, second):
    """A text without turns, which the name of the right answer continues."""
    pair = f"Question: {question}\nAnswer 1: {first}\nAnswer 2: {second}"
    return f"{pair}\nThe right answer is Answer"


def judged(page, i, prompt, names=(" 1", " 2")):
    """How much likelier the first answer is called the better one, for both orders.

    The right answer stands first, and then second. The other answer is the choice that
    follows it in the item.
    """
    item = page.items.iloc[i]
    key = page.LETTERS.index(item.key)
    pair, found = [item[page.LETTERS[k % 4]] for k in (key, key + 1)], []
    for both in (pair, pair[::-1]):
        first, second = page.next_log_probs(prompt(item.question, *both), [*names])
        found.append(first - second)
    return rounded(found)


def judge(names):
    """Rows: in three prompts, how often the judge names the first, or the right one."""
    page, rows = SimpleNamespace(**names), []
    for name, *prompt in [
        ("chat, numbers", page.judge_prompt),
        ("chat, letters", letters_prompt, (" A", " B")),
        ("no chat, numbers", plain_prompt),
    ]:
        verdicts = [judged(page, i, *prompt) for i in range(len(page.items))]
        right_first, wrong_first = (torch.tensor(verdicts) > 0).T
        counts = right_first, wrong_first, right_first & ~wrong_first
        rows.append([name, *(str(x.sum().item()) for x in counts)])
    return rows


def contamination(names):
    """The row of pairs, and for each seed the losses and scores of each group.

    In the pairs, each item without a copy in the text is compared with itself with one.
    """
    runs = [names["exposure"](seed) for seed in range(SEEDS)]
    found = {group: torch.zeros(len(names["items"])) for group in ("never", "once")}
    for group, right in found.items():
        for run in runs:  # an item is in each group with one of the seeds
            right[run[group]["item"]] = run[group]["right"].float()
    never, once = (right.bool() for right in found.values())
    only = (never & ~once).sum().item(), (once & ~never).sum().item()
    numbers = never.sum().item(), once.sum().item(), *only
    pairs = [*map(str, numbers), f"{d2l.mcnemar(*only):.3f}"]
    return pairs, [
        {
            group: {name: x.float().mean().item() for name, x in columns.items()}
            for group, columns in run.items()
        }
        for run in runs
    ]
