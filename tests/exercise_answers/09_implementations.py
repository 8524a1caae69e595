"""Answers to the exercises of chapter 9: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "9.1": """
def convert_mask(mask, source, target, num_keys=None):
    if source == target:
        return mask
    if source == "lengths":
        rows = [[j < length for j in range(num_keys)] for length in mask.flatten().tolist()]
        may = torch.tensor(rows).reshape(*mask.shape, num_keys)
    elif source == "may":
        may = mask
    elif source == "may not":
        may = mask.logical_not()
    else:
        if not all(x in (0, -math.inf) for x in mask.flatten().tolist()):
            raise ValueError("only 0 and -inf have a boolean form")
        may = mask > -1
    if target == "lengths":
        if (may[..., 1:] & ~may[..., :-1]).any():
            raise ValueError("an allowed key comes after one that is not")
        return may.long().sum(-1)
    return {
        "may": may,
        "may not": may.logical_not(),
        "added": torch.where(may, 0.0, -math.inf),
    }[target]
""",
    "9.2": """
def packed_mask(cu_q, cu_k, causal=False):
    mask = torch.zeros(int(cu_q[-1]), int(cu_k[-1]), dtype=torch.bool)
    for a, b, c, d in zip(cu_q, cu_q[1:], cu_k, cu_k[1:]):
        n, m = int(b - a), int(d - c)
        mask[a:b, c:d] = d2l.causal_mask(n, start=m - n) if causal else True
    return mask
""",
    "9.3": """
def alibi_bias(num_heads, num_queries, num_keys):
    rows = []
    for k in range(num_heads):
        slope = 2 ** (-8 / num_heads * (k + 1))
        positions = range(num_keys - num_queries, num_keys)
        rows.append([[slope * (j - i) if j <= i else -math.inf for j in range(num_keys)]
                     for i in positions])
    return torch.tensor(rows)
""",
    "9.4": """
def grouped_by_name(query, key, value, mask=None):
    b, n, h, d = query.shape
    outputs = []
    for group, heads in enumerate(query.chunk(key.shape[2], dim=2)):
        k, v = key[:, :, group], value[:, :, group]
        scores = torch.einsum("bnrd,bmd->bnrm", heads, k) / d**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, :, None], -math.inf)
        weights = torch.softmax(scores, dim=-1).nan_to_num(0)
        outputs.append(torch.einsum("bnrm,bmv->bnrv", weights, v))
    return torch.cat(outputs, dim=2)
""",
    "9.5": """
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
- looks for holes in the last row only:
  `if (may[..., 1:] & ~may[..., :-1]).any()` -> `if (may[:, -1, 1:] & ~may[:, -1, :-1]).any()`
- a boolean mask as zeros and ones: `"may": may,` -> `"may": may.long(),`
- adds zero times infinity, nan: `torch.where(may, 0.0, -math.inf)` -> `may.logical_not() * -math.inf`
""",
    "9.2": """
- the chapter's causal mask over all queries and keys:
  `= d2l.causal_mask(n, start=m - n) if causal else True`
  -> `= True
    if causal:
        mask &= d2l.causal_mask(*mask.shape)`
- aligned at the upper left: `d2l.causal_mask(n, start=m - n)` -> `d2l.causal_mask(n, m)`
- one alignment for all texts: `start=m - n)`
  -> `m, start=len(mask[0]) - len(mask))`
- the queries' boundaries for the keys: `mask[a:b, c:d] =` -> `mask[a:b, a:b] =`
- always causal: `if causal else True` -> ``
- the keys' end is left out: `mask[a:b, c:d] =` -> `mask[a:b, d - 1] = False
        mask[a:b, c:d] =`, `if causal else True` -> `if causal else torch.arange(m) < m - 1`
- may look back into earlier texts: `mask[a:b, c:d] =` -> `mask[a:b, :c] = True
        mask[a:b, c:d] =`
""",
    "9.3": """
- slopes count from 0: `(k + 1)` -> `k`
- the queries are the first positions:
  `range(num_keys - num_queries, num_keys)` -> `range(num_queries)`
- a bonus for distance: `slope * (j - i)` -> `slope * (i - j)`
- penalises the future instead of hiding it:
  `slope * (j - i) if j <= i else -math.inf` -> `-slope * abs(i - j)`
- slopes for eight heads only: `-8 / num_heads * (k + 1)` -> `-(k + 1)`
- the other form, without the query's part: `slope * (j - i)` -> `slope * j`
- hides with a large number: `-math.inf` -> `-1e9`
""",
    "9.4": """
- deals the heads out in turn:
  `query.chunk(key.shape[2], dim=2)` -> `query.unflatten(2, (-1, key.shape[2])).unbind(3)`,
  `torch.cat(outputs, dim=2)` -> `torch.stack(outputs, dim=3).flatten(2, 3)`
- scales by the width of all heads: `/ d**0.5` -> `/ (h * d)**0.5`
- reads the mask the other way round: `~mask[:, :, None]` -> `mask[:, :, None]`
- nan for a query that may attend to nothing: `.nan_to_num(0)` -> ``
- the softmax over the heads: `torch.softmax(scores, dim=-1)` -> `torch.softmax(scores, dim=2)`
""",
    "9.5": """
- weighs each block by its size: `scores.logsumexp(dim=1)` -> `torch.full((len(query),), math.log(len(keys)))`
- never subtracts the largest score: `scores.logsumexp(dim=1)` -> `scores.exp().sum(dim=1).log()`
- subtracts the largest score of each block, and forgets it:
  `scores.logsumexp(dim=1)` -> `(scores - scores.amax(1, keepdim=True)).logsumexp(dim=1)`
- one largest score for all queries together:
  `scores.logsumexp(dim=1)` -> `(scores - scores.max()).exp().sum(dim=1).log() + scores.max()`
- begins with the largest score 0:
  `scores.logsumexp(dim=1)` -> `torch.cat([scores, 0 * scores[:, :1]], 1).amax(1)
        log_z = log_z + (scores - log_z[:, None]).exp().sum(1).log()`
- rescales the sum, and not the output: `share * (mean - output)` -> `share * mean`
- collects the blocks, which are overwritten:
```
def attention_in_blocks(query, blocks):
    K, V = (torch.cat(parts) for parts in zip(*blocks))
    return nn.functional.scaled_dot_product_attention(query, K, V)
```
""",
}

WRONG = spoil(OTHER, MISTAKES)
