"""Answers to the exercises of chapter 14: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "14.1": """
def pad_left(prompts, pad):
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    flipped = [prompt.flip(0) for prompt in prompts]
    tokens = nn.utils.rnn.pad_sequence(flipped, batch_first=True, padding_value=pad)
    return tokens.flip(1), lengths.max() - lengths

def positions_and_mask(padding, n):
    b = len(padding)
    positions = torch.zeros(b, n, dtype=torch.long)
    mask = torch.eye(n, dtype=torch.bool).repeat(b, 1, 1, 1)
    for i, k in enumerate(padding.tolist()):
        positions[i, k:] = torch.arange(n - k)
        mask[i, 0, k:, k:] = torch.ones(n - k, n - k).tril() == 1
    return positions, mask
""",
    "14.2": """
def quantize(W, bits, size):
    q, p = W.shape
    codes = torch.zeros(q, p, dtype=torch.uint8)
    scales, minima = torch.zeros(q, p // size), torch.zeros(q, p // size)
    for g in range(p // size):
        part = W[:, g * size : (g + 1) * size]
        low, high = part.min(dim=1).values, part.max(dim=1).values
        minima[:, g], scales[:, g] = low, (high - low) / (2**bits - 1)
        share = (part - low[:, None]) / (high - low).clamp(min=1e-30)[:, None]
        row = torch.floor(share * (2**bits - 1) + 0.5)
        codes[:, g * size : (g + 1) * size] = row.to(torch.uint8)
    return codes, scales, minima

def dequantize(codes, scales, minima):
    groups = codes.unflatten(1, (scales.shape[1], -1))
    return (groups * scales[..., None] + minima[..., None]).flatten(1)
""",
    "14.3": """
def prefill(model, tokens, size):
    caches, n = model.make_caches(), tokens.shape[1]
    for start in range(0, n, size):
        logits = model(tokens[:, start : start + size], caches)
    return logits[:, -1, :], caches

def count_scores(n, size):
    most = total = 0
    for start in range(0, n, size):
        end = min(start + size, n)
        most = max(most, (end - start) * end)
        total += (end - start) * end
    return most, total
""",
    "14.4": """
def acceptance(draft, target, temperature):
    if temperature == 0:
        return torch.where(draft.argmax(-1) == target.argmax(-1), 1.0, 0.0)
    probs = [torch.softmax(logits / temperature, dim=-1) for logits in (draft, target)]
    return 1 - (probs[0] - probs[1]).abs().sum(dim=-1) / 2

def tokens_a_round(rate, k):
    if rate == 1:
        return k + 1
    return (1 - rate ** (k + 1)) / (1 - rate)

def best_k(rate, cost, longest=32):
    best, most = 0, 0.0
    for k in range(longest + 1):
        gain = tokens_a_round(rate, k) / (1 + k * cost)
        if gain > most + 1e-12:
            best, most = k, gain
    return best
""",
    "14.5": """
class PrefixCache:
    def __init__(self, num_blocks, size):
        self.num_blocks, self.size, self.clock = num_blocks, size, 0
        self.children, self.times, self.parents = {(): set()}, {}, {}

    def prefixes(self, tokens):
        s = self.size
        return [tuple(tokens[: s * i]) for i in range(1, len(tokens) // s + 1)]

    def match(self, tokens):
        self.clock += 1
        found = 0
        for prefix in self.prefixes(tokens):
            if prefix not in self.times:
                return found
            self.times[prefix], found = self.clock, len(prefix)
        return found

    def insert(self, tokens):
        self.clock += 1
        parent = ()
        for prefix in self.prefixes(tokens):
            if prefix not in self.times:
                if len(self.times) == self.num_blocks and not self.evict():
                    break
                self.children[parent].add(prefix)
                self.children[prefix] = set()
                self.parents[prefix] = parent
            self.times[prefix] = self.clock
            parent = prefix
        return len(parent)

    def evict(self):
        for prefix in sorted(self.times, key=lambda p: self.times[p]):
            if not self.children[prefix] and self.times[prefix] < self.clock:
                self.children[self.parents.pop(prefix)].remove(prefix)
                del self.children[prefix], self.times[prefix]
                return True
        return False
""",
    "14.6": """
def finish_times(requests, slots, key):
    ends, left = {}, {}
    step = 0
    while len(ends) < len(requests):
        ready = []
        for i, (arrival, length) in enumerate(requests):
            if arrival <= step and i not in left and i not in ends:
                ready.append((key(requests[i], step), i))
        for _, i in sorted(ready)[: slots - len(left)]:
            left[i] = requests[i][1]
        for i in list(left):
            left[i] -= 1
            if left[i] == 0:
                del left[i]
                ends[i] = step + 1
        step += 1
    return [ends[i] for i in range(len(requests))]

def with_ageing(rate):
    def key(request, step):
        arrival, length = request
        waited = step - arrival
        return length - rate * waited
    return key
""",
    "14.7": """
def best_scales(W, bits, fractions, importance=None):
    L = 2 ** (bits - 1) - 1
    result = []
    for row in W:
        best, least = None, math.inf
        for f in fractions:
            s = f * row.abs().max() / L
            square = (row - rounded(row[None], s, bits)[0]).square()
            error = (square if importance is None else square * importance).sum()
            if error < least:
                best, least = s, error
        result.append(best)
    return torch.stack(result)[:, None]
""",
}

MISTAKES = {
    "14.1": """
- padded on the right: `flipped = [prompt.flip(0) for prompt in prompts]` -> `flipped = prompts` `tokens.flip(1)` -> `tokens`
- the order of the tokens is turned: `tokens.flip(1)` -> `nn.utils.rnn.pad_sequence(prompts, True, pad).flip(1)`
- the lengths in place of the padding: `lengths.max() - lengths` -> `lengths`
- always padded with 0: `padding_value=pad` -> `padding_value=0`
- the padding is found by its token: `lengths.max() - lengths` -> `(tokens.flip(1) == pad).long().cumprod(1).sum(1)`
- positions without the shift: `positions[i, k:] = torch.arange(n - k)` -> `positions[i] = torch.arange(n)`
- positions begin at 1: `torch.arange(n - k)` -> `torch.arange(1, n - k + 1)`
- negative positions in the padding: `positions[i, k:] = torch.arange(n - k)` -> `positions[i] = torch.arange(n) - k`
- the padding sees nothing: `mask = torch.eye(n, dtype=torch.bool).repeat(b, 1, 1, 1)` -> `mask = torch.zeros(b, 1, n, n, dtype=torch.bool)`
- the padding is seen: `mask[i, 0, k:, k:] = torch.ones(n - k, n - k).tril() == 1` -> `mask[i, 0] = torch.ones(n, n).tril() == 1`
- later tokens are seen: `torch.ones(n - k, n - k).tril() == 1` -> `True`
- one axis is missing: `return positions, mask` -> `return positions, mask[:, 0]`
- a mask of numbers: `return positions, mask` -> `return positions, mask.float()`
""",
    "14.2": """
- one group for all weights: `low, high = part.min(dim=1).values, part.max(dim=1).values` -> `low, high = W.min().expand(q), W.max().expand(q)`
- one group for a row: `low, high = part.min(dim=1).values, part.max(dim=1).values` -> `low, high = W.min(dim=1).values, W.max(dim=1).values`
- the group of all rows together: `low, high = part.min(dim=1).values, part.max(dim=1).values` -> `low, high = part.min().expand(q), part.max().expand(q)`
- one code too many: `(2**bits - 1)` -> `2**bits`
- half of the codes: `(2**bits - 1)` -> `(2 ** (bits - 1) - 1)`
- around 0, as in the chapter: `low, high = part.min(dim=1).values, part.max(dim=1).values` -> `high = part.abs().max(dim=1).values; low = -high`
- the minimum is taken for 0: `low, high = part.min(dim=1).values,` -> `low, high = part.min(dim=1).values * 0,`
- rounded down: `(2**bits - 1) + 0.5)` -> `(2**bits - 1))`
- rounded up: `torch.floor(share * (2**bits - 1) + 0.5)` -> `torch.ceil(share * (2**bits - 1))`
- divides by zero if all are equal: `.clamp(min=1e-30)[:, None]
        row = torch.floor(share * (2**bits - 1) + 0.5)` -> `[:, None]
        row = (share * (2**bits - 1)).round().nan_to_num(1)`
- codes of another type: `dtype=torch.uint8` -> `dtype=torch.int16`
- the largest weights in place of the smallest: `minima[:, g], scales[:, g] = low,` -> `minima[:, g], scales[:, g] = high,`
- the weights without the minimum: `groups * scales[..., None] + minima[..., None]` -> `groups * scales[..., None]`
- the minimum is scaled, too: `groups * scales[..., None] + minima[..., None]` -> `(groups + minima[..., None]) * scales[..., None]`
- groups of columns that lie apart: `groups = codes.unflatten(1, (scales.shape[1], -1))
    return (groups * scales[..., None] + minima[..., None]).flatten(1)` -> `times = codes.shape[1] // scales.shape[1]
    return codes * scales.repeat(1, times) + minima.repeat(1, times)`
- changes the weights: `    q, p = W.shape
` -> `    q, p = W.shape
    W[:] = (W * 16).round() / 16
`
""",
    "14.3": """
- all at once: `range(0, n, size):
        logits` -> `range(0, n, n):
        logits` `start : start + size]` -> `start:]`
- token by token: `for start in range(0, n, size):
        logits = model(tokens[:, start : start + size]` -> `for start in range(n):
        logits = model(tokens[:, start : start + 1]`
- the rest that fills no chunk is left out: `range(0, n, size):
        logits` -> `range(0, max(n - size, 0) + 1, size):
        logits`
- chunks that do not know of each other: `tokens[:, start : start + size], caches)` -> `tokens[:, start : start + size], caches := model.make_caches())`
- the logits of all tokens of the chunk: `logits[:, -1, :]` -> `logits`
- the logits of the first token of the chunk: `logits[:, -1, :]` -> `logits[:, 0, :]`
- chunks overlap: `start : start + size]` -> `max(start - 1, 0) : start + size]`
- only what the mask lets through: `total += (end - start) * end` -> `total += sum(range(start + 1, end + 1))`
- keys of the chunk alone: `most = max(most, (end - start) * end)` -> `most = max(most, (end - start) ** 2)`
- the last chunk has the most: `most = max(most, (end - start) * end)` -> `most = (end - start) * end`
- chunks that are always full: `end = min(start + size, n)` -> `end = start + size`
""",
    "14.4": """
- the temperature is left out: `logits / temperature` -> `logits`
- times the temperature: `logits / temperature` -> `logits * temperature`
- only the target has a temperature: `torch.softmax(logits / temperature, dim=-1) for logits in (draft, target)` -> `torch.softmax(logits, dim=-1) for logits in (draft, target / temperature)`
- the probability that both draw the same: `1 - (probs[0] - probs[1]).abs().sum(dim=-1) / 2` -> `(probs[0] * probs[1]).sum(dim=-1)`
- the whole distance: `.abs().sum(dim=-1) / 2` -> `.abs().sum(dim=-1)`
- the target's probability of the draft's best token: `return 1 - (probs[0] - probs[1]).abs().sum(dim=-1) / 2` -> `return probs[1].gather(-1, draft.argmax(-1, keepdim=True))[..., 0]`
- no case for temperature 0: `if temperature == 0:` -> `if False:`
- overflow for large logits: `torch.softmax(logits / temperature, dim=-1)` -> `(logits / temperature).exp() / (logits / temperature).exp().sum(-1, keepdim=True)`
- without the token that always comes: `return k + 1` -> `return k` `(1 - rate ** (k + 1)) / (1 - rate)` -> `rate * (1 - rate**k) / (1 - rate)`
- all or nothing: `return (1 - rate ** (k + 1)) / (1 - rate)` -> `return 1 + k * rate**k`
- k times the rate: `return (1 - rate ** (k + 1)) / (1 - rate)` -> `return 1 + k * rate`
- the most tokens, whatever they cost: `/ (1 + k * cost)` -> `/ 1`
- the time of the target is left out: `/ (1 + k * cost)` -> `/ max(k * cost, 1e-3)`
- at least one token is proposed: `for k in range(longest + 1):` -> `for k in range(1, longest + 1):`
- one less than the longest: `for k in range(longest + 1):` -> `for k in range(longest):`
""",
    "14.5": """
- any block is evicted, not only leaves: `if not self.children[prefix] and self` -> `if self` `self.children[self.parents.pop(prefix)].remove(prefix)` -> `self.children.get(self.parents.pop(prefix), set()).discard(prefix)` `self.children[parent].add(prefix)` -> `self.children.setdefault(parent, set()).add(prefix)`
- first in, first out: `sorted(self.times, key=lambda p: self.times[p])` -> `list(self.times)`
- match is no use: `            self.times[prefix], found = self.clock, len(prefix)` -> `            found = len(prefix)`
- insert uses only what is new: `            self.times[prefix] = self.clock
            parent = prefix` -> `            self.times.setdefault(prefix, self.clock)
            parent = prefix`
- the most recently used leaf: `key=lambda p: self.times[p]` -> `key=lambda p: -self.times[p]`
- blocks are found by their own tokens: `tuple(tokens[: s * i])` -> `tuple(tokens[s * (i - 1) : s * i])`
- a block that is not full: `range(1, len(tokens) // s + 1)` -> `range(1, -(-len(tokens) // s) + 1)`
- blocks of the prompt itself are evicted: ` and self.times[prefix] < self.clock` -> `` `self.children[parent].add(prefix)` -> `self.children.setdefault(parent, set()).add(prefix)` `self.children[self.parents.pop(prefix)].remove(prefix)` -> `self.children.get(self.parents.pop(prefix), set()).discard(prefix)`
- counts blocks: `self.times[prefix], found = self.clock, len(prefix)` -> `self.times[prefix], found = self.clock, len(prefix) // self.size`
- one block too many: `len(self.times) == self.num_blocks` -> `len(self.times) > self.num_blocks`
- nothing is evicted: `and not self.evict()` -> ``
- all is evicted: `and not self.evict()` -> `and self.__init__(self.num_blocks, self.size)`
""",
    "14.6": """
- in the order of the list: `sorted(ready)[: slots` -> `sorted(ready, key=lambda r: r[1])[: slots`
- the largest key first: `(key(requests[i], step), i)` -> `(-key(requests[i], step), i)`
- of equal ones the last: `(key(requests[i], step), i)` -> `(key(requests[i], step), -i)` `for _, i in sorted(ready)[: slots - len(left)]:` -> `for i in [-i for _, i in sorted(ready)[: slots - len(left)]]:`
- requests enter before they have come: `if arrival <= step and` -> `if`
- a step late: `arrival <= step and` -> `arrival < step and`
- the key at the arrival: `key(requests[i], step)` -> `key(requests[i], arrival)`
- a batch ends before the next begins: `sorted(ready)[: slots - len(left)]` -> `sorted(ready)[: 0 if left else slots]`
- who has entered can be displaced: `        for _, i in sorted(ready)` -> `        ready += [(key(requests[i], step), i) for i in left]
        kept, left = left, {}
        for _, i in sorted(ready)` `left[i] = requests[i][1]` -> `left[i] = kept.get(i, requests[i][1])` `and i not in left and i` -> `and i not in left and i`
- the last step in place of the end: `ends[i] = step + 1` -> `ends[i] = step`
- as many slots as one likes: `[: slots - len(left)]` -> ``
- age makes it worse: `length - rate * waited` -> `length + rate * waited`
- the rate counts from the first step of all: `waited = step - arrival` -> `waited = step`
- age alone: `length - rate * waited` -> `-rate * waited`
""",
    "14.7": """
- the absolute maximum: `for f in fractions:` -> `for f in [1.0]:`
- the finest scale: `if error < least:` -> `if f == min(fractions):`
- one fraction for all rows: `        best, least = None, math.inf
        for f in fractions:
            s = f * row.abs().max() / L` -> `        best, least = None, math.inf
        def total(f):
            tops = f * W.abs().amax(1, keepdim=True) / L
            squares = (W - rounded(W, tops, bits)).square()
            return (squares if importance is None else squares * importance).sum()
        for f in [min(fractions, key=total)]:
            s = f * row.abs().max() / L`
- the sum of absolute errors: `.square()` -> `.abs()`
- the importance is left out: `square if importance is None else square * importance` -> `square`
- the importance is squared: `square * importance` -> `square * importance**2`
- the largest error only: `(square if importance is None else square * importance).sum()` -> `(square if importance is None else square * importance).max()`
- the last of the fractions that is better than the one before: `            error =` -> `            least = math.inf
            error =`
- one code too many: `L = 2 ** (bits - 1) - 1` -> `L = 2 ** (bits - 1)`
- fractions in place of scales: `best, least = s, error` -> `best, least = torch.tensor(f), error`
- the scales as a row: `torch.stack(result)[:, None]` -> `torch.stack(result)`
""",
}

WRONG = spoil(OTHER, MISTAKES)
