"""What the figures with controls refuse. In a browser: tests/book/test_figures.py."""

import pytest
import torch
from helpers import random

import d2lmini as d2l


def show_patches(weights, tokens):
    """One image of 2 x 2 patches, first in its second block."""
    d2l.show_patches(torch.zeros(1, 1, 8, 8), weights, tokens, patch_size=4, block=2)


@pytest.mark.parametrize(
    ("show", "arguments", "message"),
    [
        (show_patches, (random(1, 1, 5, 5), list("abcde")), "block 2 .* 1 blocks"),
        (show_patches, (random(2, 1, 5, 5), list("abc")), "3 tokens .* and 4 patches"),
        (show_patches, (random(2, 3, 5, 5), list("abcde")), r"1, 5, 5\), not \(3, 5, 5\)"),
        (
            d2l.show_stage,
            (["a", "b"], random(2, 3), {"q": (1.0, 0.0)}, {}),
            r"\(2, 2\), not",
        ),
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
