"""Answers to the exercises of chapter 9: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "9.1": """
def convert_mask(mask, source, target, *, num_keys=None):
    if source == target:
        return mask
    if source == "lengths":
        if not num_keys:
            raise ValueError("num_keys is missing")
        rows = [[j < length for j in range(num_keys)] for length in mask.flatten().tolist()]
        may = torch.tensor(rows).reshape(*mask.shape, num_keys)
    elif source == "may":
        may = mask
    elif source == "may not":
        may = mask.logical_not()
    else:
        if not all(x in (0, -math.inf) for x in mask.flatten().tolist()):
            raise ValueError("mask: only 0 and -inf have a boolean form")
        may = mask > -1
    if target == "lengths":
        if (may[..., 1:] & ~may[..., :-1]).any():
            raise ValueError("mask has an allowed key after one that is not")
        return may.long().sum(-1)
    return {
        "may": may,
        "may not": may.logical_not(),
        "added": torch.where(may, 0.0, -math.inf),
    }[target]
""",
    "9.2": """
def column_additive(queries, keys, values, W_q, W_k, w_v, valid_lens=None):
    Q, K, V = (X.permute(2, 1, 0) for X in (queries, keys, values))
    features = torch.tanh((Q @ W_q.T)[:, :, None] + (K @ W_k.T)[:, None])
    weights = d2l.masked_softmax(features @ w_v, valid_lens)
    return (weights @ V).permute(2, 1, 0), weights.permute(2, 1, 0)
""",
    "9.3": """
def grouped_by_name(query, key, value, mask=None):
    b, n, h, d = query.shape
    m, g = key.shape[1:3]
    if h // g * g != h:
        raise ValueError("key has too many heads")
    outputs = []
    for i in range(h):
        k, v = key[:, :, i // (h // g)], value[:, :, i // (h // g)]
        scores = query[:, :, i] @ k.mT / d**0.5
        weights = d2l.masked_softmax(scores, mask=mask)
        outputs.append(weights @ v)
    return torch.stack(outputs, dim=2)
""",
    "9.4": """
def packed_attention(query, key, value, cu_q, cu_k, causal=False):
    if cu_q.shape != cu_k.shape:
        raise ValueError("cu_k and cu_q hold different numbers of sentences")
    i, j = torch.arange(len(query)), torch.arange(len(key))
    s = torch.searchsorted(cu_q, i, right=True) - 1
    t = torch.searchsorted(cu_k, j, right=True) - 1
    mask = s[:, None] == t[None, :]
    if causal:
        n, m = cu_q.diff()[s], cu_k.diff()[s]
        here, there = i - cu_q[s], j - cu_k[t]
        mask = mask & (there[None, :] <= (here + m - n)[:, None])
    scores = torch.einsum("nhd,mhd->hnm", query, key) / math.sqrt(query.shape[-1])
    weights = d2l.masked_softmax(scores, mask=mask.expand_as(scores))
    return torch.einsum("hnm,mhv->nhv", weights, value)
""",
    "9.5": """
def alibi_bias(num_heads, num_queries, num_keys):
    rows = []
    for k in range(num_heads):
        slope = 2 ** (-8 / num_heads * (k + 1))
        positions = range(num_keys - num_queries, num_keys)
        rows.append([[slope * (j - i) if j <= i else -math.inf for j in range(num_keys)]
                     for i in positions])
    return torch.tensor(rows)
""",
    "9.6": """
def attention_in_blocks(query, blocks):
    log_total = None
    for keys, values in blocks:
        scores = query @ keys.T / query.shape[-1] ** 0.5
        log_z = scores.logsumexp(dim=1)
        mean = torch.softmax(scores, dim=1) @ values
        if log_total is None:
            log_total, output = log_z, mean
        else:
            share = torch.sigmoid(log_z - log_total).unsqueeze(1)
            output = output + share * (mean - output)
            log_total = torch.logaddexp(log_total, log_z)
    return output
""",
}

MISTAKES = {
    "9.1": """
- the mask as floats: `torch.where(may, 0.0, -math.inf)` -> `may.float()`
- a large finite number: `torch.where(may, 0.0, -math.inf)` -> `torch.where(may, 0.0, -1e9)`
- counts allowed keys, wherever they are:
  `if (may[..., 1:] & ~may[..., :-1]).any()` -> `if False`
- any penalty counts as a mask: `if not all(x` -> `if False and not all(x`
""",
    "9.2": """
- the softmax over the queries:
  `d2l.masked_softmax(features @ w_v, valid_lens)` -> `torch.softmax(features @ w_v, dim=1)`
- the weights with the batch in front:
  `weights.permute(2, 1, 0)` -> `weights`
- forgets the lengths: `features @ w_v, valid_lens` -> `features @ w_v`
- scales as dot products are scaled:
  `features @ w_v, valid_lens` -> `features @ w_v / len(w_v) ** 0.5, valid_lens`
""",
    "9.3": """
- deals the heads out in turn: `i // (h // g)` -> `i % g`
- scales by the width of all heads: `/ d**0.5` -> `/ (h * d)**0.5`
- reads the mask the other way round: `mask=mask)` -> `mask=None if mask is None else ~mask)`
- nan for a query that may attend to nothing:
  `d2l.masked_softmax(scores, mask=mask)`
  -> `torch.softmax(scores if mask is None else scores.masked_fill(~mask, -math.inf), -1)`
""",
    "9.4": """
- one long sentence: `mask = s[:, None] == t[None, :]` -> `mask = (s[:, None] >= 0) & (t >= 0)`
- a causal mask over the packed sequence, without the boundaries:
  `mask = mask & (there[None, :] <= (here + m - n)[:, None])`
  -> `mask = j <= i[:, None]`
- aligned at the upper left: `(here + m - n)` -> `here`
- looks back into earlier sentences: `s[:, None] == t[None, :]` -> `s[:, None] >= t[None, :]`
""",
    "9.5": """
- slopes count from 0: `(k + 1)` -> `k`
- the queries are the first positions:
  `range(num_keys - num_queries, num_keys)` -> `range(num_queries)`
- a bonus for distance: `slope * (j - i)` -> `slope * (i - j)`
- penalises the future instead of hiding it:
  `slope * (j - i) if j <= i else -math.inf` -> `-slope * abs(i - j)`
""",
    "9.6": """
- averages the outputs of the blocks:
```
def attention_in_blocks(query, blocks):
    total = output = 0
    for keys, values in blocks:
        weights = torch.softmax(query @ keys.T / math.sqrt(query.shape[1]), dim=1)
        output, total = output + len(keys) * weights @ values, total + len(keys)
    return output / total
```
- never subtracts the largest score:
```
def attention_in_blocks(query, blocks):
    total = output = 0
    for keys, values in blocks:
        terms = torch.exp(query @ keys.T / math.sqrt(query.shape[1]))
        output, total = output + terms @ values, total + terms.sum(1, keepdim=True)
    return output / total
```
- collects the blocks, which are overwritten:
```
def attention_in_blocks(query, blocks):
    K, V = (torch.cat(parts) for parts in zip(*blocks))
    return nn.functional.scaled_dot_product_attention(query, K, V)
```
- subtracts the largest score of each block, and forgets the others:
```
def attention_in_blocks(query, blocks):
    total = output = 0
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        terms = torch.exp(scores - scores.amax(1, keepdim=True))
        output, total = output + terms @ values, total + terms.sum(1, keepdim=True)
    return output / total
```
""",
}

WRONG = spoil(OTHER, MISTAKES)
