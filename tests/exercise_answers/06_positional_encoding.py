"""Answers to the exercises of chapter 6: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "6.1": """
class FixedDecoder(CachedDecoder):
    def forward(self, X, state=None):
        start = 0 if state is None else state[0].shape[2]
        H = self.positions(self.embedding(X), start=start)
        cache = self.attention.project(H, H)
        if state is not None:
            cache = [torch.cat(pair, dim=2) for pair in zip(state, cache)]
        mask = torch.ones(X.shape[1], cache[0].shape[2]).tril(start).bool()
        return self.output(self.attention.attend(H, *cache, mask=mask)), cache
""",
    "6.2": """
def rotary(X, start=0):
    n, p = X.shape[-2:]
    i = start + torch.arange(n).double()
    angles = i[:, None] / 10000 ** (torch.arange(0, p, 2).double() / p)
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(X.double().unflatten(-1, (2, -1)).mT.contiguous())
    return torch.view_as_real(pairs * turn).mT.flatten(-2).to(X.dtype)


def reordered(W):
    return W.unflatten(0, (-1, 2)).transpose(0, 1).flatten(0, 1)
""",
    "6.3": """
def offset_fraction(G):
    pairs = [(j - i, float(G[i, j])) for i in range(len(G)) for j in range(len(G))]
    pairs = [(offset, entry) for offset, entry in pairs if offset]
    groups = {}
    for offset, entry in pairs:
        groups.setdefault(offset, []).append(entry)
    mean = sum(entry for _, entry in pairs) / len(pairs)
    total = sum((entry - mean) ** 2 for _, entry in pairs)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in groups.values())
    return between / total
""",
    "6.4": """
def bos_fraction(X, bos):
    n = X.shape[1]
    weights = d2l.masked_softmax(torch.zeros(len(X), n, n), mask=d2l.causal_mask(n))
    return (weights * (X == bos).unsqueeze(1)).sum(-1)


def tokens_before(fractions):
    return torch.round(1 / fractions - 1).to(torch.int64)
""",
    "6.5": """
def variance_fractions(H):
    b, n, d = H.shape
    H = H.double().reshape(b * n, d)
    H = (H - H.mean(0)).reshape(b, n, d)
    total = (H**2).sum()
    position = b * (H.mean(0) ** 2).sum() / total
    sequence = n * (H.mean(1) ** 2).sum() / total
    return position, sequence, 1 - position - sequence


class Stack(nn.Module):
    def __init__(self, d, num_layers, residual):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(d2l.MultiHeadAttention(d, 1, 0))
        self.P = d2l.PositionalEncoding(d, 0).P
        self.keep = float(residual)

    def states(self, X):
        found = [X + self.P[:, : X.shape[1]]]
        for layer in self.layers:
            H = found[-1]
            found.append(self.keep * H + layer(H, H, H))
        return found
""",
    "6.6": """
def relative_scores(Q, K, A):
    c, n, m = len(A) // 2, Q.shape[1], K.shape[1]
    by_row = Q @ A.T  # (b, n, 2 c + 1)
    rows = [[max(-c, min(c, j - i)) + c for j in range(m)] for i in range(n)]
    by_key = by_row.gather(-1, torch.tensor(rows).expand(len(Q), -1, -1))
    return (torch.einsum("bid,bjd->bij", Q, K) + by_key) / Q.shape[2] ** 0.5
""",
}

MISTAKES = {
    "6.1": """
- the bug itself: `start = 0 if state is None else state[0].shape[2]` -> `start = 0`
- the start is the length of the piece: `else state[0].shape[2]` -> `else X.shape[1]`
- the mask starts at 0: `.tril(start)` -> `.tril()`
- counts in the module, and resets without a state:
  `start = 0 if state is None else state[0].shape[2]` -> `start = 0 if state is None else self.end
        self.end = start + X.shape[1]`
""",
    "6.2": """
- rotates the other way: `, angles)` -> `, -angles)`
- forgets start: `i = start + torch` -> `i = torch`
- pairs neighbouring columns:
  `unflatten(-1, (2, -1)).mT` -> `unflatten(-1, (-1, 2))`
  `pairs * turn).mT.flatten(-2)` -> `pairs * turn).flatten(-2)`
- puts the rows into the order of the other direction:
  `W.unflatten(0, (-1, 2))` -> `W.unflatten(0, (2, -1))`
- the frequencies of columns instead of pairs:
  `torch.arange(0, p, 2)` -> `torch.arange(p // 2)`
""",
    "6.3": """
- distances instead of offsets: `setdefault(offset,` -> `setdefault(abs(offset),`
- the main diagonal counts: `for offset, entry in pairs if offset]` -> `for offset, entry in pairs]`
- diagonals count the same, however long:
  `len(g) * (sum(g) / len(g) - mean) ** 2` -> `len(pairs) / len(groups) * (sum(g) / len(g) - mean) ** 2`
- what is not explained: `return between / total` -> `return 1 - between / total`
""",
    "6.4": """
- no causal mask: `mask=d2l.causal_mask(n)` -> `mask=None`
- a position does not see itself:
  `mask=d2l.causal_mask(n)` -> `mask=torch.ones(n, n).tril(-1).bool()`
- the position itself counts: `1 / fractions - 1)` -> `1 / fractions)`
- truncates instead of rounding: `torch.round(1 / fractions - 1)` -> `(1 / fractions - 1)`
- takes the position from the place of the output:
  `torch.round(1 / fractions - 1).to(torch.int64)`
  -> `torch.arange(fractions.shape[1]).expand_as(fractions)`
""",
    "6.5": """
- one mean for all columns: `H - H.mean(0)` -> `H - H.mean()`
- position and sequence exchanged: `return position, sequence` -> `return sequence, position`
- one layer is used several times:
  `for _ in range(num_layers):
            self.layers.append(` -> `self.layers.extend([`
  `d2l.MultiHeadAttention(d, 1, 0))` -> `d2l.MultiHeadAttention(d, 1, 0)] * num_layers)`
- no residual connection: `self.keep * H + ` -> ``
- always a residual connection: `self.keep * H` -> `H`
- positions are added again before every layer:
  `H = found[-1]` -> `H = found[-1] + self.P[:, : X.shape[1]]`
""",
    "6.6": """
- i - j for j - i: `min(c, j - i)` -> `min(c, i - j)`
- divides by d: `Q.shape[2] ** 0.5` -> `Q.shape[2]`
- vectors that do not learn: `by_row = Q @ A.T` -> `by_row = (Q @ A.T).detach()`
- a new tensor with the values of the scores:
  `return (torch.einsum("bid,bjd->bij", Q, K) + by_key)` -> `return torch.tensor((torch.einsum("bid,bjd->bij", Q, K) + by_key).tolist())`
- does not clip to the left: `max(-c, min(c, j - i)) + c` -> `min(c, j - i) + c if j - i >= -c else 2 * c`
- the vectors multiply the keys: `by_row = Q @ A.T` -> `by_row = K[:, :n] @ A.T`
""",
}

WRONG = spoil(OTHER, MISTAKES)
