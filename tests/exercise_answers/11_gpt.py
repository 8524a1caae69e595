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
- two matrices in the feed-forward network: `3 * d * sizes.ffn` -> `2 * d * sizes.ffn`
- keys and values for all heads: `2 * d * g * p` -> `2 * d * d`
- multiplies with the embedding of an untied model: `if not sizes.tied:` -> `if False:`
- forgets the output layer of a tied model: `if not sizes.tied:` -> `if True:`
- the grouped heads' products only:
  `return total + L * sizes.num_heads * n` -> `return total + L * sizes.num_kv_heads * n`
- a multiplication for each parameter: `return total + L * sizes.num_heads * n * (p + p)` -> `return num_parameters(sizes)`
- keys without values in the cache: `sizes.num_kv_heads * n * (p + p)` -> `sizes.num_kv_heads * n * p`
- a cache for all heads: `* sizes.num_kv_heads * n * (p + p)` -> `* sizes.num_heads * n * (p + p)`
""",
    "11.2": """
- counts each different word once: `weights["".join(word)]` -> `1`
- of equally frequent pairs the first one seen:
  `i, j = min(ties)
        a, b = order[i], order[j]` -> `a, b = max(pairs, key=pairs.get)`
- of equally frequent pairs the first in the alphabet:
  `i, j = min(ties)
        a, b = order[i], order[j]`
  -> `a, b = min(pair for pair, n in pairs.items() if n == most)`
- goes on without pairs: `if len(pairs) == 0:` -> `if False:`
- counts a pair once for each word: `in zip(word, word[1:]):` -> `in {*zip(word, word[1:])}:`
- replaces the first occurrence in a word only:
  `if done[-1:] == [a] and` -> `if a + b not in done and done[-1:] == [a] and`
- pairs as single strings: `merges += [(a, b)]` -> `merges += [a + b]`, `for a, b in merges:` -> `for a, b in [(m[:-1], m[-1]) for m in merges]:`
- encodes with the longest token first:
  `tokens = [*word]
    for a, b in merges:
        tokens = joined(tokens, a, b)` -> `vocabulary, tokens = {a + b for a, b in merges}, []
    while word:
        ends = range(len(word), 0, -1)
        j = next(j for j in ends if j == 1 or word[:j] in vocabulary)
        tokens, word = [*tokens, word[:j]], word[j:]`
""",
    "11.3": """
- after a rejection from p:
  `r = torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))` -> `r = p[count].clone()`
- the residual without its normalisation: `return count, r / r.sum()` -> `return count, r`
- never the rejected token, else p:
  `r = torch.maximum(p[count] - q[count], torch.zeros_like(p[count]))`
  -> `r = p[count].clone()
    r[drafted[count]] = 0`
- accepts with the probability p: `p[i, drafted] / q[i, drafted]` -> `p[i, drafted]`
- accepts only what the target finds more probable:
  `accepted = uniforms < p[i, drafted] / q[i, drafted]` -> `accepted = p[i, drafted] >= q[i, drafted]`
- counts the tokens after a rejection: `accepted.long().cumprod(dim=0).sum()` -> `accepted.sum()`
- one position too early, if all are accepted: `p[k].clone()` -> `p[k - 1].clone()`
- checks without a bonus token: `last = torch.multinomial(probs, 1, generator=generator)
        tokens = torch.cat((longer[: len(tokens) + count], last))`
  -> `last = torch.multinomial(probs, 1, generator=generator)
        keep = [] if count == num_drafted else [last]
        tokens = torch.cat((longer[: len(tokens) + count], *keep))`
- the whole of the last round: `return tokens[:wanted]` -> `return tokens`
- calls the target for every drafted token:
  `p = target(longer)[-num_drafted - 1 :]`
  -> `p = torch.stack([target(longer[: len(tokens) + j])[-1] for j in range(num_drafted + 1)])`
- drafts all tokens from the same distribution: `rows.append(draft(longer)[-1])` -> `rows.append(draft(tokens)[-1])`
- draws the last token without the generator: `last = torch.multinomial(probs, 1, generator=generator)` -> `last = torch.multinomial(probs, 1)`
""",
    "11.4": """
- one token too many: `whole.tril(-window)` -> `whole.tril(-window - 1)`
- looks ahead as well: `whole = whole.tril() & ~whole.tril(-window)` -> `whole = whole.triu(1 - window) & whole.tril(window - 1)`
- the queries are the first tokens: `whole[num_keys - num_queries :]` -> `whole[:num_queries]`
- any window: `if window <= 0:` -> `if False:`
- blocks instead of a window:
  `whole = whole.tril() & ~whole.tril(-window)`
  -> `block = torch.arange(num_keys) // window
    whole = whole.tril() & (block[:, None] == block)`
- the buffer begins to be overwritten one token too late: `slot = self.t % self.window` -> `slot = min(self.t, self.window - 1)`
- returns the whole buffer from the beginning: `last = min(self.t, self.window)` -> `last = self.window`
- counts calls and not tokens:
  `            self.t += 1
        last` -> `        self.t += 1
        last`
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
- always 32 bits: `torch.zeros_like(X[:, :, :1])` -> `torch.zeros_like(X[:, :, :1], dtype=torch.float32)`
- values as wide as keys: `for X in (keys, values)]` -> `for X in (keys, keys)]`
""",
    "11.5": """
- the weights from the softmax over all scores:
  `weights = torch.softmax(scores.masked_fill(scores < limit, -math.inf), dim=-1)` -> `weights = torch.softmax(scores, dim=-1)`
- each expert sees all tokens:
  `part[mine] = weights[mine][:, i : i + 1] * network(X[mine])`
  -> `part[mine] = weights[mine][:, i : i + 1] * network(X)[mine]`
- a router with a bias: `num_experts, bias=False)` -> `num_experts)`
- one network for all experts:
  `self.experts.append(expert(num_hiddens, ffn_num_hiddens))`
  -> `self.experts.append(self.experts[0] if i else expert(num_hiddens, ffn_num_hiddens))`,
  `for _ in range(num_experts)` -> `for i in range(num_experts)`
- calls an expert token by token:
  `part[mine] = weights[mine][:, i : i + 1] * network(X[mine])`
  -> `part[mine] = weights[mine][:, i : i + 1] * torch.stack([network(x) for x in X[mine]])`
- any top_k: `if top_k < 1 or top_k > num_experts:` -> `if False:`
- f for the best expert only: `[:, :top_k]` -> `[:, :1]`
- f as a fraction of the tokens: `/ chosen.sum()` -> `/ tokens`
- P from the chosen experts only:
  `scores.softmax(-1).mean(0)` -> `(chosen * scores.softmax(-1)).mean(0)`
""",
}

WRONG = spoil(OTHER, MISTAKES)
