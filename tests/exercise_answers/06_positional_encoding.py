"""Answers to the exercises on positions: wrong ones to catch, others to accept.

Each takes the position of a solution cell. WRONG lists (what is wrong, source) for each
exercise; OTHER has a correct answer written in another way.
"""

from functools import partial

from tests.exercise_answers import swap

OTHER = {
    "6.1": """
def variance_fractions(H):
    b, n, d = H.shape
    H = H.double().reshape(b * n, d)
    H = (H - H.mean(0)).reshape(b, n, d)
    total = (H**2).sum()
    position = b * (H.mean(0) ** 2).sum() / total
    sequence = n * (H.mean(1) ** 2).sum() / total
    return float(position), float(sequence), float(1 - position - sequence)


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
        if start < 0 or start + X.shape[1] > self.P.shape[1]:
            raise ValueError("positions must be in 0 to max_len - 1")
        positions = torch.arange(start, start + X.shape[1])
        rows = nn.functional.embedding(positions, self.P[0])
        return self.dropout(X + rows)


def offset_fraction(G):
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
def bos_fraction(X, bos):
    n = X.shape[1]
    weights = d2l.masked_softmax(torch.zeros(len(X), n, n), mask=d2l.causal_mask(n))
    return (weights * (X == bos).unsqueeze(1)).sum(-1)


def tokens_before(fractions):
    if (fractions <= 0).any():
        raise ValueError("fractions must be positive")
    return torch.round(1 / fractions - 1).to(torch.int64)
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
def route(distance, k):
    if k % 2 == 0 or k < 3:
        raise ValueError("k must be odd and at least 3")
    half, power = k // 2, 1
    while (power - 1) // 2 < distance:  # so far do all layers reach together
        power *= k
    positions, at = [], distance
    while power > 1:
        positions.append(at)
        power //= k
        at -= power * ((2 * at + power) // (2 * power))  # the nearest multiple
    return [0, *positions[::-1]]


def plain_path(n, k):
    layers, position = 0, 0
    while position < n - 1:
        layers, position = layers + 1, position + (k - 1) // 2
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
class FixedDecoder(CachedDecoder):
    def forward(self, X, state=None):
        whole = X if state is None else torch.cat([state, X], dim=1)
        scores, _ = super().forward(whole)  # runs on the whole prefix again
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
        "values": "(X == bos)",
        "check": "(fractions <= 0).any()",
        "count": "torch.round(1 / fractions - 1).to(torch.int64)",
    } | lines
    return f"""
def bos_fraction(X, bos):
    n = X.shape[1]
    weights = d2l.masked_softmax(torch.zeros(len(X), n, n), {parts["mask"]})
    return (weights * ({parts["values"]}).unsqueeze(1)).sum(-1)


def tokens_before(fractions):
    if {parts["check"]}:
        raise ValueError("fractions must be positive")
    return {parts["count"]}
"""


def _decoder(
    start="0 if state is None else state[0].shape[2]",
    before="",
    mask="d2l.causal_mask(X.shape[1], start=keys.shape[2] - X.shape[1])",
    keep="torch.cat([old, new], dim=2)",
    H="self.positions(self.embedding(X), start)",
    state="keys, values",
    after="",
):
    """A FixedDecoder with these lines put in."""
    return f"""
class FixedDecoder(CachedDecoder):
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
        (
            "the residual brings the first input back",
            _first(("self.keep * H", "self.keep * found[0]")),
        ),
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
            "forgets start",
            _second(
                ("torch.arange(start, start + X.shape[1])", "torch.arange(X.shape[1])")
            ),
        ),
        (
            "forgets dropout",
            _second(("self.dropout(X + rows)", "X + rows")),
        ),
        (
            "the main diagonal counts, too",
            _second(
                ("for offset, entry in pairs if offset]", "for offset, entry in pairs]")
            ),
        ),
    ],
    "6.3": [
        ("i - j for j - i", _third(("j - i)) for j", "i - j)) for j"))),
        (
            "wraps around instead of clipping",
            _third(("max(-c, min(c, j - i))", "(j - i + c) % len(A) - c")),
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
        (
            "a softmax over queries",
            _third(("S.sum(-1, keepdim=True)", "S.sum(-2, keepdim=True)")),
        ),
    ],
    "6.4": [
        ("turns the other way", _fourth(("-angles)", "angles)"))),
        ("forgets start", _fourth(("i = start + torch", "i = torch"))),
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
            "the speeds of a table twice as wide",
            _fourth(("double() / d)", "double() / (2 * d))")),
        ),
    ],
    "6.5": [
        ("looks ahead", _counting(mask="None")),
        ("does not see itself", _counting(mask="mask=torch.ones(n, n).tril(-1).bool()")),
        (
            "counts the position itself, too",
            _counting(count="torch.round(1 / fractions).to(torch.int64)"),
        ),
        (
            "cuts instead of rounding",
            _counting(count="(1 / fractions - 1).to(torch.int64)"),
        ),
    ],
    "6.6": [
        ("turns by n", _lengths(("(n - 1) * 10000", "n * 10000"))),
        ("the speeds of columns, not of pairs", _lengths(("(-j / d)", "(-2 * j / d)"))),
        (
            "padding before the bos",
            _lengths(("[16] + [17] * (width - n - 1)", "[17] * (width - n - 1) + [16]")),
        ),
        (
            "asks for the bos, too",
            _lengths(("[-100] * (width - n)", "[16] + [-100] * (width - n - 1)")),
        ),
    ],
    "6.7": [
        (
            "digits from 0 to k - 1",
            _ways(("(2 * at + power) // (2 * power)", "at // power")),
        ),
        (
            "plain, rounded down",
            _ways(
                (
                    "    layers, position = 0, 0\n    while position < n - 1:\n        layers, position = layers + 1, position + (k - 1) // 2\n    return layers",
                    "    return (n - 1) // (k // 2)",
                )
            ),
        ),
        (
            "dilated, a logarithm without exception",
            _ways(("        if distance % k > k // 2:\n            return None\n", "")),
        ),
        ("dilated, zero for what never arrives", _ways(("return None", "return 0"))),
    ],
    "6.8": [
        ("the bug itself", _decoder(start="0")),
        (
            "the length of the piece for its start",
            _decoder(start="0 if state is None else X.shape[1]"),
        ),
        (
            "counts calls, not tokens",
            _decoder(
                start="0 if state is None else state[2]",
                keep="torch.cat([old, new], dim=2)",
                state="keys, values, start + 1",
            ),
        ),
        (
            "the mask begins at 0",
            _decoder(mask="d2l.causal_mask(X.shape[1], keys.shape[2])"),
        ),
    ],
}
