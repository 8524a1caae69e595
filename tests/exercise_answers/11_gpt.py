"""Answers to the exercises of chapter 11: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "11.1": """
def num_parameters(sizes):
    d, g = sizes.num_hiddens, sizes.num_kv_heads
    p = d // sizes.num_heads
    block = 2 * d + d * d + 2 * d * g * p + d * d + 3 * d * sizes.ffn_num_hiddens
    table = sizes.vocab_size * d
    return table + sizes.num_blks * block + d + (0 if sizes.tied else table)

def num_multiplications(sizes, n):
    d, L = sizes.num_hiddens, sizes.num_blks
    p = d // sizes.num_heads
    total = num_parameters(sizes) - (2 * L + 1) * d
    if not sizes.tied:
        total -= sizes.vocab_size * d
    return total + L * sizes.num_heads * n * (p + p)

def cache_bytes(sizes, n, bytes_per_number=2):
    p = sizes.num_hiddens // sizes.num_heads
    return bytes_per_number * sizes.num_blks * sizes.num_kv_heads * n * (p + p)
""",
    "11.2": """
def learn_merges(words, num_merges):
    tokens = [list(word) for word in set(words)]
    weights = Counter(words)
    order = sorted(set("".join(words)))
    merges = []
    for _ in range(num_merges):
        pairs = Counter()
        for word in tokens:
            count = weights["".join(word)]
            for a, b in zip(word, word[1:]):
                pairs[a, b] += count
        if len(pairs) == 0:
            return merges
        most = max(pairs.values())
        ties = [(order.index(a), order.index(b)) for (a, b), n in pairs.items() if n == most]
        i, j = min(ties)
        a, b = order[i], order[j]
        merges += [(a, b)]
        if a + b not in order:
            order.append(a + b)
        tokens = [joined(word, a, b) for word in tokens]
    return merges

def joined(tokens, a, b):
    done = []
    for token in tokens:
        if done[-1:] == [a] and token == b:
            done[-1] = a + b
        else:
            done.append(token)
    return done

def apply_merges(word, merges):
    tokens = [*word]
    for a, b in merges:
        tokens = joined(tokens, a, b)
    return tokens
""",
    "11.3": """
def verify(drafted, q, p, uniforms):
    k = len(drafted)
    i = torch.arange(k)
    accepted = uniforms < p[i, drafted] / q[i, drafted]
    count = int(accepted.long().cumprod(dim=0).sum())
    if count == k:
        return k, p[k].clone()
    r = torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))
    return count, r / r.sum()

def speculate(target, draft, tokens, max_new_tokens, num_drafted, generator):
    wanted = len(tokens) + max_new_tokens
    while len(tokens) < wanted:
        longer, rows = tokens, []
        for _ in range(num_drafted):
            rows.append(draft(longer)[-1])
            longer = torch.cat((longer, torch.multinomial(rows[-1], 1, generator=generator)))
        p = target(longer)[-num_drafted - 1 :]
        u = torch.rand(num_drafted, generator=generator)
        count, probs = verify(longer[len(tokens) :], torch.stack(rows), p, u)
        last = torch.multinomial(probs, 1, generator=generator)
        tokens = torch.cat((longer[: len(tokens) + count], last))
    return tokens[:wanted]
""",
    "11.4": """
def sliding_mask(num_queries, num_keys, window):
    if window <= 0:
        raise ValueError("window is too small")
    whole = torch.ones(num_keys, num_keys, dtype=torch.bool)
    whole = whole.tril() & ~whole.tril(-window)
    return whole[num_keys - num_queries :]

class RollingCache:
    def __init__(self, window):
        self.window, self.t, self.buffers = window, 0, None

    def append(self, keys, values):
        if self.buffers is None:
            self.buffers = [torch.zeros_like(X[:, :, :1]).repeat(1, 1, self.window, 1)
                            for X in (keys, values)]
        for i in range(keys.shape[2]):
            slot = self.t % self.window
            for buffer, X in zip(self.buffers, (keys, values)):
                buffer[:, :, slot] = X[:, :, i]
            self.t += 1
        last = min(self.t, self.window)
        return tuple(buffer[:, :, :last] for buffer in self.buffers)
""",
    "11.5": """
class MixtureOfExperts(nn.Module):
    def __init__(self, num_hiddens, ffn_num_hiddens, num_experts, top_k):
        super().__init__()
        if top_k < 1 or top_k > num_experts:
            raise ValueError("top_k does not fit")
        self.top_k = top_k
        self.router = nn.Linear(num_hiddens, num_experts, bias=False)
        self.experts = nn.ModuleList()
        for _ in range(num_experts):
            self.experts.append(expert(num_hiddens, ffn_num_hiddens))

    def forward(self, X):
        scores = self.router(X)
        limit = scores.topk(self.top_k, dim=-1).values[..., -1:]
        weights = torch.softmax(scores.masked_fill(scores < limit, -math.inf), dim=-1)
        output = torch.zeros_like(X)
        for i, network in enumerate(self.experts):
            mine = scores[..., i] >= limit[..., 0]
            if mine.any():
                part = torch.zeros_like(X)
                part[mine] = weights[mine][:, i : i + 1] * network(X[mine])
                output = output + part
        return output

def balance_loss(scores, top_k):
    tokens, E = scores.shape
    order = scores.argsort(dim=-1, descending=True)[:, :top_k]
    chosen = torch.zeros(tokens, E).scatter(1, order, 1.0)
    share = chosen.sum(dim=0) / chosen.sum()
    return E * torch.dot(share, scores.softmax(-1).mean(0))
""",
}

MISTAKES = {
    "11.1": """
- counts a tied embedding twice: `(0 if sizes.tied else table)` -> `table`
- without the norm at the end: `* block + d +` -> `* block +`
- one norm in a block: `block = 2 * d + d * d` -> `block = d + d * d`
- two matrices in the feed-forward network: `3 * d * sizes.ffn` -> `2 * d * sizes.ffn`
- keys and values for all heads: `2 * d * g * p` -> `2 * d * d`
- multiplies with the embedding of an untied model: `if not sizes.tied:` -> `if False:`
- forgets the output layer of a tied model: `if not sizes.tied:` -> `if True:`
- counts queries and keys, without weights and values: `sizes.num_heads * n * (p + p)` -> `sizes.num_heads * n * p`
- the grouped heads' products only:
  `return total + L * sizes.num_heads * n` -> `return total + L * sizes.num_kv_heads * n`
- attention for the tokens before only: `L * sizes.num_heads * n *` -> `L * sizes.num_heads * (n - 1) *`
- keys without values in the cache: `sizes.num_kv_heads * n * (p + p)` -> `sizes.num_kv_heads * n * p`
- a cache for all heads: `* sizes.num_kv_heads * n * (p + p)` -> `* sizes.num_heads * n * (p + p)`
- always two bytes: `return bytes_per_number *` -> `return 2 *`
- bits for bytes: `return bytes_per_number *` -> `return 8 * bytes_per_number *`
- as if a model of one block: `return bytes_per_number * sizes.num_blks` -> `return bytes_per_number`
- a multiplication for each parameter:
```
def num_parameters(sizes):
    d, p = sizes.num_hiddens, sizes.num_hiddens // sizes.num_heads
    block = 2 * d + 2 * d * d + 2 * d * sizes.num_kv_heads * p + 3 * d * sizes.ffn_num_hiddens
    table = sizes.vocab_size * d
    return table + sizes.num_blks * block + d + (0 if sizes.tied else table)

def num_multiplications(sizes, n):
    return num_parameters(sizes)

def cache_bytes(sizes, n, bytes_per_number=2):
    p = sizes.num_hiddens // sizes.num_heads
    return 2 * bytes_per_number * sizes.num_blks * sizes.num_kv_heads * n * p
```
""",
    "11.2": """
- counts each different word once: `weights["".join(word)]` -> `1`
- of equally frequent pairs the first one seen:
  `i, j = min(ties)
        a, b = order[i], order[j]` -> `a, b = max(pairs, key=pairs.get)`
- of equally frequent pairs the last one in the order: `i, j = min(ties)` -> `i, j = max(ties)`
- of equally frequent pairs the first in the alphabet:
  `i, j = min(ties)
        a, b = order[i], order[j]`
  -> `a, b = min(pair for pair, n in pairs.items() if n == most)`
- new tokens have the smallest numbers: `order.append(a + b)` -> `order.insert(0, a + b)`
- goes on without pairs: `if len(pairs) == 0:` -> `if False:`
- never merges a pair that occurs once: `if len(pairs) == 0:` -> `if not pairs or max(pairs.values()) < 2:`
- counts a pair once for each word: `in zip(word, word[1:]):` -> `in {*zip(word, word[1:])}:`
- replaces the first occurrence in a word only:
  `if done[-1:] == [a] and` -> `if a + b not in done and done[-1:] == [a] and`
- always one merge too many: `in range(num_merges)` -> `in range(num_merges + 1)`
- pairs as single strings: `merges += [(a, b)]` -> `merges += [a + b]`, `for a, b in merges:` -> `for a, b in [(m[:-1], m[-1]) for m in merges]:`
- encodes with the longest token first:
```
def learn_merges(words, num_merges):
    return by_library(words, num_merges)[0] if words else []

def apply_merges(word, merges):
    vocabulary = {a + b for a, b in merges}
    tokens = []
    while word:
        ends = range(len(word), 0, -1)
        j = next(j for j in ends if j == 1 or word[:j] in vocabulary)
        tokens, word = [*tokens, word[:j]], word[j:]
    return tokens
```
- applies the last merges first: `for a, b in merges:` -> `for a, b in merges[::-1]:`
- sorts the words that it was given: `merges = []` -> `merges = []
    words.sort()`
- takes the characters that no merge knows for unknown:
  `tokens = [*word]` -> `known = set("".join(a + b for a, b in merges))
    tokens = [c if c in known else "<unk>" for c in word]`
""",
    "11.3": """
- after a rejection from p:
  `r = torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))` -> `r = p[count].clone()`
- the residual without its normalisation: `return count, r / r.sum()` -> `return count, r`
- the absolute difference:
  `torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))` -> `(p[count] - q[count]).abs()`
- the residual of q: `p[count] - q[count]` -> `q[count] - p[count]`
- never the rejected token, else p:
  `r = torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))`
  -> `r = p[count].clone()
    r[drafted[count]] = 0`
- accepts with the probability p: `p[i, drafted] / q[i, drafted]` -> `p[i, drafted]`
- accepts by the quotient turned round: `p[i, drafted] / q[i, drafted]` -> `q[i, drafted] / p[i, drafted]`
- accepts only what the target finds more probable:
  `accepted = uniforms < p[i, drafted] / q[i, drafted]` -> `accepted = p[i, drafted] >= q[i, drafted]`
- counts the tokens after a rejection: `accepted.long().cumprod(dim=0).sum()` -> `accepted.sum()`
- the last token from the target's last distribution in any case: `if count == k:` -> `if True:`, `return k, p` -> `return count, p`
- one position too early, if all are accepted: `p[k].clone()` -> `p[k - 1].clone()`
- one position too late: `target(longer)[-num_drafted - 1 :]` -> `target(longer)[-num_drafted:].repeat_interleave(2, dim=0)`
- checks without a bonus token: `last = torch.multinomial(probs, 1, generator=generator)
        tokens = torch.cat((longer[: len(tokens) + count], last))`
  -> `last = torch.multinomial(probs, 1, generator=generator)
        keep = [] if count == num_drafted else [last]
        tokens = torch.cat((longer[: len(tokens) + count], *keep))`
- the whole of the last round: `return tokens[:wanted]` -> `return tokens`
- calls the target for every drafted token:
  `p = target(longer)[-num_drafted - 1 :]`
  -> `p = torch.stack([target(longer[: len(tokens) + j])[-1] for j in range(num_drafted + 1)])`
- decodes with the target alone:
```
def verify(drafted, q, p, uniforms):
    for i, x in enumerate(drafted):
        if uniforms[i] >= p[i, x] / q[i, x]:
            r = (p[i] - q[i]).clamp(min=0)
            return i, r / r.sum()
    return len(drafted), p[-1]

def speculate(target, draft, tokens, max_new_tokens, num_drafted, generator):
    for _ in range(max_new_tokens):
        drawn = torch.multinomial(target(tokens)[-1], 1, generator=generator)
        tokens = torch.cat((tokens, drawn))
    return tokens
```
- drafts all tokens from the same distribution: `rows.append(draft(longer)[-1])` -> `rows.append(draft(tokens)[-1])`
- draws the last token without the generator: `last = torch.multinomial(probs, 1, generator=generator)` -> `last = torch.multinomial(probs, 1)`
- takes the most probable tokens: `torch.multinomial(rows[-1], 1, generator=generator)` -> `rows[-1].argmax(dim=-1, keepdim=True)`
""",
    "11.4": """
- one token too many: `whole.tril(-window)` -> `whole.tril(-window - 1)`
- one token too few: `whole.tril(-window)` -> `whole.tril(1 - window)`
- looks ahead as well: `whole = whole.tril() & ~whole.tril(-window)` -> `whole = whole.triu(1 - window) & whole.tril(window - 1)`
- the queries are the first tokens: `whole[num_keys - num_queries :]` -> `whole[:num_queries]`
- any window: `if window <= 0:` -> `if False:`
- a window of 0 is allowed: `if window <= 0:` -> `if window < 0:`
- blocks instead of a window:
  `whole = whole.tril() & ~whole.tril(-window)`
  -> `block = torch.arange(num_keys) // window
    whole = whole.tril() & (block[:, None] == block)`
- the buffer begins to be overwritten one token too late: `slot = self.t % self.window` -> `slot = min(self.t, self.window - 1)`
- returns the whole buffer from the beginning: `last = min(self.t, self.window)` -> `last = self.window`
- stores the first token of each piece only: `for i in range(keys.shape[2]):` -> `for i in range(1):`
- counts calls and not tokens:
  `            self.t += 1
        last` -> `        self.t += 1
        last`
- keeps all tokens, and returns the last:
```
def sliding_mask(num_queries, num_keys, window):
    if window < 1:
        raise ValueError("window")
    distance = torch.arange(num_keys)[-num_queries:, None] - torch.arange(num_keys)
    return (distance >= 0) & (distance < window)

class RollingCache:
    def __init__(self, window):
        self.window, self.past = window, None

    def append(self, keys, values):
        new = keys, values
        if self.past is not None:
            new = [torch.cat(pair, dim=2) for pair in zip(self.past, new)]
        self.past = new
        return tuple(X[:, :, -self.window :] for X in new)
```
- appends by torch.cat, and cuts:
```
def sliding_mask(num_queries, num_keys, window):
    if window < 1:
        raise ValueError("window")
    distance = torch.arange(num_keys)[-num_queries:, None] - torch.arange(num_keys)
    return (distance >= 0) & (distance < window)

class RollingCache:
    def __init__(self, window):
        self.window, self.past = window, None

    def append(self, keys, values):
        new = keys, values
        if self.past is not None:
            new = [torch.cat(pair, dim=2) for pair in zip(self.past, new)]
        self.past = tuple(X[:, :, -self.window :].contiguous() for X in new)
        return self.past
```
- one buffer for all caches: `self.window, self.t, self.buffers = window, 0, None` -> `self.window, self.t, self.buffers = window, 0, RollingCache.shared`,
  `class RollingCache:` -> `class RollingCache:
    shared = []
`, `if self.buffers is None:` -> `if not self.buffers:`,
  `self.buffers = [` -> `self.buffers[:] = [`
- always 32 bits: `torch.zeros_like(X[:, :, :1])` -> `torch.zeros_like(X[:, :, :1], dtype=torch.float32)`
- values as wide as keys: `for X in (keys, values)]` -> `for X in (keys, keys)]`
- values in another order than keys: `return tuple(buffer[:, :, :last] for buffer in self.buffers)`
  -> `K, V = (buffer[:, :, :last] for buffer in self.buffers)
        return K, V.flip(2)`
""",
    "11.5": """
- the weights from the softmax over all scores:
  `weights = torch.softmax(scores.masked_fill(scores < limit, -math.inf), dim=-1)` -> `weights = torch.softmax(scores, dim=-1)`
- a plain mean of the chosen experts: `torch.softmax(scores.masked_fill(scores < limit, -math.inf), dim=-1)` -> `(scores >= limit) / self.top_k`
- one expert fewer: `scores.topk(self.top_k, dim=-1).values[..., -1:]` -> `scores.topk(max(1, self.top_k - 1), dim=-1).values[..., -1:]`
- the smallest scores: `limit = scores.topk` -> `scores = -scores
        limit = scores.topk`
- each expert sees all tokens:
  `part[mine] = weights[mine][:, i : i + 1] * network(X[mine])`
  -> `part[mine] = weights[mine][:, i : i + 1] * network(X)[mine]`
- a router with a bias: `num_experts, bias=False)` -> `num_experts)`
- one network for all experts:
```
class MixtureOfExperts(nn.Module):
    def __init__(self, num_hiddens, ffn_num_hiddens, num_experts, top_k):
        super().__init__()
        if not 1 <= top_k <= num_experts:
            raise ValueError("top_k")
        self.router = nn.Linear(num_hiddens, num_experts, bias=False)
        self.experts = nn.ModuleList([expert(num_hiddens, ffn_num_hiddens)] * num_experts)

    def forward(self, X):
        return self.experts[0](X)

def balance_loss(scores, top_k):
    E = scores.shape[-1]
    chosen = scores.topk(top_k, dim=-1).indices.flatten()
    f = torch.bincount(chosen, minlength=E) / len(chosen)
    return E * (f * torch.softmax(scores, dim=-1).mean(dim=0)).sum()
```
- the weights are cut off from the gradient: `part[mine] = weights[mine]` -> `part[mine] = weights.detach()[mine]`
- calls an expert token by token:
  `part[mine] = weights[mine][:, i : i + 1] * network(X[mine])`
  -> `part[mine] = weights[mine][:, i : i + 1] * torch.stack([network(x) for x in X[mine]])`
- any top_k: `if top_k < 1 or top_k > num_experts:` -> `if False:`
- adds the tokens to the output: `output = torch.zeros_like(X)` -> `output = X`
- f for the best expert only: `[:, :top_k]` -> `[:, :1]`
- f as a fraction of the tokens: `/ chosen.sum()` -> `/ tokens`
- without the factor E: `return E * torch.dot` -> `return torch.dot`
- P from the chosen experts only:
  `scores.softmax(-1).mean(0)` -> `(chosen * scores.softmax(-1)).mean(0)`
- the squares of f: `return E * torch.dot(share, scores.softmax(-1).mean(0))` -> `return E * torch.dot(share, share) + 0 * scores.sum()`
- no gradient for the scores: `scores.softmax(-1).mean(0)` -> `scores.detach().softmax(-1).mean(0)`
""",
}

WRONG = spoil(OTHER, MISTAKES)
