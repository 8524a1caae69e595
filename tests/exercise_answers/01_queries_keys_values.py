"""Answers to the exercises of chapter 1: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "1.1": """
def soft_lookup(query, keys, values, tau):
    gap = torch.mv(keys, query)
    gap = gap - gap.max()
    w = torch.exp(gap / tau) if tau > 0 else (gap >= -1e-6).float()
    w = w / w.sum()
    return w, (w[:, None] * values).sum(0)
""",
    "1.2": """
def softmax_weights(distances, tau):
    nearest = distances.amin(-1, keepdim=True)
    e = torch.exp((nearest - distances) / tau)
    return e / e.sum(-1, keepdim=True)


def radius_weights(distances, r):
    near = (distances <= r).float()
    weights = near / near.sum(-1, keepdim=True)
    return weights.nan_to_num(nan=0.0)


def nearest_weights(distances, k):
    rank = distances.argsort(dim=-1).argsort(dim=-1)
    return (rank < k) / k
""",
    "1.3": """
def temperature_for(scores, weight):
    gaps = [float(scores.max()) - s for s in scores.tolist()]
    beta, width = 0.0, 1000.0
    for _ in range(100):
        width /= 2
        if 1 / sum(math.exp(-(beta + width) * gap) for gap in gaps) < weight:
            beta += width
    return 1 / beta
""",
    "1.4": """
def squeeze_excite(x, W1, W2):
    b, c, h, w = x.shape
    z = torch.einsum("bchw->bc", x) / (h * w)
    hidden = torch.einsum("rc,bc->br", W1, z).clamp(min=0)
    scores = torch.einsum("cr,br->bc", W2, hidden)
    g = 1 / (1 + torch.exp(-scores))
    return g, torch.einsum("bc,bchw->bchw", g, x)
""",
    "1.5": """
def attention_jacobian(query, keys, tau=1.0):
    m, d = keys.shape
    p = torch.softmax(keys @ query / tau, dim=0)
    total = torch.zeros(d, d, dtype=keys.dtype)
    for i in range(m):
        for j in range(i):  # a variance is half the mean squared difference of two draws
            gap = keys[i] - keys[j]
            total += p[i] * p[j] * torch.outer(gap, gap)
    return total / tau
""",
    "1.6": """
def gradient(M, Q, K):
    total = torch.zeros_like(M)
    for i, q in enumerate(Q):
        weights = torch.softmax(q @ M @ K.T, dim=0)
        total += torch.outer(q, weights @ K - K[i])
    return total / len(Q)


def learn(Q, K, steps, rate):
    M = torch.zeros(Q.shape[1], K.shape[1])
    for _ in range(steps):
        M -= rate * gradient(M, Q, K)
    return M
""",
    "1.7": """
def highest_weight(m, c):
    scores = torch.zeros(m, dtype=torch.float64)
    scores[0] = c
    return torch.softmax(scores, dim=0)[0].item()


def sharpening(m, m0, c):
    return (c + math.log(m - 1) - math.log(m0 - 1)) / c
""",
}

MISTAKES = {
    "1.1": """
- the first of the highest wins: `(gap >= -1e-6).float()` -> `torch.eye(len(gap))[gap.argmax()]`
- equal keys have a weight of 1 each: `w = w / w.sum()` -> `w = w / (w.sum() if tau else 1)`
- the limit asks for exact ties: `gap >= -1e-6` -> `gap == 0`
- the limit is taken for a low temperature: `if tau > 0 else` -> `if tau > 0 else torch.exp(gap / 0.02) if True else`
- returns one of the values: `(w[:, None] * values).sum(0)` -> `values[w.argmax()]`
- divides by a temperature of zero: `if tau > 0` -> `if tau >= 0`
- multiplies by the temperature: `gap / tau` -> `gap * tau`
- overflows at low temperatures: `torch.exp(gap / tau)` -> `torch.exp(torch.mv(keys, query) / tau)`
""",
    "1.2": """
- multiplies by the temperature: `) / tau` -> `) * tau`
- underflows far away: `nearest - distances` -> `-distances`
- the farthest key wins: `(nearest - distances)` -> `(distances - distances.amax())`
- nan where no key is within the radius: `.nan_to_num(nan=0.0)` -> ``
- one sum over all rows: `near.sum(-1, keepdim=True)` -> `near.sum().clamp(min=1)`
- the radius itself is outside: `distances <= r` -> `distances < r`
- a place in the order instead of a rank: `.argsort(dim=-1).argsort(dim=-1)` -> `.argsort(dim=-1)`
- weights that do not sum to 1: `(rank < k) / k` -> `(rank < k).float()`
""",
    "1.3": """
- returns the inverse: `return 1 / beta` -> `return beta`
- a range that is too narrow: `0.0, 1000.0` -> `0.0, 32.0`
- too few steps: `range(100)` -> `range(14)`
- returns a tensor: `return 1 / beta` -> `return torch.tensor(1 / beta)`
- another key than the highest: `float(scores.max())` -> `float(scores[0])`
""",
    "1.4": """
- softmax over the channels: `1 / (1 + torch.exp(-scores))` -> `scores.softmax(dim=1)`
- forgets the relu: `.clamp(min=0)` -> ``
- squeezes all images into one:
  `/ (h * w)` -> `/ (h * w); z = z.mean(0, keepdim=True).expand(b, c)`
- a sum instead of the mean: `/ (h * w)` -> ``
""",
    "1.5": """
- each weight depends on its own score only:
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `return (p * (1 - p) * keys.T) @ keys / tau`
- the second moment, not centred:
  `total = torch.zeros(d, d, dtype=keys.dtype)` -> `return (p * keys.T) @ keys / tau`
- forgets the temperature: `total / tau` -> `total`
- centred by the plain mean:
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `keys = keys - keys.mean(0); return (p * keys.T) @ keys / tau`
""",
    "1.6": """
- the matrix of the sentences comes first: `torch.outer(q, weights @ K - K[i])` -> `torch.outer(weights @ K - K[i], q)`
- away from the right sentence: `weights @ K - K[i]` -> `K[i] - weights @ K`
- a sum instead of the mean: `total / len(Q)` -> `total`
- without the right sentence: `weights @ K - K[i]` -> `weights @ K`
- one step too many: `range(steps)` -> `range(steps + 1)`
- ignores the rate: `rate * gradient` -> `0.5 * gradient`
- the softmax over the questions:
  `weights = torch.softmax(q @ M @ K.T, dim=0)` -> `weights = torch.softmax(Q @ M @ K.T, dim=0)[i]`
""",
    "1.7": """
- a single other key: `torch.zeros(m, ` -> `torch.zeros(2, `
- m other keys: `torch.zeros(m, ` -> `torch.zeros(m + 1, `
- scores between -c and c: `scores[0] = c` -> `scores[0] = c; scores[1:] = -c`
- the lowest weight: `scores[0] = c` -> `scores[0] = -c`
- overflows: `torch.softmax(scores, dim=0)[0].item()` -> `math.exp(c) / (math.exp(c) + m - 1)`
- returns a tensor: `[0].item()` -> `[0]`
- m other keys in the factor: `math.log(m - 1) - math.log(m0 - 1)` -> `math.log(m) - math.log(m0)`
- a ratio of logarithms: `(c + math.log(m - 1) - math.log(m0 - 1)) / c` -> `math.log(m) / math.log(m0)`
- in proportion to the keys:
  `(c + math.log(m - 1) - math.log(m0 - 1)) / c` -> `(m - 1) / (m0 - 1)`
- from many to few: `+ math.log(m - 1) - math.log(m0 - 1)` -> `- math.log(m - 1) + math.log(m0 - 1)`
- the temperature: `return (c + math.log(m - 1) - math.log(m0 - 1)) / c` -> `return c / (c + math.log(m - 1) - math.log(m0 - 1))`
- the new difference of scores: `math.log(m0 - 1)) / c` -> `math.log(m0 - 1))`
""",
}

WRONG = spoil(OTHER, MISTAKES)
