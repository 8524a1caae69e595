"""Answers to the exercises of chapter 6: others that are right, and some that are wrong."""

from exercise_answers import spoil

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
    turn = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(X.double().unflatten(-1, (2, -1)).mT.contiguous())
    return torch.view_as_real(pairs * turn).mT.flatten(-2).to(X.dtype)


def reordered(W):
    return W.unflatten(0, (-1, 2)).transpose(0, 1).flatten(0, 1)


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
        start = 0 if state is None else state[0].shape[2]
        H = self.positions(self.embedding(X), start=start)
        cache = self.attention.project(H, H)
        if state is not None:
            cache = [torch.cat(pair, dim=2) for pair in zip(state, cache)]
        mask = torch.ones(X.shape[1], cache[0].shape[2]).tril(start).bool()
        return self.output(self.attention.attend(H, *cache, mask=mask)), cache
""",
}

MISTAKES = {
    "6.1": """
- one mean for all columns: `H - H.mean(0)` -> `H - H.mean()`
- again adds positions twice before the first layer:
  `H = X + self.P.P[:, : X.shape[1]]` -> `H = X + (1 + self.again) * self.P.P[:, : X.shape[1]]`
- one layer is used several times:
  `for _ in range(num_layers):
            self.layers.append(` -> `self.layers.extend([`
  `d2l.MultiHeadAttention(d, 1, 0))` -> `d2l.MultiHeadAttention(d, 1, 0)] * num_layers)`
- changes H: `b, n, d = H.shape` -> `b, n, d = H.shape
    H -= H.mean((0, 1))`
- the results without what is added to them: `found.append(Y)` -> `found.append(Y - self.keep * H)`
""",
    "6.2": """
- standard deviation 1: `std=0.1` -> `std=1`
- leaves a negative start to PyTorch: `start < 0 or ` -> ``
- distances instead of offsets: `setdefault(offset,` -> `setdefault(abs(offset),`
- the main diagonal counts: `for offset, entry in pairs if offset]` -> `for offset, entry in pairs]`
- drops entries of the table instead of the sum:
  `self.dropout(X + rows)` -> `X + self.dropout(rows)`
- diagonals count the same, however long:
  `len(g) * (sum(g) / len(g) - mean) ** 2` -> `len(pairs) / len(groups) * (sum(g) / len(g) - mean) ** 2`
""",
    "6.3": """
- i - j for j - i: `j - i)) for j` -> `i - j)) for j`
- random vectors at first: `torch.zeros(1 + 2` -> `torch.randn(1 + 2`
- a softmax over queries: `S.sum(-1, keep` -> `S.sum(-2, keep`
- divides by d: `/ d**0.5` -> `/ d`
- the width is not checked: ` or d != Q.shape[2]` -> ``
- stores scores instead of weights: `weights.detach()` -> `S.detach()`
""",
    "6.4": """
- rotates the other way: `, angles)` -> `, -angles)`
- forgets start: `i = start + torch` -> `i = torch`
- pairs neighbouring columns:
  `unflatten(-1, (2, -1)).mT` -> `unflatten(-1, (-1, 2))`
  `pairs * turn).mT.flatten(-2)` -> `pairs * turn).flatten(-2)`
- puts the rows into the order of the other direction:
  `W.unflatten(0, (-1, 2))` -> `W.unflatten(0, (2, -1))`
- the key is named first: `->abij` -> `->baij`
- divides by the width of the tokens: `len(W_k) ** 0.5` -> `W_k.shape[1] ** 0.5`
- accepts an odd width: `if X.shape[-1] % 2:` -> `if False:`
""",
    "6.5": """
- no causal mask: `mask=d2l.causal_mask(n)` -> `mask=None`
- a position does not see itself:
  `mask=d2l.causal_mask(n)` -> `mask=torch.ones(n, n).tril(-1).bool()`
- the position itself counts: `1 / fractions - 1)` -> `1 / fractions)`
- truncates instead of rounding: `torch.round(1 / fractions - 1)` -> `(1 / fractions - 1)`
- refuses only if all are bad: `(fractions <= 0).any()` -> `(fractions <= 0).all()`
""",
    "6.6": """
- rotates by n: `(n - 1) * 10000` -> `n * 10000`
- the frequencies of columns instead of pairs: `(-j / d)` -> `(-2 * j / d)`
- reverses the whole row: `row[:n][::-1]` -> `row[::-1][:n]`
- <eos> has a label: `[-100] * (width - n)` -> `[16] + [-100] * (width - n - 1)`
- no reflection: `-math.cos(angle), math.sin(angle)` -> `math.cos(angle), math.sin(angle)`
- padded to all tokens: `max(lengths.tolist()) + 1` -> `X.shape[1] + 1`
""",
    "6.7": """
- digits from 0 to k - 1: `(2 * at + power) // (2 * power)` -> `at // power`
- plain, as if all k - 1 neighbours helped: `+ (k - 1) // 2` -> `+ k - 1`
- dilated, connected in any case: `distance % k > k // 2` -> `False`
- an even k is accepted: `k % 2 == 0 or k < 3` -> `k < 3`
- plain, a layer too many: `position < n - 1` -> `position < n`
- dilated, the digits of n: `distance, layers = n - 1, 0` -> `distance, layers = n, 0`
""",
    "6.8": """
- the bug itself: `start = 0 if state is None else state[0].shape[2]` -> `start = 0`
- the start is the length of the piece: `else state[0].shape[2]` -> `else X.shape[1]`
- the mask starts at 0: `.tril(start)` -> `.tril()`
- counts in the module, and resets without a state:
  `start = 0 if state is None else state[0].shape[2]` -> `start = 0 if state is None else self.end
        self.end = start + X.shape[1]`
""",
}

WRONG = spoil(OTHER, MISTAKES)
