"""Heads of a language model, which chapter 5 shows."""

import pytest
import torch

import d2lmini as d2l
from experiments import heads


def test_each_rule_names_pairs_of_a_query_and_a_key():
    found = heads.pairs("The cat saw the dog and it saw it".split(), "it", "dog", "saw")
    assert found == {
        "the first token": [(i, 0) for i in range(2, 9)],
        "the token before": [(i, i - 1) for i in range(2, 9)],
        "the same word, earlier": [(3, 0), (7, 2), (8, 6)],
        "what followed the same word": [(3, 1), (7, 3), (8, 7)],
        "from a pronoun to its noun": [(6, 4)],
        "from a pronoun to the verb": [(6, 2)],
    }


def test_the_weights_that_are_kept_are_causal_and_those_of_the_rules():
    stored = d2l.smollm2_heads()
    cases = {}
    for sentence, (_, *words) in zip(stored["sentences"], heads.SENTENCES, strict=True):
        weights = sentence["weights"]
        assert (weights.sum(dim=-1) - 1).abs().max() < 0.05  # each is rounded
        assert not weights.triu(1).any()
        for rule, found in heads.pairs(sentence["tokens"], *words).items():
            cases.setdefault(rule, []).extend(weights[:, i, j] for i, j in found)
    for k, head in enumerate(stored["heads"]):
        mean = torch.stack(cases[head["rule"]])[:, k].mean().item()
        assert mean == pytest.approx(head["here"], abs=0.011)


@pytest.mark.weekly
def test_the_file_is_what_the_model_computes_today():
    """Processors round differently, by less than a hundredth of weight."""
    stored, found = d2l.smollm2_heads(), heads.measure()
    for old, new in zip(stored["heads"], found["heads"], strict=True):
        assert [old[name] for name in ("rule", "layer", "head")] == [*new.values()][:3]
        for name in ("here", "elsewhere", "all heads"):
            assert old[name] == pytest.approx(new[name], abs=0.011)
    for old, new in zip(stored["sentences"], found["sentences"], strict=True):
        assert old["tokens"] == new["tokens"]
        for weights, percent in zip(old["weights"], new["percent"], strict=True):
            for i, row in enumerate(percent):
                difference = weights[i, : i + 1] - torch.tensor(row) / 100
                assert difference.abs().max() < 0.015
