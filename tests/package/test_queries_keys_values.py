"""Chapter 1: drawings of attention, heatmaps of weights, and attention pooling."""

import pytest
import torch
from helpers import random
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.patches import FancyArrowPatch

import d2lmini as d2l
from d2lmini import plt

# --- draw_attention ------------------------------------------------------------------


def test_the_drawing_has_the_labels_and_the_rounded_numbers():
    scores = torch.tensor([0.5, -1.25, -torch.inf])
    labels = ["q", ["a", "b", "c"], ["$v_1$", "$v_2$", "$v_3$"], "out"]
    d2l.draw_attention(*labels, scores, torch.softmax(scores, dim=0))
    texts = [text.get_text() for text in plt.gca().texts]
    numbers = {"0.50", "−1.25", "−∞", "0.85", "0.15", "0.00"}
    assert {"q", *labels[1], *labels[2], "out", "softmax"} | numbers <= {*texts}


def test_with_a_temperature_the_drawing_shows_the_scores_before_and_after():
    scores = torch.tensor([0.5, -torch.inf])
    weights = torch.softmax(scores / 0.1, dim=0)
    d2l.draw_attention("q", "ab", "xy", "out", scores, weights, temperature=0.1)
    texts = [text.get_text() for text in plt.gca().texts]
    assert {"0.50", "÷ 0.1", "5.00", "1.00", "0.00"} <= {*texts}
    assert texts.count("−∞") == 2


def test_an_arrow_is_as_thick_as_its_weight_and_a_masked_key_has_none():
    weights = torch.tensor([0.75, 0.25, 0.0])
    d2l.draw_attention("q", "abc", "xyz", "out", weights, weights)
    arrows = [patch for patch in plt.gca().patches if isinstance(patch, FancyArrowPatch)]
    color = plt.matplotlib.colors.to_rgba(d2l.COLORS["weight"])
    widths = [arrow.get_linewidth() for arrow in arrows if arrow.get_edgecolor() == color]
    assert widths == pytest.approx([4.5, 4.5, 1.5, 1.5])


# --- show_heatmaps -------------------------------------------------------------------


def heatmaps(matrices, **options):
    """The panels that show_heatmaps draws, without the colour bar."""
    assert d2l.show_heatmaps(matrices, "Keys", "Queries", **options) is None
    *panels, _ = plt.gcf().axes
    return panels


def test_heatmaps_show_every_matrix_on_one_scale():
    matrices = random(2, 3, 4, 5)
    words = {"xticklabels": [*"defgh"], "yticklabels": [*"pqrs"]}
    panels = heatmaps(matrices, titles=["a", "b", "c"], **words)
    limits = (matrices.min().item(), matrices.max().item())
    for panel, matrix in zip(panels, matrices.flatten(0, 1), strict=True):
        (image,) = panel.images
        assert image.get_array().tolist() == matrix.tolist()
        assert image.get_clim() == pytest.approx(limits)
    assert plt.gcf().axes[-1].get_ylim() == pytest.approx(limits)  # the colour bar
    assert [panel.get_title() for panel in panels] == ["a", "b", "c"] * 2
    assert (panels[3].get_xlabel(), panels[3].get_ylabel()) == ("Keys", "Queries")
    assert [label.get_text() for label in panels[3].get_xticklabels()] == [*"defgh"]
    assert [label.get_text() for label in panels[3].get_yticklabels()] == [*"pqrs"]
    assert panels[0].yaxis_inverted()  # the first query is at the top


@pytest.mark.parametrize(
    ("matrix", "limits"),
    [([0.2, 0.5], (0, 0.5)), ([-0.2, -0.5], (-0.5, 0)), ([0, 0], (0, 1))],
)
def test_the_colour_scale_always_holds_zero(matrix, limits):
    (panel,) = heatmaps(torch.tensor(matrix).reshape(1, 1, 1, 2))
    assert panel.images[0].get_clim() == pytest.approx(limits)


@pytest.mark.parametrize(
    "options", [{"requires_grad": True}, {"dtype": torch.bool}, {"dtype": torch.bfloat16}]
)
def test_heatmaps_take_any_tensor(options):
    (panel,) = heatmaps(torch.ones(1, 1, 2, 3, **options))
    assert panel.images[0].get_array().tolist() == [[1] * 3] * 2


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((3, 4), {}, "matrices must have 4 axes, not 2"),
        ((1, 2, 3, 4), {"titles": ["a"]}, "titles must hold 2 labels, not 1"),
        ((1, 2, 3, 4), {"xticklabels": ["a"]}, "xticklabels must hold 4 labels, not 1"),
    ],
)
def test_heatmaps_refuse_what_does_not_fit(shape, options, message):
    with pytest.raises(ValueError, match=message):
        heatmaps(torch.ones(shape), **options)


# --- attention_pooling ---------------------------------------------------------------


@given(*[st.integers(1, 5)] * 4)
def test_pooling_is_a_weighted_sum_of_values(b, n, m, v):
    weights, values = random(b, n, m).abs(), random(b, m, v)
    expected = sum(weights[:, :, i, None] * values[:, None, i] for i in range(m))
    torch.testing.assert_close(d2l.attention_pooling(weights, values), expected)
    one_query = d2l.attention_pooling(weights[0, 0], values[0])
    torch.testing.assert_close(one_query, expected[0, 0])
    scalars = d2l.attention_pooling(weights[0], values[0, :, 0])
    torch.testing.assert_close(scalars, expected[0, :, 0])


@pytest.mark.parametrize("values", [random(4), random(4, 2), random(3, 4, 2)])
def test_pooling_refuses_another_number_of_weights(values):
    for size in (3, 5):
        with pytest.raises(ValueError, match=f"weights must have 4 .* query, not {size}"):
            d2l.attention_pooling(random(5, size), values)
