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


_BOTH_TOWERS = """
class LanguageModel(d2l.TransformerDecoder):
    def __init__(self, vocab_size, num_hiddens, ffn_num_hiddens, num_heads, num_blks,
                 dropout):
        sizes = num_hiddens, ffn_num_hiddens, num_heads, num_blks, dropout
        super().__init__(vocab_size, *sizes)

    def init_state(self, enc_all_outputs, *args):
        return super().init_state(torch.zeros(1, 1, self.num_hiddens))

    def forward(self, X, state):
        source, lengths, caches = state
        source = source[:1].expand(len(X), -1, -1)
        return super().forward(X, (source, torch.zeros(len(X)).long(), caches))
"""

_MASK_ALONE = """
def window_attention(Q, K, V, w):
    i = torch.arange(Q.shape[1])
    near = (i[:, None] - i).abs() <= w
    return d2l.DotProductAttention(0)(Q, K, V, mask=near)
"""

_BLOCKS_ALONE = """
def window_attention(Q, K, V, w):
    parts = [X.split(max(w, 1), dim=1) for X in (Q, K, V)]
    return torch.cat([attention_in_steps(*blocks) for blocks in zip(*parts)], dim=1)
"""


def _window(source):
    """The functions of 7.4, with another window_attention."""
    return source + OTHER["7.4"][OTHER["7.4"].index("def kernel_attention") :]


WRONG = {
    "7.1": [
        ("forgets the output layer", _swap("7.1", ("total = n * d * v", "total = 0"))),
        (
            "the output layer once a block",
            _swap(
                "7.1",
                ("range(num_blks):\n", "range(num_blks):\n        total += n * d * v\n"),
            ),
        ),
        (
            "forgets the matrix of the output",
            _swap("7.1", (" * keys * d + own", " * keys * d")),
        ),
        ("no scores", _swap("7.1", ("queries * keys * d + queries * keys * d", "0"))),
        (
            "scores, but no weighted sums",
            _swap("7.1", ("queries * keys * d + queries * keys * d", "queries * keys * d")),
        ),
        (
            "the causal mask saves half",
            _swap("7.1", ("attention(n, n) +", "attention(n, n) - n * (n - 1) * d +")),
        ),
        ("no attention to the source", _swap("7.1", ("attention(n, m) + ", ""))),
        (
            "keys of the source are as many as target words",
            _swap("7.1", ("attention(n, m)", "attention(n, n)")),
        ),
        ("one layer in the network", _swap("7.1", (" + tokens * f * d", ""))),
        ("additions, too", _swap("7.1", ("return total", "return 2 * total"))),
        ("backward as forward", _swap("7.1", ("2 * forward", "forward"))),
        ("no backward", _swap("7.1", ("2 * forward", "0"))),
        ("one pair, not a batch", _swap("7.1", ("range(batch_size)", "range(1)"))),
    ],
    "7.2": [
        ("only at the top", _swap("7.2", ("        make_additive(child)", "        pass"))),
        ("as wide as the model", _swap("7.2", (" // module.num_heads", ""))),
        ("no dropout", _swap("7.2", ("module.attention.dropout.p", "0.0"))),
        (
            "lazy layers",
            _swap(
                "7.2", ("        layer(*torch.zeros(3, 1, 2, 3, p, device=device))\n", "")
            ),
        ),
        ("returns nothing", _swap("7.2", ("    return module\n", ""))),
        (
            "always in training mode",
            _swap("7.2", ("        layer.train(module.attention.training)\n", "")),
        ),
        (
            "works on a copy",
            _swap(
                "7.2",
                (
                    "def make_additive(module):",
                    "def make_additive(module, copy=__import__('copy')):\n    module = copy.deepcopy(module)",
                ),
            ),
        ),
        (
            "initialises everything anew",
            _swap(
                "7.2",
                ("    return module\n", "    return module.apply(d2l.init_transformer)\n"),
            ),
        ),
        ("costs of one head", _swap("7.2", ("sum(head for _ in range(h))", "head"))),
        (
            "tangents of one head",
            _swap("7.2", ("sum(n * m * p for _ in range(h))", "n * m * p")),
        ),
        ("one tangent a pair", _swap("7.2", ("sum(n * m * p for", "sum(n * m for"))),
        ("forgets the hidden units", _swap("7.2", ("n * p * p + m * p * p + ", ""))),
        (
            "hidden units for each pair",
            _swap("7.2", ("n * p * p + m * p * p", "2 * n * m * p * p")),
        ),
        ("forgets the weighted sums", _swap("7.2", ("n * m * p + n * m * p", "n * m * p"))),
        (
            "projections as wide as the model",
            _swap("7.2", ("n * p * p + m * p * p", "n * p * h * p + m * p * h * p")),
        ),
    ],
    "7.3": [
        ("sees everything", _lm(("self.tower(written, lengths)", "self.tower(written)"))),
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
        ("gives the scores of all that is written", _lm(("Y[:, -X.shape[1] :]", "Y"))),
        ("the state is the last piece", _lm(("]), written", "]), X"))),
        (
            "no positions",
            _lm(
                (
                    "self.dense = ",
                    "self.tower.pos_encoding = nn.Identity()\n        self.dense = ",
                )
            ),
        ),
        (
            "no blocks",
            _lm(
                (
                    "self.dense = ",
                    "self.tower.blks = nn.Sequential()\n        self.dense = ",
                )
            ),
        ),
        (
            "one block only",
            _lm(("self.dense = ", "self.idle = nn.Linear(9, 9)\n        self.dense = ")),
        ),
        (
            "both towers, with idle weights",
            _BOTH_TOWERS + OTHER["7.3"][OTHER["7.3"].index("def sample") :],
        ),
        ("takes the best word", _swap("7.3", (" + noise).argmax", ").argmax"))),
        (
            "multiplies by the temperature",
            _swap("7.3", ("scores[:, -1] / temp", "scores[:, -1] * temp")),
        ),
        ("no temperature", _swap("7.3", ("scores[:, -1] / temperature", "scores[:, -1]"))),
        ("writes on after the end", _swap("7.3", ("            word[ended] = pad\n", ""))),
        ("does not stop", _swap("7.3", (" and not ended.all()", ""))),
        ("returns the first token, too", _swap("7.3", ("written[:, 1:]\n", "written\n"))),
        ("one word too many", _swap("7.3", ("<= num_steps and", "<= num_steps + 1 and"))),
        ("any temperature", _swap("7.3", ("if not temperature > 0", "if False"))),
        (
            "one sentence's end ends all",
            _swap("7.3", ("not ended.all()", "not ended.any()")),
        ),
    ],
    "7.4": [
        ("a mask, with all scores computed", _window(_MASK_ALONE)),
        ("blocks that do not see their neighbours", _window(_BLOCKS_ALONE)),
        (
            "one place less",
            _swap("7.4", ("(i - j).abs() > w", "(i - j).abs() > max(w - 1, 0)")),
        ),
        ("no future", _swap("7.4", ("(i - j).abs() > w", "(i - j > w) | (j > i)"))),
        (
            "one place less to the right",
            _swap("7.4", ("(i - j).abs() > w", "(i - j > w) | (j >= i + max(w, 1))")),
        ),
        (
            "w is the whole width",
            _swap("7.4", ("(i - j).abs() > w", "(i - j).abs() > w // 2")),
        ),
        ("no scaling of the window", _swap("7.4", (" / math.sqrt(Q.shape[-1])", ""))),
        (
            "no scaling of the kernel",
            _swap("7.4", ("X = X * X.shape[-1] ** -0.25", "pass")),
        ),
        ("scales twice", _swap("7.4", ("** -0.25", "** -0.5"))),
        ("forgets the norms", _swap("7.4", (" - (X * X).sum(-1)[..., None] / 2", ""))),
        ("norms without the half", _swap("7.4", ("[..., None] / 2", "[..., None]"))),
        ("not normalised", _swap("7.4", (" / pooled[..., -1:]", ""))),
        (
            "exponentials without precaution",
            _swap(
                "7.4",
                ("torch.softmax(q, dim=-1)", "q.exp()"),
                ("torch.softmax(k.flatten(1), dim=-1).view_as(k)", "k.exp()"),
            ),
        ),
        (
            "a factor of its own for each key, which does not cancel",
            _swap(
                "7.4",
                (
                    "torch.softmax(k.flatten(1), dim=-1).view_as(k)",
                    "torch.softmax(k, dim=-1)",
                ),
            ),
        ),
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
            "exponential of the scores themselves",
            _swap(
                "7.4",
                ("q, k = exponents(Q), exponents(K)", "return attention_in_steps(Q, K, V)"),
            ),
        ),
        ("counts tokens, not steps", _swap("7.4", ("reach < n - 1", "reach < n"))),
        ("both sides at once", _swap("7.4", ("reach + w,", "reach + 2 * w,"))),
        (
            "fused is linear",
            _swap("7.4", ('"fused"] = (2, 1, True)', '"fused"] = (1, 1, True)')),
        ),
        (
            "fused saves no memory",
            _swap("7.4", ('"fused"] = (2, 1, True)', '"fused"] = (2, 2, True)')),
        ),
        (
            "fused is approximate",
            _swap("7.4", ('"fused"] = (2, 1, True)', '"fused"] = (2, 1, False)')),
        ),
        (
            "a window is exact",
            _swap("7.4", ('{"window": linear', '{"window": (1, 1, True)')),
        ),
        ("a kernel is exact", _swap("7.4", ('"kernel": linear', '"kernel": (1, 1, True)'))),
        (
            "a window is quadratic",
            _swap("7.4", ('{"window": linear', '{"window": (2, 1, False)')),
        ),
    ],
    "7.5": [
        ("evaluation only", _swap("7.5", ("(False, True)", "(False,)"))),
        ("training only", _swap("7.5", ("(False, True)", "(True,)"))),
        (
            "accuses dropout",
            _swap(
                "7.5",
                ("                torch.manual_seed(1)\n", ""),
                ("torch.random.fork_rng(devices=[]), ", ""),
            ),
        ),
        (
            "one other token",
            _swap("7.5", ("range(vocab_size)", "[(int(X[0, j]) + 1) % vocab_size]")),
        ),
        ("the last token only", _swap("7.5", ("range(1, X.shape[1])", "[X.shape[1] - 1]"))),
        (
            "neighbours only",
            _swap("7.5", ("for i in range(j)", "for i in range(j - 1, j)")),
        ),
        (
            "counts the token itself",
            _swap("7.5", ("for i in range(j)", "for i in range(j + 1)")),
        ),
        ("the pairs the other way round", _swap("7.5", ("[(i, j) for", "[(j, i) for"))),
        (
            "any movement, past ones too",
            _swap("7.5", ("for i in range(j)", "for i in range(X.shape[1])")),
        ),
        (
            "leaves the mode changed",
            _swap("7.5", ('__import__("copy").deepcopy(model).train', "model.train")),
        ),
        (
            "changes the tokens",
            _swap("7.5", ("moved = (", "X[:, j] = token\n                moved = (")),
        ),
        ("pairs twice", _swap("7.5", ("sorted(set(found))", "sorted(found)"))),
        (
            "not sorted",
            _swap("7.5", ("sorted(set(found))", "sorted(set(found), reverse=True)")),
        ),
        (
            "looks at gradients",
            """
def find_leaks(model, X, vocab_size):
    embedding = next(m for m in model.modules() if isinstance(m, nn.Embedding))
    E, found, mode = embedding(X).detach().requires_grad_(), set(), model.training
    for training in (True, False):
        model.train(training)
        with mock.patch.object(embedding, "forward", lambda X: E):
            scores = model(X)[0]
        for i, row in enumerate(scores):
            (g,) = torch.autograd.grad(row.square().sum(), E, retain_graph=True)
            found |= {(i, j) for j in range(i + 1, X.shape[1]) if g[0, j].abs().sum() > 0}
    model.train(mode)
    return sorted(found)
""",
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
            "impossible words cost infinitely much",
            """
def smoothed_loss(scores, labels, allowed, *, pad, epsilon):
    scores = scores.masked_fill(~allowed, -math.inf)
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
            "the logarithm of a softmax",
            _swap(
                "7.6",
                (
                    "    total = nn",
                    "    p = scores.softmax(dim=-1).log()[target >= 0]\n    total = nn",
                ),
                (
                    "total / max(",
                    "-(epsilon * p.mean(-1) + (1 - epsilon) * p.gather(-1, target[target >= 0]"
                    "[:, None])[:, 0]).sum() / max(",
                ),
            ),
        ),
        ("no smoothing", _swap("7.6", ("label_smoothing=epsilon", "label_smoothing=0.0"))),
        (
            "shared by the other words only",
            _swap(
                "7.6",
                (
                    "label_smoothing=epsilon",
                    "label_smoothing=epsilon * scores.shape[1] / (scores.shape[1] - 1)",
                ),
            ),
        ),
        (
            "epsilon on the right word",
            _swap("7.6", ("label_smoothing=epsilon", "label_smoothing=1 - epsilon")),
        ),
        ("the sum", _swap("7.6", ("total / max(1, int((target >= 0).sum()))", "total"))),
        (
            "the mean over padding, too",
            _swap("7.6", ("int((target >= 0).sum())", "len(target)")),
        ),
        (
            "nothing but padding is not a number",
            _swap("7.6", ("max(1, int((target >= 0).sum()))", "(target >= 0).sum()")),
        ),
        (
            "any epsilon",
            _swap("7.6", ("if not (epsilon >= 0 and epsilon < 1)", "if False")),
        ),
        ("epsilon may be one", _swap("7.6", ("epsilon < 1", "epsilon <= 1"))),
        (
            "any label",
            _swap(
                "7.6",
                (
                    "place = torch.full((len(allowed),), -1)",
                    "place = torch.full((len(allowed),), -100)",
                ),
            ),
        ),
        (
            "padding counts",
            _swap("7.6", ("    place[pad] = -100\n", "    place[pad] = 0\n")),
        ),
        (
            "all words but padding are allowed",
            _swap(
                "7.6",
                (
                    "    if not (",
                    "    allowed = torch.arange(len(allowed)) != pad\n    if not (",
                ),
            ),
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
        ("the longest sentence", _swap("7.7", ("max(ends)", "ends[-1]"))),
        ("the shortest sentence", _swap("7.7", ("max(ends)", "ends[0]"))),
        ("one word too many", _swap("7.7", ("num_steps + 1", "num_steps + 2"))),
        ("one word too few", _swap("7.7", ("num_steps + 1", "num_steps"))),
        (
            "with the beginning",
            _swap("7.7", ("    return words, prob", "    return [BOS, *words], prob")),
        ),
        (
            "without the end",
            _swap("7.7", ("    return words, prob", "    return words[:-1], prob")),
        ),
        (
            "a logarithm",
            _swap(
                "7.7",
                (
                    "return words, probability",
                    "return words, math.log(max(probability, 1e-9))",
                ),
            ),
        ),
        (
            "a trap for one beam only",
            _swap(
                "7.7",
                ("def trap(beam_size):\n", "def trap(beam_size):\n    beam_size = 1\n"),
            ),
        ),
        (
            "a trap for more beams",
            _swap(
                "7.7",
                ("def trap(beam_size):\n", "def trap(beam_size):\n    beam_size += 1\n"),
            ),
        ),
        (
            "decoys that lead somewhere",
            _swap(
                "7.7",
                (
                    "P[4 : 4 + beam_size, 4 + beam_size :] = 0.1",
                    "P[4 : 4 + beam_size, EOS] = 1",
                ),
            ),
        ),
        (
            "only a little worse",
            _swap(
                "7.7",
                (
                    "P[4 : 4 + beam_size, 4 + beam_size :] = 0.1",
                    "P[4 : 4 + beam_size, 4 + beam_size] = 0.7\n    P[4 : 4 + beam_size, 5 + beam_size] = 0.3",
                ),
            ),
        ),
        (
            "the right word looks best",
            _swap("7.7", ("1.02 / (beam_size + 1)", "0.9 / (beam_size + 1)")),
        ),
        ("rows that do not sum to one", _swap("7.7", ("= 0.1", "= 0.05"))),
    ],
}
