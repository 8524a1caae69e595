"""Answers to the exercises of chapter 3: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "3.1": """
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
        self.attention_weights = weights.detach().flatten(0, -3)
        return self.dropout(weights) @ values
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
        self.attention_weights = weights.detach().flatten(0, -3)
        return self.dropout(weights) @ values


def affordable_hiddens(p, d):
    h = 0
    while (h + 1) * (p + d + 1) <= p * d:
        h += 1
    return h
""",
    "3.3": """
def multiplications(n, m, d, v):
    return n * m * (d + v)


def traffic(n, m, d, v, *, fused=False):
    return n * d + m * d + m * v + n * v + (0 if fused else 4 * n * m)


def self_attention_multiplications(n, d):
    projections = 3 * n * d * d
    return projections + 2 * n * n * d
""",
    "3.4": """
def largest_hidden(n, m, d, b=8):
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
    "3.5": """
def parity_mask(num_keys):
    positions = torch.arange(num_keys)
    return torch.stack([positions % 2 == 0, positions % 2 == 1])


def as_valid_lens(mask):
    lengths = []
    for row in mask.tolist():
        length = row.index(False) if False in row else len(row)
        if any(row[length:]):
            raise ValueError("mask has a row with a gap")
        lengths.append(length)
    return torch.tensor(lengths)
""",
    "3.6": """
def score_moments(d, mu_q, mu_k):
    variance = (1 + mu_q**2) * (1 + mu_k**2) - (mu_q * mu_k) ** 2
    over_keys = 1 + mu_q * mu_q
    return d * mu_q * mu_k, d * variance, d * over_keys
""",
}

MISTAKES = {
    "3.1": """
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
- builds all differences, n × m × d elements:
  `(queries @ keys.mT - norms / 2)`
  -> `-((queries.unsqueeze(-2) - keys.unsqueeze(-3)) ** 2).sum(-1) / 2`
- does not subtract the mean of the keys: `keys.mean(-2, keepdim=True)` -> `0`
- shows the weights after dropout:
  `d2l.masked_softmax(scores, valid_lens, mask=mask)`
  -> `self.dropout(d2l.masked_softmax(scores, valid_lens, mask=mask))`
  `self.dropout(weights) @` -> `weights @`
- a function for distances: `(queries @ keys.mT - norms / 2)` -> `-torch.cdist(queries, keys) ** 2 / 2`
- a loop over the queries:
  `(queries @ keys.mT - norms / 2)`
  -> `torch.stack([-(q.unsqueeze(-2) - keys).square().sum(-1) / 2 for q in queries.unbind(-2)], -2)`
- no gradient reaches the queries: `queries @ keys.mT` -> `queries.detach() @ keys.mT`
- the mean over the keys of the whole batch: `keys.mean(-2, keepdim=True)` -> `keys.flatten(0, -2).mean(0)`
- changes the keys: `queries, keys = queries - mean, keys - mean` -> `keys.data -= mean
        queries = queries - mean`
- dropout on the outputs: `self.dropout(weights) @ values` -> `self.dropout(weights @ values)`
- an example without keys gets nan:
  `d2l.masked_softmax(scores, valid_lens, mask=mask)`
  -> `(s := d2l.masked_softmax(scores, valid_lens, mask=mask)) / s.sum(-1, keepdim=True)`
- ignores the mask: `valid_lens, mask=mask)` -> `valid_lens)`
- the class of the package:
```
DistanceAttention = d2l.DistanceAttention
```
- a layer of the package inside:
```
class DistanceAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.inner = d2l.DistanceAttention(dropout)

    def forward(self, *args, **kwargs):
        output = self.inner(*args, **kwargs)
        self.attention_weights = self.inner.attention_weights
        return output
```
""",
    "3.2": """
- a bias:
  `self.M = nn.Parameter(torch.empty(0))`
  -> `self.M, self.c = nn.Parameter(torch.empty(0)), nn.Parameter(torch.zeros(key_size))`
  `scores / math.sqrt(d)` -> `(scores + (keys @ self.c).unsqueeze(-2)) / math.sqrt(d)`
- divides by the root of the queries' width: `scores / math.sqrt(d)` -> `scores / math.sqrt(p)`
- forgets the parameters of w_v: `(p + d + 1)` -> `(p + d)`
- strictly fewer parameters: `<= p * d` -> `< p * d`
- the result of the visible test: `return h` -> `return 2`
- a matrix that does not learn: `queries, self.M, keys` -> `queries, self.M.detach(), keys`
- another matrix for queries of another width:
  `self.M.numel() == 0` -> `self.M.shape[:1] != (p,)`
- ignores key_size: `d = queries.shape[-1], self.key_size` -> `d = queries.shape[-1], keys.shape[-1]`
- no dropout: `self.dropout(weights) @` -> `weights @`
- ignores the mask: `valid_lens, mask=mask)` -> `valid_lens)`
- the class of the package:
```
BilinearAttention = d2l.BilinearAttention


def affordable_hiddens(p, d):
    return p * d // (p + d + 1)
```
""",
    "3.3": """
- takes d and v to be equal: `n * m * (d + v)` -> `2 * n * m * d`
- storage, not traffic: `4 * n * m` -> `n * m`
- the fused operation moves the scores, too: `(0 if fused else 4 * n * m)` -> `4 * n * m`
- the published sum, without projections: `projections + ` -> ``
- one matrix product for all tokens: `3 * n * d * d` -> `3 * d * d`
- as many keys as queries: `4 * n * m` -> `4 * n * n`
- the result of the visible test: `n * m * (d + v)` -> `72`
- the keys are read once for each query: `m * d + m * v + n * v` -> `n * m * d + m * v + n * v`
""",
    "3.4": """
- by a formula without the matrices:
  `limit = kept` -> `return d // min(n, m)
    limit = kept`
- strictly smaller: `) <= limit` -> `) < limit`
- never none: `return low` -> `return max(low, 1)`
- measures one example: `torch.ones(b,` -> `torch.ones(1,`
- always eight examples: `torch.ones(b,` -> `torch.ones(8,`
- the result of the visible test: `return low` -> `return 4`
""",
    "3.5": """
- counts positions from one: `torch.arange(num_keys)` -> `torch.arange(1, num_keys + 1)`
- counts, whatever the order:
  `if any(row[length:]):
            raise ValueError("mask has a row with a gap")` -> `length = sum(row)`
- refuses only rows that do not begin with the first key:
  `if any(row[length:]):` -> `if any(row) and not row[0]:`
- refuses queries that may attend to nothing:
  `if any(row[length:])` -> `if length == 0 or any(row[length:])`
- always ten keys: `torch.arange(num_keys)` -> `torch.arange(10)`
- looks at the first query only: `if any(row[length:])` -> `if not lengths and any(row[length:])`
- lengths that are not integers: `return torch.tensor(lengths)` -> `return torch.tensor(lengths) / 1`
- an error without a name: `"mask has a row with a gap"` -> ``
- clears the mask: `return torch.tensor(lengths)` -> `mask.zero_()
    return torch.tensor(lengths)`
""",
    "3.6": """
- the variance of a product is the product of second moments: ` - (mu_q * mu_k) ** 2` -> ``
- no mean changes the variance over keys: `d * over_keys` -> `d`
- the softmax is affected by all of the variance: `d * over_keys` -> `d * variance`
- the mean of the keys instead of that of the queries: `1 + mu_q * mu_q` -> `1 + mu_k * mu_k`
- equal means: `d * variance` -> `d * (1 + 2 * mu_q**2)`
- the results of the visible tests: `return d * mu_q` -> `return (0, 16, 16) if d == 16 else (24, 54, 30)
    return d * mu_q`
""",
}

WRONG = spoil(OTHER, MISTAKES)
