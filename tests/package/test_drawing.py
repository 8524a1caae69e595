"""Curves of a function, in a new figure or in given axes, and the colours of figures."""

import itertools

import pytest
import torch
from helpers import drawn
from matplotlib.colors import to_rgb

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


def test_names_of_curves_stand_beside_their_ends_and_do_not_overlap():
    x = torch.arange(5.0)
    d2l.plot(
        x,
        [x, x + 0.01, 0 * x, [0, 2, 4.9, 9, 9]],
        legend=[*"abcd"],
        ylim=(0, 5),
        figsize=(4, 2),
    )
    plt.gca().axhline(2.5, label="e")
    d2l.label_curves(plt.gca())
    plt.gcf().canvas.draw()
    places = {text.get_text(): text.get_window_extent() for text in plt.gca().texts}
    assert sorted(places) == [*"abcde"]
    assert sorted(places, key=lambda name: places[name].y0) == [*"ceabd"]
    for first, second in itertools.combinations(places.values(), 2):
        assert not first.overlaps(second)


def test_large_numbers_have_commas_and_negative_ones_a_minus():
    d2l.plot([-1000, 3000], [0, 1])
    plt.gcf().canvas.draw()
    texts = {label.get_text() for label in plt.gca().get_xticklabels()}
    assert {"−1,000", "2,000"} <= texts


def test_a_colour_blind_reader_can_tell_the_colours_apart():
    # How the red and green of a light appear without one of three receptors (Machado,
    # Oliveira and Fernandes, 2009), and then as CIELAB, where distances are as seen.
    blind = torch.tensor(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    )
    xyz = torch.tensor(
        [[0.434, 0.376, 0.190], [0.213, 0.715, 0.072], [0.018, 0.109, 0.873]]
    )

    def seen(color):
        light = torch.tensor(to_rgb(color)) ** 2.2
        x, y, z = (xyz @ (blind @ light).clamp(0)) ** (1 / 3)
        return torch.stack([116 * y, 500 * (x - y), 200 * (y - z)])

    for colors in (d2l.COLORS.values(), d2l.SERIES[:4]):
        for first, second in itertools.combinations(colors, 2):
            assert (seen(first) - seen(second)).norm() > 10, (first, second)


def test_a_text_is_as_wide_as_its_longest_line_in_arial():
    letter = d2l.text_width("aaaaa") - d2l.text_width("aaaa")
    assert letter == pytest.approx(10 * 1139 / 2048, abs=0.02)  # Arial's own number
    assert d2l.text_width("aaaa\na") == d2l.text_width("aaaa")
    assert d2l.text_width("aaaa", size=20) == pytest.approx(2 * d2l.text_width("aaaa"))
    assert d2l.text_width("$x_i$") < d2l.text_width("x_i") < d2l.text_width("$ x_i")


def test_wrong_words_are_marked_and_missing_ones_have_a_caret():
    references = ["le chat blanc dort .", "le chat dort ."]
    translations = {"first": ["le chien blanc dort .", "le chat dort ."]}
    d2l.draw_translations(["a", "b"], references, translations)
    ax = plt.gca()
    marked = [text for text in ax.texts if text.get_color() == d2l.SERIES[2]]
    assert [text.get_text() for text in marked] == ["chien"] and len(ax.lines) == 1
    x = ax.lines[0].get_xdata()
    box = marked[0].get_window_extent().transformed(ax.transData.inverted())
    assert box.x0 - 1 < x[0] < x[1] < box.x1 + 2
    d2l.draw_translations(["a"], references[:1], {"first": ["le chat dort ."]})
    (caret,) = plt.gca().lines
    assert len(caret.get_xdata()) == 3
    assert {d2l.SERIES[2]}.isdisjoint(text.get_color() for text in plt.gca().texts)


def test_each_title_has_one_translation_a_sentence():
    message = "first must hold 2 sentences, as sources, not 1"
    with pytest.raises(ValueError, match=message):
        d2l.draw_translations(["a", "b"], ["c", "d"], {"first": ["c"]})
    with pytest.raises(ValueError, match="references must hold 1 sentences"):
        d2l.draw_translations(["a"], ["c", "d"], {})
