"""Answers to the exercises on multi-head attention: wrong ones, and others to accept.

Each takes the place of a solution cell. WRONG lists (what is wrong, source) for each
exercise; OTHER has a correct answer written in another way.
"""

from functools import partial

from tests.exercise_answers import swap

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
    h, rows = layer.num_heads, layer.W_o.in_features
    if len(keep) == 0 or sorted(set(keep) & set(range(h))) != sorted(keep):
        raise ValueError("keep")
    index = torch.arange(rows).reshape(h, -1)[torch.tensor(keep)].reshape(-1)
    bias = layer.W_o.bias is not None
    rate = layer.attention.dropout.p
    new = d2l.MultiHeadAttention(len(index), len(keep), rate, bias=bias)
    new.W_o = nn.Linear(len(index), layer.W_o.out_features, bias=bias)
    widths = [W.in_features for W in (layer.W_q, layer.W_k, layer.W_v)]
    new.to(layer.W_o.weight.dtype)
    new.project(*(torch.zeros(1, 1, width, dtype=layer.W_o.weight.dtype)
                  for width in widths[1:]))
    new.W_q(torch.zeros(1, 1, widths[0], dtype=layer.W_o.weight.dtype))
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v"):
            old, fresh = getattr(layer, name), getattr(new, name)
            fresh.weight.copy_(old.weight[index])
            if bias:
                fresh.bias.copy_(old.bias[index])
        new.W_o.weight.copy_(layer.W_o.weight[:, index])
        if bias:
            new.W_o.bias.copy_(layer.W_o.bias)
    return new.train(layer.training)
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
    gram = keys @ keys.T
    if torch.linalg.svdvals(gram)[-1] < 1e-5 * torch.linalg.svdvals(gram)[0]:
        raise ValueError("keys are linearly dependent")
    scores = torch.full((m,), -1.0 - margin, dtype=keys.dtype)
    scores[i] = scores[j] = 0
    return torch.linalg.solve(gram, scores) @ keys
""",
}

_but = partial(swap, OTHER)

_PRUNE = "\n\ndef prune_heads" + OTHER["5.2"].partition("\n\ndef prune_heads")[2]


def _importance(shape="heads.shape[:-1]", result="slopes.abs().mean((0, 1))"):
    """head_importance with gates of this shape, and the prune_heads of OTHER."""
    return f"""
def head_importance(layer, losses):
    kept = []

    def gate(_, inputs):
        heads = inputs[0].unflatten(-1, (layer.num_heads, -1))
        kept.append(torch.ones({shape}, requires_grad=True))
        return (kept[0].unsqueeze(-1) * heads).flatten(-2)

    handle = layer.W_o.register_forward_pre_hook(gate)
    try:
        loss = losses()
    finally:
        handle.remove()
    if loss.ndim != 2:
        raise ValueError("losses")
    slopes = torch.autograd.grad(loss.sum(), kept[0])[0]
    return {result}
{_PRUNE}"""


WRONG = {
    "5.1": [
        ("forgets the half", _but("5.1", ("1 - torch.min", "2 - 2 * torch.min"))),
        (
            "counts the rows that are empty in the mean",
            _but("5.1", ("distances / seen", "distances / (b * n)")),
        ),
        (
            "the mean of the maps first: differences cancel",
            """
def head_distances(weights):
    if weights.ndim != 4:
        raise ValueError("weights")
    rows = weights.transpose(1, 2).flatten(0, 1)
    maps = rows[rows.sum((1, 2)) > 0].mean(0)
    return torch.cdist(maps, maps, p=1) / 2
""",
        ),
        ("no check of the axes", _but("5.1", ("!= 4", "< 0"))),
    ],
    "5.2": [
        (
            "the L1 norm of the attention weights, which is always 1",
            """
def head_importance(layer, losses):
    if losses().ndim != 2:
        raise ValueError("losses")
    return layer.attention.attention_weights.norm(p=1, dim=-1).mean((0, 2))
"""
            + _PRUNE,
        ),
        (
            "the absolute value after the mean",
            _importance(result="slopes.mean((0, 1)).abs()"),
        ),
        (
            "gates at zero instead of a cut",
            OTHER["5.2"].partition("\n\ndef prune_heads")[0]
            + """

def prune_heads(layer, keep):
    h = layer.num_heads
    if not keep or sorted(set(keep) & set(range(h))) != sorted(keep):
        raise ValueError("keep")
    new = copy.deepcopy(layer)
    gone = [i for i in range(h) if i not in keep]
    with torch.no_grad():
        new.W_o.weight.unflatten(1, (h, -1))[:, gone] = 0
    return new
""",
        ),
        (
            "takes every h-th row: mixes the heads",
            _but(
                "5.2",
                (
                    "reshape(h, -1)[torch.tensor(keep)]",
                    "reshape(-1, h).T[torch.tensor(keep)]",
                ),
            ),
        ),
    ],
    "5.3": [
        (
            "the bound is always 1",
            _but("5.3", ("return alpha, w, error", "return alpha, w, 1.0")),
        ),
        (
            "always looks at the positive side",
            _but("5.3", ("min(options, key=lambda option: option[0])", "options[0]")),
        ),
        (
            "looks up the largest coefficient alone",
            """
def best_blend(wanted):
    if wanted.ndim != 1:
        raise ValueError("wanted")
    k = wanted.abs().argmax()
    alpha = nn.functional.one_hot(k, len(wanted)).float()
    w = wanted[k].item()
    return alpha, w, (w * alpha - wanted).square().sum().item()
""",
        ),
        (
            "weights in proportion to sizes, whatever the sign",
            """
def best_blend(wanted):
    if wanted.ndim != 1:
        raise ValueError("wanted")
    alpha = wanted.abs() / wanted.abs().sum().clamp(min=1e-9)
    if not wanted.any():
        alpha = torch.full_like(wanted, 1 / len(wanted))
    w = (alpha @ wanted / alpha.square().sum()).item()
    return alpha, w, (w * alpha - wanted).square().sum().item()
""",
        ),
    ],
    "5.4": [
        (
            "a pair of factors for each question",
            """
def two_heads(wanted):
    sides = torch.stack([wanted.clamp(min=0), (-wanted).clamp(min=0)])
    if not torch.allclose(wanted.sum(1), wanted[:1].sum(1), atol=1e-4):
        raise ValueError("wanted")
    sizes = sides.sum(-1, keepdim=True)
    return sides / sizes.clamp(min=1e-9), sizes[..., 0].amax(-1) * torch.tensor([1.0, -1])
""",
        ),
        ("forgets the sign of the second factor", _but("5.4", ("[w1, -w2]", "[w1, w2]"))),
        (
            "does not spend what is to spare",
            _but("5.4", ("extra[:, :1] = spare", "extra[:, :1] = 0")),
        ),
        (
            "divides by zero where a side is empty",
            """
def two_heads(wanted):
    sums = wanted.sum(-1)
    if (sums - sums[0]).abs().max() > 1e-4:
        raise ValueError("wanted")
    sides = torch.stack([wanted.clamp(min=0), (-wanted).clamp(min=0)])
    sizes = sides.sum(-1).amax(-1)
    spare = sizes[:, None, None] - sides.sum(-1, keepdim=True)
    alpha = (sides + spare / wanted.shape[1]) / sizes[:, None, None]
    return alpha, sizes * torch.tensor([1.0, -1.0])
""",
        ),
    ],
    "5.5": [
        ("unbiased, so without any effect", _but("5.5", ("(1 / (1 - rate) - 1)", "0"))),
        (
            "the variance of the mask without the scale",
            _but("5.5", ("(1 / (1 - rate) - 1)", "rate * (1 - rate)")),
        ),
        ("r instead of r / (1 - r)", _but("5.5", ("(1 / (1 - rate) - 1)", "rate"))),
        (
            "cancels before the square: one mask for all heads",
            _but("5.5", ('torch.einsum("h,hnm->nm", w**2, alpha**2)', "mean**2")),
        ),
    ],
    "5.6": [
        (
            "width 1 finds the largest only",
            _but(
                "5.6",
                (
                    "(points == points.max()) | (points == points.min())",
                    "points == points.max()",
                ),
            ),
        ),
        (
            "a query finds the key that it resembles: always",
            """
def can_be_found(keys):
    if keys.shape[1] not in (1, 2):
        raise ValueError("keys")
    return torch.ones(len(keys), dtype=torch.bool)
""",
        ),
        (
            "tries each key as its own query",
            """
def can_be_found(keys):
    if keys.shape[1] not in (1, 2):
        raise ValueError("keys")
    scores = keys @ keys.T
    others = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return scores.diagonal() > others.amax(1)
""",
        ),
        (
            "counts equal keys",
            _but(
                "5.6",
                ("k in corners and alone[k]", "k in corners"),
                (" & ((points == points.T).sum(1) == 1)", ""),
            ),
        ),
    ],
    "5.7": [
        (
            "names only: the mean of two",
            _but("5.7", ("layer.W_k.weight[5, 5] = 15", "pass")),
        ),
        (
            "prices only: the dearest of all",
            _but("5.7", ("layer.W_k.weight[thing, thing] = 30", "pass")),
        ),
        (
            "the cheaper one",
            _but("5.7", ("layer.W_q.bias[5] = 60", "layer.W_q.bias[5] = -60")),
        ),
        ("too soft", _but("5.7", ("layer.W_q.bias[5] = 60", "layer.W_q.bias[5] = 6"))),
    ],
    "5.8": [
        (
            "the sum of the two keys, as if all had length 1 and right angles",
            """
def pair_query(keys, i, j, margin):
    if torch.linalg.matrix_rank(keys) < len(keys):
        raise ValueError("keys")
    return margin * (keys[i] + keys[j])
""",
        ),
        (
            "the sum of the two directions",
            """
def pair_query(keys, i, j, margin):
    if torch.linalg.matrix_rank(keys) < len(keys):
        raise ValueError("keys")
    return margin * sum(key / key.square().sum() for key in (keys[i], keys[j]))
""",
        ),
        ("half the margin", _but("5.8", ("-1.0 - margin", "-margin / 2"))),
        (
            "takes any keys",
            """
def pair_query(keys, i, j, margin):
    scores = torch.zeros(len(keys), dtype=keys.dtype)
    scores[[i, j]] = margin
    return torch.linalg.pinv(keys) @ scores
""",
        ),
    ],
}
