"""Answers to the exercises of chapter 5: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "5.1": """
def head_distances(weights):
    if len(weights.shape) != 4:
        raise ValueError("weights need four axes")
    b, h, n, m = weights.shape
    distances, seen = torch.zeros(h, h), 0
    for example in range(b):
        for query in range(n):
            rows = weights[example, :, query]
            if rows.sum() == 0:
                continue
            seen += 1
            for i in range(h):
                for j in range(h):
                    distances[i, j] += 1 - torch.minimum(rows[i], rows[j]).sum()
    distances = distances / seen
    return distances.fill_diagonal_(0)
""",
    "5.2": """
def head_importance(layer, losses):
    kept = []
    project = layer.W_o.forward

    def gated(X):
        gates = X.new_ones(*X.shape[:2], layer.num_heads).requires_grad_()
        kept.append((gates, X.shape[:2]))
        return project(gates.repeat_interleave(X.shape[-1] // layer.num_heads, -1) * X)

    layer.W_o.forward = gated
    try:
        loss = losses()
        ((gates, shape),) = kept
        if loss.shape != shape:
            raise ValueError(f"losses must have the shape {shape}")
    finally:
        del layer.W_o.forward
    (slopes,) = torch.autograd.grad(loss.sum(), [gates])
    return slopes.abs().flatten(0, 1).sum(0) / loss.numel()


def prune_heads(layer, keep):
    h, p = layer.num_heads, layer.W_o.weight.shape[1] // layer.num_heads
    if len(keep) == 0 or sorted(set(keep) & set(range(h))) != sorted(keep):
        raise ValueError("keep")
    rows = torch.arange(h * p).view(h, p)[torch.tensor(keep)].flatten()
    new = copy.deepcopy(layer)
    new.num_heads = len(keep)
    for linear in (new.W_q, new.W_k, new.W_v):
        for name, parameter in list(linear.named_parameters()):
            setattr(linear, name, nn.Parameter(parameter.detach()[rows]))
    new.W_o.weight = nn.Parameter(new.W_o.weight.detach()[:, rows])
    return new
""",
    "5.3": """
def best_blend(wanted):
    if wanted.dim() != 1:
        raise ValueError("wanted must have one axis")
    options = []
    for side in (wanted * (wanted > 0), wanted * (wanted < 0)):
        w = float(side.sum())
        uniform = torch.ones_like(wanted) / wanted.numel()
        alpha = side / w if w != 0 else uniform
        options.append((float(((w * alpha - wanted) ** 2).sum()), alpha, w))
    error, alpha, w = min(options, key=lambda option: option[0])
    return alpha, w, error
""",
    "5.4": """
def two_heads(wanted):
    n, m = wanted.shape
    total = wanted[0].sum()
    if ((wanted.sum(1) - total).abs() > 1e-3).any():
        raise ValueError("wanted: the rows have different sums")
    w1 = wanted.abs().sum(1).max() + total.abs() + 1  # more than needed
    w2 = w1 - total
    spare = (w1 - wanted.clamp(min=0).sum(1)).unsqueeze(1)
    extra = torch.zeros_like(wanted)
    extra[:, :1] = spare  # all of it on the first thing
    alpha = torch.stack([(wanted.relu() + extra) / w1, ((-wanted).relu() + extra) / w2])
    return alpha, torch.stack([w1, -w2])
""",
    "5.5": """
def dropout_error(alpha, w, wanted, rate):
    if rate < 0 or rate >= 1:
        raise ValueError("rate")
    mean = torch.einsum("h,hnm->nm", w, alpha)
    second = torch.einsum("h,hnm->nm", w**2, alpha**2) * (1 / (1 - rate) - 1) + mean**2
    return (second - 2 * mean * wanted + wanted**2).sum(1)
""",
    "5.6": """
def can_be_found(keys):
    m, p = keys.shape
    points = keys.double()
    if p == 1:
        ends = (points == points.max()) | (points == points.min())
        return ends[:, 0] & ((points == points.T).sum(1) == 1)
    if p != 2:
        raise ValueError("keys must have one or two columns")

    def side(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    order = sorted(range(m), key=lambda k: points[k].tolist())
    corners = set()
    for run in (order, order[::-1]):  # lower and upper chain
        chain = []
        for k in run:
            while len(chain) > 1 and side(*points[[chain[-2], chain[-1], k]]) <= 1e-12:
                chain.pop()
            chain.append(k)
        corners |= set(chain)
    alone = [sum(torch.equal(points[k], other) for other in points) == 1 for k in range(m)]
    return torch.tensor([k in corners and alone[k] for k in range(m)])
""",
    "5.7": """
def dearer_layer():
    layer = d2l.MultiHeadAttention(12, num_heads=1, dropout=0, bias=True)
    layer(torch.zeros(1, 1, 10), torch.zeros(1, 1, 6), torch.zeros(1, 1, 1))
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    with torch.no_grad():
        for thing in range(5):
            layer.W_q.weight[thing, thing] = layer.W_q.weight[thing, 5 + thing] = 300
            layer.W_k.weight[thing, thing] = 30
        layer.W_q.bias[5] = 60
        layer.W_k.weight[5, 5] = 15
        layer.W_v.weight[11] = 2
        layer.W_o.weight[0, 11] = 0.5
    return layer
""",
    "5.8": """
def pair_query(keys, i, j, margin):
    m = len(keys)
    lengths = keys.norm(dim=1, keepdim=True).clamp(min=1e-30)
    gram = (keys / lengths) @ (keys / lengths).T
    if not torch.linalg.svdvals(gram)[-1] > 1e-6:
        raise ValueError("keys are linearly dependent")
    scores = torch.full((m,), -1.0 - margin, dtype=keys.dtype)
    scores[i] = scores[j] = 0
    return torch.linalg.solve(gram, scores / lengths[:, 0]) @ (keys / lengths)
""",
}

MISTAKES = {
    "5.1": """
- forgets the half: `1 - torch.min` -> `2 - 2 * torch.min`
- queries without valid keys count: `distances / seen` -> `distances / (b * n)`
- squares instead of absolute values:
  `1 - torch.minimum(rows[i], rows[j]).sum()` -> `(rows[i] - rows[j]).square().sum() / 2`
- compares the mean maps, in which differences cancel:
```
def head_distances(weights):
    if weights.ndim != 4:
        raise ValueError("weights")
    rows = weights.transpose(1, 2).flatten(0, 1)
    maps = rows[rows.sum((1, 2)) > 0].mean(0)
    return torch.cdist(maps, maps, p=1) / 2
```
""",
    "5.2": """
- the L1 norm of the attention weights, which is always 1:
  `    return slopes.abs().flatten(0, 1).sum(0) / loss.numel()`
  -> `    weights = layer.attention.attention_weights
    return weights.unflatten(0, (len(loss), -1)).norm(p=1, dim=-1).mean((0, 2))`
- the absolute value after the sum:
  `slopes.abs().flatten(0, 1).sum(0)` -> `slopes.flatten(0, 1).sum(0).abs()`
- a gate that stays after an error in the model:
  `    try:
        loss = losses()
        ((gates, shape),) = kept
        if loss.shape != shape:
            raise ValueError(f"losses must have the shape {shape}")
    finally:
        del layer.W_o.forward
` -> `    loss = losses()
    del layer.W_o.forward
    ((gates, shape),) = kept
    if loss.shape != shape:
        raise ValueError(f"losses must have the shape {shape}")
`
- gradients in the parameters: `(slopes,) = torch.autograd.grad(loss.sum(), [gates])`
  -> `loss.sum().backward()
    slopes = gates.grad`
- one gate for all queries:
  `slopes.abs().flatten(0, 1).sum(0)` -> `slopes.sum(1).abs().sum(0)`
- the pruned layer shares the bias of W_o:
  `    return new` -> `    new.W_o.bias = layer.W_o.bias
    return new`
- only the first pruning works: `layer.W_o.weight.shape[1] // ` -> `layer.W_o.weight.shape[0] // `
- a head too many is not noticed:
  `sorted(set(keep) & set(range(h))) != sorted(keep)` -> `len(set(keep)) < len(keep)`
- columns at zero instead of a cut:
  `new.num_heads = len(keep)` -> `new.W_o.weight.data[:, [i for i in range(h * p) if i not in rows]] = 0
    return new`
- takes every h-th row: `view(h, p)[torch` -> `view(p, h).T[torch`
""",
    "5.3": """
- takes the positive side always: `min(options, key=lambda option: option[0])` -> `options[0]`
- compares sums instead of squares:
  `key=lambda option: option[0]` -> `key=lambda option: -abs(option[2])`
- nothing wanted, no weights: `uniform = torch.ones_like(wanted) / wanted.numel()`
  -> `uniform = torch.zeros_like(wanted)`
- the fraction of the variance: `return alpha, w, error`
  -> `return alpha, w, error / float((wanted**2).sum().clamp(min=1e-9))`
""",
    "5.4": """
- two heads give any sums: `if ((wanted` -> `if False and ((wanted`
- the second factor is positive: `[w1, -w2]` -> `[w1, w2]`
- the rows of weights do not sum to 1: `extra[:, :1] = spare` -> `extra[:, :1] = 0`
- works for the sum 0 only: `w2 = w1 - total` -> `w2 = w1`
- NaN for nothing: `+ total.abs() + 1` -> `+ 0 * total`
""",
    "5.5": """
- unbiased, so without any effect: `(1 / (1 - rate) - 1)` -> `0`
- r instead of r / (1 - r): `(1 / (1 - rate) - 1)` -> `rate`
- the variance without the scale: `(1 / (1 - rate) - 1)` -> `rate * (1 - rate)`
- takes the rate 1: `rate >= 1` -> `rate > 1`
- one mask for all heads: `torch.einsum("h,hnm->nm", w**2, alpha**2)` -> `mean**2`
""",
    "5.6": """
- width 1 finds only the largest: ` | (points == points.min())` -> ``
- keys inside an edge count: `<= 1e-12` -> `< -1e-12`
- equal keys count: `k in corners and alone[k]` -> `k in corners`
- takes any width as 1 or 2: `raise ValueError("keys must have one or two columns")`
  -> `points = points[:, :2]`
- tries each key as its own query:
```
def can_be_found(keys):
    if keys.shape[1] not in (1, 2):
        raise ValueError("keys")
    scores = keys @ keys.T
    others = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return scores.diagonal() > others.amax(1)
```
""",
    "5.7": """
- names only, the mean of the two: `layer.W_k.weight[5, 5] = 15` -> `pass`
- prices only, the dearest of all: `layer.W_k.weight[thing, thing] = 30` -> `pass`
- the cheaper one: `layer.W_q.bias[5] = 60` -> `layer.W_q.bias[5] = -60`
- the first of the two: `layer.W_q.weight[thing, 5 + thing] = 300` -> `300`
- too soft: `layer.W_q.bias[5] = 60` -> `layer.W_q.bias[5] = 6`
""",
    "5.8": """
- the sum of the two keys, as if they were orthonormal:
  `torch.linalg.solve(gram, scores / lengths[:, 0]) @ (keys / lengths)`
  -> `margin * (keys[i] + keys[j])`
- as many keys as coordinates:
  `torch.linalg.solve(gram, scores / lengths[:, 0]) @ (keys / lengths)`
  -> `torch.linalg.solve(keys, scores)`
- dependent only if exactly: `if not torch.linalg.svdvals(gram)[-1] > 1e-6:`
  -> `if torch.linalg.det(keys @ keys.T) == 0:`
- half the margin: `-1.0 - margin` -> `-margin / 2`
- takes dependent keys: `raise ValueError("keys are linearly dependent")` -> `pass`
""",
}

WRONG = spoil(OTHER, MISTAKES)
