"""Ask SmolLM2 the eighty questions of d2lmini/data/items.tsv, and train on some of them.

    make evaluation [ONLY=answers|judge|contamination] [WRITE=1]

What the notebook on evaluation defines is used. The answers of SmolLM2 in several ways go
to d2lmini/data/evaluation.json with WRITE=1, from which this notebook computes its scores.
The verdicts of SmolLM2 as a judge in three prompts, and the losses and scores of small
models whose text contained items, of several seeds, go to the page of results.
"""

import argparse
import copy
import json
from types import SimpleNamespace

import torch

import d2lmini as d2l
from tools import ROOT
from tools.measure import chapter, results

NOTEBOOK = ROOT / "notebooks" / "further" / "12_evaluation.ipynb"
FILE = ROOT / "d2lmini" / "data" / "evaluation.json"
LAST = "def next_log_probs("  # for the answers
LAST_OF_ALL = "def exposure("
SEEDS = 4  # so that each item is once in each group
COLUMNS = ["loss", "loss, reworded", "right", "right, reworded", "right, no question"]
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


def measure(names):
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
        return [
            rounded(page.choice_log_probs(prompt, [space + choice for choice in row])[0])
            for prompt, row in zip(prompts, rows)
        ]

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
    _, caches = page.smol(before, [None] * len(page.smol.blks), last_only=True)
    found = []
    for text in map(page.lettered, page.items.question, rows):
        rest = (shown + page.plain(text)).removeprefix(start)
        tokens = torch.tensor([page.tokenizer.encode(rest).ids])
        logits, _ = page.smol(tokens, caches, last_only=True)
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
    for answers in (pair, pair[::-1]):
        first, second = page.next_log_probs(prompt(item.question, *answers), [*names])
        found.append(first - second)
    return rounded(found)


def judge(names):
    """Markdown: in three prompts, how often the judge names the first, or the right one."""
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
    return results.head(["", *JUDGE]) + "\n" + results.lines(*rows)


def contamination(names):
    """Two tables: of pairs, and of the losses and scores in each group, for each seed.

    In the first, each item without a copy in the text is compared with itself with one.
    """
    runs = [names["exposure"](seed) for seed in range(SEEDS)]
    found = {group: torch.zeros(len(names["items"])) for group in ("never", "once")}
    for group, right in found.items():
        for run in runs:  # an item is in each group with one of the seeds
            right[run[group]["item"]] = run[group]["right"].float()
    never, once = (right.bool() for right in found.values())
    only = (never & ~once).sum().item(), (once & ~never).sum().item()
    numbers = never.sum().item(), once.sum().item(), *only
    row = *map(str, numbers), f"{names['mcnemar'](*only):.3f}"
    pairs = results.head(PAIRS) + "\n" + results.lines(row)
    return pairs, table(
        [
            {
                group: {name: x.float().mean().item() for name, x in columns.items()}
                for group, columns in run.items()
            }
            for run in runs
        ]
    )


def table(runs):
    """Markdown: for each group the means, one number for each seed, shares in percent."""

    def cell(group, column):
        numbers = [run[group][column] for run in runs]
        if column.startswith("loss"):
            return " / ".join(f"{x:.2f}" for x in numbers)
        return " / ".join(f"{100 * x:.0f}" for x in numbers)

    rows = [[group, *(cell(group, column) for column in COLUMNS)] for group in runs[0]]
    return results.head(["", *COLUMNS]) + "\n" + results.lines(*rows)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = "answers", "judge", "contamination"
    parser.add_argument("--only", choices=parts, help="this alone")
    parser.add_argument("--write", action="store_true", help="to the file and the page")
    options = parser.parse_args(argv)
    origin = results.origin()
    program = f"importlib.import_module({__spec__.name!r})"
    if options.only in (None, "answers"):
        found = chapter.run(NOTEBOOK, f"{program}.measure(globals())", last=LAST)
        print(*found["choices"], *found["letters"], sep=", ")
        if options.write:
            text = json.dumps({"origin": origin.strip("*")} | found, ensure_ascii=False)
            FILE.write_text(text + "\n", encoding="utf-8", newline="\n")
    tables = {}
    if options.only in (None, "judge"):
        here = f"{program}.judge(globals())"
        tables["judge"] = chapter.run(NOTEBOOK, here, last=LAST)
    if options.only in (None, "contamination"):
        here = f"{program}.contamination(globals())"
        found = chapter.run(NOTEBOOK, here, last=LAST_OF_ALL)
        tables["contamination_pairs"], tables["contamination"] = found
    for name, text in tables.items():
        print(text)
        if options.write:
            results.write(name, text, origin)


if __name__ == "__main__":
    main()
