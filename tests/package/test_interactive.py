"""What the figures with controls refuse. In a browser: tests/book/test_figures.py."""

import pytest
import torch
from helpers import random

import d2lmini as d2l


def show_pretraining_masks(hidden, prefix):
    d2l.show_pretraining_masks(["a", "b", "c"], hidden, prefix=prefix)


def show_patches(weights, tokens):
    """One image of 2 x 2 patches, first in its second block."""
    d2l.show_patches(torch.zeros(1, 1, 8, 8), weights, tokens, patch_size=4, block=2)


@pytest.mark.parametrize(
    ("show", "arguments", "message"),
    [
        (d2l.show_softmax, (random(2, 3), ["a", "b"], ["c"]), r"\(2, 1\), not \(2, 3\)"),
        (d2l.show_masks, (random(3, 3), ["a", "b"]), r"\(2, 2\), not \(3, 3\)"),
        (d2l.show_order, (["a", "b"], random(3, 3), random(2, 2)), r"not \(3, 3\)"),
        (d2l.show_rotary, (random(4), random(6), 1, 1), r"not \(4,\) and \(6,\)"),
        (d2l.show_rotary, (random(3), random(3), 1, 1), "with an even p"),
        (d2l.show_rotary, (random(4), random(4), 1, 41), "0 to 40, not 1 and 41"),
        (show_pretraining_masks, (3, 2), "0 to 2, not 3, 0"),
        (show_pretraining_masks, (1, 4), "prefix must be 1 to 3, and is 4"),
        (d2l.show_memory, (["a"], random(2, 3), ["b"]), r"n = 1 as names, not \(2, 3\)"),
        (d2l.show_memory, (["a"], random(1, 3), ["b"], [(0, 1)]), "1 names and 1 words"),
        (show_patches, (random(1, 1, 5, 5), list("abcde")), "block 2 .* 1 blocks"),
        (show_patches, (random(2, 1, 5, 5), list("abc")), "3 tokens .* and 4 patches"),
        (show_patches, (random(2, 3, 5, 5), list("abcde")), r"1, 5, 5\), not \(3, 5, 5\)"),
    ],
)
def test_a_figure_refuses_what_does_not_fit(show, arguments, message):
    with pytest.raises(ValueError, match=message):
        show(*arguments)


def test_a_figure_is_the_same_each_time(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    for _ in range(2):
        d2l.show_softmax(random(2, 3), ["<a>", "b"], ["c", "d", "</script>"])
    assert shown[0] == shown[1]
    page = shown[0]["text/html"]
    assert "<a>" not in page and page.count("</script>") == 1
