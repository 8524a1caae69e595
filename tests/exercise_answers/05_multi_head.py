"""Answers to the exercises of chapter 5: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "5.1": """
def best_head(c):
    options = []
    for side in (c * (c > 0), c * (c < 0)):
        w = float(side.sum())
        alpha = side / w if w != 0 else torch.ones_like(c) / c.numel()
        options.append((float(((w * alpha - c) ** 2).sum()), alpha, w))
    error, alpha, w = min(options, key=lambda option: option[0])
    return alpha, w, error
""",
    "5.2": """
def two_heads(C):
    total = C[0].sum()
    if ((C.sum(1) - total).abs() > 1e-3).any():
        return None
    w1 = C.abs().sum(1).max() + total.abs() + 1  # more than needed
    w2 = w1 - total
    extra = torch.zeros_like(C)
    extra[:, 0] = w1 - C.clamp(min=0).sum(1)  # all of it on the first key
    alpha = torch.stack([(C.relu() + extra) / w1, ((-C).relu() + extra) / w2])
    return alpha, torch.stack([w1, -w2])
""",
    "5.3": """
def head_distances(weights):
    b, h, n, m = weights.shape
    distances = torch.zeros(h, h)
    for i in range(h):
        for j in range(h):
            both = torch.minimum(weights[:, i], weights[:, j])  # (b, n, m)
            distances[i, j] = 1 - both.sum(-1).mean()
    return distances
""",
    "5.4": """
def pair_query(keys, i, j, margin):
    scores = torch.full((len(keys),), -1.0 - margin, dtype=keys.dtype)
    scores[i] = scores[j] = 0
    return torch.linalg.solve(keys @ keys.T, scores) @ keys
""",
    "5.5": """
def dropout_error(alpha, w, C, rate):
    mean = torch.einsum("h,hnm->nm", w, alpha)
    second = torch.einsum("h,hnm->nm", w**2, alpha**2) * (1 / (1 - rate) - 1) + mean**2
    return (second - 2 * mean * C + C**2).sum(1)
""",
    "5.6": """
def prune_heads(layer, keep):
    h, p = layer.num_heads, layer.W_o.weight.shape[1] // layer.num_heads
    rows = torch.arange(h * p).view(h, p)[torch.tensor(keep)].flatten()
    dropout = layer.attention.dropout.p
    new = d2l.MultiHeadAttention(layer.W_o.weight.shape[0], 1, dropout)
    new.num_heads = len(keep)
    for name in ("W_q", "W_k", "W_v", "W_o"):
        weight = getattr(layer, name).weight.detach()
        weight = weight[:, rows] if name == "W_o" else weight[rows]
        linear = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        linear.weight = nn.Parameter(weight)
        setattr(new, name, linear)
    return new.train(layer.training)
""",
    "5.7": """
def cut_order(layer, error):
    names, order = list(range(layer.num_heads)), []
    while len(names) > 1:
        best = None
        for j in range(len(names)):
            smaller = prune_heads(layer, [i for i in range(len(names)) if i != j])
            value = error(smaller)
            if best is None or value < best[0]:
                best = value, j, smaller
        value, j, layer = best
        order.append((names.pop(j), value))
    return order
""",
}

MISTAKES = {
    "5.1": """
- takes the positive part always: `min(options, key=lambda option: option[0])` -> `options[0]`
- compares sums instead of squares:
  `key=lambda option: option[0]` -> `key=lambda option: -abs(option[2])`
- the fraction of the variance: `return alpha, w, error`
  -> `return alpha, w, error / float((c**2).sum())`
""",
    "5.2": """
- two heads give any sums: `if ((C.sum` -> `if False and ((C.sum`
- the second factor is positive: `[w1, -w2]` -> `[w1, w2]`
- the rows of weights do not sum to 1: `extra[:, 0] = ` -> `extra[:, 0] = 0 * `
- works for the sum 0 only: `w2 = w1 - total` -> `w2 = w1`
- NaN where one head is enough: `w1 = C.abs().sum(1).max() + total.abs() + 1`
  -> `w1 = C.clamp(min=0).sum(1).max()`
""",
    "5.3": """
- forgets the half: `1 - both.sum(-1).mean()` -> `2 - 2 * both.sum(-1).mean()`
- the sum over queries: `1 - both.sum(-1).mean()` -> `(1 - both.sum(-1)).sum()`
- squares instead of absolute values: `1 - both.sum(-1).mean()`
  -> `(weights[:, i] - weights[:, j]).square().sum(-1).mean() / 2`
- compares the mean maps, in which differences cancel:
```
def head_distances(weights):
    maps = weights.mean(dim=(0, 2))
    return torch.cdist(maps, maps, p=1) / 2
```
""",
    "5.4": """
- the sum of the two keys, as if they were orthonormal:
  `torch.linalg.solve(keys @ keys.T, scores) @ keys` -> `margin * (keys[i] + keys[j])`
- as many keys as coordinates:
  `torch.linalg.solve(keys @ keys.T, scores) @ keys` -> `torch.linalg.solve(keys, scores)`
- half the margin: `-1.0 - margin` -> `-margin / 2`
""",
    "5.5": """
- unbiased, so without any effect: `(1 / (1 - rate) - 1)` -> `0`
- r instead of r / (1 - r): `(1 / (1 - rate) - 1)` -> `rate`
- the variance without the scale: `(1 / (1 - rate) - 1)` -> `rate * (1 - rate)`
- one mask for all heads: `torch.einsum("h,hnm->nm", w**2, alpha**2)` -> `mean**2`
""",
    "5.6": """
- columns at zero instead of a cut: `    rows = ` -> `    new = copy.deepcopy(layer)
    for i in {*range(h)} - {*keep}:
        new.W_o.weight.data[:, p * i : p * i + p] = 0
    return new
    rows = `
- takes every h-th row: `view(h, p)[torch.tensor(keep)]` -> `view(p, h).T[torch.tensor(keep)]`
- ignores the order: `torch.tensor(keep)` -> `torch.tensor(sorted(keep))`
- no dropout: `dropout = layer.attention.dropout.p` -> `dropout = 0`
- always in training mode: `return new.train(layer.training)` -> `return new`
- cuts the old layer: `new = d2l.MultiHeadAttention(layer.W_o.weight.shape[0], 1, dropout)`
  -> `new = layer`
""",
    "5.7": """
- the number that the head has in the smaller layer: `names.pop(j)` -> `(j, names.pop(j))[0]`
- cuts the most important head: `value < best[0]` -> `value > best[0]`
- without the error: `order.append((names.pop(j), value))` -> `order.append(names.pop(j))`
- looks once, and cuts in the order of the single errors:
```
def cut_order(layer, error):
    heads = range(layer.num_heads)
    without = lambda cut: prune_heads(layer, [i for i in heads if i not in cut])
    order = sorted(heads, key=lambda i: error(without([i])))[:-1]
    return [(head, error(without(order[: k + 1]))) for k, head in enumerate(order)]
```
- the same error after all cuts: `(names.pop(j), value)`
  -> `(names.pop(j), order[0][1] if order else value)`
""",
}

WRONG = spoil(OTHER, MISTAKES)
