"""All attention weights of a language model in one sentence, which chapter 1 shows."""

import pytest
import torch
from torch.testing import assert_close

import d2lmini as d2l
from experiments import heads, wall


def test_the_wall_has_the_weights_of_the_six_heads_of_chapter_5():
    stored, other = d2l.smollm2_wall(), d2l.smollm2_heads()
    assert stored["tokens"] == other["sentences"][0]["tokens"]
    places = [(each["layer"] - 1, each["head"] - 1) for each in other["heads"]]
    found = torch.stack([stored["weights"][place] for place in places])
    # One is rounded to a 255th, the other to a percent.
    assert_close(found, other["sentences"][0]["weights"], atol=0.0075, rtol=0)


def test_the_weights_of_the_wall_are_causal_and_sum_to_1():
    weights = d2l.smollm2_wall()["weights"]
    assert weights.shape == (30, 9, 7, 7)
    assert not weights.triu(1).any()
    assert (weights.sum(dim=-1) - 1).abs().max() < 7 * 0.5 / 255


@pytest.mark.weekly
def test_the_file_is_what_the_model_computes_today():
    """Within its rounding, and the processor's; each on its side of a half."""
    stored = d2l.smollm2_wall()
    tokens, weights = heads.attend(*d2l.load_smollm2(), wall.TEXT)
    assert tokens == stored["tokens"] and stored["size"] == 64
    assert_close(stored["weights"], weights, atol=0.005, rtol=0)
    clear = (weights - 0.5).abs() > 0.003
    assert torch.equal((stored["weights"] > 0.5)[clear], (weights > 0.5)[clear])
