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
- sees a hole only if the last key is allowed:
  `if (may[..., 1:] & ~may[..., :-1]).any()` -> `if (may[..., -1] & ~may.all(-1)).any()`
- takes the first row for all: `mask.flatten().tolist()]` -> `mask.flatten()[:1].tolist() * mask.numel()]`
- lengths as floats: `may.long().sum(-1)` -> `may.float().sum(-1)`
- a boolean mask as zeros and ones: `"may": may,` -> `"may": may.long(),`
- small penalties count as nothing: `x in (0, -math.inf) for x` -> `abs(x) < 1 or x < -1e6 for x`
- wants num_keys in any case: `if source == "lengths":` -> `if source == "lengths" or not num_keys:`
- adds zero times infinity, nan: `torch.where(may, 0.0, -math.inf)` -> `may.logical_not() * -math.inf`
- only for two axes of lengths:
  `torch.tensor(rows).reshape(*mask.shape, num_keys)`
  -> `torch.arange(num_keys)[None, None] < mask[:, :, None]`
- refuses everything, in every word: `if source == target:
        return mask` -> `if source == target:
        return mask
    raise ValueError("mask num_keys")`
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
- uniform weights and no output, of the right shapes:
  `weights = d2l.masked_softmax(features @ w_v, valid_lens)
    return (weights @ V)`
  -> `weights = d2l.masked_softmax(0 * (features @ w_v), valid_lens)
    return 0 * (weights @ V)`
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
- no tanh: `torch.tanh((Q @ W_q.T)[:, :, None] + (K @ W_k.T)[:, None])` -> `((Q @ W_q.T)[:, :, None] + (K @ W_k.T)[:, None])`
- the parameters change places: `(Q @ W_q.T)` -> `(Q @ (W_k if W_k.shape == W_q.shape else W_q).T)`
- writes zeros over the values: `weights = d2l` -> `values[:, -1] = 0
    weights = d2l`
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
- repeats them by expand and reshape:
```
def grouped_by_name(query, key, value, mask=None):
    (b, n, h, d), g = query.shape, key.shape[2]
    if h % g:
        raise ValueError("key")
    key, value = (X[:, :, :, None].expand(-1, -1, -1, h // g, -1).flatten(2, 3)
                  for X in (key, value))
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
- the mask of an example for a head:
```
def grouped_by_name(query, key, value, mask=None):
    h, g, d = query.shape[2], key.shape[2], key.shape[3]
    if h % g:
        raise ValueError("key")
    scores = torch.einsum("bngrd,bmgd->grbnm", query.unflatten(2, (g, -1)), key)
    scores = scores.flatten(0, 1).transpose(0, 1) / math.sqrt(d)
    if mask is not None:
        index = torch.arange(h) % len(mask)
        scores = scores.masked_fill(~mask[index], -math.inf)
    weights = torch.softmax(scores, dim=-1).nan_to_num(0)
    weights = weights.unflatten(1, (g, -1))
    return torch.einsum("bgrnm,bmgv->bngrv", weights, value).flatten(2, 3)
```
- other sizes are rounded: `raise ValueError("key has too many heads")` -> `h = h // g * g`
- only for more heads of queries than of keys: `if h // g * g != h:` -> `if h // g * g != h and h > g:`
- ignores the mask: `if mask is not None:` -> `if False:`
""",
    "9.4": """
- one long sentence: `mask = s[:, None] == t[None, :]` -> `mask = (s[:, None] >= 0) & (t >= 0)`
- a causal mask over the packed sequence, without the boundaries:
  `mask = mask & (there[None, :] <= (here + m - n)[:, None])`
  -> `mask = j <= i[:, None]`
- aligned at the upper left: `(here + m - n)` -> `here`
- looks back into earlier sentences: `s[:, None] == t[None, :]` -> `s[:, None] >= t[None, :]`
- calls the loop that the tests compare with:
```
def packed_attention(query, key, value, cu_q, cu_k, causal=False):
    if len(cu_q) != len(cu_k):
        raise ValueError("cu_k")
    return by_sentence(query, key, value, cu_q.tolist(), cu_k.tolist(), causal)
```
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
- causal in any case: `if causal:` -> `if True:`
- never causal: `if causal:` -> `if False:`
- nan for a query that may attend to nothing:
  `weights = d2l.masked_softmax(scores, mask=mask.expand_as(scores))`
  -> `weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1)`
- one sentence too many, by the other side of the boundary: `i, right=True` -> `i + 1, right=True`
- accepts any numbers of sentences: `if cu_q.shape != cu_k.shape:` -> `if False:`
- compares the totals, not the numbers of sentences: `if cu_q.shape != cu_k.shape:` -> `if len(cu_q) < len(cu_k):`
- changes the boundaries that it was given: `scores = ` -> `cu_q.zero_()
    scores = `
""",
    "9.5": """
- slopes count from 0: `(k + 1)` -> `k`
- the queries are the first positions:
  `range(num_keys - num_queries, num_keys)` -> `range(num_queries)`
- a bonus for distance: `slope * (j - i)` -> `slope * (i - j)`
- penalises the future instead of hiding it:
  `slope * (j - i) if j <= i else -math.inf` -> `-slope * abs(i - j)`
- slopes for eight heads only: `-8 / num_heads * (k + 1)` -> `-(k + 1)`
- exponents without fractions: `-8 / num_heads * (k + 1)` -> `-(8 * (k + 1) // num_heads)`
- the other form, without the query's part: `slope * (j - i)` -> `slope * j`
- hides with a large number: `-math.inf` -> `-1e9`
- one head for all: `slope = 2 ** (-8 / num_heads * (k + 1))` -> `slope = 2 ** (-8 / num_heads)`
- heads in the last axis: `torch.tensor(rows)` -> `torch.tensor(rows).permute(1, 2, 0)`
- zero times infinity, nan:
```
def alibi_bias(num_heads, num_queries, num_keys):
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)
    i = torch.arange(num_keys - num_queries, num_keys)[:, None]
    j = torch.arange(num_keys)
    hidden = (j > i) * -math.inf
    return slopes[:, None, None] * (j - i) + hidden
```
- no more than a window of the distance:
  `slope * (j - i) if` -> `slope * max(j - i, -1000) if`
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
- collects copies of the blocks:
```
def attention_in_blocks(query, blocks):
    copies = [(keys.clone(), values.clone()) for keys, values in blocks]
    K, V = (torch.cat(parts) for parts in zip(*copies))
    return nn.functional.scaled_dot_product_attention(query, K, V)
```
- keeps the scores of all blocks until the end:
```
def attention_in_blocks(query, blocks):
    kept = [(query @ keys.T / math.sqrt(query.shape[1]), values.clone())
            for keys, values in blocks]
    largest = torch.stack([scores.amax(1) for scores, _ in kept]).amax(0)[:, None]
    terms = [torch.exp(scores - largest) for scores, _ in kept]
    output = sum(part @ values for part, (_, values) in zip(terms, kept))
    return output / sum(part.sum(1, keepdim=True) for part in terms)
```
- keeps a result and a sum for each block until the end:
```
def attention_in_blocks(query, blocks):
    sums, means = [], []
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        sums.append(scores.logsumexp(1))
        means.append(torch.softmax(scores, 1) @ values)
    shares = torch.softmax(torch.stack(sums), 0)
    return torch.einsum("bn,bnv->nv", shares, torch.stack(means))
```
- subtracts the largest score of the first block for ever:
```
def attention_in_blocks(query, blocks):
    largest = None
    total = output = 0
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        largest = scores.amax(1, keepdim=True) if largest is None else largest
        terms = torch.exp(scores - largest)
        output, total = output + terms @ values, total + terms.sum(1, keepdim=True)
    return output / total
```
- begins with the largest score 0:
```
def attention_in_blocks(query, blocks):
    largest = torch.zeros(len(query), 1)
    total = output = 0
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        new = torch.maximum(largest, scores.amax(1, keepdim=True))
        terms, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = factor * total + terms.sum(1, keepdim=True)
        output, largest = factor * output + terms @ values, new
    return output / total
```
- one largest score for all queries together:
```
def attention_in_blocks(query, blocks):
    largest = torch.tensor(-math.inf)
    total = output = 0
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        new = torch.maximum(largest, scores.max())
        terms, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = factor * total + terms.sum(1, keepdim=True)
        output, largest = factor * output + terms @ values, new
    return output / total
```
- rescales the sum, and not the output:
```
def attention_in_blocks(query, blocks):
    largest = torch.full((len(query), 1), -math.inf)
    total = output = 0
    for keys, values in blocks:
        scores = query @ keys.T / math.sqrt(query.shape[1])
        new = torch.maximum(largest, scores.amax(1, keepdim=True))
        terms, factor = torch.exp(scores - new), torch.exp(largest - new)
        total = factor * total + terms.sum(1, keepdim=True)
        output, largest = output + terms @ values, new
    return output / total
```
- clips the scores against overflow:
```
def attention_in_blocks(query, blocks):
    total = output = 0
    for keys, values in blocks:
        scores = (query @ keys.T / math.sqrt(query.shape[1])).clamp(-60, 60)
        terms = torch.exp(scores)
        output, total = output + terms @ values, total + terms.sum(1, keepdim=True)
    return output / total
```
- reads the first block only:
```
def attention_in_blocks(query, blocks):
    return nn.functional.scaled_dot_product_attention(query, *next(blocks))
```
""",
}

WRONG = spoil(OTHER, MISTAKES)
