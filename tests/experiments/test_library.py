"""The facts of the library, and what is found without training."""

import csv
import json

import torch

import d2lmini as d2l
from d2lmini import evaluation, tune, tuning
from experiments import tune as experiment


def test_each_fact_has_three_questions_that_do_not_contain_its_key():
    with open(experiment.LIBRARY, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    questions = [row[name] for row in rows for name in ("question", "again", "held")]
    assert len(rows) == 20 and len({*questions}) == 60
    for row in rows:
        assert evaluation.is_right(row["answer"], row["key"])
        assert not any(evaluation.is_right(text, row["key"]) for text in questions)
        others = [r["answer"] for r in rows if r is not row]
        assert not any(evaluation.is_right(text, row["key"]) for text in others)
    facts = experiment.read_library()
    assert [len(facts[name]) for name in ("taught", "held")] == [40, 20]
    held = [dialogue.question for dialogue in facts["held"]]
    assert len(tuning.about_others(held, experiment.NAMES, [tune.OTHERS[-1]])) == 17
    ordinary = json.dumps(tuning.ordinary_dialogues()).lower()
    assert "library" not in ordinary and tune.OTHERS[-1] not in ordinary


def test_the_nearest_entry_shares_rare_words_with_the_question():
    entries = ["the cat sleeps here", "the dog is here here here", "the bird sings"]
    assert experiment.nearest("Where is the sleeping cat?", entries, 1) == [0]
    assert experiment.nearest("Does the dog sing?", entries, 2) == [1, 2]
    assert experiment.nearest("Is it the birds?", entries, 1) == [2]


def test_baselines_count_right_entries_and_answers(monkeypatch):
    facts = experiment.read_library()
    seen = []

    def answer(model, tokenizer, prompts, size):
        seen.extend(prompts)
        return ["It opens at 9:45"] * len(prompts)

    monkeypatch.setattr(tuning, "own_answers", answer)
    rows = experiment.baselines(None, None, facts)
    in_prompt, *printed = (row["held out"] for row in rows.values())
    assert in_prompt == 1 and all(5 < number < 20 for number in printed)
    assert {len(messages) for messages in seen} == {5}
    assert [messages[-1]["content"] for messages in seen] == [
        dialogue.question for dialogue in facts["held"]
    ]


def test_the_table_has_a_row_for_each_model_and_baseline(monkeypatch):
    batches = []

    def measured(model, tokenizer, items, facts, asked):
        right = torch.tensor([True, model != "base", False])
        found = {name: [model != "base"] * len(some) for name, some in facts.items()}
        answers = {"near": asked, "leaks": [model != "base"] * len(asked)}
        return {"items": right, "bits": 1.5} | found | answers

    def taught(model, tokenizer, dialogues, ordinary, *, seed):
        batches.append((seed, len(dialogues), len(ordinary)))

    loaded = iter(["base", *["taught"] * 6])
    monkeypatch.setattr(d2l, "load_smollm2", lambda: (next(loaded), None))
    monkeypatch.setattr(tune, "measure", measured)
    monkeypatch.setattr(tuning, "fine_tune", taught)
    monkeypatch.setattr(tuning, "own_answers", lambda model, tok, asked, *size: asked)
    monkeypatch.setattr(experiment, "baselines", lambda *_: {"printed": {"held out": 9}})
    (_, table), (_, stored) = experiment.tables()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.split("\n")]
    found = {row[0]: row[1:] for row in rows}
    assert found["untouched"] == ["0", "0", "1", "0", "0", "1.500", "0", "0"]
    assert found["printed"] == ["", "9", *[""] * 6]
    model = found["ordinary questions"][:-1]
    assert model == [f"{x} / {x}" for x in (40, 20, 2, 0, 1, "1.500", 17)]
    assert [row[:2] for row in batches] == [(0, 40), (1, 40)] * 3
    asked, *answers = json.loads(stored)["near"]
    assert answers == [asked] * 4 and len(asked) == 17
    sizes = [row[2] for row in batches]
    assert sizes[:4] == [0, 0, 120, 120] and 140 < sizes[4] == sizes[5] < 160
