"""Answers to the exercises of chapter 7: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "7.1": """
def find_leaks(model, X, vocab_size):
    found = []
    with torch.no_grad():
        original = model(X)[0]
        for j in range(1, X.shape[1]):
            largest = torch.zeros(X.shape[1])
            for token in range(vocab_size):
                changed = torch.cat((X[:, :j], torch.tensor([[token]]), X[:, j + 1 :]), 1)
                moved = (model(changed)[0] - original).abs().max(dim=1).values
                largest = torch.maximum(largest, moved)
            found += [(i, j) for i in range(j) if largest[i] > 1e-5]
    return sorted(found)
""",
    "7.2": """
def smoothed_loss(scores, labels, allowed, pad, epsilon):
    numbers = torch.full((len(allowed),), -100)  # of the allowed tokens
    numbers[allowed] = torch.arange(int(allowed.sum()))
    target = numbers[labels.flatten()]
    scores = scores.flatten(0, -2)[:, allowed]
    total = nn.functional.cross_entropy(
        scores, target, reduction="sum", label_smoothing=epsilon)
    return total / int((target >= 0).sum())
""",
    "7.3": """
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
    "7.4": """
def make_additive(module):
    for child in module.children():
        make_additive(child)
    if isinstance(module, d2l.MultiHeadAttention):
        p = module.W_o.out_features // module.num_heads
        dropout = module.attention.dropout.p
        layer = d2l.AdditiveAttention(num_hiddens=p, dropout=dropout)
        layer(*torch.zeros(3, 1, 2, 3, p))
        module.attention = layer
    return module


def additive_multiplications(n, m, d, h):
    p = d // h
    return sum(n * p * p + m * p * p + n * m * p + n * m * p for _ in range(h))
""",
    "7.5": """
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
    "7.6": """
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


def sample(decoder, state, first, num_steps, eos, pad, temperature=1.0):
    tokens, finished = first, torch.zeros(len(first), dtype=torch.bool)
    with torch.no_grad():
        while tokens.shape[1] <= num_steps:
            scores, state = decoder(tokens[:, -1:], state)
            noise = -torch.log(-torch.log(torch.rand(len(first), scores.shape[-1])))
            token = (scores[:, -1] / temperature + noise).argmax(dim=1)
            token[finished] = pad
            finished = finished | (token == eos)
            tokens = torch.cat([tokens, token[:, None]], dim=1)
    return tokens[:, 1:]
""",
    "7.7": """
class Translator(nn.Module):
    def __init__(self, source_size, target_size, d, d_ff, h, num_blks):
        super().__init__()
        self.norms = []
        self.parts = nn.ModuleList()
        for size, per_block in [(source_size, 1), (target_size, 2)]:
            self.parts.append(nn.Embedding(size, d))
            for _ in range(num_blks):
                for _ in range(per_block):
                    self.parts.append(d2l.MultiHeadAttention(d, h, dropout=0))
                    self.parts.append(nn.LayerNorm(d))
                self.parts.append(nn.LazyLinear(d_ff))
                self.parts.append(nn.LazyLinear(d))
                self.parts.append(nn.LayerNorm(d))
        self.parts.append(nn.Linear(d, target_size))
        self.positions = d2l.PositionalEncoding(d, dropout=0)
        self.num_blks = num_blks

    def forward(self, source, target, valid_lens):
        parts = iter(self.parts)
        causal = d2l.causal_mask(target.shape[1])

        def start(tokens):
            X = next(parts)(tokens)
            return self.positions(X * X.shape[-1] ** 0.5)

        def network(X):
            Y = next(parts)(X).relu()
            return X + next(parts)(Y)

        H = start(source)
        for _ in range(self.num_blks):
            H = H + next(parts)(H, H, H, valid_lens)
            H = next(parts)(H)
            H = network(H)
            H = next(parts)(H)
        X = start(target)
        for _ in range(self.num_blks):
            X = X + next(parts)(X, X, X, mask=causal)
            X = next(parts)(X)
            X = X + next(parts)(X, H, H, valid_lens)
            X = next(parts)(X)
            X = network(X)
            X = next(parts)(X)
        return next(parts)(X)
""",
}

MISTAKES = {
    "7.1": """
- leaves out the last token: `range(vocab_size)` -> `range(vocab_size - 1)`
- tries one other token: `range(vocab_size)` -> `[(int(X[0, j]) + 1) % vocab_size]`
- compares the sum of the scores: `.abs().max(dim=1).values` -> `.sum(dim=1).abs()`
- compares the position before only: `for i in range(j) if` -> `for i in [j - 1] if`
- changes the tokens: `changed = torch.cat((X[:, :j], torch.tensor([[token]]), X[:, j + 1 :]), 1)` -> `changed = X
                changed[0, j] = token`
- lists later positions, too: `for i in range(j) if` -> `for i in range(X.shape[1]) if`
- any difference is a leak: `> 1e-5` -> `> 0`
""",
    "7.2": """
- divided among the other tokens:
  `label_smoothing=epsilon` -> `label_smoothing=epsilon * scores.shape[1] / (scores.shape[1] - 1)`
- the mean over padding, too: `int((target >= 0).sum())` -> `len(target)`
- no smoothing: `, label_smoothing=epsilon` -> ``
- zero times infinity:
```
def smoothed_loss(scores, labels, allowed, pad, epsilon):
    log_p = scores.masked_fill(~allowed, -math.inf).log_softmax(-1)
    q = epsilon * allowed / allowed.sum()
    q = q + (1 - epsilon) * nn.functional.one_hot(labels, len(allowed))
    real = labels != pad
    return -(q * log_p).sum(-1)[real].mean()
```
- PyTorch's smoothing over all tokens:
```
def smoothed_loss(scores, labels, allowed, pad, epsilon):
    return nn.functional.cross_entropy(
        scores.flatten(0, 1), labels.flatten(), ignore_index=pad, label_smoothing=epsilon)
```
""",
    "7.3": """
- the causal mask saves half: `attention(n, n) +` -> `attention(n, n) - n * (n - 1) * d +`
- as many source as target tokens: `attention(n, m)` -> `attention(n, n)`
- no matrix for the outputs: ` * keys * d + own` -> ` * keys * d`
- backward costs what forward costs: `2 * forward` -> `forward`
- no output layer: `total = n * d * v` -> `total = 0`
- always 48 pairs: `range(batch_size)` -> `range(48)`
""",
    "7.4": """
- as many hidden units as the model is wide: ` // module.num_heads` -> ``
- lazy layers: `layer(*torch.zeros(3, 1, 2, 3, p))` -> `pass`
- no dropout: `dropout = module.attention.dropout.p` -> `dropout = 0`
- as many queries as keys: `n * p * p + m * p * p` -> `2 * m * p * p`
- one head only: `for _ in range(h)` -> `for _ in range(1)`
""",
    "7.5": """
- a trap for one beam only: `v = 4 +` -> `beam_size = 1; v = 4 +`
- a trap that is too shallow: `4 + beam_size :] = 0.1` -> `4 + beam_size : 6 + beam_size] = 0.5`
- rows that do not sum to 1: `1 - P[BOS].sum()` -> `0.95 - P[BOS].sum()`
""",
    "7.6": """
- sees one token ahead: `.triu(1)` -> `.triu(2)`
- no mask: `self.positions[:n], mask)` -> `self.positions[:n])`
- the state is the last piece: `(*state, X)` -> `(X,)`
- keeps the tokens in the module, not in the state: `return ()` -> `self.past = ()
        return ()`,
  `tokens = torch.cat([*state, X], dim=1)` -> `state = self.past
        self.past = (*state, X)
        tokens = torch.cat(self.past, dim=1)`
- no dropout: `ffn_num_hiddens, dropout, batch_first` -> `ffn_num_hiddens, 0, batch_first`
- goes on after eos: `token[finished] = pad` -> `pass`
- no positions: ` + self.positions[:n], mask` -> `, mask`
- takes the most probable token: `+ noise` -> ``
- the temperature is ignored: `scores[:, -1] / temperature` -> `scores[:, -1]`
- gives the whole prefix to a state that has it: `decoder(tokens[:, -1:], state)` -> `decoder(tokens, state)`
- keeps the first tokens: `tokens[:, 1:]` -> `tokens`
""",
    "7.7": """
- no causal mask: `, mask=causal` -> ``
- the cross-attention sees padding: `(X, H, H, valid_lens)` -> `(X, H, H)`
- the encoder sees padding: `(H, H, H, valid_lens)` -> `(H, H, H)`
- queries from the source: `(X, H, H, valid_lens)` -> `(H[:, : X.shape[1]], X, X)`
- no factor: ` * X.shape[-1] ** 0.5` -> ``
- no positions: `self.positions(X * X.shape[-1] ** 0.5)` -> `X * X.shape[-1] ** 0.5`
- no residual connection around a network: `return X + next(parts)(Y)` -> `return next(parts)(Y)`
- one block: `self.num_blks = num_blks` -> `self.num_blks = 1`
""",
}

WRONG = spoil(OTHER, MISTAKES)
