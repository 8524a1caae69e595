"""The items of the page on evaluation and the model's stored answers."""

import json
import re
from types import SimpleNamespace

import pandas as pd
import torch
from torch import nn

from experiments import evaluation
from tools import ROOT

DATA = ROOT / "d2lmini" / "data"
ITEMS = pd.read_csv(DATA / "items.tsv", sep="\t", dtype=str)
LETTERS = "ABCD"


def test_items_have_four_choices_a_balanced_key_and_answers_that_only_the_key_contains():
    assert len(ITEMS) == 80 and not ITEMS.isna().any(axis=None)
    assert ITEMS.key.value_counts().to_dict() == dict.fromkeys(LETTERS, 20)
    assert ITEMS.question.is_unique and ITEMS.paraphrase.is_unique
    for _, item in ITEMS.iterrows():
        choices = [item[letter] for letter in LETTERS]
        assert len({choice.lower() for choice in choices}) == 4, item.question
        found = [re.search(rf"\b({item.accepted})\b", c.lower()) for c in choices]
        right = [letter for letter, match in zip(LETTERS, found) if match]
        assert right == [item.key], item.question
        for text in (item.question, item.paraphrase):  # else a free answer may repeat it
            other = set(re.findall(r"\w+", text.lower())) & set(item.accepted.split("|"))
            assert not other or item.accepted == "anna", (text, other)


def test_the_stored_answers_are_those_to_all_items():
    stored = json.loads((DATA / "evaluation.json").read_text(encoding="utf-8"))
    for name in ("choices", "letters"):
        for kind, rows in stored[name].items():
            assert torch.tensor(rows).shape == (len(ITEMS), 4), kind
            assert (torch.tensor(rows) < 0).all(), kind
    assert {len(texts) for texts in stored["free"].values()} == {len(ITEMS)}
    assert torch.tensor(stored["judge"]).shape == (len(ITEMS), 2)


def test_rounded_weights_are_multiples_of_a_step_and_keep_the_largest():
    layer = nn.Linear(50, 6)
    before = layer.weight.detach().clone(), layer.bias.detach().clone()
    evaluation.round_weights(layer, 3)
    step = before[0].abs().amax(dim=1, keepdim=True) / 3
    assert (layer.weight / step - (layer.weight / step).round()).abs().max() < 1e-4
    assert ((layer.weight - before[0]).abs() <= step / 2 + 1e-6).all()
    assert torch.equal(layer.bias, before[1])


def test_a_judge_sees_the_right_answer_first_and_then_second():
    item = pd.Series({"question": "?", "A": "a", "B": "b", "C": "c", "D": "d", "key": "D"})
    page = SimpleNamespace(
        items=pd.DataFrame([item]),
        LETTERS=LETTERS,
        judge_prompt=lambda *parts: " ".join(parts),
        next_log_probs=lambda prompt, _: torch.tensor(
            {"? d a": [3, 1], "? a d": [1, 2]}[prompt]
        ),
    )
    assert evaluation.judged(page, 0, page.judge_prompt) == [2, -1]


def test_verdicts_are_counted_for_each_prompt(monkeypatch):
    verdicts = {0: [2, -1], 1: [2, 1], 2: [-2, 1]}
    monkeypatch.setattr(evaluation, "judged", lambda page, i, *prompt: verdicts[i])
    *_, row = evaluation.judge({"items": ITEMS[:3], "judge_prompt": None})
    assert row == ["no chat, numbers", "2", "2", "1"]
