"""Chapter 1: heatmaps of attention weights, and attention pooling."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import d2lmini as d2l
from d2lmini import plt


def random(*shape):
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def heatmaps(matrices, **options):
    """The panels that show_heatmaps draws, without the colour bar."""
    assert d2l.show_heatmaps(matrices, "Keys", "Queries", **options) is None
    *panels, _ = plt.gcf().axes
    return panels


def test_heatmaps_show_every_matrix_on_one_scale():
    matrices = random(2, 3, 4, 5)
    panels = heatmaps(matrices, titles=["a", "b", "c"])
    limits = (matrices.min().item(), matrices.max().item())
    for panel, matrix in zip(panels, matrices.flatten(0, 1), strict=True):
        (image,) = panel.images
        assert image.get_array().tolist() == matrix.tolist()
        assert image.get_clim() == pytest.approx(limits)
    assert [panel.get_title() for panel in panels] == ["a", "b", "c"] * 2
    assert [panel.get_xlabel() for panel in panels] == [""] * 3 + ["Keys"] * 3
    assert [panel.get_ylabel() for panel in panels] == ["Queries", "", ""] * 2


def test_the_colour_bar_has_the_scale_of_the_panels():
    (panel,) = heatmaps(torch.eye(3)[None, None])
    assert plt.gcf().axes[-1].get_ylim() == panel.images[0].get_clim() == (0, 1)


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
    matrices = torch.ones(1, 1, 2, 3, device=d2l.try_gpu(), **options)
    (panel,) = heatmaps(matrices, cmap="Blues")
    assert panel.images[0].get_cmap().name == "Blues"


def test_heatmaps_put_words_on_their_axes():
    words = {"xticklabels": ["a", "b", "c"], "yticklabels": ["d", "e"]}
    left, right = heatmaps(torch.ones(1, 2, 2, 3), titles=[], **words)
    for columns in (left.get_xticklabels(), right.get_xticklabels()):
        assert [label.get_text() for label in columns] == ["a", "b", "c"]
        assert [label.get_rotation() for label in columns] == [90] * 3
    assert [label.get_text() for label in left.get_yticklabels()] == ["d", "e"]
    assert left.yaxis_inverted()  # the first query is at the top


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((3, 4), {}, "matrices must have 4 axes, not 2"),
        ((1, 2, 3, 4), {"titles": ["a"]}, "titles must hold 2 labels, not 1"),
        ((1, 2, 3, 4), {"yticklabels": ["a"]}, "yticklabels must hold 3 labels, not 1"),
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
    with pytest.raises(ValueError, match="weights must have 4 entries per query, not 5"):
        d2l.attention_pooling(random(5, 5), values)
