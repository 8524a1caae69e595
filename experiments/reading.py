"""How probable a language model holds each token of two documents before it reads it.

The model is SmolLM2 with 135 million parameters. One document is old and known, the other
was written for the course and names a town that does not exist. Chapter 10 draws from the
file.

The town is named twice, the second time after words that have not stood before it. Is it
expected there because it was read? For twenty invented names the program computes the
probability of the whole name at its first place, at its second place, and, as a control, at
the second place after another of the names stood at the first. The names were chosen
before anything was measured.
"""

import json
import re
import statistics

import torch

import d2lmini as d2l
from experiments import results
from tools import ROOT

FILE = ROOT / "d2lmini" / "data" / "reading.json"
DECLARATION = (
    "All human beings are born free and equal in dignity and rights. They are endowed with "
    "reason and conscience and should act towards one another in a spirit of brotherhood. "
    "Everyone is entitled to all the rights and freedoms set forth in this Declaration, "
    "without distinction of any kind, such as race, colour, sex, language, religion, "
    "political or other opinion, national or social origin, property, birth or other "
    "status."
)
REPORT = (
    "On Tuesday night the river Olver left its bed and flooded a little town called {}. "
    "Nobody was hurt. Tilda Quarnick, the baker, carried forty loaves of bread to the "
    "school on the hill, where most families had found a dry place to sleep. On Wednesday "
    'morning the water began to fall. "I will bake again on Friday," said Tilda Quarnick. '
    "The mayor of {} thanked her and promised a wall along the river."
)
NAMES = (
    "Brandelow Ostrivan Quilmere Tarnevik Halbrough Mirosande Veltham Crondale Zerrabey "
    "Pludwick Sornemouth Kelvaro Drustane Fennibar Woltriss Ambrecourt Jaskelen Tovenby "
    "Ruldermark Estaquille"
).split()
DOCUMENTS = {
    "The Declaration": DECLARATION,
    "A report": REPORT.format(NAMES[0], NAMES[0]),
}
PLACES = ["at its first place", "at its second place", "there, another name first"]


@torch.no_grad()
def predict(model, ids):
    """The log-probabilities (n - 1, v) of the tokens after the first."""
    return model(torch.tensor([ids]))[0, :-1].float().log_softmax(dim=-1)


def reading(model, tokenizer, text):
    """The tokens of a text, and what the model expected in place of each but the first.

    That is the probability of the token, and the five likeliest ones with theirs.
    """
    ids, found = tokenizer.encode(text).ids, []
    probs = predict(model, ids).exp()
    for token, row in zip(ids[1:], probs, strict=True):
        best = row.topk(5)
        names = [tokenizer.decode([i]) for i in best.indices.tolist()]
        likeliest = [[name, round(p, 3)] for name, p in zip(names, best.values.tolist())]
        found.append([round(row[token].item(), 3), likeliest])
    return {"tokens": [tokenizer.decode([i]) for i in ids], "next": found}


def name_probs(model, tokenizer, first, second):
    """The probabilities of the two names of towns in a report, each of all its tokens."""
    pieces = [tokenizer.encode(f" {name}").ids for name in (first, second)]
    before, between, _ = REPORT.split(" {}")
    parts = [tokenizer.encode(text).ids for text in (before, between)]
    ids = [*parts[0], *pieces[0], *parts[1], *pieces[1]]
    assert ids == tokenizer.encode(f"{before} {first}{between} {second}").ids
    logs, found, start = predict(model, ids), [], 0
    for part, piece in zip(parts, pieces, strict=True):
        start += len(part)
        where = torch.arange(start - 1, start - 1 + len(piece))
        found.append(logs[where, torch.tensor(piece)].sum().exp().item())
        start += len(piece)
    return found


def measure():
    """What the file holds."""
    model, tokenizer = d2l.load_smollm2()
    model.eval()
    probs = []
    for name, other in zip(NAMES, [*NAMES[1:], NAMES[0]], strict=True):
        first, second = name_probs(model, tokenizer, name, name)
        probs.append([first, second, name_probs(model, tokenizer, other, name)[1]])
    return {
        "documents": [
            {"title": title} | reading(model, tokenizer, text)
            for title, text in DOCUMENTS.items()
        ],
        "names": {
            name: [float(f"{p:.2g}") for p in row]
            for name, row in zip(NAMES, probs, strict=True)
        },
    }


def small(p):
    """A probability with two digits behind the point, if it has any."""
    return f"{p:.2f}" if p >= 0.005 else "below 0.005" if p >= 1e-6 else "below 0.000001"


def tables():
    """The file, in which each document and name has a line, and a table of the names."""
    found = {"origin": results.origin().strip("*")} | measure()
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    yield FILE, re.sub(r'(?={"title"|"[A-Z]\w+":\[)', "\n", text)
    columns = zip(*found["names"].values(), strict=True)
    rows = [
        [place, *map(small, (statistics.mean(column), min(column), max(column)))]
        for place, column in zip(PLACES, columns, strict=True)
    ]
    yield "reading", results.table(["the name", "mean", "lowest", "highest"], rows)
