"""Translations through one vector and with attention, which the pages show by length."""

import pytest
import torch

import d2lmini as d2l
from experiments import one_vector


def test_a_sentence_has_about_as_many_mistakes_as_others_of_its_length():
    english = ["a", "b", "c d", "e", "f g"]
    french = ["r s", "t u", "v w", "x y", "z z"]
    first = ["r s", "t !", "v w", "! !", "! z"]  # 0, 1 and 2 of one token, 0 and 1 of two
    found = one_vector.typical(english, french, {"one": first, "two": french})
    assert found == [
        {"English": "b", "reference": "t u", "one": "t !", "two": "t u"},
        {"English": "c d", "reference": "v w", "one": "v w", "two": "v w"},
    ]


def test_mistakes_count_what_is_replaced_removed_and_added():
    assert one_vector.mistakes("a b c d", "a x c") == 2
    assert one_vector.mistakes("a b", "a b") == 0
    assert one_vector.mistakes("a b", "a x y b") == 2


@pytest.mark.weekly
def test_the_file_is_what_the_notebooks_train_today():
    """The translations may differ, since processors round differently and training
    enlarges the difference. The scores stay, and attention is ahead, most on long ones."""
    stored, found = d2l.one_vector(), one_vector.measure()
    for name in ("tokens", "BLEU"):
        assert [*stored[name]] == [*found[name]]
    for old, new in zip(stored["sentences"], found["sentences"], strict=True):
        assert len(old["English"].split()) == len(new["English"].split())
        assert (old["English"] == new["English"]) == (old["reference"] == new["reference"])
    means = [
        {kind: torch.tensor(rows).mean(dim=0) for kind, rows in each["BLEU"].items()}
        for each in (stored, found)
    ]
    for kind in one_vector.NOTEBOOKS:
        assert (means[0][kind] - means[1][kind]).abs().max() < 8
    for mean in means:
        gain = mean["attention"] - mean["one vector"]
        assert gain.min() > 10 and gain[3] > gain[0]
