"""The results of the exam's questions on chapters 1 to 6, computed with the package."""

import math

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import d2lmini as d2l
from grading.exam import draw, templates

SEEDS = [f"seed {i}" for i in range(20)]


def soft_lookup(base, keys, side, values):
    query = torch.eye(2)[side] * math.log(base)
    scores = torch.tensor(keys).float() @ query
    values = torch.tensor(values).float()
    weights, sharper = scores.softmax(0), (2 * scores).softmax(0)
    output, limit = d2l.attention_pooling(
        torch.stack([weights, (99 * scores).softmax(0)]), values[:, None]
    )
    return {"weights": weights, "output": output, "sharper": sharper, "limit": limit}


def wanted_weights(lengths, bases, values, keys):
    query = torch.tensor(bases).log()  # what the question says in words
    weights = (torch.tensor(keys).float() @ query).softmax(0)
    values = torch.tensor(values).float()
    shown = tuple(rf"\ln {base}" for base in bases)
    output = weights @ values
    return {"weights": weights, "query": shown, "output": output, "limit": values.max()}


def kernel_width(x, keys, values):
    x, keys, values = (torch.tensor(each).float() for each in ([x], keys, values))
    at = {
        width: d2l.nadaraya_watson(keys, values, x, lambda u: 2 ** (-u / width))  # noqa: B023
        for width in (2, 1, 1e6, 1e-2)
    }
    return {
        "weights": at[2][1][0],
        "estimate": at[2][0],
        "narrow weights": at[1][1][0],
        "narrow estimate": at[1][0],
        "mean": at[1e6][0],
        "nearest": at[1e-2][0],
    }


def leave_one_out(values):
    x, y, found = torch.arange(4.0), torch.tensor(values).float(), {}
    for width in (1.5, 2.5):
        others = [[torch.cat([e[:i], e[i + 1 :]]) for e in (x, y)] for i in range(4)]
        predicted = torch.cat(
            [
                d2l.nadaraya_watson(*pair, x[i : i + 1], lambda u: d2l.boxcar(u / width))[0]  # noqa: B023
                for i, pair in enumerate(others)
            ]
        )
        found[f"predictions {width}"] = predicted
        found[f"error {width}"] = (predicted - y).square().sum()
    better = "1.5" if found["error 1.5"] < found["error 2.5"] else "2.5"
    return found | {"better": better}


def two_masks(base, powers, values, length, query):
    products = 2 * math.log(base) * torch.tensor(powers)
    mask = d2l.causal_mask(6)[query]
    weights = d2l.masked_softmax(
        products[None, None] / 2, torch.tensor([length]), mask=mask
    )[0, 0]
    allowed = mask & (torch.arange(6) < length)
    return {
        "weights": weights,
        "output": weights @ torch.tensor(values).float(),
        "sum": (products / 2).softmax(0)[allowed].sum(),
    }


def size_of_scores(d, s, t, c):
    signs = torch.tensor([-1.0, 1])  # each product has these values, alike often
    variance = sum([(s * t * signs).var(correction=0)] * d)
    larger = variance + (c * s * t * signs).var(correction=0) - s * s * t * t
    deviation = variance.sqrt()
    return {
        "variance": variance,
        "deviation": deviation,
        "scaled": deviation / math.sqrt(d),
        "larger": larger,
    }


def additive_context(state, keys, w_v):
    layer = d2l.AdditiveAttention(2, dropout=0)
    state, keys = torch.tensor(state).float(), torch.tensor(keys).float()
    layer(state[None, None], keys[None], keys[None])
    with torch.no_grad():
        layer.W_q.weight.copy_(torch.eye(2))
        layer.W_k.weight.copy_(torch.eye(2))
        layer.w_v.weight.copy_(math.log(2) * torch.tensor([w_v]))
        context = layer(state[None, None], keys[None], keys[None])[0, 0]
    return {"weights": layer.attention_weights[0, 0], "context": context}


def keys_once(p, m, n):
    layer, gru = d2l.AdditiveAttention(p, dropout=0), torch.nn.GRU
    queries, keys = torch.ones(1, n, p), torch.ones(1, m, p)
    layer(queries, keys, keys)
    with FlopCounterMode(display=False) as counter:
        layer(queries, keys, keys)
    with FlopCounterMode(display=False) as steps:
        for i in range(n):
            layer(queries[:, i : i + 1], keys, keys)
    num = [sum(W.numel() for W in gru(size, p).parameters()) for size in (p, 2 * p)]
    return {
        "parameters": sum(W.numel() for W in layer.parameters()),
        "extra": num[1] - num[0],
        "multiplications": counter.get_total_flops() // 2,
        "again": steps.get_total_flops() // 2,
    }


def two_heads(base, keys, values, W_o):
    query = torch.full((2, 1, 1), math.log(base))
    keys, values = (torch.tensor(each).float()[..., None] for each in (keys, values))
    attend = d2l.DotProductAttention(dropout=0)
    outputs = attend(query, keys, values).flatten()
    weights = attend.attention_weights[:, 0]
    mixed = values[..., 0] @ weights.mean(0)
    return {
        "weights 1": weights[0],
        "weights 2": weights[1],
        "output 1": outputs[0],
        "output 2": outputs[1],
        "y": outputs @ torch.tensor(W_o).float(),
        "mixed 1": mixed[0],
        "mixed 2": mixed[1],
    }


def narrow_head(base, keys, middle):
    k = torch.tensor(keys).float()
    assert (torch.arange(-49.5, 50)[:, None] * k).argmax(1).unique().numel() == 2
    scores = torch.stack([k, k**2], 1) @ torch.tensor([2.0 * middle, -1])
    weights = (math.log(base) * scores).softmax(0)
    assert k[weights.argmax()] == k.median() == middle
    return {"scores": scores, "weights": weights}


def rotary_score(i, j, query, key):
    omega = torch.tensor([90.0, 30]).deg2rad()

    def score(i, j):
        rows = (
            torch.view_as_complex(torch.tensor(row).float().view(2, 2))
            * torch.polar(torch.ones(2), position * omega)
            for row, position in ((query, i), (key, j))
        )
        return (
            torch.stack([torch.view_as_real(row).flatten() for row in rows]).prod(0).sum()
        )

    torch.testing.assert_close(score(i + 5, j + 5), score(i, j), atol=1e-4, rtol=0)
    angles = torch.arange(1, 30)[:, None] * omega / (2 * torch.pi)
    period = ((angles - angles.round()).abs() < 1e-5).all(1).nonzero()[0].item() + 1
    return {"score": score(i, j), "offset": i - j + period}


def order_of_tokens(base, keys, values, orders):
    attend, found = d2l.DotProductAttention(dropout=0), {}
    for number, order in enumerate(orders, start=1):
        place = order.index(0)
        k, v = (
            torch.tensor([[[float(each[t])] for t in order]]) for each in (keys, values)
        )
        q = torch.full((1, 3, 1), math.log(base))
        output = attend(q, k, v)[0, place, 0]
        found |= {"output": output} if number == 1 else {}
        torch.testing.assert_close(output, found["output"])
        weights = attend.attention_weights[0, place]
        found["weights"] = weights[torch.tensor(order).argsort()]
        masked = attend(q, k, v, mask=d2l.causal_mask(3))[0, place, 0]
        found[f"masked {number}"] = masked
    shorter = min((1, 2), key=lambda number: orders[number - 1].index(0))
    return found | {"masked": found[f"masked {shorter}"]}


@pytest.mark.parametrize("chapter", range(1, 7))
def test_results_are_those_of_the_package(chapter):
    for template in templates(chapter):
        for seed in SEEDS:
            question = draw(template, seed)
            computed = globals()[template.__name__](**question.drawn)
            assert computed.keys() == question.result.keys()
            for name, number in question.result.items():
                compare(computed[name], number)


def compare(computed, number):
    if isinstance(computed, torch.Tensor):
        number = [float(x) for x in number] if isinstance(number, tuple) else float(number)
        number = torch.tensor(number).view(computed.shape)
        torch.testing.assert_close(computed.float(), number, atol=2e-4, rtol=1e-5)
    else:
        assert computed == number
