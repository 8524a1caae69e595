"""Answers to the exercises of chapter 11: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "11.1": """
def novelty(sample, text, n):
    known = {text[i : i + n] for i in range(len(text) - n + 1)}
    new = total = 0
    for end in range(n, len(sample) + 1):
        new += sample[end - n : end] not in known
        total += 1
    return new / total

def longest_copy(sample, text):
    for n in range(len(sample), 0, -1):
        for i in range(len(sample) - n + 1):
            if sample[i : i + n] in text:
                return sample[i : i + n]
    return ""
""",
    "11.2": """
class RepairedGPT(nn.Module):
    def __init__(self, vocab_size, num_hiddens, num_blks, num_heads, max_len=64):
        super().__init__()
        d, self.num_heads = num_hiddens, num_heads
        self.embedding = nn.Embedding(vocab_size, d)
        self.positions = nn.Parameter(0.02 * torch.randn(max_len, d))
        self.blks = nn.ModuleList()
        for _ in range(num_blks):
            blk = {"norm1": nn.LayerNorm(d), "qkv": nn.Linear(d, 3 * d)}
            blk |= {"out": nn.Linear(d, d), "norm2": nn.LayerNorm(d)}
            blk |= {"up": nn.Linear(d, 4 * d), "down": nn.Linear(4 * d, d)}
            self.blks.append(nn.ModuleDict(blk))
        self.norm = nn.LayerNorm(d)
        self.output = nn.Linear(d, vocab_size, bias=False)
        self.output.weight = self.embedding.weight
        for name, W in self.named_parameters():
            if W.ndim == 2:
                nn.init.normal_(W, std=0.02)

    def attend(self, blk, X, cache):
        qkv = blk.qkv(X).unflatten(-1, (3 * self.num_heads, -1)).transpose(1, 2)
        Q, K, V = qkv.chunk(3, dim=1)
        start = 0
        if cache is not None:
            start = cache[0].shape[2]
            K, V = (torch.cat(pair, dim=2) for pair in zip(cache, (K, V)))
        queries = start + torch.arange(X.shape[1])
        mask = torch.arange(K.shape[2]) <= queries[:, None]
        heads = nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
        return blk.out(heads.transpose(1, 2).flatten(2)), (K, V)

    def forward(self, tokens, caches=None):
        start = 0
        if caches is not None and caches[0] is not None:
            start = caches[0][0].shape[2]
        places = torch.arange(start, start + tokens.shape[1])
        X, new = self.embedding(tokens) + self.positions[places], []
        for i, blk in enumerate(self.blks):
            cache = None if caches is None else caches[i]
            attended, cache = self.attend(blk, blk.norm1(X), cache)
            X = X + attended
            X = X + blk.down(nn.functional.gelu(blk.up(blk.norm2(X))))
            new.append(cache)
        logits = self.output(self.norm(X))
        return (logits, new) if caches is not None else logits
""",
    "11.3": """
def earlier_equal(tokens):
    n = len(tokens)
    targets = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        targets[i, :i] = tokens[:i] == tokens[i]
    return targets

def head_scores(weights, targets):
    rows = targets.any(dim=1)
    return (weights * targets).sum(dim=(-2, -1)) / rows.sum()
""",
    "11.4": """
def num_parameters(sizes):
    d, g = sizes.num_hiddens, sizes.num_kv_heads
    p = d // sizes.num_heads
    block = 2 * d + d * d + 2 * d * g * p + d * d + 3 * d * sizes.ffn_num_hiddens
    table = sizes.vocab_size * d
    return table + sizes.num_blks * block + d + (0 if sizes.tied else table)

def num_multiplications(sizes, n):
    d, l = sizes.num_hiddens, sizes.num_blks
    p = d // sizes.num_heads
    total = num_parameters(sizes) - (2 * l + 1) * d
    if not sizes.tied:
        total -= sizes.vocab_size * d
    return total + l * sizes.num_heads * n * (p + p)

def cache_bytes(sizes, n):
    p = sizes.num_hiddens // sizes.num_heads
    return 2 * sizes.num_blks * sizes.num_kv_heads * n * (p + p)
""",
    "11.5": """
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
    "11.6": """
def sliding_mask(num_queries, num_keys, window):
    whole = torch.ones(num_keys, num_keys, dtype=torch.bool)
    whole = whole.tril() & ~whole.tril(-window)
    return whole[num_keys - num_queries :]

class RollingCache:
    def __init__(self, window):
        self.window, self.past = window, None

    def append(self, keys, values):
        new = keys, values
        if self.past is not None:
            new = [torch.cat(pair, dim=2) for pair in zip(self.past, new)]
        self.past = [X[:, :, -self.window :] for X in new]
        return tuple(self.past)
""",
    "11.7": """
def verify(drafted, draft, target, uniforms):
    k = len(drafted)
    i = torch.arange(k)
    accepted = uniforms < target[i, drafted] / draft[i, drafted]
    count = int(accepted.long().cumprod(dim=0).sum())
    if count == k:
        return k, target[k].clone()
    r = torch.maximum(target[count] - draft[count], torch.zeros_like(target[count]))
    return count, r / r.sum()
""",
    "11.8": """
class MixtureOfExperts(nn.Module):
    def __init__(self, num_hiddens, ffn_num_hiddens, num_experts, top_k):
        super().__init__()
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
    "11.9": """
@torch.no_grad()
def logit_parts(model, tokens, token):
    parts, hooks = {}, []
    def remember(module, args, output):
        parts[module] = args[0][0, -1]
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.RMSNorm):
            hooks.append(module.register_forward_hook(remember))
    model(tokens[None])
    for hook in hooks:
        hook.remove()
    stream = parts[model.norm]
    size = (stream.square().mean() + model.norm.eps).sqrt()
    row = model.output.weight[token] * model.norm.weight / size
    num_heads = len(row) // model.blks[0].p
    heads = torch.zeros(len(model.blks), num_heads, dtype=row.dtype)
    networks = torch.zeros(len(model.blks), dtype=row.dtype)
    for i, blk in enumerate(model.blks):
        back = row @ blk.W_o.weight
        heads[i] = (back * parts[blk.W_o]).reshape(num_heads, -1).sum(dim=1)
        networks[i] = blk.ffn.down(parts[blk.ffn.down]) @ row
    return model.embedding(tokens[-1]) @ row, heads, networks
""",
}

MISTAKES = {
    "11.1": """
- counts equal strings once:
```
def novelty(sample, text, n):
    pieces = {sample[i : i + n] for i in range(len(sample) - n + 1)}
    return sum(piece not in text for piece in pieces) / len(pieces)

def longest_copy(sample, text):
    return ""
```
- leaves out the last string: `range(n, len(sample) + 1)` -> `range(n, len(sample))`
- the share that occurs: `not in known` -> `in known`
- cuts the sample into strings that do not overlap: `range(n, len(sample) + 1)` -> `range(n, len(sample) + 1, n)`
- the share of all strings of the text: `return new / total` -> `return new / len(known)`
- looks for the next copy behind the last one:
```
def novelty(sample, text, n):
    pieces = [sample[i : i + n] for i in range(len(sample) - n + 1)]
    return sum(piece not in text for piece in pieces) / len(pieces)

def longest_copy(sample, text):
    longest, i = "", 0
    while i < len(sample):
        n = 0
        while i + n < len(sample) and sample[i : i + n + 1] in text:
            n += 1
        longest = max(longest, sample[i : i + n], key=len)
        i += max(n, 1)
    return longest
```
- folds case in novelty: `sample[end - n : end] not in known` -> `sample[end - n : end].lower() not in known`
- folds case in the longest copy: `if sample[i : i + n] in text:` -> `if sample[i : i + n].lower() in text.lower():`
- strips blanks from the copy: `return sample[i : i + n]` -> `return sample[i : i + n].strip()`
- the longest common beginning only: `for i in range(len(sample) - n + 1):` -> `for i in [0]:`
- the last of several: `for i in range(len(sample) - n + 1):` -> `for i in reversed(range(len(sample) - n + 1)):`
- its length: `return sample[i : i + n]` -> `return n`
""",
    "11.2": """
- the mask is still off by one: `torch.arange(K.shape[2]) <= queries[:, None]` -> `torch.arange(K.shape[2]) <= queries[:, None] + 1`
- no token attends to itself: `torch.arange(K.shape[2]) <= queries[:, None]` -> `torch.arange(K.shape[2]) < queries[:, None]`,
  `heads = nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)`
  -> `scores = (Q @ K.mT / Q.shape[-1] ** 0.5).masked_fill(~mask, -math.inf)
        heads = scores.softmax(dim=-1) @ V`
- the mask forgets the cache: `queries = start +` -> `queries =`
- positions still begin at 0: `places = torch.arange(start, start + tokens.shape[1])` -> `places = torch.arange(tokens.shape[1])`
- positions one too late with a cache: `torch.arange(start, start + tokens.shape[1])` -> `torch.arange(start + (start > 0), start + (start > 0) + tokens.shape[1])`
- no positions: `self.embedding(tokens) + self.positions[places]` -> `self.embedding(tokens)`
- draws the weights before they are tied:
  `self.output.weight = self.embedding.weight
        for name, W in self.named_parameters():
            if W.ndim == 2:
                nn.init.normal_(W, std=0.02)`
  -> `for name, W in self.named_parameters():
            if W.ndim == 2 and "embedding" not in name:
                nn.init.normal_(W, std=0.02)
        self.output.weight = self.embedding.weight`
- an output layer that is not tied: `        self.output.weight = self.embedding.weight
` -> ``
- all weights zero: `nn.init.normal_(W, std=0.02)` -> `nn.init.zeros_(W)`
- scores without the root of p: `attn_mask=mask)` -> `attn_mask=mask, scale=1)`
- the embedding times the root of d: `self.embedding(tokens) +` -> `self.embedding.embedding_dim**0.5 * self.embedding(tokens) +`
- divides the logits by d in place of a small embedding:
  `logits = self.output(self.norm(X))` -> `logits = self.output(self.norm(X)) / X.shape[-1]`,
  `if W.ndim == 2:` -> `if W.ndim == 2 and "embedding" not in name:`
- writes into the list of caches: `new.append(cache)` -> `new.append(cache)
            if caches is not None:
                caches[i] = cache`
- no activation: `nn.functional.gelu(blk.up(blk.norm2(X)))` -> `blk.up(blk.norm2(X))`
- does not use the cache: `cache = None if caches is None else caches[i]` -> `cache = None`
""",
    "11.3": """
- a token is equal to itself, too: `targets[i, :i] = tokens[:i] == tokens[i]` -> `targets[i, : i + 1] = tokens[: i + 1] == tokens[i]`
- the token after the earlier one: `targets[i, :i] = tokens[:i] == tokens[i]` -> `targets[i, 1:i] = tokens[: max(i - 1, 0)] == tokens[i]`
- later ones, too: `targets[i, :i] = tokens[:i] == tokens[i]` -> `targets[i] = tokens == tokens[i]`
- the last earlier one only: `targets[i, :i] = tokens[:i] == tokens[i]` -> `equal = (tokens[:i] == tokens[i]).nonzero()
        targets[i, equal[-1:]] = True`
- the mean over all queries: `/ rows.sum()` -> `/ len(rows)`
- the mean over all targets: `/ rows.sum()` -> `/ targets.sum()`
- the largest weight in place of the sum: `(weights * targets).sum(dim=(-2, -1))` -> `(weights * targets).amax(dim=-1).sum(dim=-1)`
- axes exchanged: `(weights * targets)` -> `(weights.mT * targets)`
""",
    "11.4": """
- counts a tied embedding twice: `(0 if sizes.tied else table)` -> `table`
- without the norm at the end: `* block + d +` -> `* block +`
- two matrices in the feed-forward network: `3 * d * sizes.ffn` -> `2 * d * sizes.ffn`
- keys and values for all heads: `2 * d * g * p` -> `2 * d * d`
- multiplies with the embedding of an untied model: `if not sizes.tied:` -> `if False:`
- forgets the output layer of a tied model: `if not sizes.tied:` -> `if True:`
- the grouped heads' products only:
  `return total + l * sizes.num_heads * n` -> `return total + l * sizes.num_kv_heads * n`
- a multiplication for each parameter: `return total + l * sizes.num_heads * n * (p + p)` -> `return num_parameters(sizes)`
- keys without values in the cache: `sizes.num_kv_heads * n * (p + p)` -> `sizes.num_kv_heads * n * p`
- a cache for all heads: `* sizes.num_kv_heads * n * (p + p)` -> `* sizes.num_heads * n * (p + p)`
""",
    "11.5": """
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
    "11.6": """
- one token too many: `whole.tril(-window)` -> `whole.tril(-window - 1)`
- looks ahead as well: `whole = whole.tril() & ~whole.tril(-window)` -> `whole = whole.triu(1 - window) & whole.tril(window - 1)`
- the queries are the first tokens: `whole[num_keys - num_queries :]` -> `whole[:num_queries]`
- blocks instead of a window:
  `whole = whole.tril() & ~whole.tril(-window)`
  -> `block = torch.arange(num_keys) // window
    whole = whole.tril() & (block[:, None] == block)`
- keeps the first tokens: `X[:, :, -self.window :]` -> `X[:, :, : self.window]`
- keeps all tokens: `X[:, :, -self.window :]` -> `X`
- keeps one token less, when the window is full: `X[:, :, -self.window :]` -> `X[:, :, -max(self.window - 1, 1) :]`
- keys in another order than values: `return tuple(self.past)` -> `return self.past[0], self.past[1].flip(2)`
""",
    "11.7": """
- after a rejection from the target:
  `r = torch.maximum(target[count] - draft[count], torch.zeros_like(target[count]))` -> `r = target[count].clone()`
- the residual without its normalisation: `return count, r / r.sum()` -> `return count, r`
- never the rejected token, else from the target:
  `r = torch.maximum(target[count] - draft[count], torch.zeros_like(target[count]))`
  -> `r = target[count].clone()
    r[drafted[count]] = 0`
- accepts with the probability of the target: `target[i, drafted] / draft[i, drafted]` -> `target[i, drafted]`
- accepts only what the target finds more probable:
  `accepted = uniforms < target[i, drafted] / draft[i, drafted]` -> `accepted = target[i, drafted] >= draft[i, drafted]`
- counts the tokens after a rejection: `accepted.long().cumprod(dim=0).sum()` -> `accepted.sum()`
- one position too early, if all are accepted: `target[k].clone()` -> `target[k - 1].clone()`
""",
    "11.8": """
- the weights from the softmax over all scores:
  `weights = torch.softmax(scores.masked_fill(scores < limit, -math.inf), dim=-1)` -> `weights = torch.softmax(scores, dim=-1)`
- each expert sees all tokens:
  `part[mine] = weights[mine][:, i : i + 1] * network(X[mine])`
  -> `part[mine] = weights[mine][:, i : i + 1] * network(X)[mine]`
- the router does not learn from the output: `weights[mine][:, i : i + 1]` -> `weights.detach()[mine][:, i : i + 1]`
- a router with a bias: `num_experts, bias=False)` -> `num_experts)`
- one network for all experts:
  `self.experts.append(expert(num_hiddens, ffn_num_hiddens))`
  -> `self.experts.append(self.experts[0] if i else expert(num_hiddens, ffn_num_hiddens))`,
  `for _ in range(num_experts)` -> `for i in range(num_experts)`
- f for the best expert only: `[:, :top_k]` -> `[:, :1]`
- f as a fraction of the tokens: `/ chosen.sum()` -> `/ tokens`
- P from the chosen experts only:
  `scores.softmax(-1).mean(0)` -> `(chosen * scores.softmax(-1)).mean(0)`
""",
    "11.9": """
- without the gain of the normalisation: `* model.norm.weight / size` -> `/ size`
- without the division: `* model.norm.weight / size` -> `* model.norm.weight`
- the size of the embedding alone: `stream.square()` -> `model.embedding(tokens[-1]).square()`
- a share of the size for each part: `/ size` -> `/ (size * len(model.blks))`
- the first token: `args[0][0, -1]` -> `args[0][0, 0]`
- heads that lie in each other: `.reshape(num_heads, -1).sum(dim=1)` -> `.reshape(-1, num_heads).sum(dim=0)`
- the outputs of the heads before W_o: `back = row @ blk.W_o.weight` -> `back = row`
- the matrix the wrong way round: `back = row @ blk.W_o.weight` -> `back = blk.W_o.weight @ row`
- the embedding of the token that is asked for: `model.embedding(tokens[-1]) @ row` -> `model.embedding.weight[token] @ row`
- what is left over goes to the embedding:
  `return model.embedding(tokens[-1]) @ row, heads, networks`
  -> `heads = heads / 2
    return model(tokens[None])[0, -1, token] - heads.sum() - networks.sum(), heads, networks`
""",
}

WRONG = spoil(OTHER, MISTAKES)
