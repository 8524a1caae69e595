"""Answers to the exercises of chapter 2: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "2.1": """
def estimate_or_nan(x_train, y_train, x_val, kernel):
    kappa = kernel((x_val[:, None] - x_train).abs())
    total = kappa.sum(1)
    total[total == 0] = math.nan
    return kappa / total[:, None] @ y_train
""",
    "2.2": """
def prediction_error(x, y, sigma, leave_one_out=False):
    m = len(x)
    squares, values = (x[:, None] - x) ** 2, y.expand(m, m)
    if leave_one_out:
        others = torch.arange(m)[:, None] != torch.arange(m)
        squares, values = (t[others].view(m, m - 1) for t in (squares, values))
    nearest = squares.min(dim=1, keepdim=True).values
    kappa = torch.exp((nearest - squares) / (2 * sigma**2))
    y_hat = (kappa * values).sum(1) / kappa.sum(1)
    return ((y_hat - y) ** 2).sum() / m
""",
    "2.3": """
def lift(queries, keys, sigma):
    squares = (keys**2).sum(1)
    keys = torch.column_stack([keys / sigma, squares / sigma**2])
    return torch.column_stack([queries / sigma, torch.full((len(queries),), -0.5)]), keys
""",
    "2.4": """
def parzen(x_train, labels, x_val, sigma):
    densities = torch.zeros(len(x_val), 2)
    normal = torch.distributions.Normal(0.0, sigma)
    counts = [labels.tolist().count(label) for label in (0, 1)]
    for x, label in zip(x_train, labels.tolist()):
        densities[:, label] += normal.log_prob(x_val - x).exp() / counts[label]
    return densities
""",
    "2.5": """
def weighted_median(weights, values):
    answers = []
    for row in weights.tolist():
        reached = 0.0
        for value, weight in sorted(zip(values.tolist(), row)):
            reached += weight
            if reached >= sum(row) / 2:
                answers.append(value)
                break
    return torch.tensor(answers)
""",
    "2.6": """
def best_width(a, b, m, d):
    return math.exp((math.log(d) + math.log(b) - math.log(4 * a * m)) / (4 + d))
""",
}

MISTAKES = {
    "2.1": """
- zero where no key has weight: `= math.nan` -> `= 1`
- nan for an estimate of zero:
  `    total = kappa` -> `    y_hat = d2l.nadaraya_watson(x_train, y_train, x_val, kernel)[0]
    return torch.where(y_hat == 0, math.nan, y_hat)
    total = kappa`
- nan for all queries outside the range of the keys:
  `total == 0` -> `(total == 0) | (x_val < x_train.min()) | (x_val > x_train.max())`
- nan where the weights are small: `total == 0` -> `total < 1e-3`
- one query without a key makes all nan: `total[total == 0] = math.nan` -> `total = total / (total > 0).all()`
- always the boxcar: `kernel((x_val` -> `d2l.boxcar((x_val`
""",
    "2.2": """
- leaves one out after normalising:
  `t[others].view(m, m - 1)` -> `t`
  `return (` -> `kappa = kappa * others if leave_one_out else kappa
    return (`
- a narrow kernel gives 0 / 0: `nearest - squares` -> `-squares`
- divides by the width, not by its square: `sigma**2` -> `sigma`
- the root of the mean squared error: `return ((y_hat - y) ** 2).sum() / m` -> `return (((y_hat - y) ** 2).sum() / m).sqrt()`
- no gradient reaches the width: `m = len(x)` -> `m, sigma = len(x), float(sigma)`
- always leaves one out: `if leave_one_out` -> `if True`
- never leaves one out: `if leave_one_out` -> `if False`
- leaves out all measurements at the same position:
```
def prediction_error(x, y, sigma, leave_one_out=False):
    scores = -((x[:, None] - x) ** 2) / (2 * sigma**2)
    if leave_one_out:
        scores = scores.masked_fill(x[:, None] == x, -math.inf)
    return (torch.softmax(scores, dim=1) @ y - y).square().mean()
```
""",
    "2.3": """
- without the factor of one half: `-0.5` -> `-1.0`
- the wrong sign: `-0.5` -> `0.5`
- the temperature is the width: `queries / sigma` -> `queries`
  `squares / sigma**2` -> `squares / sigma`
- no new coordinate counts: `-0.5` -> `0.0`
- normalises the keys instead:
  `squares = (keys**2).sum(1)` -> `keys = keys / keys.norm(dim=1, keepdim=True); squares = (keys**2).sum(1)`
""",
    "2.4": """
- sums over a class, not means: ` / counts[label]` -> ``
- divides by all samples: `counts[label]` -> `len(labels)`
- takes class frequencies instead of densities:
  `return densities` -> `return densities / densities.sum(1, True)`
- swaps the classes: `return densities` -> `return densities.flip(1)`
- the kernel without its factor: `.exp() / counts` -> `.exp() * sigma / counts`
""",
    "2.5": """
- forgets to sort: `sorted(zip(values.tolist(), row))` -> `zip(values.tolist(), row)`
- sorts the values without their weights:
  `sorted(zip(values.tolist(), row))` -> `zip(sorted(values.tolist()), row)`
- takes the weights to sum to 1: `sum(row) / 2` -> `0.5`
- the next value: `>= sum(row)` -> `> sum(row)`
- the unweighted median: `for row in weights` -> `for row in weights.sign()`
- the weighted mean: `return torch.tensor(answers)` -> `return weights @ values / weights.sum(1)`
""",
    "2.6": """
- the exponent of one dimension: `/ (4 + d)` -> `/ 5`
- a constant number of keys: `/ (4 + d)` -> `/ d`
- forgets d in the derivative: `math.log(d) + ` -> ``
- forgets the 4 in the derivative: `4 * a * m` -> `a * m`
""",
}

WRONG = spoil(OTHER, MISTAKES)
