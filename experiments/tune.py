"""What it brings, costs and leaks to teach SmolLM2 twenty facts of a library.

library.tsv has the facts, each with two questions that are taught and one that is held out,
and what an answer must contain. The library is invented. The models differ in what they
are held to by the second batch: nothing, ordinary questions, or also the taught questions
with other subjects in place of the library. Leaks are held-out questions about a swimming
pool that are answered with a fact of the library. Below stands what needs no training: the
untouched model with the two nearest entries as earlier turns, and the nearest entry itself,
found by what it shares with the question, which are words or groups of four characters.
ROW is the name of one model, or "untouched" for what is not trained. Without it the numbers
are also written for the figures of the page, with the answers of the first seed about the
swimming pool. ONLY=answers writes anew what SmolLM2 answers to the ordinary questions,
d2lmini/data/ordinary.jsonl.
"""

import collections
import csv
import json
import math
import re
import sys
import time

import d2lmini as d2l
from d2lmini import tune, tuning
from d2lmini.score import read_items
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "ordinary.jsonl"
STORED = ROOT / "d2lmini" / "data" / "tuning.json"
LIBRARY = ROOT / "d2lmini" / "data" / "library.tsv"
NAMES = ["the Thistle Library", "the library"]
COLUMNS = ["taught", "held out", "items", "lost", "won", "bits per byte", "leaks", "s"]
DIGITS = dict.fromkeys(COLUMNS, 0) | {"bits per byte": 3}
MODELS = {  # what the second batch has: ordinary questions, neighbours
    "no second batch": (False, False),
    "ordinary questions": (True, False),
    "ordinary questions and other subjects": (True, True),
}


def tables(seeds=2, first=0, row=None, only=None):
    """The file of answers, or the table of so many seeds, from the first one on."""
    if only == "answers":
        yield FILE, answers()
        return
    facts = read_library()
    taught, held = facts["taught"], facts["held"]
    base = d2l.load_smollm2()
    *others, pool = tune.OTHERS
    kept = tuning.about_others([d.question for d in taught], NAMES, others)
    asked = tuning.about_others([d.question for d in held], NAMES, [pool])
    before = tune.measure(*base, read_items(), facts, asked)
    runs, answers = [{} for _ in range(seeds)], [before["near"]]
    if row in (None, "untouched"):
        runs[0]["untouched"] = numbers(before, before) | {"s": 0}
        runs[0] |= baselines(*base, facts)
    near = tuning.own_answers(*base, kept)
    near = [tuning.as_dialogue(q, a) for q, a in zip(kept, near) if a]
    for name, (ordinary, neighbours) in MODELS.items():
        batch = tuning.ordinary_dialogues() * ordinary + near * neighbours
        for seed, run in enumerate(runs, start=first):
            if row in (None, name):
                run[name], found = train(taught, batch, seed, facts, asked, before)
                answers += [found] if run is runs[0] else []
                print(f"seed {seed}, {name}:", run[name], file=sys.stderr, flush=True)
    for run in runs[1:]:
        run |= {title: {} for title in runs[0] if title not in run}
    yield "tune", results.side_by_side(runs, COLUMNS, DIGITS)
    if row is None:
        yield STORED, json.dumps({"runs": runs, "near": [asked, *answers]}, indent=1)


def read_library(path=LIBRARY):
    """The dialogues that are taught, two for each fact, and those that are held out."""
    found = {"taught": [], "held": []}
    parts = {"question": "taught", "again": "taught", "held": "held"}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            for column, part in parts.items():
                messages = tuning.as_dialogue(row[column], row["answer"])
                found[part].append(tune.Dialogue(messages, row["key"]))
    return found


def train(taught, batch, seed, facts, asked, before):
    """The row of a model, taught with this second batch, and its answers about others."""
    model, tokenizer = d2l.load_smollm2()
    start = time.process_time()
    tuning.fine_tune(model, tokenizer, [d.messages for d in taught], batch, seed=seed)
    seconds = time.process_time() - start
    after = tune.measure(model, tokenizer, read_items(), facts, asked)
    return numbers(before, after) | {"s": seconds}, after["near"]


def numbers(before, after):
    """The row of what `tune.measure` gives, but for the seconds."""
    old, new = before["items"], after["items"]
    counts = {"items": new, "lost": old & ~new, "won": ~old & new}
    found = {name: right.sum().item() for name, right in counts.items()}
    names = {"taught": "taught", "held out": "held", "leaks": "leaks"}
    found |= {name: sum(after[part]) for name, part in names.items()}
    return found | {"bits per byte": after["bits"]}


# --- without training ----------------------------------------------------------------


def stems(text):
    """The words of a text, without the endings of plurals and of some verbs."""
    found = re.findall(r"\w+", text.lower())
    return [re.sub(r"(?<=\w{3})(ing|ed|es|s)$", "", word) for word in found]


def fours(text):
    """All groups of four neighbouring characters of a text, over the ends of words."""
    plain = " ".join(re.findall(r"\w+", f" {text.lower()} "))
    return [plain[i : i + 4] for i in range(len(plain) - 3)]


def nearest(question, entries, number, parts=stems, k=1.5, b=0.75):
    """The indices of the entries, texts, that are nearest to a question, nearest last.

    By BM25 of their parts, with its usual constants k and b. Source: Robertson and
    Zaragoza (2009).
    """
    counts = [collections.Counter(parts(entry)) for entry in entries]
    sizes = [count.total() for count in counts]
    mean = sum(sizes) / len(sizes)
    scores = [0.0] * len(entries)
    for word in {*parts(question)}:
        n = sum(word in count for count in counts)
        rare = math.log(1 + (len(entries) - n + 0.5) / (n + 0.5))
        for i, (count, size) in enumerate(zip(counts, sizes)):
            part = count[word] * (k + 1) / (count[word] + k * (1 - b + b * size / mean))
            scores[i] += rare * part
    return sorted(range(len(entries)), key=scores.__getitem__)[-number:]


def baselines(model, tokenizer, facts):
    """The rows of the two nearest entries in the prompt, and of the nearest one alone."""
    taught, held = facts["taught"], facts["held"]
    pairs = list(zip(taught[::2], taught[1::2]))
    entries = [f"{x.question} {y.question} {x.answer}" for x, y in pairs]
    prompts, printed = [], {stems: 0, fours: 0}
    for dialogue in held:
        for parts in printed:
            (i,) = nearest(dialogue.question, entries, 1, parts)
            printed[parts] += dialogue.contained(pairs[i][0].answer)
        two = nearest(dialogue.question, entries, 2)
        earlier = [message for i in two for message in pairs[i][0].messages]
        prompts.append([*earlier, {"role": "user", "content": dialogue.question}])
    texts = tuning.own_answers(model, tokenizer, prompts, 24)
    right = sum(d.contained(text) for d, text in zip(held, texts))
    return {
        "untouched, two nearest entries in the prompt": {"held out": right},
        "no model, the nearest entry by its words": {"held out": printed[stems]},
        "no model, the nearest by four characters": {"held out": printed[fours]},
    }


def answers():
    """The file of ordinary questions with SmolLM2's answers, of those that it has now."""
    rows = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    questions = [row["question"] for row in rows]
    found = tuning.own_answers(*d2l.load_smollm2(), questions)
    pairs = [{"question": q, "answer": a} for q, a in zip(questions, found)]
    return "\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs)
