"""Answers to the exercises of chapter 2: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "2.1": """
def parzen(x_train, labels, x_val, sigma):
    if sigma <= 0:
        raise ValueError("sigma > 0, please")
    x_train, x_val = (x.reshape(len(x), -1) for x in (x_train, x_val))
    d = x_train.shape[1]
    counts = [labels.tolist().count(label) for label in (0, 1)]
    if 0 in counts or sum(counts) < len(labels):
        raise ValueError("labels must be 0 and 1, and both must occur")
    densities = torch.zeros(len(x_val), 2)
    normal = torch.distributions.Normal(0.0, sigma)
    for x, label in zip(x_train, labels.tolist()):
        density = normal.log_prob(x_val - x).sum(dim=1).exp()
        densities[:, label] += density / counts[label]
    return densities
""",
    "2.2": """
def prediction_error(x, y, sigma, leave_one_out=False):
    m = len(x)
    squares, values = (x[:, None] - x) ** 2, y.expand(m, m)
    if leave_one_out:
        if m == 1:
            raise ValueError("x holds a single measurement")
        others = torch.arange(m)[:, None] != torch.arange(m)
        squares, values = (t[others].view(m, m - 1) for t in (squares, values))
    nearest = squares.min(dim=1, keepdim=True).values
    kappa = torch.exp((nearest - squares) / (2 * sigma**2))
    y_hat = (kappa * values).sum(1) / kappa.sum(1)
    return ((y_hat - y) ** 2).sum() / m


def learn_sigma(x, y, sigma=1.0, leave_one_out=False, steps=300):
    s = math.log(sigma)
    for _ in range(steps):
        t = torch.tensor(s, requires_grad=True)
        (slope,) = torch.autograd.grad(prediction_error(x, y, t.exp(), leave_one_out), t)
        s -= 0.3 * slope.item()
    return math.exp(s)
""",
    "2.3": """
def sphere_weights(queries, keys, sigma):
    if not torch.allclose(keys.square().sum(1).sqrt(), torch.ones(len(keys)), atol=1e-3):
        raise ValueError("keys are not on the sphere")
    scores = torch.einsum("nd,md->nm", queries, keys) / sigma / sigma
    scores = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    return scores / scores.sum(dim=1, keepdim=True)
""",
    "2.4": """
def best_width(a, b, m, d):
    for name, value in zip("abmd", (a, b, m, d)):
        if value <= 0:
            raise ValueError(name + " > 0, please")
    return math.exp((math.log(d) + math.log(b) - math.log(4 * a * m)) / (4 + d))
""",
    "2.5": """
def estimate_or_nan(x_train, y_train, x_val, kernel):
    keys, queries = (x.reshape(len(x), -1) for x in (x_train, x_val))
    kappa = kernel((queries[:, None] - keys).square().sum(-1).sqrt())
    total = kappa.sum(1)
    total[total == 0] = math.nan
    return torch.einsum("nm,m...->n...", kappa / total[:, None], y_train)
""",
    "2.6": """
def weighted_median(weights, values):
    if weights.shape[-1] != values.shape[0]:
        raise ValueError("weights and values do not fit")
    answers = []
    for row in weights.tolist():
        total, reached, answer = sum(row), 0.0, math.nan
        for value, weight in sorted(zip(values.tolist(), row)):
            reached += weight
            if total > 0 and reached / total >= 0.5 - 1e-6:
                answer = value
                break
        answers.append(answer)
    return torch.tensor(answers)
""",
}

MISTAKES = {
    "2.1": """
- sums over a class, not means: ` / counts[label]` -> ``
- divides by all samples: `counts[label]` -> `len(labels)`
- normalises in one dimension only:
  `density / counts` -> `density * (sigma * math.sqrt(2 * math.pi)) ** (d - 1) / counts`
- takes class frequencies instead of densities:
  `return densities` -> `return densities / densities.sum(1, True)`
- swaps the classes: `return densities` -> `return densities.flip(1)`
- a negative width passes: `sigma <= 0` -> `sigma == 0`
- the label -1 passes: `sum(counts) < len(labels)` -> `(labels > 1).any()`
- changes its argument:
  `    return` -> `    x_train /= sigma
    return`
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
- always learns from the training error: `t.exp(), leave_one_out)` -> `t.exp())`
- always leaves one out: `t.exp(), leave_one_out)` -> `t.exp(), True)`
- always starts from 1: `s = math.log(sigma)` -> `s = 0.0`
- one step too many: `range(steps)` -> `range(steps + 1)`
- learns from other data: `prediction_error(x, y, t` -> `prediction_error(x_train, y_train, t`
- optimises the width itself: `t.exp(), leave` -> `t, leave`
  `s = math.log(sigma)` -> `s = sigma` `math.exp(s)` -> `abs(s)`
- returns a tensor: `return math.exp(s)` -> `return torch.tensor(s).exp()`
- searches a grid:
  `s = math.log(sigma)` -> `grid = torch.logspace(-3, 1, 200).tolist()
    return min(grid, key=lambda w: prediction_error(x, y, w, leave_one_out).item())
    s = math.log(sigma)`
""",
    "2.3": """
- the temperature is the width: ` / sigma / sigma` -> ` / sigma`
- the temperature is twice the squared width: ` / sigma / sigma` -> ` / (2 * sigma**2)`
- normalises the queries as well: `"nd,md->nm", queries` -> `"nd,md->nm", unit(queries, dim=1)`
- overflows for a narrow kernel: `scores - scores.max(dim=1, keepdim=True).values` -> `scores`
- computes distances: `torch.einsum("nd,md->nm", queries, keys)` -> `-torch.cdist(queries, keys) ** 2 / 2`
- the mean length is checked:
  `if not torch.allclose(keys.square().sum(1).sqrt(), torch.ones(len(keys)), atol=1e-3)`
  -> `if abs(keys.square().sum(1).sqrt().mean() - 1) > 1e-3`
- only the first key is checked: `keys.square().sum(1).sqrt()` -> `keys[:1].square().sum(1).sqrt().expand(len(keys))`
- a length that is off by a hundredth passes: `atol=1e-3` -> `atol=1e-2`
- a length that is off by a thousandth is refused: `atol=1e-3` -> `atol=1e-5`
- normalises over the queries: `scores.sum(dim=1, keepdim=True)` -> `scores.sum(dim=0, keepdim=True)`
""",
    "2.4": """
- the exponent of one dimension: `/ (4 + d)` -> `/ 5`
- a constant number of keys: `/ (4 + d)` -> `/ d`
- forgets d in the derivative: `math.log(d) + ` -> ``
- zero passes: `value <= 0` -> `value < 0`
- a negative number passes: `value <= 0` -> `value == 0`
- names no argument: `name + " > 0, please"` -> `"bad arguments must be positive"`
- searches a grid:
  `    return` -> `    grid = torch.logspace(-6, 4, 100001, dtype=torch.float64)
    return grid[(a * grid**4 + b / (m * grid**d)).argmin()].item()
    return`
- single precision: `return math.exp(` -> `return torch.exp(torch.tensor(1.0) * `
""",
    "2.5": """
- zero where no key has weight: `= math.nan` -> `= 1`
- nan for an estimate of zero:
  `    total = kappa` -> `    y_hat = d2l.nadaraya_watson(x_train, y_train, x_val, kernel)[0]
    return torch.where(y_hat == 0, math.nan, y_hat)
    total = kappa`
- nan for all queries outside the range of the keys:
  `total == 0`
  -> `(total == 0) | (queries < keys.min(0)[0]).any(1) | (queries > keys.max(0)[0]).any(1)`
- a kernel for each dimension:
  `kernel((queries[:, None] - keys).square().sum(-1).sqrt())`
  -> `kernel(queries[:, None] - keys).prod(-1)`
- nan where the weights are small: `total == 0` -> `total < 1e-6`
- always columns: `"nm,m...->n...", kappa / total[:, None], y_train` -> `"nm,mc->nc", kappa / total[:, None], y_train.reshape(len(y_train), -1)`
- one query without a key makes all nan: `total[total == 0] = math.nan` -> `total = total / (total > 0).all()`
""",
    "2.6": """
- forgets to sort: `sorted(zip(values.tolist(), row))` -> `zip(values.tolist(), row)`
- sorts the values without their weights:
  `sorted(zip(values.tolist(), row))` -> `zip(sorted(values.tolist()), row)`
- sorts the argument itself: `answers = []` -> `answers, order = [], values.argsort()
    weights, values[:] = weights[:, order], values[order]`
- takes the weights to sum to 1: `reached / total` -> `reached`
- a tolerance of a ten-thousandth: `1e-6` -> `1e-4`
- no tolerance: `0.5 - 1e-6` -> `0.5`
- the upper median: `0.5 - 1e-6` -> `0.5 + 1e-6`
- an absolute tolerance: `reached / total >= 0.5 - 1e-6` -> `reached >= 0.5 * total - 1e-6`
- weights that are small are none: `total > 0` -> `total > 1e-6`
- the lowest value where there is no weight: `0.0, math.nan` -> `0.0, values.min().item()`
- the unweighted median: `for row in weights` -> `for row in weights.sign()`
""",
}

WRONG = spoil(OTHER, MISTAKES)
