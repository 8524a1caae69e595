"""What the figures with controls refuse. In a browser: tests/book/test_figures.py."""

import base64
import html
import json
import re

import pytest
import torch
from helpers import random
from torch.testing import assert_close

import d2lmini as d2l

WORDS = "the cat slept because it ate".split()


def causal(*shape):
    """Weights of heads, each token to itself and to those before it."""
    scores = 4 * random(*shape, 6, 6)
    return d2l.masked_softmax(scores.flatten(0, -3), mask=d2l.causal_mask(6)).view_as(
        scores
    )


def show_wall(weights, tokens=WORDS):
    d2l.show_wall(weights, tokens, "it", "cat")


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
        (show_wall, (causal(3, 2)[0],), r"weights must be \(layers, heads, 6, 6\)"),
        (show_wall, (causal(3, 2), WORDS[:5]), "5 tokens"),
        (show_wall, (causal(3, 2).mT,), "between 0 and 1, and be causal"),
        (show_wall, (causal(3, 2) - 0.1,), "between 0 and 1, and be causal"),
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


def test_a_wall_keeps_every_weight_and_its_side_of_a_half(monkeypatch):
    shown, weights = [], causal(5, 3)
    weights[0, 0, 4] = torch.tensor([0.499, 0.501, 0, 0, 0, 0])
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    show_wall(weights)
    (given,) = re.findall(r'data-given="([^"]*)"', shown[0]["text/html"])
    data = json.loads(html.unescape(given))
    stored = torch.tensor(list(base64.b64decode(data["weights"]))).view(5, 3, 21) / 255
    below = d2l.causal_mask(6)
    assert_close(stored, weights[:, :, below], atol=0.5 / 255 + 1e-6, rtol=0)
    assert torch.equal(stored > 0.5, weights[:, :, below] > 0.5)
    squares = sum(map(int, re.findall("h(1)", shown[0]["image/svg+xml"])))
    assert squares == (stored >= 1 / 16).sum()  # what is less is white
