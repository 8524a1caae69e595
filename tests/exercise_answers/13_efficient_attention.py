"""Answers to the exercises of chapter 13: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "13.1": """
def merge(first, second):
    (a, y), (b, z) = first, second
    larger = torch.where(a > b, a, b)
    left = torch.where(y == 0, 0.0, y * torch.exp(a - larger))
    right = torch.where(z == 0, 0.0, z * torch.exp(b - larger))
    return larger, left + right

def online_softmax(blocks):
    shape = blocks[0].shape[:-1]
    state = blocks[0].new_full(shape, -math.inf), blocks[0].new_zeros(shape)
    for block in blocks:
        for score in block.unbind(dim=-1):
            one = torch.ones_like(score).masked_fill(score == -math.inf, 0)
            state = merge(state, (score, one))
    return (torch.cat(blocks, dim=-1) - state[0][..., None]).exp() / state[1][..., None]
""",
    "13.2": """
def write(S, key, value, beta=None):
    k, v = key[:, None], value[None]
    if beta is None:
        return S + k @ v
    return S - beta * k @ (k.T @ S) + beta * k @ v

def answers(keys, values, beta=None):
    memory = torch.zeros(keys.shape[1], values.shape[1], dtype=values.dtype)
    for i in range(len(keys)):
        memory = write(memory, keys[i], values[i], beta)
    return torch.stack([key @ memory for key in keys])
""",
    "13.3": """
def step_by_step(Q, K, V, gamma):
    h, n, p = Q.shape
    S = torch.zeros(h, p, V.shape[2])
    output = torch.zeros(h, n, V.shape[2])
    for i in range(n):
        S = torch.einsum("h,hpv->hpv", gamma, S)
        S = S + torch.einsum("hp,hv->hpv", K[:, i], V[:, i])
        output[:, i] = torch.einsum("hp,hpv->hv", Q[:, i], S)
    return output

def all_at_once(Q, K, V, gamma):
    i = torch.arange(Q.shape[1])
    distance = (i[:, None] - i).float()
    bias = distance * torch.log(gamma)[:, None, None]
    powers = bias.masked_fill(distance < 0, -math.inf).exp()
    return (torch.einsum("hip,hjp->hij", Q, K) * powers) @ V

def slope(gamma):
    return (1 / gamma).log()
""",
    "13.4": """
def top_k_attention(Q, K, V, k, choice=None):
    b, h, n, p = Q.shape
    g = K.shape[1]
    scores = torch.einsum("bgrip,bgjp->bgrij", Q.unflatten(1, (g, h // g)), K) / p**0.5
    order = scores if choice is None else choice.expand(b, h, n, n).unflatten(1, (g, h // g))
    causal = torch.ones(n, n).tril() == 1
    order = order.masked_fill(~causal, -math.inf)
    least = order.sort(dim=-1, descending=True).values[..., min(k, n) - 1 : min(k, n)]
    hidden = (order < least) | ~causal
    weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)
    return torch.einsum("bgrij,bgjv->bgriv", weights, V).flatten(1, 2)

def common_choice(Q, K):
    total = 0
    for i in range(Q.shape[1]):
        group = i * K.shape[1] // Q.shape[1]
        one = causal_scores(Q[:, i : i + 1], K[:, group : group + 1])
        total = total + torch.softmax(one, dim=-1)
    return total
""",
    "13.5": """
def chunked(Q, K, V, size, S=None):
    n = Q.shape[1]
    output = torch.empty_like(V)
    memory = torch.zeros_like(K[:, 0, :, None] * V[:, 0, None]) if S is None else S
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        scores = torch.einsum("hip,hjp->hij", Q[:, part], K[:, part])
        mask = torch.ones(scores.shape[1:]).tril()
        before = torch.einsum("hip,hpv->hiv", Q[:, part], memory)
        output[:, part] = before + (scores * mask) @ V[:, part]
        memory = memory + torch.einsum("hjp,hjv->hpv", K[:, part], V[:, part])
    return output, memory
""",
    "13.6": """
def dilated_mask(n, width, step):
    mask = torch.zeros(n, n, dtype=torch.bool)
    for i in range(n):
        mask[i, [i - s * step for s in range(width) if i - s * step >= 0]] = True
    return mask

def influence(masks):
    n = len(masks[0])
    reached = torch.eye(n, dtype=torch.bool)
    for mask in masks:
        keys = mask | torch.eye(n, dtype=torch.bool)
        reached = torch.stack([reached[row].any(dim=0) for row in keys])
    return reached
""",
}

MISTAKES = {
    "13.1": """
- the sums are added as they are: `y * torch.exp(a - larger)` -> `y` `z * torch.exp(b - larger)` -> `z`
- only the second sum is scaled: `y * torch.exp(a - larger)` -> `y`
- the factor is upside down: `torch.exp(a - larger)` -> `torch.exp(larger - a)`
- two hidden parts give nan: `torch.where(y == 0, 0.0, y * torch.exp(a - larger))` -> `y * torch.exp(a - larger)`
- the maximum begins at 0: `blocks[0].new_full(shape, -math.inf)` -> `blocks[0].new_zeros(shape)`
- without a maximum:
```
def merge(first, second):
    mu = torch.maximum(first[0], second[0])
    return mu, sum(z * torch.exp(a - mu) for a, z in (first, second))

def online_softmax(blocks):
    total = sum(block.exp().sum(dim=-1, keepdim=True) for block in blocks)
    return torch.cat([block.exp() / total for block in blocks], dim=-1)
```
- each block is normalised with what has been read so far:
```
def merge(first, second):
    mu = torch.maximum(first[0], second[0])
    shift = mu.masked_fill(mu == -math.inf, 0)
    return mu, sum(z * torch.exp(a - shift) for a, z in (first, second))

def online_softmax(blocks):
    state, parts = None, []
    for block in blocks:
        mu = block.amax(dim=-1)
        pair = mu, torch.exp(block - mu[..., None]).nan_to_num(0).sum(dim=-1)
        state = pair if state is None else merge(state, pair)
        parts.append((block - state[0][..., None]).exp() / state[1][..., None])
    return torch.cat(parts, dim=-1)
```
- each block has a softmax of its own: `/ state[1][..., None]` -> `/ state[1][..., None] * len(blocks)`
""",
    "13.2": """
- addition, whatever beta is: `if beta is None:` -> `if True:`
- the new value is written without what is forgotten: `S - beta * k @ (k.T @ S) + beta` -> `S + beta`
- all is forgotten at the rate beta: `S - beta * k @ (k.T @ S)` -> `(1 - beta) * S`
- beta stands before the new value only: `S - beta * k @ (k.T @ S)` -> `S - k @ (k.T @ S)`
- beta stands before what is forgotten only: `+ beta * k @ v` -> `+ k @ v`
- the memory is changed in place: `return S - beta * k @ (k.T @ S) + beta * k @ v` -> `S += beta * k @ (v - k.T @ S)
    return S`
- keys and values exchanged: `k, v = key[:, None], value[None]` -> `k, v = value[:, None], key[None]`
- each key is asked just after it has been written:
  `        memory = write(memory, keys[i], values[i], beta)
    return torch.stack([key @ memory for key in keys])`
  -> `        memory = write(memory, keys[i], values[i], beta)
        rows = [keys[i] @ memory] if i == 0 else rows + [keys[i] @ memory]
    return torch.stack(rows)`
- written in the opposite order: `for i in range(len(keys)):` -> `for i in reversed(range(len(keys))):`
""",
    "13.3": """
- the new pair decays, too: `S = torch.einsum("h,hpv->hpv", gamma, S)
        S = S + torch.einsum("hp,hv->hpv", K[:, i], V[:, i])` -> `S = S + torch.einsum("hp,hv->hpv", K[:, i], V[:, i])
        S = torch.einsum("h,hpv->hpv", gamma, S)`
- read before it is written: `        S = S + torch.einsum("hp,hv->hpv", K[:, i], V[:, i])
        output[:, i] = torch.einsum("hp,hpv->hv", Q[:, i], S)` -> `        output[:, i] = torch.einsum("hp,hpv->hv", Q[:, i], S)
        S = S + torch.einsum("hp,hv->hpv", K[:, i], V[:, i])`
- one decay for all heads: `torch.einsum("h,hpv->hpv", gamma, S)` -> `gamma[0] * S` `torch.log(gamma)[:, None, None]` -> `torch.log(gamma[0])`
- later tokens count: `bias.masked_fill(distance < 0, -math.inf).exp()` -> `(distance.abs() * torch.log(gamma)[:, None, None]).exp()`
- the own token does not count: `distance < 0, -math.inf` -> `distance <= 0, -math.inf`
- normalised by the sum of the weights: `(torch.einsum("hip,hjp->hij", Q, K) * powers) @ V` -> `(torch.einsum("hip,hjp->hij", Q, K) * powers) @ V / powers.sum(-1, keepdim=True)`
- a softmax: `(torch.einsum("hip,hjp->hij", Q, K) * powers) @ V` -> `(torch.einsum("hip,hjp->hij", Q, K) + powers.log()).softmax(-1) @ V`
- powers split between query and key, which overflow:
  `    return (torch.einsum("hip,hjp->hij", Q, K) * powers) @ V`
  -> `    power = gamma[:, None, None] ** i[:, None]
    return ((power * Q) @ (K / power).mT).tril() @ V`
- the decay itself: `(1 / gamma).log()` -> `gamma`
- the sign of the slope: `(1 / gamma).log()` -> `gamma.log()`
- the logarithm to base 2: `(1 / gamma).log()` -> `(1 / gamma).log2()`
""",
    "13.4": """
- without renormalising: `weights = scores.masked_fill(hidden, -math.inf).softmax(dim=-1)` -> `weights = scores.masked_fill(~causal, -math.inf).softmax(dim=-1).masked_fill(hidden, 0)`
- the k best of all keys, later ones, too: `    order = order.masked_fill(~causal, -math.inf)
` -> `` `softmax(dim=-1)
    return torch.einsum("bgrij` -> `softmax(dim=-1).nan_to_num(0)
    return torch.einsum("bgrij`
- the last k keys: `hidden = (order < least) | ~causal` -> `hidden = ~causal | (torch.ones(n, n).tril(-k) == 1)`
- always by the scores: `order = scores if choice is None else choice.expand(b, h, n, n).unflatten(1, (g, h // g))` -> `order = scores`
- the weights come from the choice as well: `weights = scores.masked_fill(hidden, -math.inf)` -> `weights = order.masked_fill(hidden, -math.inf)`
- one key too many: `min(k, n) - 1 : min(k, n)` -> `min(k + 1, n) - 1 : min(k + 1, n)`
- the smallest: `least = order.sort(dim=-1, descending=True)` -> `least = order.neg().masked_fill(~causal, -math.inf).sort(dim=-1, descending=True)` `(order < least)` -> `(-order < least)`
- the largest sizes of scores, whatever their signs: `    least` -> `    order = order.abs().masked_fill(~causal, -math.inf)
    least`
- scores without the root of p: `/ p**0.5` -> `* 1.0`
- heads that share keys lie in turn: `Q.unflatten(1, (g, h // g)), K)` -> `Q.unflatten(1, (h // g, g)).transpose(1, 2), K)` `.flatten(1, 2)` -> `.transpose(1, 2).flatten(1, 2)`
- the choice is the sum of the scores: `torch.softmax(one, dim=-1)` -> `one`
- the mean of the weights: `return total
` -> `return total / Q.shape[1]
`
- the choice of the first head: `for i in range(Q.shape[1]):` -> `for i in range(1):`
- one softmax of all scores together: `torch.softmax(one, dim=-1)` -> `torch.exp(one) / torch.exp(one).sum(dim=(-1, -2), keepdim=True)`
""",
    "13.5": """
- all at once: `for start in range(0, n, size):` -> `size = n
    for start in range(0, n, size):`
- token by token: `for start in range(0, n, size):` -> `size = 1
    for start in range(0, n, size):`
- the memory of the chunk before is forgotten: `memory = memory + torch.einsum` -> `memory = torch.einsum`
- without the memory: `before + (scores * mask)` -> `0 * before + (scores * mask)`
- later tokens of the chunk: `(scores * mask)` -> `scores`
- without the own token: `.tril()` -> `.tril(-1)`
- the chunk is written before it is read: `before = torch.einsum("hip,hpv->hiv", Q[:, part], memory)` -> `memory = memory + torch.einsum("hjp,hjv->hpv", K[:, part], V[:, part])
        before = torch.einsum("hip,hpv->hiv", Q[:, part], memory)` `        memory = memory + torch.einsum("hjp,hjv->hpv", K[:, part], V[:, part])
    return` -> `    return`
- begins with an empty memory: `if S is None else S` -> `if True else S`
- changes the memory that it gets: `memory = memory + torch.einsum` -> `memory += torch.einsum`
- the memories after all tokens at once:
```
def chunked(Q, K, V, size, S=None):
    states = (K[..., None] * V[..., None, :]).cumsum(dim=1)
    if S is not None:
        states = states + S[:, None]
    return (Q[..., None, :] @ states)[..., 0, :], states[:, -1]
```
""",
    "13.6": """
- the steps are left out: `i - s * step for s in range(width) if i - s * step >= 0` -> `i - s for s in range(width) if i - s >= 0`
- one token too many: `for s in range(width)` -> `for s in range(width + 1)`
- width counts the tokens that are passed: `for s in range(width) if` -> `for s in range(0, width) if s * step < width and`
- without the own token: `for s in range(width) if` -> `for s in range(1, width + 1) if`
- without the residual connection: `keys = mask | torch.eye(n, dtype=torch.bool)` -> `keys = mask`
- blocks in the opposite order: `for mask in masks:` -> `for mask in masks[::-1]:`
- one block alone: `for mask in masks:` -> `for mask in masks[-1:]:`
- what sees instead of what is seen: `keys = mask | torch` -> `keys = mask.T | torch`
- the union of all masks: `reached = torch.stack([reached[row].any(dim=0) for row in keys])` -> `reached = reached | mask`
- numbers of ways, not truth: `return reached` -> `return reached.float()`
- numbers of ways in 8 bits, which overflow: `reached = torch.stack([reached[row].any(dim=0) for row in keys])` -> `reached = keys.to(torch.uint8) @ reached.to(torch.uint8)` `return reached` -> `return reached > 0`
""",
}

WRONG = spoil(OTHER, MISTAKES)
