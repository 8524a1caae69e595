"""Answers to the exercises of chapter 3: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "3.1": """
def parity_mask(num_keys):
    positions = torch.arange(num_keys)
    return torch.stack([positions % 2 == 0, positions % 2 == 1])


def as_valid_lens(mask):
    lengths = []
    for row in mask.tolist():
        length = row.index(False) if False in row else len(row)
        if any(row[length:]):
            return None
        lengths.append(length)
    return torch.tensor(lengths)
""",
    "3.2": """
class BilinearAttention(nn.Module):
    def __init__(self, key_size, dropout):
        super().__init__()
        self.M = nn.Parameter(torch.empty(0))
        self.key_size, self.dropout = key_size, nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        p, d = queries.shape[-1], self.key_size
        if self.M.numel() == 0:
            self.M = nn.Parameter(torch.randn(p, d) / math.sqrt(p))
        scores = torch.einsum("...np,pd,...md->...nm", queries, self.M, keys)
        scores = scores / math.sqrt(d)
        weights = d2l.masked_softmax(scores, valid_lens, mask=mask)
        self.attention_weights = weights.detach()
        return self.dropout(weights) @ values
""",
    "3.3": """
def largest_hidden(b, n, m, d):
    def kept(layer):
        batch = [torch.ones(b, size, d, requires_grad=True) for size in (n, m, m)]
        return largest_kept(lambda: layer(*batch))

    limit = kept(d2l.DotProductAttention(0))
    low, high = 0, limit + 1
    while high - low > 1:
        middle = (low + high) // 2
        if kept(d2l.AdditiveAttention(middle, 0)) <= limit:
            low = middle
        else:
            high = middle
    return low
""",
    "3.4": """
def score_moments(d, mu_q, mu_k):
    variance = (1 + mu_q**2) * (1 + mu_k**2) - (mu_q * mu_k) ** 2
    over_keys = 1 + mu_q * mu_q
    return d * mu_q * mu_k, d * variance, d * over_keys
""",
    "3.5": """
def multiplications(n, m, d, v):
    return n * m * (d + v)


def traffic(n, m, d, v, fused=False):
    return n * d + m * d + m * v + n * v + (0 if fused else 4 * n * m)
""",
    "3.6": """
class DistanceAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        mean = keys.mean(-2, keepdim=True)
        queries, keys = queries - mean, keys - mean
        norms = (keys * keys).sum(-1).unsqueeze(-2)
        scores = (queries @ keys.mT - norms / 2) / math.sqrt(keys.shape[-1])
        weights = d2l.masked_softmax(scores, valid_lens, mask=mask)
        self.attention_weights = weights
        return self.dropout(weights) @ values
""",
}

MISTAKES = {
    "3.1": """
- counts positions from one: `torch.arange(num_keys)` -> `torch.arange(1, num_keys + 1)`
- counts, whatever the order:
  `if any(row[length:]):
            return None` -> `length = sum(row)`
- refuses only rows that do not begin with the first key:
  `if any(row[length:]):` -> `if any(row) and not row[0]:`
- refuses queries that may attend to nothing:
  `if any(row[length:])` -> `if length == 0 or any(row[length:])`
- always ten keys: `torch.arange(num_keys)` -> `torch.arange(10)`
- looks at the first query only: `if any(row[length:])` -> `if not lengths and any(row[length:])`
- lengths that are not integers: `return torch.tensor(lengths)` -> `return torch.tensor(lengths) / 1`
""",
    "3.2": """
- a bias:
  `self.M = nn.Parameter(torch.empty(0))`
  -> `self.M, self.c = nn.Parameter(torch.empty(0)), nn.Parameter(torch.zeros(key_size))`
  `scores / math.sqrt(d)` -> `(scores + (keys @ self.c).unsqueeze(-2)) / math.sqrt(d)`
- divides by the root of the queries' width: `scores / math.sqrt(d)` -> `scores / math.sqrt(p)`
- does not divide: `scores / math.sqrt(d)` -> `scores`
- a matrix that does not learn: `queries, self.M, keys` -> `queries, self.M.detach(), keys`
- ignores the lengths: `valid_lens, mask=mask)` -> `mask=mask)`
- ignores the mask: `valid_lens, mask=mask)` -> `valid_lens)`
- the mask replaces the lengths: `valid_lens, mask=mask)` -> `valid_lens if mask is None else None, mask=mask)`
- no dropout: `self.dropout(weights) @ values` -> `weights @ values`
- dropout on the queries: `queries, self.M, keys` -> `self.dropout(queries), self.M, keys`,
  `self.dropout(weights) @ values` -> `weights @ values`
- dropout on the output: `self.dropout(weights) @ values` -> `self.dropout(weights @ values)`
- a matrix for the width of the visible test: `torch.randn(p, d)` -> `torch.randn(10, d)`
- shows the scores: `weights.detach()` -> `scores.detach()`
""",
    "3.3": """
- by a formula without the matrices:
  `limit = kept` -> `return d // min(n, m)
    limit = kept`
- strictly smaller: `) <= limit` -> `) < limit`
- never none: `return low` -> `return max(low, 1)`
- measures one example: `torch.ones(b,` -> `torch.ones(1,`
- always eight examples: `torch.ones(b,` -> `torch.ones(8,`
""",
    "3.4": """
- the variance of a product is the product of second moments: ` - (mu_q * mu_k) ** 2` -> ``
- no mean changes the variance over keys: `d * over_keys` -> `d`
- the softmax is affected by all of the variance: `d * over_keys` -> `d * variance`
- the mean of the keys instead of that of the queries: `1 + mu_q * mu_q` -> `1 + mu_k * mu_k`
- equal means: `d * variance` -> `d * (1 + 2 * mu_q**2)`
""",
    "3.5": """
- takes d and v to be equal: `n * m * (d + v)` -> `2 * n * m * d`
- storage, not traffic: `4 * n * m` -> `n * m`
- the fused operation moves the scores, too: `(0 if fused else 4 * n * m)` -> `4 * n * m`
- as many keys as queries: `4 * n * m` -> `4 * n * n`
- the keys are read once for each query: `m * d + m * v + n * v` -> `n * m * d + m * v + n * v`
""",
    "3.6": """
- divides the dot products only:
  `(queries @ keys.mT - norms / 2) / math.sqrt(keys.shape[-1])`
  -> `queries @ keys.mT / math.sqrt(keys.shape[-1]) - norms / 2`
- appends the norms, and divides by the root of the new width:
```
class DistanceAttention(d2l.DotProductAttention):
    def forward(self, queries, keys, values, valid_lens=None, *, mask=None):
        norms = (keys**2).sum(-1, keepdim=True)
        queries = torch.cat([queries, torch.ones_like(queries[..., :1])], -1)
        keys = torch.cat([keys, -norms / 2], -1)
        return super().forward(queries, keys, values, valid_lens, mask=mask)
```
- without the norms of the keys: `- norms / 2` -> ``
- builds all differences, n × m × d entries:
  `(queries @ keys.mT - norms / 2)`
  -> `-((queries.unsqueeze(-2) - keys.unsqueeze(-3)) ** 2).sum(-1) / 2`
- does not subtract the mean of the keys: `keys.mean(-2, keepdim=True)` -> `0`
- the mean over the keys of the whole batch: `keys.mean(-2, keepdim=True)` -> `keys.flatten(0, -2).mean(0)`
- another origin for the keys only: `queries, keys = queries - mean, keys - mean` -> `keys = keys - mean`
- ignores the mask: `valid_lens, mask=mask)` -> `valid_lens)`
- no dropout: `self.dropout(weights) @ values` -> `weights @ values`
- dropout on the output: `self.dropout(weights) @ values` -> `self.dropout(weights @ values)`
- ignores the lengths: `valid_lens, mask=mask)` -> `mask=mask)`
""",
}

WRONG = spoil(OTHER, MISTAKES)
