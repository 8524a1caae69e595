"""Heads of a language model, which chapter 5 shows."""

import copy
import re

import pytest
import torch

import d2lmini as d2l
from experiments import heads


def test_each_rule_names_pairs_of_a_query_and_a_key():
    found = heads.pairs("a cat saw a dog and it saw it .".split(), "it", "dog")
    assert found == {
        "the first token": [(i, 0) for i in range(2, 10)],
        "the token before": [(i, i - 1) for i in range(2, 10)],
        "the same word, earlier": [(7, 2), (8, 6)],
        "what followed the same word": [(7, 3), (8, 7)],
        "from a pronoun to its noun": [(6, 4)],
    }


def test_the_last_word_of_a_copy_has_been_there_once():
    assert len(heads.COPIES) == 20
    for text in heads.COPIES:
        words = re.findall(r"\w+", text)
        assert words.count(words[-1]) == 2, text


@torch.no_grad()
def test_a_head_is_muted_as_if_its_part_of_the_output_matrix_were_zero():
    torch.manual_seed(0)
    sizes = {"num_kv_heads": 2, "ffn_num_hiddens": 16, "norm": "rms", "ffn": "swiglu"}
    config = d2l.GPTConfig(30, 16, 2, 4, positions="rotary", **sizes)
    model, ids = d2l.GPT(config).eval(), [3, 1, 4, 1, 5]
    muted = [[], [(0, 2)], [(0, 1), (1, 3)]]
    found = heads.next_token(model, ids, muted)
    for places, probs in zip(muted, found, strict=True):
        cut = copy.deepcopy(model)
        for layer, head in places:
            cut.blks[layer].W_o.weight[:, 4 * head : 4 * head + 4] = 0
        expected = cut(torch.tensor([ids]))[0, -1].softmax(dim=-1)
        torch.testing.assert_close(probs, expected)
    assert heads.number_of_heads(model) == 4


def test_controls_are_other_heads_of_the_same_layers():
    places = [(17, 4), (17, 5), (18, 6)]
    for group in heads.drawn_others(places, 9):
        assert [layer for layer, _ in group] == [17, 17, 18]
        assert len({*group}) == 3 and not {*group} & {*places}
    assert heads.others_of((3, 1), 3) == [[(3, 0)], [(3, 2)]]


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
    for old, new in zip(stored["beginnings"], found["beginnings"], strict=True):
        assert [word for word, _ in old["next"]][:2] == [w for w, _ in new["next"]][:2]
        for own, other in zip(old["heads"], new["heads"], strict=True):
            assert own["without"] == pytest.approx(other["without"], abs=0.02)
    for old, new in zip(stored["copies"]["rows"], found["copies"]["rows"], strict=True):
        assert old["heads"] == new["heads"]
        assert old["without"] == pytest.approx(new["without"], abs=0.011)
    for old, new in zip(stored["partners"], found["partners"], strict=True):
        assert (old["head"], old["muted"]) == (new["head"], new["muted"])
        assert old["without"] == pytest.approx(new["without"], abs=0.011)
    for old, new in zip(stored["sentences"], found["sentences"], strict=True):
        assert old["tokens"] == new["tokens"]
        for weights, percent in zip(old["weights"], new["percent"], strict=True):
            for i, row in enumerate(percent):
                difference = weights[i, : i + 1] - torch.tensor(row) / 100
                assert difference.abs().max() < 0.015
