"""Answers to the exercises on scoring functions: wrong ones to catch, others to accept.

Each takes the place of a solution cell. WRONG lists (what is wrong, source) for each
exercise; OTHER has a correct answer written in another way.
"""


def _distance(scores, width_check=True, weights=None, pooled=None):
    """A DistanceAttention without fused attention, with these lines put in."""
    check = """
        if queries.shape[-1] != keys.shape[-1]:
            raise ValueError("queries must have the width of the keys")"""
    return f"""
class DistanceAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        _check_sizes(queries, keys, values){check if width_check else ""}
        d = keys.shape[-1]
        dot = queries @ keys.transpose(-2, -1)
        norms = (keys * keys).sum(-1).unsqueeze(-2)
        scores = {scores}
        weights = {weights or "d2l.masked_softmax(scores, valid_lens, mask=mask)"}
        self.attention_weights = weights.detach()
        return {pooled or "self.dropout(weights) @ values"}
"""


_CRUDE = (
    "torch.softmax(scores.masked_fill(~d2l.masked_softmax("
    "torch.zeros_like(scores), valid_lens, mask=mask).bool(), -1e6), -1)"
)
_HALVES = "(dot - norms / 2) / math.sqrt(d)"


def _bilinear(init="", scores="", checks=None):
    """A BilinearAttention that learns a matrix of its own, with these lines put in."""
    if checks is None:
        checks = """
        if keys.shape[-1] != self.key_size:
            raise ValueError("keys must have the width key_size")
        _check_width("queries", queries, self.M)"""
    return f"""
class BilinearAttention(nn.Module):
    def __init__(self, key_size, dropout):
        super().__init__()
        self.key_size = key_size
        self.M = {init or "nn.LazyLinear(key_size, bias=False)"}
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        _check_sizes(queries, keys, values){checks}
        scores = {scores or "self.M(queries) @ keys.mT / math.sqrt(keys.shape[-1])"}
        weights = d2l.masked_softmax(scores, valid_lens, mask=mask)
        self.attention_weights = weights.detach()
        return self.dropout(weights) @ values
"""


_AFFORDABLE = """
def affordable_hiddens(p, d):
    h = 0
    while (h + 1) * (p + d + 1) <= p * d:
        h += 1
    return h
"""


def _costs(
    work="n * m * (d + v)",
    moved="n * d + m * d + m * v + n * v + (0 if fused else 4 * n * m)",
    whole="n * d * (3 * d + 2 * n)",
):
    """The three functions of 3.3 with these formulas."""
    return f"""
def multiplications(n, m, d, v):
    return {work}


def traffic(n, m, d, v, *, fused=False):
    return {moved}


def self_attention_multiplications(n, d):
    return {whole}
"""


def _hidden(body):
    """largest_hidden with this body."""
    return f"""
def largest_hidden(n, m, d, b=8):
    def kept(layer, b=b):
        batch = [torch.ones(b, size, d, requires_grad=True) for size in (n, m, m)]
        return largest_kept(lambda: layer(*batch))

    limit = kept(d2l.DotProductAttention(0))
{body}
"""


_PARITY = """
def parity_mask(num_keys):
    mask = torch.zeros(2, num_keys, dtype=torch.bool)
    mask[0, ::2] = mask[1, 1::2] = True
    return mask
"""

_LENGTHS = """
def as_valid_lens(mask):
    lengths = []
    for row in mask.tolist():
        length = row.index(False) if False in row else len(row)
        if any(row[length:]):
            raise ValueError("mask has a row with a gap")
        lengths.append(length)
    return torch.tensor(lengths)
"""


def _moments(mean="d * mu_q * mu_k", variance="", noticed=""):
    """score_moments with these three formulas."""
    variance = variance or "d * ((1 + mu_q**2) * (1 + mu_k**2) - (mu_q * mu_k) ** 2)"
    return f"""
def score_moments(d, mu_q, mu_k):
    return {mean}, {variance}, {noticed or "d + d * mu_q * mu_q"}
"""


WRONG = {
    "3.1": [
        ("forgets the norms: a plain dot product", _distance("dot / math.sqrt(d)")),
        ("forgets the half", _distance("(dot - norms) / math.sqrt(d)")),
        ("does not scale the norms", _distance("dot / math.sqrt(d) - norms / 2")),
        ("does not scale at all", _distance("dot - norms / 2")),
        ("divides by d", _distance("(dot - norms / 2) / d")),
        ("adds the norms", _distance("(dot + norms / 2) / math.sqrt(d)")),
        ("norms without the square", _distance("(dot - norms.sqrt() / 2) / math.sqrt(d)")),
        (
            "the distance is not squared",
            _distance("-torch.cdist(queries, keys) / 2 / math.sqrt(d)"),
        ),
        (
            "norms of the queries instead of the keys",
            _distance("(dot - (queries**2).sum(-1, keepdim=True) / 2) / math.sqrt(d)"),
        ),
        (
            "builds all differences, n × m × d numbers",
            _distance(
                "-((queries.unsqueeze(-2) - keys.unsqueeze(-3)) ** 2).sum(-1)"
                " / 2 / math.sqrt(d)"
            ),
        ),
        ("an empty query averages its padding", _distance(_HALVES, weights=_CRUDE)),
        (
            "forgets the mask",
            _distance(_HALVES, weights="d2l.masked_softmax(scores, valid_lens)"),
        ),
        (
            "forgets the lengths",
            _distance(_HALVES, weights="d2l.masked_softmax(scores, mask=mask)"),
        ),
        ("forgets dropout", _distance(_HALVES, pooled="weights @ values")),
        (
            "shows the weights after dropout",
            _distance(
                _HALVES,
                weights="self.dropout(d2l.masked_softmax(scores, valid_lens, mask=mask))",
                pooled="weights @ values",
            ),
        ),
        ("leaves wrong widths to torch", _distance(_HALVES, width_check=False)),
        (
            "lets a query of width 1 broadcast",
            _distance(
                "((queries * torch.ones_like(keys[..., :1, :])) @ keys.mT - norms / 2)"
                " / math.sqrt(d)",
                width_check=False,
            ),
        ),
        (
            "scales the keys in place",
            _distance("(queries @ keys.mul_(d**-0.5).mT - norms / 2 / math.sqrt(d))"),
        ),
        (
            "appends the norms but divides by the root of the new width",
            """
class DistanceAttention(d2l.DotProductAttention):
    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        _check_sizes(queries, keys, values)
        if queries.shape[-1] != keys.shape[-1]:
            raise ValueError("queries must have the width of the keys")
        norms = (keys**2).sum(-1, keepdim=True) / 2
        queries = torch.cat([queries, torch.ones_like(queries[..., :1])], -1)
        keys = torch.cat([keys, -norms], -1)
        return super().forward(queries, keys, values, valid_lens, mask=mask)
""",
        ),
    ],
    "3.2": [
        ("a bias", _bilinear("nn.LazyLinear(key_size)") + _AFFORDABLE),
        (
            "divides by the root of the queries' width",
            _bilinear(scores="self.M(queries) @ keys.mT / math.sqrt(queries.shape[-1])")
            + _AFFORDABLE,
        ),
        ("does not scale", _bilinear(scores="self.M(queries) @ keys.mT") + _AFFORDABLE),
        (
            "a nonlinearity",
            _bilinear(
                scores="torch.tanh(self.M(queries)) @ keys.mT / math.sqrt(keys.shape[-1])"
            )
            + _AFFORDABLE,
        ),
        ("no checks of widths", _bilinear(checks="") + _AFFORDABLE),
        (
            "no check of the keys",
            _bilinear(checks='\n        _check_width("queries", queries, self.M)')
            + _AFFORDABLE,
        ),
        (
            "takes the queries to a width of its own, as the published answer may",
            _bilinear("nn.LazyLinear(8, bias=False)") + _AFFORDABLE,
        ),
        (
            "cuts the queries down instead of learning",
            _bilinear(
                "nn.Linear(10, key_size, bias=False)",
                "queries[..., : keys.shape[-1]] @ keys.mT / math.sqrt(keys.shape[-1])",
                checks="",
            )
            + _AFFORDABLE,
        ),
        (
            "a second matrix, for the keys",
            """
class BilinearAttention(d2l.DotProductAttention):
    def __init__(self, key_size, dropout):
        super().__init__(dropout)
        self.W_q = nn.LazyLinear(key_size, bias=False)
        self.W_k = nn.Linear(key_size, key_size, bias=False)

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        _check_sizes(queries, keys, values)
        _check_width("queries", queries, self.W_q)
        _check_width("keys", keys, self.W_k)
        return super().forward(
            self.W_q(queries), self.W_k(keys), values, valid_lens, mask=mask
        )
"""
            + _AFFORDABLE,
        ),
        (
            "forgets the vector that reads off the score",
            _bilinear() + _AFFORDABLE.replace("(p + d + 1)", "(p + d)"),
        ),
        (
            "strictly fewer parameters, not no more",
            _bilinear() + _AFFORDABLE.replace("<=", "<"),
        ),
        (
            "rounds to the nearest",
            _bilinear()
            + """
def affordable_hiddens(p, d):
    return round(p * d / (p + d + 1))
""",
        ),
        (
            "at least one",
            _bilinear() + _AFFORDABLE.replace("return h", "return max(h, 1)"),
        ),
    ],
    "3.3": [
        ("counts an addition too", _costs(work="2 * n * m * (d + v)")),
        ("forgets the values", _costs(work="n * m * d")),
        ("takes keys and values to be equally wide", _costs(work="2 * n * m * d")),
        (
            "storage, not traffic: each matrix once",
            _costs(moved="n * d + m * d + m * v + n * v + (0 if fused else n * m)"),
        ),
        (
            "scores and weights are written but not read",
            _costs(moved="n * d + m * d + m * v + n * v + (0 if fused else 2 * n * m)"),
        ),
        (
            "the softmax works in place for free",
            _costs(moved="n * d + m * d + m * v + n * v + (0 if fused else 3 * n * m)"),
        ),
        ("fused still moves all scores", _costs(moved="(n + m) * (d + v) + 4 * n * m")),
        (
            "forgets to write the output",
            _costs(moved="n * d + m * (d + v) + 4 * n * m * (not fused)"),
        ),
        ("the published total, linear in d: no projections", _costs(whole="2 * n * n * d")),
        ("one projection instead of three", _costs(whole="n * d * d + 2 * n * n * d")),
        ("one matrix product instead of two", _costs(whole="3 * n * d * d + n * n * d")),
        (
            "projections without the number of tokens",
            _costs(whole="3 * d * d + 2 * n * n * d"),
        ),
    ],
    "3.4": [
        ("by formula, without the matrices", _hidden("    return d // min(n, m)")),
        ("always the width", _hidden("    return d")),
        (
            "strictly less",
            _hidden(
                "    h = 0\n    while kept(d2l.AdditiveAttention(h + 1, 0)) < limit:\n"
                "        h += 1\n    return h"
            ),
        ),
        (
            "one too many",
            _hidden(
                "    h = 1\n    while kept(d2l.AdditiveAttention(h, 0)) <= limit:\n"
                "        h += 1\n    return h"
            ),
        ),
        (
            "never none",
            _hidden(
                "    h = 1\n    while kept(d2l.AdditiveAttention(h + 1, 0)) <= limit:\n"
                "        h += 1\n    return h"
            ),
        ),
        (
            "measures one example",
            _hidden(
                "    limit, h = kept(d2l.DotProductAttention(0), 1), 0\n"
                "    while kept(d2l.AdditiveAttention(h + 1, 0), 1) <= limit:\n"
                "        h += 1\n    return h"
            ),
        ),
        (
            "powers of two only",
            _hidden(
                "    h = 1\n    while kept(d2l.AdditiveAttention(2 * h, 0)) <= limit:\n"
                "        h *= 2\n    return h"
            ),
        ),
    ],
    "3.5": [
        (
            "odd and even exchanged",
            _PARITY.replace("mask[0, ::2] = mask[1, 1::2]", "mask[1, ::2] = mask[0, 1::2]")
            + _LENGTHS,
        ),
        (
            "True = may not attend",
            _PARITY.replace("return mask", "return ~mask") + _LENGTHS,
        ),
        (
            "positions from one",
            """
def parity_mask(num_keys):
    positions = torch.arange(1, num_keys + 1)
    return torch.stack([positions % 2 == 0, positions % 2 == 1])
"""
            + _LENGTHS,
        ),
        (
            "numbers, not booleans",
            _PARITY.replace("return mask", "return mask.float()") + _LENGTHS,
        ),
        ("for ten keys only", _PARITY.replace("2, num_keys", "2, 10") + _LENGTHS),
        (
            "counts without a look at the order",
            _PARITY + "\ndef as_valid_lens(mask):\n    return mask.sum(-1)\n",
        ),
        (
            "the last key allowed, gaps or not",
            _PARITY
            + """
def as_valid_lens(mask):
    positions = torch.arange(1, mask.shape[-1] + 1)
    return (mask * positions).max(-1).values
""",
        ),
        (
            "refuses only what does not start at the first key",
            _PARITY
            + """
def as_valid_lens(mask):
    if not mask[:, 0].all():
        raise ValueError("mask")
    return mask.sum(-1)
""",
        ),
        (
            "refuses queries that see nothing",
            _PARITY
            + _LENGTHS.replace(
                "if any(row[length:])", "if not any(row) or any(row[length:])"
            ),
        ),
        (
            "one good row is enough",
            _PARITY
            + """
def as_valid_lens(mask):
    lengths = mask.sum(-1)
    if not (mask == (torch.arange(mask.shape[-1]) < lengths[:, None])).all(-1).any():
        raise ValueError("mask")
    return lengths
""",
        ),
        (
            "an error that names nobody",
            _PARITY + _LENGTHS.replace("mask has a row with a gap", "there is a gap"),
        ),
    ],
    "3.6": [
        ("variances multiply", _moments(variance="d * (1 + mu_q**2) * (1 + mu_k**2)")),
        ("the variance stays d", _moments(variance="d")),
        ("one mean only", _moments(variance="d * (1 + mu_q**2)")),
        ("means add to the variance unsquared", _moments(variance="d * (1 + mu_q + mu_k)")),
        ("the mean without the width", _moments(mean="mu_q * mu_k")),
        ("means add", _moments(mean="d * (mu_q + mu_k)")),
        ("the softmax notices everything", _moments(noticed="d * (1 + mu_q**2 + mu_k**2)")),
        ("the softmax notices the keys' mean", _moments(noticed="d * (1 + mu_k**2)")),
        ("the softmax notices no mean", _moments(noticed="d")),
        (
            "after division by the root of d",
            _moments(noticed="1 + mu_q**2"),
        ),
    ],
}

OTHER = {
    "3.1": _distance("-torch.cdist(queries, keys) ** 2 / (2 * math.sqrt(d))"),
    "3.2": """
class BilinearAttention(d2l.DotProductAttention):
    def __init__(self, key_size, dropout):
        super().__init__(dropout)
        self.key_size = key_size
        self.M = nn.UninitializedParameter()

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        _check_sizes(queries, keys, values)
        p, d = queries.shape[-1], self.key_size
        if keys.shape[-1] != d:
            raise ValueError(f"keys must have the width {d}")
        if isinstance(self.M, nn.UninitializedParameter):
            self.M.materialize((p, d))
            nn.init.normal_(self.M, std=p**-0.5)
        if self.M.shape[0] != p:
            raise ValueError(f"queries must have the width {self.M.shape[0]}")
        projected = torch.einsum("...np,pd->...nd", queries, self.M)
        return super().forward(projected, keys, values, valid_lens, mask=mask)
"""
    + _AFFORDABLE,
    "3.3": _costs(
        work="sum(d + v for _ in range(n) for _ in range(m))",
        moved="sum([n * d, m * d, m * v, n * v] + [n * m] * (0 if fused else 4))",
    ),
    "3.4": _hidden(
        "    low, high = 0, limit + 1\n"
        "    while high - low > 1:\n"
        "        middle = (low + high) // 2\n"
        "        if kept(d2l.AdditiveAttention(middle, 0)) <= limit:\n"
        "            low = middle\n"
        "        else:\n"
        "            high = middle\n"
        "    return low"
    ),
    "3.5": _PARITY + _LENGTHS,
    "3.6": _moments(),
}
