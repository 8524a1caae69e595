"""Answers to the exercises of chapter 1: others that are right, and some that are wrong."""

from functools import partial

from exercise_answers import swap

OTHER = {
    "1.1": """
def softmax_weights(distances, temperature):
    if temperature <= 0:
        raise ValueError("temperature > 0, please")
    e = torch.exp((distances.min(-1, keepdim=True).values - distances) / temperature)
    return e / e.sum(-1, keepdim=True)


def radius_weights(distances, radius):
    if radius < 0:
        raise ValueError("radius >= 0, please")
    near = (distances <= radius).float()
    return torch.nan_to_num(near / near.sum(-1, keepdim=True), nan=0.0)


def nearest_weights(distances, k):
    if k < 1 or k > distances.shape[-1]:
        raise ValueError("k between 1 and m, please")
    order = torch.sort(distances, dim=-1, stable=True).indices
    rank = torch.empty_like(order)
    rank.scatter_(-1, order, torch.arange(order.shape[-1]).expand_as(order).contiguous())
    return (rank < k) / k
""",
    "1.2": """
def attention_jacobian(query, keys, temperature=1.0):
    m, d = keys.shape
    if query.shape != (d,):
        raise ValueError("query has another width than the keys")
    if temperature <= 0:
        raise ValueError("temperature > 0, please")
    p = torch.softmax(keys @ query / temperature, dim=0)
    total = torch.zeros(d, d, dtype=keys.dtype)
    for i in range(m):
        for j in range(i):  # a variance is half the mean squared difference of two draws
            gap = keys[i] - keys[j]
            total += p[i] * p[j] * torch.outer(gap, gap)
    return total / temperature
""",
    "1.3": """
class SearchEngine(nn.Module):
    def __init__(self, sentences, questions, width=32):
        super().__init__()
        self.sentences = list(sentences)
        self.number = {}
        for text in [*sentences, *questions]:
            for word in words_of(text):
                self.number.setdefault(word, len(self.number) + 1)
        self.q = nn.EmbeddingBag(len(self.number) + 1, width, mode="mean", padding_idx=0)
        self.k = nn.EmbeddingBag(len(self.number) + 1, width, mode="mean", padding_idx=0)

    def rows(self, texts):
        rows = [[self.number.get(word, 0) for word in words_of(t)] or [0] for t in texts]
        longest = max(map(len, rows))
        return torch.tensor([row + [0] * (longest - len(row)) for row in rows])

    def forward(self, questions):
        scores = self.q(self.rows(questions)) @ self.k(self.rows(self.sentences)).T
        return torch.softmax(scores, dim=1)

    def find(self, questions):
        best = self(questions).max(dim=1).indices
        return [self.sentences[i] for i in best.tolist()]


def fit(engine, questions, answers, steps=200):
    if not set(answers) <= set(engine.sentences):
        raise ValueError("answers that are not in the store")
    target = [engine.sentences.index(a) for a in answers]
    onehot = torch.eye(len(engine.sentences))[target]
    optimizer = torch.optim.Adam(engine.parameters(), lr=0.05)
    losses = []
    for _ in range(steps):
        loss = -((engine(questions) + 1e-12).log() * onehot).sum(1).mean()
        engine.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
""",
    "1.4": """
def squeeze_excite(x, W1, W2):
    b, c, h, w = x.shape
    if W1.shape[1:] != (c,):
        raise ValueError("W1 must be (r, c)")
    if W2.shape != (c, W1.shape[0]):
        raise ValueError("W2 must be (c, r)")
    z = torch.einsum("bchw->bc", x) / (h * w)
    hidden = torch.einsum("rc,bc->br", W1, z).clamp(min=0)
    g = 1 / (1 + torch.exp(-torch.einsum("cr,br->bc", W2, hidden)))
    return g, torch.einsum("bc,bchw->bchw", g, x)
""",
    "1.5": """
def soft_lookup(query, keys, values, temperature):
    if temperature < 0:
        raise ValueError("temperature >= 0, please")
    gap = torch.mv(keys, query)
    gap = gap - gap.max()
    if temperature > 0:
        w = torch.exp(gap / temperature)
    else:
        w = torch.where(gap >= -1e-6, 1.0, 0.0)
    w = w / w.sum()
    return w, (w[:, None] * values).sum(0)
""",
    "1.6": """
def temperature_for(scores, share):
    gaps = sorted(float(scores.max()) - s for s in scores.tolist())
    if len(gaps) < 2 or gaps[1] == 0:
        raise ValueError("scores need one winner")
    if share <= 1 / len(gaps) or share >= 1:
        raise ValueError("share cannot be reached")
    beta, width = 0.0, 1 / gaps[-1]
    reached = lambda b: 1 / sum(math.exp(-b * gap) for gap in gaps)
    while reached(width) < share:
        width *= 2
    for _ in range(100):
        width /= 2
        if reached(beta + width) < share:
            beta += width
    return 1 / beta
""",
}

_swap = partial(swap, OTHER)  # wrong ones are right ones, spoilt

WRONG = {
    "1.1": [
        (
            "far keys get the weight",
            _swap(
                "1.1",
                (
                    "e = torch.exp((distances.min(-1, keepdim=True).values - distances)",
                    "e = torch.exp((distances - distances.max(-1, keepdim=True).values)",
                ),
            ),
        ),
        (
            "multiplies by the temperature",
            _swap("1.1", ("- distances) / temperature", "- distances) * temperature")),
        ),
        (
            "underflows far away",
            _swap(
                "1.1", ("distances.min(-1, keepdim=True).values - distances", "-distances")
            ),
        ),
        (
            "one sum over all rows",
            _swap("1.1", ("return e / e.sum(-1, keepdim=True)", "return e / e.sum()")),
        ),
        (
            "the radius itself is outside",
            _swap("1.1", ("distances <= radius", "distances < radius")),
        ),
        (
            "nan out of reach",
            _swap(
                "1.1",
                (
                    "torch.nan_to_num(near / near.sum(-1, keepdim=True), nan=0.0)",
                    "near / near.sum(-1, keepdim=True)",
                ),
            ),
        ),
        ("uniform out of reach", _swap("1.1", ("nan=0.0", "nan=0.5"))),
        (
            "the later key wins",
            _swap(
                "1.1",
                (
                    "torch.sort(distances, dim=-1, stable=True).indices",
                    "distances.shape[-1] - 1 - torch.sort(distances.flip(-1), dim=-1, stable=True).indices",
                ),
            ),
        ),
        (
            "all tied keys count",
            _swap(
                "1.1",
                (
                    "return (rank < k) / k",
                    "return (distances <= distances.sort(-1).values[..., k - 1:k]) / k",
                ),
            ),
        ),
        (
            "zero temperature let through",
            _swap("1.1", ("temperature <= 0", "temperature < 0")),
        ),
    ],
    "1.2": [
        (
            "forgets that q moves all scores",
            _swap(
                "1.2",
                (
                    "    total = torch.zeros(d, d, dtype=keys.dtype)",
                    "    return (p * (1 - p) * keys.T) @ keys / temperature",
                ),
            ),
        ),
        (
            "second moment, not centred",
            _swap(
                "1.2",
                (
                    "    total = torch.zeros(d, d, dtype=keys.dtype)",
                    "    return (p * keys.T) @ keys / temperature",
                ),
            ),
        ),
        (
            "forgets the temperature",
            _swap("1.2", ("return total / temperature", "return total")),
        ),
        (
            "unweighted covariance",
            _swap(
                "1.2",
                (
                    "    total = torch.zeros(d, d, dtype=keys.dtype)",
                    "    return torch.cov(keys.T, correction=0).reshape(d, d) / temperature",
                ),
            ),
        ),
        (
            "small difference of large numbers",
            _swap(
                "1.2",
                (
                    "    total = torch.zeros(d, d, dtype=keys.dtype)",
                    "    return ((p * keys.T) @ keys - torch.outer(p @ keys, p @ keys)) / temperature",
                ),
            ),
        ),
        (
            "variances only",
            _swap(
                "1.2",
                ("return total / temperature", "return total.diag().diag() / temperature"),
            ),
        ),
        (
            "every pair twice",
            _swap("1.2", ("return total / temperature", "return 2 * total / temperature")),
        ),
    ],
    "1.3": [
        (
            "hard weights, no gradient",
            _swap(
                "1.3",
                (
                    "return torch.softmax(scores, dim=1)",
                    "return (scores == scores.max(1, keepdim=True).values).float() + 0 * scores",
                ),
            ),
        ),
        (
            "normalised over the questions",
            _swap("1.3", ("torch.softmax(scores, dim=1)", "torch.softmax(scores, dim=0)")),
        ),
        (
            "gates instead of weights",
            _swap("1.3", ("torch.softmax(scores, dim=1)", "torch.sigmoid(scores)")),
        ),
        (
            "keys are frozen",
            _swap(
                "1.3",
                (
                    "self.k(self.rows(self.sentences)).T",
                    "self.k(self.rows(self.sentences)).T.detach()",
                ),
            ),
        ),
        ("never trained", _swap("1.3", ("        optimizer.step()\n", ""))),
        ("climbs the loss", _swap("1.3", ("loss = -((engine", "loss = ((engine"))),
        (
            "trips over unknown words",
            _swap("1.3", ("self.number.get(word, 0)", "self.number[word]")),
        ),
        (
            "sees capitals as other words",
            _swap(
                "1.3",
                (
                    "self.number.get(word, 0) for word in words_of(t)",
                    "self.number.get(word, 0) for word in re.findall('[A-Za-z]+', t)",
                ),
            ),
        ),
        (
            "answers in the order of the store",
            _swap("1.3", ("for i in best.tolist()]", "for i in range(len(questions))]")),
        ),
        (
            "accepts any answer",
            _swap(
                "1.3",
                ("if not set(answers) <= set(engine.sentences):", "if not answers:"),
                (
                    "engine.sentences.index(a) for a in answers",
                    "engine.sentences.index(a) for a in answers if a in engine.sentences",
                ),
                (
                    "onehot = ",
                    "questions = questions[:len(target)] or questions\n    onehot = ",
                ),
                ("[target]", "[target or [0]]"),
            ),
        ),
    ],
    "1.4": [
        (
            "softmax over the channels",
            _swap(
                "1.4",
                (
                    'g = 1 / (1 + torch.exp(-torch.einsum("cr,br->bc", W2, hidden)))',
                    "g = torch.softmax(hidden @ W2.T, 1)",
                ),
            ),
        ),
        (
            "gates made to sum to 1",
            _swap(
                "1.4",
                ("    return g,", "    g = g / g.sum(1, keepdim=True)\n    return g,"),
            ),
        ),
        ("no relu", _swap("1.4", (".clamp(min=0)", ""))),
        (
            "one mean for the whole batch",
            _swap(
                "1.4",
                ("    hidden", "    z = z.mean(0, keepdim=True).expand(b, c)\n    hidden"),
            ),
        ),
        ("sum instead of mean", _swap("1.4", (" / (h * w)", ""))),
        (
            "tanh lets negative factors in",
            _swap(
                "1.4",
                (
                    'g = 1 / (1 + torch.exp(-torch.einsum("cr,br->bc", W2, hidden)))',
                    "g = torch.tanh(hidden @ W2.T)",
                ),
            ),
        ),
        (
            "writes into x",
            _swap(
                "1.4",
                (
                    'return g, torch.einsum("bc,bchw->bchw", g, x)',
                    "return g, x.mul_(g[:, :, None, None])",
                ),
            ),
        ),
        (
            "sizes unchecked",
            _swap("1.4", ('raise ValueError("W2 must be (c, r)")', "pass")),
        ),
    ],
    "1.5": [
        (
            "the first of the best wins",
            _swap(
                "1.5",
                (
                    "torch.where(gap >= -1e-6, 1.0, 0.0)",
                    "torch.eye(len(gap))[gap.argmax()]",
                ),
            ),
        ),
        (
            "all the best count fully",
            _swap(
                "1.5",
                ("    w = w / w.sum()", "    w = w / (w.sum() if temperature else 1)"),
            ),
        ),
        (
            "multiplies by the temperature",
            _swap("1.5", ("gap / temperature", "gap * temperature")),
        ),
        (
            "divides by zero at zero",
            _swap("1.5", ("if temperature > 0:", "if temperature >= 0:")),
        ),
        (
            "a low temperature for zero, too high",
            _swap("1.5", ("torch.where(gap >= -1e-6, 1.0, 0.0)", "torch.exp(gap / 0.3)")),
        ),
        (
            "negative temperatures let through",
            _swap("1.5", ("if temperature < 0:", "if False:")),
        ),
    ],
    "1.6": [
        ("returns the inverse", _swap("1.6", ("return 1 / beta", "return beta"))),
        ("too few steps", _swap("1.6", ("range(100)", "range(6)"))),
        (
            "fixed bracket",
            _swap(
                "1.6",
                (
                    "    while reached(width) < share:\n        width *= 2\n",
                    "    width = 100.0\n",
                ),
            ),
        ),
        (
            "the share of all the others",
            _swap(
                "1.6",
                ("reached(beta + width) < share", "1 - reached(beta + width) < share"),
                ("while reached(width) < share", "while 1 - reached(width) < share - 1"),
            ),
        ),
        (
            "any share between 0 and 1",
            _swap(
                "1.6",
                ("share <= 1 / len(gaps)", "share <= 0"),
                ("    return 1 / beta", "    return 1 / (beta + 1e-300)"),
            ),
        ),
        (
            "ties let through",
            _swap(
                "1.6",
                ("if len(gaps) < 2 or gaps[1] == 0:", "if len(gaps) < 2:"),
                ("while reached(width) < share:", "for _ in range(9):"),
                ("    return 1 / beta", "    return 1 / (beta + 1e-300)"),
            ),
        ),
    ],
}
