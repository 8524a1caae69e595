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
    g, outputs = key.shape[2], []
    if h // g * g != h:
        raise ValueError("key has too many heads")
    for group, heads in enumerate(query.chunk(g, dim=2)):
        k, v = key[:, :, group], value[:, :, group]
        scores = torch.einsum("bnrd,bmd->bnrm", heads, k) / d**0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, :, None], -math.inf)
        weights = torch.softmax(scores, dim=-1).nan_to_num(0)
        outputs.append(torch.einsum("bnrm,bmv->bnrv", weights, v))
    return torch.cat(outputs, dim=2)
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
- looks for holes in the last row only:
  `if (may[..., 1:] & ~may[..., :-1]).any()` -> `if (may[-1][..., 1:] & ~may[-1][..., :-1]).any()`
- a boolean mask as zeros and ones: `"may": may,` -> `"may": may.long(),`
- wants num_keys in any case: `if source == "lengths":` -> `if source == "lengths" or not num_keys:`
- adds zero times infinity, nan: `torch.where(may, 0.0, -math.inf)` -> `may.logical_not() * -math.inf`
- writes into the given mask: `may = mask.logical_not()` -> `may = mask.logical_not_()`
""",
    "9.2": """
- the softmax over the queries:
  `d2l.masked_softmax(features @ w_v, valid_lens)` -> `torch.softmax(features @ w_v, dim=1)`
- the weights with the batch in front:
  `weights.permute(2, 1, 0)` -> `weights`
- forgets the lengths: `features @ w_v, valid_lens` -> `features @ w_v`
- scales as dot products are scaled:
  `features @ w_v, valid_lens` -> `features @ w_v / len(w_v) ** 0.5, valid_lens`
- calls d2l's layer:
```
def column_additive(queries, keys, values, W_q, W_k, w_v, valid_lens=None):
    layer = d2l.AdditiveAttention(len(w_v), dropout=0)
    rows = [d2l.reverse_axes(X) for X in (queries, keys, values)]
    with torch.no_grad():
        layer(*rows)
        for part, X in (layer.W_q, W_q), (layer.W_k, W_k), (layer.w_v, w_v[None]):
            part.weight.copy_(X)
        output = layer(*rows, valid_lens)
    return d2l.reverse_axes(output), d2l.reverse_axes(layer.attention_weights)
```
- reshapes in place of reversing: `X.permute(2, 1, 0) for X in` -> `X.reshape(X.shape[::-1]) for X in`
- one length for each example only:
  `features @ w_v, valid_lens)` -> `features @ w_v, None if valid_lens is None
                                 else torch.as_tensor(valid_lens).reshape(len(Q), -1)[:, 0])`
""",
    "9.3": """
- deals the heads out in turn:
  `query.chunk(g, dim=2)` -> `query.unflatten(2, (-1, g)).unbind(3)`,
  `torch.cat(outputs, dim=2)` -> `torch.stack(outputs, dim=3).flatten(2, 3)`
- scales by the width of all heads: `/ d**0.5` -> `/ (h * d)**0.5`
- reads the mask the other way round: `~mask[:, :, None]` -> `mask[:, :, None]`
- nan for a query that may attend to nothing: `.nan_to_num(0)` -> ``
- repeats keys and values:
```
def grouped_by_name(query, key, value, mask=None):
    h, g, d = query.shape[2], key.shape[2], key.shape[3]
    if h % g:
        raise ValueError("key")
    key, value = (X.repeat_interleave(h // g, dim=2) for X in (key, value))
    scores = torch.einsum("bnhd,bmhd->bhnm", query, key) / math.sqrt(d)
    mask = None if mask is None else mask[:, None]
    weights = d2l.masked_softmax(scores, mask=mask)
    return torch.einsum("bhnm,bmhv->bnhv", weights, value)
```
- PyTorch's function, without einsum:
```
def grouped_by_name(query, key, value, mask=None):
    if query.shape[2] % key.shape[2]:
        raise ValueError("key")
    rows = (X.transpose(1, 2) for X in (query, key, value))
    mask = None if mask is None else mask[:, None]
    output = nn.functional.scaled_dot_product_attention(
        *rows, attn_mask=mask, enable_gqa=True)
    return output.transpose(1, 2)
```
- accepts any numbers of heads: `if h // g * g != h:` -> `if False:`
""",
    "9.4": """
- a causal mask over the packed sequence, without the boundaries:
  `mask = mask & (there[None, :] <= (here + m - n)[:, None])`
  -> `mask = j <= i[:, None]`
- aligned at the upper left: `(here + m - n)` -> `here`
- looks back into earlier sentences: `s[:, None] == t[None, :]` -> `s[:, None] >= t[None, :]`
- fills the mask sentence by sentence:
```
def packed_attention(query, key, value, cu_q, cu_k, causal=False):
    if len(cu_q) != len(cu_k):
        raise ValueError("cu_k")
    mask = torch.zeros(len(query), len(key), dtype=torch.bool)
    for a, b, c, d in zip(cu_q, cu_q[1:], cu_k, cu_k[1:]):
        n, m = int(b - a), int(d - c)
        mask[a:b, c:d] = d2l.causal_mask(n, m, start=m - n) if causal else True
    heads = (X.transpose(0, 1)[None] for X in (query, key, value))
    return d2l.DotProductAttention(0)(*heads, mask=mask)[0].transpose(0, 1)
```
- the queries' boundaries for the keys: `torch.searchsorted(cu_k, j, right=True)` -> `torch.searchsorted(cu_q, j, right=True)`
- nan for a query that may attend to nothing:
  `weights = d2l.masked_softmax(scores, mask=mask.expand_as(scores))`
  -> `weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)`
- one sentence too many, by the other side of the boundary: `i, right=True` -> `i + 1, right=True`
- accepts any numbers of sentences: `if cu_q.shape != cu_k.shape:` -> `if False:`
""",
    "9.5": """
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
    "9.6": """
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
- collects copies of the blocks:
```
def attention_in_blocks(query, blocks):
    copies = [(keys.clone(), values.clone()) for keys, values in blocks]
    K, V = (torch.cat(parts) for parts in zip(*copies))
    return nn.functional.scaled_dot_product_attention(query, K, V)
```
""",
}

WRONG = spoil(OTHER, MISTAKES)
