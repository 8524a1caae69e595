"""The results of the exam's questions on chapters 13 and 14, computed with the package."""

import math

import pytest
import torch
from helpers import make_gpt
from test_exam_7_12 import compare

import d2lmini as d2l
from grading.exam import draw, templates


def two_blocks(scores, values):
    scores = math.log(2) * torch.tensor(scores).double()
    values = torch.tensor(values).double()
    largest, whole = scores[:2].max(), scores.max()
    total = (scores.logsumexp(0) - whole).exp()
    query = torch.ones(1, 1, 1, 1).double()
    keys, store = scores.view(1, 1, 4, 1), values.view(1, 1, 4, 1)
    output = d2l.blockwise_attention(query, keys, store, block_size=2)
    old = d2l.blockwise_attention(query, keys[:, :, :2], store[:, :, :2], block_size=2)
    first = (scores[:2].logsumexp(0) - largest).exp()
    return {
        "first sum": first,
        "first weighted sum": first * old,
        "factor": (largest - whole).exp(),
        "sum": total,
        "weighted sum": total * output,
        "output": output,
    }


def written_twice(key, values):
    one = torch.tensor([[1.0, 0.0], [float(k) for k in key], [1.0, 0.0]]).double()
    K, V = one.view(1, 1, 3, 2), torch.tensor(values).double().view(1, 1, 3, 1)

    def memory(n, **options):
        """What is read under both entries after n writings."""
        state = torch.zeros(1, 1, 2, 1).double()
        for i in range(n):
            pair = K[:, :, i : i + 1], V[:, :, i : i + 1]
            _, state = d2l.memory_attention(pair[0], *pair, state, **options)
        return state

    delta = {"beta": torch.ones(1, 1, 1).double()}
    return {
        "added": memory(3),
        "after two": memory(2, **delta),
        "after three": memory(3, **delta),
        "answer": K[:, :, 1:2] @ memory(3, **delta),
    }


def two_rows(lengths):
    ends = []
    for continuous in (False, True):
        scheduler = d2l.Scheduler(make_gpt(4, 4, 1, 1), max_batch=2, continuous=continuous)
        for name, length in enumerate(lengths):
            scheduler.add(name, torch.tensor([0]), length)
        _ = scheduler.run()
        steps = enumerate(scheduler.history, start=1)
        last = {name: step for step, row in steps for name in row}
        ends.append(torch.tensor([last[name] for name in range(len(lengths))]).float())
    static, continuous = ends
    return {
        "static": static.max(),
        "idle": 2 * static.max() - sum(lengths),
        "ends": continuous,
        "continuous": continuous.max(),
        "means": static.mean(),
        "mean": continuous.mean(),
    }


def four_bits(row, outlier):
    W = torch.tensor([row]).double()
    codes, scale = d2l.quantize_tensor(W, 4)
    after, new = d2l.quantize_tensor(torch.tensor([[*row, outlier]]).double(), 4)
    return {
        "scale": scale,
        "integers": codes,
        "error": (W - d2l.dequantize_tensor(codes, scale)).abs().max(),
        "new scale": new,
        "new integers": after[:, :4],
    }


@pytest.mark.parametrize("chapter", [13, 14])
def test_results_are_those_of_the_package(chapter):
    for template in templates(chapter):
        for seed in range(20):
            question = draw(template, f"seed {seed}")
            computed = globals()[template.__name__](**question.drawn)
            assert computed.keys() == question.result.keys()
            for name, number in question.result.items():
                compare(computed[name], number, name)
