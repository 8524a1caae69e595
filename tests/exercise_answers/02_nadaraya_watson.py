"""Answers to the exercises of chapter 2: others that are right, and some that are wrong."""

from functools import partial

from exercise_answers import swap

OTHER = {
    "2.1": """
def parzen(x_train, labels, x_val, sigma):
    if sigma <= 0:
        raise ValueError("sigma > 0, please")
    x_train, x_val = (x.reshape(len(x), -1) for x in (x_train, x_val))
    d = x_train.shape[1]
    counts = torch.bincount(labels, minlength=2)
    if len(counts) > 2 or 0 in counts:
        raise ValueError("labels must be 0 and 1, and both must occur")
    densities = torch.zeros(len(x_val), 2)
    normal = torch.distributions.Normal(0.0, sigma)
    for x, label in zip(x_train, labels.tolist()):
        log_density = normal.log_prob(x_val - x).sum(dim=1)
        densities[:, label] += log_density.exp() / counts[label]
    return densities
""",
    "2.2": """
def forecast_error(x, y, sigma, leave_one_out=False):
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
        (slope,) = torch.autograd.grad(forecast_error(x, y, t.exp(), leave_one_out), t)
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
def forecast_or_nan(x_train, y_train, x_val, kernel):
    keys, queries = (x.reshape(len(x), -1) for x in (x_train, x_val))
    kappa = kernel((queries[:, None] - keys).square().sum(-1).sqrt())
    total = kappa.sum(1)
    total = torch.where(total == 0, math.nan, total)
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
            if total > 0 and reached >= total * (0.5 - 1e-6):
                answer = value
                break
        answers.append(answer)
    return torch.tensor(answers)
""",
}

_swap = partial(swap, OTHER)  # wrong ones are right ones, spoilt

WRONG = {
    "2.1": [
        ("sums, not densities", _swap("2.1", (" / counts[label]", ""))),
        ("divides by all samples", _swap("2.1", ("/ counts[label]", "/ len(labels)"))),
        (
            "forgets the dimension",
            _swap(
                "2.1",
                (
                    "log_density.exp()",
                    "log_density.exp() * (sigma * math.sqrt(2 * math.pi)) ** (d - 1)",
                ),
            ),
        ),
        (
            "not normalised at all",
            _swap(
                "2.1",
                (
                    "log_density.exp()",
                    "log_density.exp() * (sigma * math.sqrt(2 * math.pi)) ** d",
                ),
            ),
        ),
        (
            "the shares of a vote",
            _swap(
                "2.1",
                (
                    "return densities",
                    "return densities / densities.sum(dim=1, keepdim=True)",
                ),
            ),
        ),
        (
            "classes exchanged",
            _swap("2.1", ("densities[:, label]", "densities[:, 1 - label]")),
        ),
        (
            "variance for width",
            _swap("2.1", ("Normal(0.0, sigma)", "Normal(0.0, math.sqrt(sigma))")),
        ),
        (
            "labels unchecked",
            _swap(
                "2.1",
                ("if len(counts) > 2 or 0 in counts:", "if False:"),
                ("[:, label] +=", "[:, min(label, 1)] +="),
            ),
        ),
    ],
    "2.2": [
        (
            "never leaves one out",
            _swap("2.2", ("    if leave_one_out:\n", "    if False:\n")),
        ),
        (
            "always leaves one out",
            _swap("2.2", ("    if leave_one_out:\n", "    if m > 1:\n")),
        ),
        (
            "left out after normalising",
            _swap(
                "2.2",
                ("t[others].view(m, m - 1)", "t"),
                (
                    "(kappa * values).sum(1)",
                    "(kappa * values * (others if leave_one_out else 1)).sum(1)",
                ),
            ),
        ),
        (
            "a kernel of zero divided by zero",
            _swap("2.2", ("nearest - squares", "-squares")),
        ),
        ("forgets the square of the width", _swap("2.2", ("2 * sigma**2", "2 * sigma"))),
        ("forgets the two", _swap("2.2", ("(2 * sigma**2)", "(sigma**2)"))),
        ("absolute errors", _swap("2.2", ("((y_hat - y) ** 2)", "(y_hat - y).abs()"))),
        ("sum of the errors", _swap("2.2", (".sum() / m", ".sum()"))),
        (
            "learns with the naive loss only",
            _swap("2.2", ("t.exp(), leave_one_out), t)", "t.exp()), t)")),
        ),
        ("climbs", _swap("2.2", ("s -= 0.3", "s += 0.3"))),
        ("does not learn", _swap("2.2", ("s -= 0.3", "s -= 0.0"))),
        (
            "descends on the width itself",
            _swap(
                "2.2",
                ("s = math.log(sigma)", "s = sigma"),
                ("t.exp()", "t"),
                ("return math.exp(s)", "return s"),
            ),
        ),
        (
            "nothing left, and no error",
            _swap(
                "2.2",
                (
                    '            raise ValueError("x holds a single measurement")',
                    "            return torch.tensor(0.0)",
                ),
            ),
        ),
    ],
    "2.3": [
        ("temperature is the width", _swap("2.3", ("/ sigma / sigma", "/ sigma"))),
        (
            "temperature is twice the squared width",
            _swap("2.3", ("/ sigma / sigma", "/ sigma / sigma / 2")),
        ),
        (
            "normalises the queries as well",
            _swap(
                "2.3",
                (
                    "    scores = torch.einsum",
                    "    queries = queries / queries.norm(dim=1, keepdim=True)\n    scores = torch.einsum",
                ),
            ),
        ),
        (
            "normalises over the queries",
            _swap(
                "2.3",
                ("scores / scores.sum(dim=1, keepdim=True)", "scores / scores.sum(dim=0)"),
            ),
        ),
        (
            "overflows when narrow",
            _swap("2.3", ("scores - scores.max(dim=1, keepdim=True).values", "scores")),
        ),
        (
            "keys unchecked",
            _swap("2.3", ('raise ValueError("keys are not on the sphere")', "pass")),
        ),
        (
            "keys repaired in silence",
            _swap(
                "2.3",
                (
                    'raise ValueError("keys are not on the sphere")',
                    "keys = keys / keys.norm(dim=1, keepdim=True)",
                ),
            ),
        ),
    ],
    "2.4": [
        ("the rate of one dimension", _swap("2.4", ("/ (4 + d))", "/ 5)"))),
        ("keeps the number of keys in reach", _swap("2.4", ("/ (4 + d))", "/ d)"))),
        ("two plus d", _swap("2.4", ("(4 + d)", "(2 + d)"))),
        ("forgets d in the derivative", _swap("2.4", ("math.log(d) + ", ""))),
        ("forgets the four", _swap("2.4", ("math.log(4 * a * m)", "math.log(a * m)"))),
        (
            "bias and variance equal",
            _swap("2.4", ("math.log(d) + ", ""), ("4 * a * m", "a * m")),
        ),
        ("zero let through", _swap("2.4", ("if value <= 0:", "if value < 0:"))),
    ],
    "2.5": [
        (
            "zero for no answer",
            _swap(
                "2.5",
                (
                    "torch.where(total == 0, math.nan, total)",
                    "torch.where(total == 0, 1.0, total)",
                ),
            ),
        ),
        (
            "nan for a forecast of zero",
            _swap(
                "2.5",
                (
                    '    return torch.einsum("nm,m...->n...", kappa / total[:, None], y_train)',
                    '    y = torch.einsum("nm,m...->n...", kappa / total[:, None], y_train)\n    return torch.where(y == 0, math.nan, y)',
                ),
            ),
        ),
        (
            "the mean for no answer",
            _swap(
                "2.5",
                (
                    "    total = kappa.sum(1)",
                    "    kappa[kappa.sum(1) == 0] = 1\n    total = kappa.sum(1)",
                ),
            ),
        ),
        (
            "refuses all outside the range",
            _swap(
                "2.5",
                (
                    "    total = torch.where(total == 0, math.nan, total)",
                    "    outside = ((queries < keys.min(0).values) | (queries > keys.max(0).values)).any(1)\n    total = torch.where(outside | (total == 0), math.nan, total)",
                ),
            ),
        ),
        (
            "one axis after the other",
            _swap(
                "2.5",
                (
                    "kernel((queries[:, None] - keys).square().sum(-1).sqrt())",
                    "kernel(queries[:, None] - keys).prod(-1)",
                ),
            ),
        ),
        (
            "refuses whole columns",
            _swap(
                "2.5",
                (
                    "    return torch",
                    "    if total.isnan().any():\n        total = total * math.nan\n    return torch",
                ),
            ),
        ),
    ],
    "2.6": [
        (
            "the weighted mean",
            _swap(
                "2.6",
                (
                    "    answers = []",
                    "    return weights @ values / weights.sum(1)\n    answers = []",
                ),
            ),
        ),
        (
            "the median of the values, unweighted",
            _swap(
                "2.6",
                (
                    "total, reached, answer = sum(row)",
                    "row = [float(w > 0) for w in row]\n        total, reached, answer = sum(row)",
                ),
            ),
        ),
        (
            "values not sorted",
            _swap(
                "2.6", ("sorted(zip(values.tolist(), row))", "zip(values.tolist(), row)")
            ),
        ),
        (
            "weights not sorted along",
            _swap(
                "2.6",
                ("sorted(zip(values.tolist(), row))", "zip(sorted(values.tolist()), row)"),
            ),
        ),
        (
            "weights taken to sum to 1",
            _swap("2.6", ("total * (0.5 - 1e-6)", "(0.5 - 1e-6)")),
        ),
        (
            "more than half",
            _swap(
                "2.6", ("reached >= total * (0.5 - 1e-6)", "reached > total * (0.5 + 1e-6)")
            ),
        ),
        (
            "the value with the largest weight",
            _swap(
                "2.6",
                (
                    "    answers = []",
                    "    return values[weights.argmax(1)].where(weights.sum(1) > 0, math.nan)\n    answers = []",
                ),
            ),
        ),
        (
            "zero for a row without weight",
            _swap(
                "2.6", ("answer = sum(row), 0.0, math.nan", "answer = sum(row), 0.0, 0.0")
            ),
        ),
        (
            "sizes unchecked",
            _swap("2.6", ('raise ValueError("weights and values do not fit")', "pass")),
        ),
    ],
}
