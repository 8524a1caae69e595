"""What one more token costs: the caches that are filled instead of read, and the file."""

import json

import pytest
import torch
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

import d2lmini as d2l
from experiments import long_context

READ = 300  # tokens, more than the window
ALL = pytest.mark.parametrize("name", long_context.LAYERS)


@torch.no_grad()
def read(model, num_tokens=READ):
    """The caches of a model that has read a prompt and its first new token."""
    caches, tokens = model.make_caches(), torch.randint(128, (1, num_tokens))
    for part in (tokens[:, :-1], tokens[:, -1:]):
        model(part, caches)
    return caches


def sizes(cache):
    parts = {**cache.tensors, **cache.states}
    shapes = {name: (X.shape, X.dtype, X.stride()) for name, X in parts.items()}
    return shapes, cache.num_tokens, cache.last


def operations(model, caches):
    with FlopCounterMode(display=False) as counter:
        long_context.step(model, caches, torch.ones(1, 1, long_context.WIDTH))
    return counter.get_total_flops()


@ALL
def test_a_filled_cache_has_the_sizes_of_one_that_was_read(name):
    model = long_context.make_model(long_context.LAYERS[name])
    found, expected = long_context.filled(model, READ), read(model)
    assert [*map(sizes, found)] == [*map(sizes, expected)]
    assert [cache.nbytes for cache in found] == [cache.nbytes for cache in expected]
    assert operations(model, found) == operations(model, expected)


@ALL
def test_a_step_leaves_the_caches_as_they_are(name):
    model = long_context.make_model(long_context.LAYERS[name])
    caches = long_context.filled(model, READ)
    before = [sizes(cache) for cache in caches]
    for _ in range(2):
        long_context.step(model, caches, torch.ones(1, 1, long_context.WIDTH))
    assert [sizes(cache) for cache in caches] == before


def test_a_cache_with_room_changes_no_answer():
    model = long_context.make_model(d2l.WindowAttention)
    caches = read(model)
    roomy = long_context.filled(model, READ, room=True)
    for cache, other in zip(caches, roomy, strict=True):
        for key, X in cache.tensors.items():
            other.tensors[key][..., :READ, :] = X
    X = torch.randn(1, 1, long_context.WIDTH)
    found, expected = (long_context.step(model, each, X) for each in (roomy, caches))
    assert_close(found, expected)


def test_the_file_has_the_bytes_of_the_formula():
    stored = json.loads(long_context.FILE.read_text(encoding="utf-8"))
    assert stored["tokens"] == [*long_context.TOKENS]
    blocks, width, window = (
        long_context.BLOCKS,
        long_context.WIDTH,
        long_context.WINDOW,
    )
    row = 2 * width * 4  # of a block: a key and a value of float32
    assert stored["bytes"]["softmax"] == [blocks * row * n for n in stored["tokens"]]
    assert {*stored["bytes"]["a window of 128"]} == {blocks * row * (window - 1)}
    matrices = blocks * long_context.HEADS * (width // long_context.HEADS) ** 2 * 4
    assert {*stored["bytes"]["the delta rule"]} == {matrices}
    assert stored["times"].keys() == long_context.LAYERS.keys()
    assert stored["times"]["softmax"][0] == 1  # what all others are divided by


def test_a_small_measurement_has_a_ratio_for_each_length():
    found = long_context.measure(tokens=(8, 200), turns=1, least=0)
    assert all(len(each) == 2 and min(each) > 0 for each in found["times"].values())
    assert found["tokens"] == [8, 200]
