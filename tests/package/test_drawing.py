"""Curves of a function, in a new figure or in given axes."""

import pytest
import torch
from helpers import drawn

import d2lmini as d2l
from d2lmini import plt


@pytest.mark.parametrize(
    ("X", "Y", "lines"),
    [
        ([1, 2, 3], None, [([0, 1, 2], [1, 2, 3])]),
        (torch.tensor([1.0, 2.0]), [[3, 4], [5, 6]], [([1, 2], [3, 4]), ([1, 2], [5, 6])]),
        ([[0, 1], [2, 3]], torch.eye(2), [([0, 1], [1, 0]), ([2, 3], [0, 1])]),
        (torch.ones(2, dtype=torch.bfloat16), None, [([0, 1], [1, 1])]),
        (torch.ones(6, 1, requires_grad=True), None, [([0], [1])] * 6),  # has four styles
    ],
)
def test_plot_takes_one_curve_or_several_with_or_without_x(X, Y, lines):
    d2l.plot(X, Y)
    assert drawn(plt.gca()) == lines


def test_plot_opens_a_figure_or_clears_the_axes_it_is_given():
    d2l.plot([1, 2])
    d2l.plot([1, 2])
    assert len(plt.get_fignums()) == 2
    style = {"xlim": (1, 10), "ylim": (2, 3), "xscale": "log", "yscale": "log"}
    d2l.plot([1, 10], [3, 4], axes=(axes := plt.gca()), **style)
    assert drawn(axes) == [([1, 10], [3, 4])] and len(plt.get_fignums()) == 2
    assert {name: getattr(axes, f"get_{name}")() for name in style} == style


def test_plot_refuses_two_x_for_three_y():
    with pytest.raises(ValueError, match="X must hold 1 or 3 curves, as Y does, not 2"):
        d2l.plot(torch.ones(2, 4), torch.ones(3, 4))
