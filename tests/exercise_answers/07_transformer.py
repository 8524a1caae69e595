"""Answers to the exercises of chapter 7: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "7.1": """
def forward_multiplications(m, n, d, f, v, num_blks):
    def attention(queries, keys):
        own, given = queries * d * d, keys * d * d
        return own + 2 * given + queries * keys * d + queries * keys * d + own

    def network(tokens):
        return tokens * d * f + tokens * f * d

    total = n * d * v
    for _ in range(num_blks):
        total += attention(m, m) + network(m)
        total += attention(n, n) + attention(n, m) + network(n)
    return total


def training_multiplications(m, n, d, f, v, num_blks, batch_size):
    forward = forward_multiplications(m, n, d, f, v, num_blks)
    backward = 2 * forward
    return sum(forward + backward for _ in range(batch_size))
""",
    "7.2": """
def make_additive(module):
    for child in module.children():
        make_additive(child)
    if isinstance(module, d2l.MultiHeadAttention):
        device = module.W_o.weight.device
        p = module.W_o.out_features // module.num_heads
        layer = d2l.AdditiveAttention(num_hiddens=p, dropout=module.attention.dropout.p)
        layer = layer.to(device)
        layer(*torch.zeros(3, 1, 2, 3, p, device=device))
        layer.train(module.attention.training)
        module.attention = layer
    return module


def additive_costs(n, m, d, h):
    p = d // h
    head = n * p * p + m * p * p + n * m * p + n * m * p
    return sum(head for _ in range(h)), sum(n * m * p for _ in range(h))
""",
    "7.3": """
class LanguageModel(d2l.Decoder):
    def __init__(self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks,
                 dropout):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, num_hiddens)
        self.positions = nn.Parameter(0.1 * torch.randn(100, num_hiddens))
        block = nn.TransformerEncoderLayer(
            num_hiddens, num_heads, ffn_num_hiddens, dropout, batch_first=True)
        self.blocks = nn.TransformerEncoder(block, num_blks, enable_nested_tensor=False)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def init_state(self, enc_all_outputs, *args):
        return ()

    def forward(self, X, state):
        tokens = torch.cat([*state, X], dim=1)
        n = tokens.shape[1]
        mask = torch.full((n, n), -math.inf).triu(1)
        Y = self.blocks(self.embedding(tokens) + self.positions[:n], mask)
        return self.dense(Y)[:, n - X.shape[1] :], (*state, X)


def sample(decoder, state, first, num_steps, *, eos, pad, temperature=1.0):
    if not temperature > 0:
        raise ValueError("temperature must be positive")
    tokens, finished = first, torch.zeros(len(first), dtype=torch.bool)
    with torch.no_grad():
        while tokens.shape[1] <= num_steps and not finished.all():
            scores, state = decoder(tokens[:, -1:], state)
            noise = -torch.log(-torch.log(torch.rand(len(first), scores.shape[-1])))
            token = (scores[:, -1] / temperature + noise).argmax(dim=1)
            token[finished] = pad
            finished = finished | (token == eos)
            tokens = torch.cat([tokens, token[:, None]], dim=1)
    return tokens[:, 1:]
""",
    "7.4": """
def window_attention(Q, K, V, w):
    n, scores, values = Q.shape[1], [], []
    for shift in range(-w, w + 1):  # no matrix product, all by elements
        j = torch.arange(n) + shift
        inside = (j >= 0) & (j < n)
        j = j.clamp(0, n - 1)
        score = (Q * K[:, j]).sum(dim=-1) / math.sqrt(Q.shape[-1])
        scores.append(score.masked_fill(~inside, -math.inf))
        values.append(V[:, j])
    weights = torch.stack(scores).softmax(dim=0).unsqueeze(-1)
    return sum(weight * value for weight, value in zip(weights, values))


def kernel_attention(Q, K, V, W):
    def exponents(X):
        X = X * X.shape[-1] ** -0.25
        return torch.einsum("bnd,rd->bnr", X, W) - (X * X).sum(-1)[..., None] / 2

    q, k = exponents(Q), exponents(K)
    q = torch.softmax(q + torch.logsumexp(k, dim=1, keepdim=True), dim=-1)
    k = torch.softmax(k, dim=1)
    return torch.einsum("bnr,brv->bnv", q, torch.einsum("bmr,bmv->brv", k, V))


def layers_needed(n, w):
    reach = layers = 0
    while reach < n - 1:
        reach, layers = reach + w, layers + 1
    return layers


def classify():
    linear = (1, 1, False)
    classes = {"window": linear, "kernel": linear}
    classes["in steps"] = (2, 2, True)
    classes["fused"] = (2, 1, True)
    return classes
""",
    "7.5": """
def find_leaks(model, X, vocab_size):
    found = []
    for training in (False, True):
        copy = __import__("copy").deepcopy(model).train(training)

        def scores(tokens):
            with torch.random.fork_rng(devices=[]), torch.no_grad():
                torch.manual_seed(1)
                return copy(tokens)[0]

        original = scores(X)
        for j in range(1, X.shape[1]):
            largest = torch.zeros(X.shape[1])
            for token in range(vocab_size):
                changed = torch.cat((X[:, :j], torch.tensor([[token]]), X[:, j + 1 :]), 1)
                moved = (scores(changed) - original).abs().max(dim=1).values
                largest = torch.maximum(largest, moved)
            found += [(i, j) for i in range(j) if largest[i] > 1e-5]
    return sorted(set(found))
""",
    "7.6": """
def smoothed_loss(scores, labels, allowed, *, pad, epsilon):
    if not (epsilon >= 0 and epsilon < 1):
        raise ValueError("epsilon is out of range")
    numbers = torch.full((len(allowed),), -1)  # of the allowed tokens
    numbers[allowed] = torch.arange(int(allowed.sum()))
    numbers[pad] = -100
    target = numbers[labels.flatten()]
    if (target == -1).any():
        raise ValueError("labels hold tokens that are not allowed")
    scores = scores.flatten(0, -2)[:, allowed]
    total = nn.functional.cross_entropy(
        scores, target, reduction="sum", label_smoothing=epsilon)
    return total / max(1, int((target >= 0).sum()))
""",
    "7.7": """
def most_probable(P, num_steps):
    v = len(P)
    level, before = P[BOS].clone().double(), []
    ends = [(level[EOS].item(), 1)]
    for step in range(2, num_steps + 1):
        level[EOS] = 0
        level, last = (level[:, None] * P.double()).max(dim=0)
        before.append(last.tolist())
        ends.append((level[EOS].item(), step))
    probability, length = max(ends)
    tokens = [EOS]
    for last in reversed(before[: length - 1]):
        tokens.insert(0, last[tokens[0]])
    return tokens, probability


def trap(beam_size):
    v = 4 + beam_size + 10
    P = torch.full((v, v), 0.0)
    decoys = torch.arange(4, 4 + beam_size)
    P[BOS, decoys] = 1.02 / (beam_size + 1)
    P[BOS, 3] = 1 - P[BOS].sum()
    P[3, 4 + beam_size] = 1
    P[4 : 4 + beam_size, 4 + beam_size :] = 0.1
    P[[PAD, EOS], EOS] = 1
    P[4 + beam_size :, EOS] = 1
    return P
""",
}

MISTAKES = {
    "7.1": """
- the causal mask saves half: `attention(n, n) +` -> `attention(n, n) - n * (n - 1) * d +`
- as many source as target tokens: `attention(n, m)` -> `attention(n, n)`
- no matrix for the outputs: ` * keys * d + own` -> ` * keys * d`
- backward costs what forward costs: `2 * forward` -> `forward`
- no output layer: `total = n * d * v` -> `total = 0`
- always 48 pairs: `range(batch_size)` -> `range(48)`
""",
    "7.2": """
- as many hidden units as the model is wide: ` // module.num_heads` -> ``
- lazy layers: `layer(*torch.zeros(3, 1, 2, 3, p, device=device))` -> `pass`
- no dropout: `module.attention.dropout.p` -> `0.0`
- one tangent for each pair: `sum(n * m * p for` -> `sum(n * m for`
- always in training mode: `layer.train(module.attention.training)` -> `pass`
- as many queries as keys: `n * p * p + m * p * p` -> `2 * m * p * p`
""",
    "7.3": """
- sees one token ahead: `.triu(1)` -> `.triu(2)`
- a mask only in training:
  `self.positions[:n], mask)` -> `self.positions[:n], mask if self.training else None)`
- the state is the last piece: `(*state, X)` -> `(X,)`
- goes on after eos: `token[finished] = pad` -> `pass`
- no positions: ` + self.positions[:n], mask` -> `, mask`
- a layer that is not used: `self.dense =` -> `self.other = nn.Linear(2, 2)
        self.dense =`
- takes the most probable token: `+ noise` -> ``
- the temperature is ignored: `scores[:, -1] / temperature` -> `scores[:, -1]`
- gives the whole prefix to a state that has it: `decoder(tokens[:, -1:], state)` -> `decoder(tokens, state)`
- keeps the first tokens: `tokens[:, 1:]` -> `tokens`
""",
    "7.4": """
- a mask, so that all scores are computed:
  `n, scores, values = Q.shape[1], [], []` -> `i = torch.arange(Q.shape[1])
    near = (i[:, None] - i).abs() <= w
    return d2l.DotProductAttention(0)(Q, K, V, mask=near)`
- neighbours beyond the ends have a score of 0: `~inside, -math.inf` -> `~inside, 0.0`
- sees neighbours on the left only: `range(-w, w + 1)` -> `range(-w, 1)`
- scales queries and keys by the root of d each: `** -0.25` -> `** -0.5`
- a kernel with the matrix of weights:
  `torch.einsum("bnr,brv->bnv", q, torch.einsum("bmr,bmv->brv", k, V))` -> `(q @ k.mT) @ V`
- no norms: `- (X * X).sum(-1)[..., None] / 2` -> ``
- fused attention is linear: `"fused"] = (2, 1, True)` -> `"fused"] = (1, 1, True)`
- the layers of both directions: `reach + w` -> `reach + 2 * w`
""",
    "7.5": """
- evaluation mode only: `(False, True)` -> `(False,)`
- takes dropout for a leak:
  `torch.manual_seed(1)` -> `pass`
  `torch.random.fork_rng(devices=[]), ` -> ``
- tries one other token: `range(vocab_size)` -> `[(int(X[0, j]) + 1) % vocab_size]`
- changes the mode: `__import__("copy").deepcopy(model).train` -> `model.train`
- compares the sum of the scores: `.abs().max(dim=1).values` -> `.sum(dim=1).abs()`
- compares the position before only: `for i in range(j) if` -> `for i in [j - 1] if`
- changes the tokens: `changed = torch.cat((X[:, :j], torch.tensor([[token]]), X[:, j + 1 :]), 1)` -> `changed = X
                changed[0, j] = token`
""",
    "7.6": """
- divided among the other tokens:
  `label_smoothing=epsilon` -> `label_smoothing=epsilon * scores.shape[1] / (scores.shape[1] - 1)`
- the mean over padding, too: `int((target >= 0).sum())` -> `len(target)`
- nan for padding alone: `max(1, int((target >= 0).sum()))` -> `(target >= 0).sum()`
- epsilon may be 1: `epsilon < 1` -> `epsilon <= 1`
- labels that are not allowed count as padding:
  `raise ValueError("labels hold tokens that are not allowed")` -> `target[target == -1] = -100`
- zero times infinity:
```
def smoothed_loss(scores, labels, allowed, *, pad, epsilon):
    log_p = scores.masked_fill(~allowed, -math.inf).log_softmax(-1)
    q = epsilon * allowed / allowed.sum()
    q = q + (1 - epsilon) * nn.functional.one_hot(labels, len(allowed))
    real = labels != pad
    return -(q * log_p).sum(-1)[real].sum() / real.sum().clamp(min=1)
```
""",
    "7.7": """
- greedy: `v = len(P)` -> `return search(P, 1, num_steps)`
- a wide beam: `v = len(P)` -> `return search(P, 3, num_steps)`
- goes on after EOS: `level[EOS] = 0` -> `pass`
- one step less: `range(2, num_steps + 1)` -> `range(2, num_steps)`
- a trap for one beam only: `v = 4 +` -> `beam_size = 1; v = 4 +`
- a trap that is too shallow: `4 + beam_size :] = 0.1` -> `4 + beam_size : 6 + beam_size] = 0.5`
- rows that do not sum to 1: `1 - P[BOS].sum()` -> `0.95 - P[BOS].sum()`
""",
}

WRONG = spoil(OTHER, MISTAKES)
