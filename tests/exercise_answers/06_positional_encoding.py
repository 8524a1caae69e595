"""Answers to the exercises on positions: wrong ones to catch, others to accept.

Each takes the place of a solution cell. WRONG lists (what is wrong, source) for each
exercise; OTHER has a correct answer written in another way.
"""

from functools import partial

from tests.exercise_answers import swap

OTHER = {
    "6.1": """
def variance_shares(H):
    b, n, d = H.shape
    H = H.double().reshape(b * n, d)
    H = (H - H.mean(0)).reshape(b, n, d)
    total = (H**2).sum()
    place = b * (H.mean(0) ** 2).sum() / total
    sequence = n * (H.mean(1) ** 2).sum() / total
    return float(place), float(sequence), float(1 - place - sequence)


class Stack(nn.Module):
    def __init__(self, d, num_layers, *, residual=True, again=False):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(d2l.MultiHeadAttention(d, 1, 0))
        self.P = d2l.PositionalEncoding(d, 0)
        self.keep, self.again = float(residual), float(again)

    def states(self, X):
        H = X + self.P.P[:, : X.shape[1]]
        found = [H]
        for layer in self.layers:
            Y = self.keep * H + layer(H, H, H)
            found.append(Y)
            H = Y + self.again * self.P.P[:, : X.shape[1]]
        return found

    def forward(self, X):
        return self.states(X)[-1]
""",
    "6.2": """
class LearnedPositionalEncoding(nn.Module):
    def __init__(self, num_hiddens, dropout, max_len=1000):
        super().__init__()
        self.P = nn.Parameter(torch.empty(1, max_len, num_hiddens))
        nn.init.normal_(self.P, std=0.1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, start=0):
        _, max_len, d = self.P.shape
        if X.ndim != 3 or X.shape[2] != d or not X.is_floating_point():
            raise ValueError("X must be floating-point numbers of the table's width")
        if start < 0:
            raise ValueError("start must not be negative")
        if start + X.shape[1] > max_len:
            raise ValueError("start + n must be at most max_len")
        places = torch.arange(start, start + X.shape[1])
        rows = nn.functional.embedding(places, self.P[0])
        return self.dropout((X + rows).to(X.dtype))


def offset_share(G):
    pairs = [(j - i, float(G[i, j])) for i in range(len(G)) for j in range(len(G))]
    pairs = [(offset, entry) for offset, entry in pairs if offset]
    groups = {}
    for offset, entry in pairs:
        groups.setdefault(offset, []).append(entry)
    mean = sum(entry for _, entry in pairs) / len(pairs)
    total = sum((entry - mean) ** 2 for _, entry in pairs)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups.values())
    return min(1.0, between / total)
""",
    "6.3": """
def relative_scores(Q, K, A):
    rows, d = A.shape
    if rows % 2 != 1 or d != Q.shape[2]:
        raise ValueError("A must have an odd number of rows and the queries' width")
    c = (rows - 1) // 2
    offsets = [[max(-c, min(c, j - i)) for j in range(K.shape[1])]
               for i in range(Q.shape[1])]
    vectors = A[torch.tensor(offsets) + c]  # (n, m, d)
    keys = K.unsqueeze(1) + vectors
    return torch.einsum("bid,bijd->bij", Q, keys) / d**0.5


class RelativeAttention(nn.Module):
    def __init__(self, d, clip):
        super().__init__()
        self.W_q = nn.Linear(d, d, bias=False)
        self.W_k = nn.Linear(d, d, bias=False)
        self.W_v = nn.Linear(d, d, bias=False)
        self.W_o = nn.Linear(d, d, bias=False)
        self.A = nn.Parameter(torch.zeros(1 + 2 * clip, d))

    def forward(self, X):
        S = relative_scores(self.W_q(X), self.W_k(X), self.A).exp()
        weights = S / S.sum(-1, keepdim=True)
        self.attention_weights = weights.detach()
        return self.W_o(weights @ self.W_v(X))
""",
    "6.4": """
def rotary(X, start=0):
    if X.shape[-1] % 2:
        raise ValueError("X must have an even width")
    n, d = X.shape[-2:]
    i = start + torch.arange(n).double()
    angles = i[:, None] / 10000 ** (torch.arange(0, d, 2).double() / d)
    turn = torch.polar(torch.ones_like(angles), -angles)
    pairs = torch.view_as_complex(X.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).to(X.dtype)


def four_terms(X, P, W_q, W_k):
    M = W_q.T @ W_k / len(W_k) ** 0.5
    return torch.einsum("aid,de,bje->abij", *(torch.stack([X, P]), M, torch.stack([X, P])))\\
        .flatten(0, 1)
""",
    "6.5": """
def mark_share(X, mark):
    n = X.shape[1]
    weights = d2l.masked_softmax(torch.zeros(len(X), n, n), mask=d2l.causal_mask(n))
    return (weights * (X == mark).unsqueeze(1)).sum(-1)


def tokens_before(shares):
    if (shares <= 0).any():
        raise ValueError("shares must be positive")
    return torch.round(1 / shares - 1).to(torch.int64)
""",
    "6.6": """
def aimed_head(n, d):
    if d % 2 == 1:
        raise ValueError("d must be even")
    W = torch.zeros(d, d, dtype=torch.float64)
    for j in range(0, d, 2):
        angle = (n - 1) * 10000 ** (-j / d)
        W[j, j], W[j, j + 1] = -math.cos(angle), math.sin(angle)
        W[j + 1, j], W[j + 1, j + 1] = math.sin(angle), math.cos(angle)
    return W


def reversal_batch(X, lengths):
    width = max(lengths.tolist()) + 1
    inputs, labels = [], []
    for row, n in zip(X.tolist(), lengths.tolist()):
        inputs.append(row[:n] + [16] + [17] * (width - n - 1))
        labels.append(row[:n][::-1] + [-100] * (width - n))
    return torch.tensor(inputs), torch.tensor(labels)
""",
    "6.7": """
def way(distance, k):
    if k % 2 == 0 or k < 3:
        raise ValueError("k must be odd and at least 3")
    half, power = k // 2, 1
    while (power - 1) // 2 < distance:  # so far do all layers reach together
        power *= k
    places, at = [], distance
    while power > 1:
        places.append(at)
        power //= k
        at -= power * ((2 * at + power) // (2 * power))  # the nearest multiple
    return [0, *places[::-1]]


def plain_path(n, k):
    layers, place = 0, 0
    while place < n - 1:
        layers, place = layers + 1, place + (k - 1) // 2
    return layers


def dilated_path(n, k):
    distance, layers = n - 1, 0
    while distance:
        if distance % k > k // 2:
            return None
        distance, layers = distance // k, layers + 1
    return layers
""",
    "6.8": """
class MendedWriter(Writer):
    def forward(self, X, state=None):
        whole = X if state is None else torch.cat([state, X], dim=1)
        scores, _ = super().forward(whole)  # reads everything again
        return scores[:, -X.shape[1] :], whole
""",
}

_first, _second, _third, _fourth = (
    partial(swap, OTHER, number) for number in ("6.1", "6.2", "6.3", "6.4")
)
_lengths, _ways = partial(swap, OTHER, "6.6"), partial(swap, OTHER, "6.7")


def _counting(**lines):
    """A causal head that counts, with these lines put in."""
    parts = {
        "X": "X",
        "mask": "mask=d2l.causal_mask(n)",
        "values": "(X == mark)",
        "check": "(shares <= 0).any()",
        "count": "torch.round(1 / shares - 1).to(torch.int64)",
    } | lines
    return f"""
def mark_share(X, mark):
    n = X.shape[1]
    weights = d2l.masked_softmax(torch.zeros(len(X), n, n), {parts["mask"]})
    return (weights * ({parts["values"]}).unsqueeze(1)).sum(-1)


def tokens_before(shares):
    if {parts["check"]}:
        raise ValueError("shares must be positive")
    return {parts["count"]}
"""


def _writer(
    start="0 if state is None else state[0].shape[2]",
    before="",
    mask="d2l.causal_mask(X.shape[1], start=keys.shape[2] - X.shape[1])",
    keep="torch.cat([old, new], dim=2)",
    H="self.positions(self.embedding(X), start)",
    state="keys, values",
    after="",
):
    """A MendedWriter with these lines put in."""
    return f"""
class MendedWriter(Writer):
    def forward(self, X, state=None):
        {before or "pass"}
        start = {start}
        H = {H}
        parts = self.attention.project(H, H)
        if state is not None:
            parts = [{keep} for old, new in zip(state, parts)]
        keys, values = parts
        H = self.attention.attend(H, keys, values, mask={mask})
        {after or "pass"}
        return self.output(H), ({state})
"""


WRONG = {
    "6.1": [
        ("does not centre", _first(("(H - H.mean(0))", "H"))),
        ("one mean for all columns", _first(("(H - H.mean(0))", "(H - H.mean())"))),
        (
            "place and sequence exchanged",
            _first(("float(place), float(sequence)", "float(sequence), float(place)")),
        ),
        (
            "the rest holds the place, too",
            _first(("float(1 - place - sequence)", "float(1 - sequence)")),
        ),
        (
            "absolute values for squares",
            _first(
                ("(H**2).sum()", "H.abs().sum()"),
                ("(H.mean(0) ** 2)", "H.mean(0).abs()"),
                ("(H.mean(1) ** 2)", "H.mean(1).abs()"),
            ),
        ),
        (
            "the variance of means, not centred by column",
            _first(("b * (H.mean(0) ** 2).sum()", "b * H.mean(0).var() * n * d")),
        ),
        (
            "sums that forget how often a mean counts",
            _first(("place = b * ", "place = "), ("sequence = n * ", "sequence = ")),
        ),
        ("never a residual", _first(("self.keep * H + ", ""))),
        ("always a residual", _first(("self.keep * H", "H"))),
        (
            "the residual brings the first input back",
            _first(("self.keep * H", "self.keep * found[0]")),
        ),
        ("never again", _first((" + self.again * self.P.P[:, : X.shape[1]]", ""))),
        (
            "positions before every layer, the first twice",
            _first(
                (
                    "H = X + self.P.P[:, : X.shape[1]]",
                    "H = X + (1 + self.again) * self.P.P[:, : X.shape[1]]",
                )
            ),
        ),
        (
            "adds positions to what comes out",
            _first(
                (
                    "found.append(Y)\n            H = Y + self.again * self.P.P[:, : X.shape[1]]",
                    "H = Y + self.again * self.P.P[:, : X.shape[1]]\n            found.append(H)",
                )
            ),
        ),
        (
            "the residual goes around the positions",
            _first(
                (
                    "Y = self.keep * H + layer(H, H, H)",
                    "Z = H + self.again * (len(found) > 1) * self.P.P[:, : X.shape[1]]\n            Y = self.keep * H + layer(Z, Z, Z)",
                ),
                ("H = Y + self.again * self.P.P[:, : X.shape[1]]", "H = Y"),
            ),
        ),
        (
            "the tokens without positions as values",
            _first(("layer(H, H, H)", "layer(H, H, H - self.P.P[:, : X.shape[1]])")),
        ),
        (
            "one layer used again and again",
            _first(
                (
                    "        for _ in range(num_layers):\n            self.layers.append(d2l.MultiHeadAttention(d, 1, 0))",
                    "        self.layers.extend([d2l.MultiHeadAttention(d, 1, 0)] * num_layers)",
                )
            ),
        ),
        (
            "the bottom is the tokens without positions",
            _first(("found = [H]", "found = [X]")),
        ),
    ],
    "6.2": [
        (
            "a buffer, which does not learn",
            _second(
                (
                    "self.P = nn.Parameter(torch.empty(1, max_len, num_hiddens))",
                    "self.register_buffer('P', torch.empty(1, max_len, num_hiddens))",
                )
            ),
        ),
        (
            "a table of another shape",
            _second(
                (
                    "torch.empty(1, max_len, num_hiddens)",
                    "torch.empty(max_len, num_hiddens)",
                ),
                ("_, max_len, d", "max_len, d"),
                ("self.P[0]", "self.P"),
            ),
        ),
        ("standard deviation 1", _second(("std=0.1", "std=1"))),
        (
            "begins with zeros",
            _second(("nn.init.normal_(self.P, std=0.1)", "nn.init.zeros_(self.P)")),
        ),
        (
            "forgets start",
            _second(
                ("torch.arange(start, start + X.shape[1])", "torch.arange(X.shape[1])")
            ),
        ),
        (
            "wraps around at the end",
            _second(
                ('raise ValueError("start + n must be at most max_len")', "pass"),
                (
                    "start + X.shape[1])\n        rows",
                    "start + X.shape[1]) % max_len\n        rows",
                ),
            ),
        ),
        (
            "leaves the end of the table to torch",
            _second(
                (
                    '        if start + X.shape[1] > max_len:\n            raise ValueError("start + n must be at most max_len")\n',
                    "",
                )
            ),
        ),
        ("takes integers for X", _second((" or not X.is_floating_point()", ""))),
        (
            "takes X without a batch",
            _second(
                ("X.ndim != 3 or X.shape[2] != d", "X.shape[-1] != d"),
                ("start + X.shape[1]", "start + X.shape[-2]"),
            ),
        ),
        (
            "a negative start counts from the end",
            _second(
                (
                    '        if start < 0:\n            raise ValueError("start must not be negative")\n',
                    "",
                ),
                (
                    "start + X.shape[1])\n        rows",
                    "start + X.shape[1]) % max_len\n        rows",
                ),
            ),
        ),
        ("half precision comes out as single", _second((".to(X.dtype))", ")"))),
        (
            "forgets dropout",
            _second(("self.dropout((X + rows).to(X.dtype))", "(X + rows).to(X.dtype)")),
        ),
        (
            "dropout on the positions alone",
            _second(
                (
                    "self.dropout((X + rows).to(X.dtype))",
                    "(X + self.dropout(rows)).to(X.dtype)",
                )
            ),
        ),
        (
            "the main diagonal counts, too",
            _second(
                ("for offset, entry in pairs if offset]", "for offset, entry in pairs]")
            ),
        ),
        (
            "distances instead of offsets",
            _second(("groups.setdefault(offset", "groups.setdefault(abs(offset)")),
        ),
        (
            "rows instead of diagonals",
            _second(("[(j - i, float(G[i, j]))", "[(j + 1, float(G[i, j]))")),
        ),
        (
            "anti-diagonals",
            _second(
                ("[(j - i, float(G[i, j]))", "[((i + j + 1) * (i != j), float(G[i, j]))")
            ),
        ),
        ("every diagonal counts the same", _second(("len(g) * (sum", "2 * (sum"))),
        (
            "the share that is left",
            _second(("return min(1.0, between / total)", "return 1 - between / total")),
        ),
        (
            "does not centre",
            _second(("mean = sum(entry for _, entry in pairs) / len(pairs)", "mean = 0")),
        ),
    ],
    "6.3": [
        ("i - j for j - i", _third(("j - i)) for j", "i - j)) for j"))),
        (
            "wraps around instead of clipping",
            _third(("max(-c, min(c, j - i))", "(j - i + c) % len(A) - c")),
        ),
        ("clips on one side", _third(("max(-c, min(c, j - i))", "min(c, j - i)"))),
        (
            "drops offsets beyond",
            _third(
                (
                    "vectors = A[torch.tensor(offsets) + c]",
                    "vectors = A[torch.tensor(offsets) + c] * torch.tensor([[abs(j - i) <= c for j in range(K.shape[1])] for i in range(Q.shape[1])])[..., None]",
                )
            ),
        ),
        (
            "offsets with the keys' side of the product",
            _third(
                (
                    'torch.einsum("bid,bijd->bij", Q, keys)',
                    'torch.einsum("bid,bjd->bij", Q, K) + torch.einsum("bjd,ijd->bij", K, vectors)',
                )
            ),
        ),
        (
            "does not scale the offsets",
            _third(
                (
                    'return torch.einsum("bid,bijd->bij", Q, keys) / d**0.5',
                    'return torch.einsum("bid,bjd->bij", Q, K) / d**0.5 + torch.einsum("bid,ijd->bij", Q, vectors)',
                )
            ),
        ),
        ("does not scale", _third((" / d**0.5", ""))),
        (
            "adds a number, the same for all queries",
            _third(
                ('torch.einsum("bid,bijd->bij", Q, keys)', "(Q @ K.mT + vectors.sum(-1))")
            ),
        ),
        (
            "as many queries as keys",
            _third(("for i in range(Q.shape[1])]", "for i in range(K.shape[1])]")),
        ),
        ("takes an even number of rows", _third(("rows % 2 != 1 or ", ""))),
        ("takes an A of another width", _third((" or d != Q.shape[2]", ""))),
        (
            "begins with random offsets",
            _third(("torch.zeros(1 + 2 * clip, d)", "torch.randn(1 + 2 * clip, d)")),
        ),
        (
            "one row too few",
            _third(("torch.zeros(1 + 2 * clip, d)", "torch.zeros(2 * clip - 1, d)")),
        ),
        (
            "A is no parameter",
            _third(
                (
                    "nn.Parameter(torch.zeros(1 + 2 * clip, d))",
                    "torch.zeros(1 + 2 * clip, d)",
                )
            ),
        ),
        (
            "a bias in W_o",
            _third(
                ("self.W_o = nn.Linear(d, d, bias=False)", "self.W_o = nn.Linear(d, d)")
            ),
        ),
        (
            "no W_o",
            _third(
                ("return self.W_o(weights @ self.W_v(X))", "return weights @ self.W_v(X)")
            ),
        ),
        (
            "the layer ignores A",
            _third(("self.W_k(X), self.A)", "self.W_k(X), 0 * self.A)")),
        ),
        (
            "a softmax over queries",
            _third(("S.sum(-1, keepdim=True)", "S.sum(-2, keepdim=True)")),
        ),
    ],
    "6.4": [
        ("turns the other way", _fourth(("-angles)", "angles)"))),
        ("forgets start", _fourth(("i = start + torch", "i = torch"))),
        (
            "start only shifts the second token on",
            _fourth(
                (
                    "i = start + torch.arange(n).double()",
                    "i = torch.arange(n).double()\n    i[1:] += start",
                )
            ),
        ),
        ("counts from 1", _fourth(("i = start +", "i = 1 + start +"))),
        (
            "pairs the halves",
            _fourth(
                (
                    "X.double().unflatten(-1, (-1, 2))",
                    "X.double().unflatten(-1, (2, -1)).transpose(-1, -2)",
                ),
                ("* turn).flatten(-2)", "* turn).transpose(-1, -2).flatten(-2)"),
            ),
        ),
        (
            "one speed for all pairs",
            _fourth(("torch.arange(0, d, 2).double() / d", "torch.zeros(d // 2).double()")),
        ),
        (
            "the speeds of a table twice as wide",
            _fourth(("double() / d)", "double() / (2 * d))")),
        ),
        (
            "angles in single precision",
            _fourth(
                ("torch.arange(n).double()", "torch.arange(n).float()"),
                ("torch.arange(0, d, 2).double()", "torch.arange(0, d, 2).float()"),
                ("pairs * turn", "pairs * turn.to(pairs.dtype)"),
            ),
        ),
        (
            "adds instead of turning",
            _fourth(
                ("torch.view_as_real(pairs * turn)", "torch.view_as_real(pairs + turn)")
            ),
        ),
        ("leaves the sine out", _fourth(("pairs * turn", "pairs * turn.real"))),
        (
            "stretches as it turns",
            _fourth(
                ("torch.polar(torch.ones_like(angles)", "torch.polar(1 + angles / 100")
            ),
        ),
        ("half precision comes out as double", _fourth((".to(X.dtype)", ""))),
        (
            "leaves an odd width to torch",
            _fourth(('raise ValueError("X must have an even width")', "pass")),
        ),
        ("text–place and place–text exchanged", _fourth(("->abij", "->baij"))),
        ("queries and keys exchanged", _fourth(("->abij", "->abji"))),
        ("divides by the root of d", _fourth(("len(W_k) ** 0.5", "W_k.shape[1] ** 0.5"))),
        ("does not scale", _fourth((" / len(W_k) ** 0.5", ""))),
        ("one matrix for both", _fourth(("W_q.T @ W_k", "W_q.T @ W_q"))),
    ],
    "6.5": [
        ("looks ahead", _counting(mask="None")),
        ("does not see itself", _counting(mask="mask=torch.ones(n, n).tril(-1).bool()")),
        ("the mask the wrong way round", _counting(mask="mask=d2l.causal_mask(n).T")),
        (
            "the first token, whatever it is",
            _counting(values="(torch.arange(n) == 0).expand(X.shape)"),
        ),
        (
            "one over the place, whatever the tokens",
            _counting(
                values="(torch.arange(n) == 0).expand(X.shape) * (X == mark).any(1, keepdim=True)"
            ),
        ),
        ("a value at all but the mark", _counting(values="(X != mark)")),
        (
            "counts the place itself, too",
            _counting(count="torch.round(1 / shares).to(torch.int64)"),
        ),
        ("cuts instead of rounding", _counting(count="(1 / shares - 1).to(torch.int64)")),
        ("floats", _counting(count="torch.round(1 / shares - 1)")),
        ("numbers the places itself", _counting(count="torch.arange(shares.shape[1])")),
        ("takes shares of 0", _counting(check="(shares < 0).any()")),
        ("takes negative shares", _counting(check="(shares == 0).any()")),
        ("refuses only if all are 0", _counting(check="(shares <= 0).all()")),
    ],
    "6.6": [
        ("turns by n", _lengths(("(n - 1) * 10000", "n * 10000"))),
        (
            "a turn without the reflection",
            _lengths(
                (
                    "-math.cos(angle), math.sin(angle)\n        W[j + 1, j], W[j + 1, j + 1] = math.sin(angle)",
                    "math.cos(angle), math.sin(angle)\n        W[j + 1, j], W[j + 1, j + 1] = -math.sin(angle)",
                )
            ),
        ),
        (
            "a reflection without the turn",
            _lengths(("angle = (n - 1) * 10000 ** (-j / d)", "angle = 0.0")),
        ),
        (
            "the reflection after the turn",
            _lengths(
                (
                    "W[j, j + 1] = -math.cos(angle), math.sin(angle)",
                    "W[j, j + 1] = -math.cos(angle), -math.sin(angle)",
                ),
                (
                    "= math.sin(angle), math.cos(angle)",
                    "= -math.sin(angle), math.cos(angle)",
                ),
            ),
        ),
        (
            "in single precision",
            _lengths(("torch.zeros(d, d, dtype=torch.float64)", "torch.zeros(d, d)")),
        ),
        ("the speeds of columns, not of pairs", _lengths(("(-j / d)", "(-2 * j / d)"))),
        ("takes an odd width", _lengths(('raise ValueError("d must be even")', "d -= 1"))),
        (
            "the mark counts as one of the tokens",
            _lengths(
                (
                    "row[:n] + [16] + [17] * (width - n - 1)",
                    "row[: n - 1] + [16] + [17] * (width - n)",
                )
            ),
        ),
        ("no padding", _lengths(("[17] * (width - n - 1)", "[16] * (width - n - 1)"))),
        (
            "padding before the mark",
            _lengths(("[16] + [17] * (width - n - 1)", "[17] * (width - n - 1) + [16]")),
        ),
        ("the labels keep their order", _lengths(("row[:n][::-1]", "row[:n]"))),
        ("reverses the whole row", _lengths(("row[:n][::-1]", "row[::-1][:n]"))),
        (
            "asks for the mark, too",
            _lengths(("[-100] * (width - n)", "[16] + [-100] * (width - n - 1)")),
        ),
        ("asks for the padding", _lengths(("[-100] * (width - n)", "[17] * (width - n)"))),
        (
            "aligns the labels on the right",
            _lengths(
                (
                    "row[:n][::-1] + [-100] * (width - n)",
                    "[-100] * (width - n) + row[:n][::-1]",
                )
            ),
        ),
        (
            "as wide as the tokens",
            _lengths(("max(lengths.tolist()) + 1", "X.shape[1] + 1")),
        ),
        (
            "writes into its argument",
            _lengths(
                (
                    "    inputs, labels = [], []",
                    "    X[torch.arange(X.shape[1]) >= lengths[:, None]] = 17\n    inputs, labels = [], []",
                )
            ),
        ),
    ],
    "6.7": [
        (
            "digits from 0 to k - 1",
            _ways(("(2 * at + power) // (2 * power)", "at // power")),
        ),
        (
            "the steps in the order of writing, highest first",
            _ways(
                (
                    "return [0, *places[::-1]]",
                    "return [0] + [distance - at for at in places[1:]] + [distance]",
                )
            ),
        ),
        ("leaves 0 out", _ways(("return [0, *places[::-1]]", "return places[::-1]"))),
        (
            "the steps instead of the places",
            _ways(
                (
                    "return [0, *places[::-1]]",
                    "return [0] + [b - a for a, b in zip([0, *places[::-1]], places[::-1])]",
                )
            ),
        ),
        (
            "a layer too many",
            _ways(
                ("(power - 1) // 2 < distance", "(power - 1) // 2 <= distance"),
                ("return [0, *places[::-1]]", "return [0, *places[::-1], distance]"),
            ),
        ),
        ("takes an even k", _ways(("k % 2 == 0 or ", ""))),
        (
            "takes k = 1",
            _ways(
                ("k % 2 == 0 or k < 3", "k % 2 == 0"),
                (
                    "half, power = k // 2, 1",
                    "half, power = k // 2, 1\n    if k == 1:\n        return [0, distance]",
                ),
            ),
        ),
        (
            "plain, as if both sides helped",
            _ways(("place + (k - 1) // 2", "place + k - 1")),
        ),
        ("plain, one layer too many", _ways(("while place < n - 1", "while place < n"))),
        (
            "plain, rounded down",
            _ways(
                (
                    "    layers, place = 0, 0\n    while place < n - 1:\n        layers, place = layers + 1, place + (k - 1) // 2\n    return layers",
                    "    return (n - 1) // (k // 2)",
                )
            ),
        ),
        (
            "dilated, a logarithm without exception",
            _ways(("        if distance % k > k // 2:\n            return None\n", "")),
        ),
        (
            "dilated, as far as all layers reach together",
            _ways(
                (
                    "    distance, layers = n - 1, 0\n    while distance:\n        if distance % k > k // 2:\n            return None\n        distance, layers = distance // k, layers + 1",
                    "    layers = 0\n    while (k**layers - 1) // 2 < n - 1:\n        layers += 1",
                )
            ),
        ),
        (
            "dilated, lost only at the right end",
            _ways(
                (
                    "    distance, layers = n - 1, 0\n    while distance:\n        if distance % k > k // 2:\n            return None\n        distance, layers = distance // k, layers + 1\n    return layers",
                    "    places = way(n - 1, k)\n    return len(places) - 1 if max(places) < n else None",
                )
            ),
        ),
        (
            "dilated, looks at the lowest digit only",
            _ways(
                ("if distance % k > k // 2:", "if layers == 0 and distance % k > k // 2:")
            ),
        ),
        ("dilated, zero for what never arrives", _ways(("return None", "return 0"))),
        (
            "dilated, counts places",
            _ways(("distance, layers = n - 1, 0", "distance, layers = n - 1, 1")),
        ),
    ],
    "6.8": [
        ("the bug itself", _writer(start="0")),
        ("position 1 for all that come later", _writer(start="0 if state is None else 1")),
        (
            "begins one place too early",
            _writer(start="0 if state is None else state[0].shape[2] - 1"),
        ),
        (
            "begins one place too late",
            _writer(start="1 if state is None else state[0].shape[2] + 1"),
        ),
        (
            "the length of the piece for its start",
            _writer(start="0 if state is None else X.shape[1]"),
        ),
        (
            "counts calls, not tokens",
            _writer(
                start="0 if state is None else state[2]",
                keep="torch.cat([old, new], dim=2)",
                state="keys, values, start + 1",
            ),
        ),
        (
            "counts in the module, and never begins again",
            _writer(
                start="self.__dict__.get('read', 0)",
                before="self.read = self.__dict__.get('next', 0); self.next = self.read + X.shape[1]",
            ),
        ),
        (
            "counts in the module, and begins again without a state",
            _writer(
                before="self.read = 0 if state is None else self.read + self.last; self.last = X.shape[1]",
                start="self.read",
            ),
        ),
        ("leaves positions out", _writer(H="self.embedding(X)")),
        (
            "the positions of the whole text, at every piece",
            _writer(H="self.embedding(X) + self.positions.P[:, start + X.shape[1] - 1]"),
        ),
        ("a piece may look ahead in itself", _writer(mask="None")),
        (
            "the mask begins at 0",
            _writer(mask="d2l.causal_mask(X.shape[1], keys.shape[2])"),
        ),
        (
            "new keys before the old ones",
            _writer(keep="torch.cat([new, old], dim=2)"),
        ),
        ("forgets what it has read", _writer(keep="new", start="0")),
        (
            "wraps around at the end of the table",
            _writer(
                H="self.embedding(X) + self.positions.P[0, (start + torch.arange(X.shape[1])) % self.positions.P.shape[1]]"
            ),
        ),
        (
            "keeps one state for all, in the module",
            _writer(
                before="state = None if state is None else self.kept",
                after="self.kept = keys, values",
            ),
        ),
        (
            "writes into the old state",
            _writer(
                before="state = [None, None] if state is None else state",
                start="0 if state[0] is None else state[0].shape[2]",
                keep="new if old is None else torch.cat([old, new], dim=2)",
                after="state[:] = keys, values",
                state="state",
            ),
        ),
    ],
}
