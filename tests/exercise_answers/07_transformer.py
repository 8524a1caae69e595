"""Answers to the exercises of chapter 7: others that are right, and some that are wrong."""

from functools import partial

from exercise_answers import swap

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
        self.places = nn.Parameter(0.1 * torch.randn(100, num_hiddens))
        block = nn.TransformerEncoderLayer(
            num_hiddens, num_heads, ffn_num_hiddens, dropout, batch_first=True)
        self.tower = nn.TransformerEncoder(block, num_blks, enable_nested_tensor=False)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def init_state(self, enc_all_outputs, *args):
        return ()

    def forward(self, X, state):
        tokens = torch.cat([*state, X], dim=1)
        n = tokens.shape[1]
        mask = torch.full((n, n), -math.inf).triu(1)
        Y = self.tower(self.embedding(tokens) + self.places[:n], mask)
        return self.dense(Y)[:, n - X.shape[1] :], (*state, X)


def sample(decoder, state, first, num_steps, *, eos, pad, temperature=1.0):
    if not temperature > 0:
        raise ValueError("temperature > 0, please")
    written, ended = first, torch.zeros(len(first), dtype=torch.bool)
    with torch.no_grad():
        while written.shape[1] <= num_steps and not ended.all():
            scores, state = decoder(written[:, -1:], state)
            noise = -torch.log(-torch.log(torch.rand(len(first), scores.shape[-1])))
            word = (scores[:, -1] / temperature + noise).argmax(dim=1)
            word[ended] = pad
            ended = ended | (word == eos)
            written = torch.cat([written, word[:, None]], dim=1)
    return written[:, 1:]
""",
    "7.4": """
def window_attention(Q, K, V, w):
    rows, n = [], Q.shape[1]
    for start in range(0, n, 32):
        low, high = max(0, start - w), start + 32 + w
        queries, keys, values = Q[:, start : start + 32], K[:, low:high], V[:, low:high]
        i = torch.arange(start, start + queries.shape[1])[:, None]
        j = torch.arange(low, low + keys.shape[1])
        scores = queries @ keys.mT / math.sqrt(Q.shape[-1])
        scores = scores.masked_fill((i - j).abs() > w, -math.inf)
        rows.append(scores.softmax(dim=-1) @ values)
    return torch.cat(rows, dim=1)


def kernel_attention(Q, K, V, W):
    def exponents(X):
        X = X * X.shape[-1] ** -0.25
        return torch.einsum("bnd,rd->bnr", X, W) - (X * X).sum(-1)[..., None] / 2

    q, k = exponents(Q), exponents(K)
    q = torch.softmax(q, dim=-1)
    k = torch.softmax(k.flatten(1), dim=-1).view_as(k)
    V = torch.cat([V, torch.ones_like(V[..., :1])], dim=-1)
    pooled = torch.einsum("bnr,brv->bnv", q, torch.einsum("bmr,bmv->brv", k, V))
    return pooled[..., :-1] / pooled[..., -1:]


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
    place = torch.full((len(allowed),), -1)
    place[allowed] = torch.arange(int(allowed.sum()))
    place[pad] = -100
    target = place[labels.flatten()]
    if (target == -1).any():
        raise ValueError("labels hold words that are not allowed")
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
    words = [EOS]
    for last in reversed(before[: length - 1]):
        words.insert(0, last[words[0]])
    return words, probability


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

_swap = partial(swap, OTHER)  # wrong ones are right ones, spoilt


def _lm(*pairs):
    """The language model of one tower with these lines put in."""
    source = """
class LanguageModel(d2l.Decoder):
    def __init__(self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks,
                 dropout):
        super().__init__()
        sizes = num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout
        self.tower = d2l.TransformerEncoder(vocab_size, *sizes)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def init_state(self, enc_all_outputs, *args):
        return None

    def forward(self, X, state):
        written = X if state is None else torch.cat((state, X), dim=1)
        lengths = torch.arange(1, written.shape[1] + 1).expand(len(X), -1)
        Y = self.tower(written, lengths)
        return self.dense(Y[:, -X.shape[1] :]), written
"""
    sampling = OTHER["7.3"][OTHER["7.3"].index("def sample") :]
    return swap({"7.3": source + sampling}, "7.3", *pairs)


_MASK_ALONE = """
def window_attention(Q, K, V, w):
    i = torch.arange(Q.shape[1])
    near = (i[:, None] - i).abs() <= w
    return d2l.DotProductAttention(0)(Q, K, V, mask=near)
"""


def _window(source):
    """The functions of 7.4, with another window_attention."""
    return source + OTHER["7.4"][OTHER["7.4"].index("def kernel_attention") :]


WRONG = {
    "7.1": [
        ("forgets the output layer", _swap("7.1", ("total = n * d * v", "total = 0"))),
        (
            "the causal mask saves half",
            _swap("7.1", ("attention(n, n) +", "attention(n, n) - n * (n - 1) * d +")),
        ),
        (
            "keys of the source are as many as target words",
            _swap("7.1", ("attention(n, m)", "attention(n, n)")),
        ),
        ("backward as forward", _swap("7.1", ("2 * forward", "forward"))),
    ],
    "7.2": [
        ("only at the top", _swap("7.2", ("        make_additive(child)", "        pass"))),
        ("as wide as the model", _swap("7.2", (" // module.num_heads", ""))),
        ("no dropout", _swap("7.2", ("module.attention.dropout.p", "0.0"))),
        ("one tangent a pair", _swap("7.2", ("sum(n * m * p for", "sum(n * m for"))),
    ],
    "7.3": [
        (
            "sees one word ahead",
            _lm(("arange(1, written.shape[1] + 1)", "arange(2, written.shape[1] + 2)")),
        ),
        (
            "a mask in training only",
            _lm(
                (
                    "self.tower(written, lengths)",
                    "self.tower(written, lengths if self.training else None)",
                )
            ),
        ),
        (
            "forgets what is written",
            _lm(("X if state is None else torch.cat((state, X), dim=1)", "X")),
        ),
        ("writes on after the end", _swap("7.3", ("            word[ended] = pad\n", ""))),
    ],
    "7.4": [
        ("a mask, with all scores computed", _window(_MASK_ALONE)),
        ("scales twice", _swap("7.4", ("** -0.25", "** -0.5"))),
        (
            "the kernel with all weights",
            _swap(
                "7.4",
                (
                    'torch.einsum("bnr,brv->bnv", q, torch.einsum("bmr,bmv->brv", k, V))',
                    "(q @ k.mT) @ V",
                ),
            ),
        ),
        (
            "fused is linear",
            _swap("7.4", ('"fused"] = (2, 1, True)', '"fused"] = (1, 1, True)')),
        ),
    ],
    "7.5": [
        ("evaluation only", _swap("7.5", ("(False, True)", "(False,)"))),
        (
            "accuses dropout",
            _swap(
                "7.5",
                ("                torch.manual_seed(1)\n", ""),
                ("torch.random.fork_rng(devices=[]), ", ""),
            ),
        ),
        (
            "neighbours only",
            _swap("7.5", ("for i in range(j)", "for i in range(j - 1, j)")),
        ),
        (
            "leaves the mode changed",
            _swap("7.5", ('__import__("copy").deepcopy(model).train', "model.train")),
        ),
    ],
    "7.6": [
        (
            "PyTorch's, with padding in the mixture",
            """
def smoothed_loss(scores, labels, allowed, *, pad, epsilon):
    return nn.functional.cross_entropy(
        scores.flatten(0, -2), labels.flatten(), ignore_index=pad, label_smoothing=epsilon)
""",
        ),
        (
            "zero times infinity",
            """
def smoothed_loss(scores, labels, allowed, *, pad, epsilon):
    log_p = scores.masked_fill(~allowed, -math.inf).log_softmax(-1)
    q = epsilon * allowed / allowed.sum()
    q = q + (1 - epsilon) * nn.functional.one_hot(labels, len(allowed))
    real = labels != pad
    return -(q * log_p).sum(-1)[real].sum() / real.sum().clamp(min=1)
""",
        ),
        (
            "the mean over padding, too",
            _swap("7.6", ("int((target >= 0).sum())", "len(target)")),
        ),
        (
            "nothing but padding is not a number",
            _swap("7.6", ("max(1, int((target >= 0).sum()))", "(target >= 0).sum()")),
        ),
    ],
    "7.7": [
        (
            "greedy",
            _swap(
                "7.7",
                (
                    "def most_probable(P, num_steps):\n",
                    "def most_probable(P, num_steps):\n    return search(P, 1, num_steps)\n",
                ),
            ),
        ),
        (
            "a wide beam",
            _swap(
                "7.7",
                (
                    "def most_probable(P, num_steps):\n",
                    "def most_probable(P, num_steps):\n    return search(P, 3, num_steps)\n",
                ),
            ),
        ),
        ("goes on after the end", _swap("7.7", ("        level[EOS] = 0\n", ""))),
        (
            "a trap for one beam only",
            _swap(
                "7.7",
                ("def trap(beam_size):\n", "def trap(beam_size):\n    beam_size = 1\n"),
            ),
        ),
    ],
}
