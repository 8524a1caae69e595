"""Answers to the exercises of chapter 1: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "1.1": """
def softmax_weights(distances, temperature):
    if temperature <= 0:
        raise ValueError("temperature > 0, please")
    nearest = distances.amin(-1, keepdim=True)
    e = torch.exp((nearest - distances) / temperature)
    return e / e.sum(-1, keepdim=True)


def radius_weights(distances, radius):
    if radius < 0:
        raise ValueError("radius >= 0, please")
    near = (distances <= radius).float()
    weights = near / near.sum(-1, keepdim=True)
    return weights.nan_to_num(nan=0.0)


def nearest_weights(distances, k):
    if k < 1 or k > distances.shape[-1]:
        raise ValueError("k between 1 and m, please")
    rank = distances.argsort(dim=-1, stable=True).argsort(dim=-1)
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
        raise ValueError("answers must be among the sentences")
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
    scores = torch.einsum("cr,br->bc", W2, hidden)
    g = 1 / (1 + torch.exp(-scores))
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
        w = (gap >= -1e-6).float()
    w = w / w.sum()
    return w, (w[:, None] * values).sum(0)
""",
    "1.6": """
def temperature_for(scores, weight):
    gaps = sorted(float(scores.max()) - s for s in scores.tolist())
    if len(gaps) < 2 or gaps[1] == 0:
        raise ValueError("scores need one highest of two or more")
    if weight <= 1 / len(gaps) or weight >= 1:
        raise ValueError("weight cannot be reached")
    beta, width = 0.0, 1 / gaps[-1]
    reached = lambda b: 1 / sum(math.exp(-b * gap) for gap in gaps)
    while reached(width) < weight:
        width *= 2
    for _ in range(100):
        width /= 2
        if reached(beta + width) < weight:
            beta += width
    return 1 / beta
""",
}

MISTAKES = {
    "1.1": """
- multiplies by T: `) / temperature` -> `) * temperature`
- underflows far away: `nearest - distances` -> `-distances`
- nan where no key is within the radius: `.nan_to_num(nan=0.0)` -> ``
- one sum over all rows: `near.sum(-1, keepdim=True)` -> `near.sum().clamp(min=1)`
- refuses a radius of zero: `if radius < 0` -> `if radius <= 0`
- refuses to take all keys: `k > distances.shape[-1]` -> `k >= distances.shape[-1]`
- the sort is not stable: `stable=True` -> `stable=False`
- writes into the distances: `nearest = distances.amin` -> `distances /= temperature; temperature = 1; nearest = distances.amin`
- all keys at the k-th distance count:
  `rank < k` -> `distances <= distances.sort(-1).values[..., k - 1 : k]`
""",
    "1.2": """
- each weight depends on its own score only:
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `return (p * (1 - p) * keys.T) @ keys / temperature`
- the second moment, not centred:
  `total = torch.zeros(d, d, dtype=keys.dtype)` -> `return (p * keys.T) @ keys / temperature`
- forgets the temperature: `total / temperature` -> `total`
- autograd, over centred keys:
  `m, d = keys.shape`
  -> `m, d = keys.shape; keys = keys - keys.mean(0)`
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `return torch.autograd.functional.jacobian(lambda q: attend(q, keys, temperature), query)`
- finite differences, of centred keys in double precision:
  `m, d = keys.shape`
  -> `m, d = keys.shape; keys = keys - keys.mean(0)`
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `return finite_differences(query.double(), keys.double(), temperature, 3e-6)`
- single precision throughout: `m, d = keys.shape` -> `m, d = keys.shape; query, keys = query.float(), keys.float()`
- centres the given keys in place: `m, d = keys.shape` -> `m, d = keys.shape; keys -= keys.mean(0)`
- overflows: `p = torch.softmax(keys @ query / temperature, dim=0)` -> `p = torch.exp(keys @ query / temperature); p = p / p.sum()`
- centres one of two factors:
  `total = torch.zeros(d, d, dtype=keys.dtype)`
  -> `return (p * keys.T) @ (keys - p @ keys) / temperature`
""",
    "1.3": """
- memorises the questions and the sentences by their index:
  `self.number = {}` -> `self.number = {text: i for i, text in enumerate([*sentences, *questions])}`
  `self.number.setdefault(word, len(self.number) + 1)` -> `pass`
  `[self.number.get(word, 0) for word in words_of(t)] or [0]` -> `[self.number.get(t, -1) + 1]`
- keys are not learned:
  `self.k(self.rows(self.sentences))` -> `self.k(self.rows(self.sentences)).detach()`
- queries are not learned:
  `self.q(self.rows(questions))` -> `self.q(self.rows(questions)).detach()`
- an unknown word counts, too: `padding_idx=0` -> `padding_idx=None`
- the case counts: `self.number.get(word, 0) for word in words_of(t)` -> `self.number.get(word, 0) for word in t.strip("?!.").split()`
- nan for a question without a known word:
  `self.q(self.rows(questions))`
  -> `self.q(self.rows(questions)) / (self.rows(questions) > 0).any(1, keepdim=True)`
- find memorises what it was trained on:
  `best = self(questions).max(dim=1).indices`
  -> `return [self.memory.get(q, self.sentences[0]) for q in questions]`
  `losses = []` -> `losses, engine.memory = [], dict(zip(questions, answers))`
- the i-th question belongs to the i-th sentence:
  `[engine.sentences.index(a) for a in answers]` -> `list(range(len(answers)))`
- ignores the number of steps: `range(steps)` -> `range(200)`
- does not train: `optimizer.step()` -> `losses.append(loss.item() / (1 + len(losses))); losses.pop()`
- hard weights, no gradient:
  `torch.softmax(scores, dim=1)` -> `torch.eye(scores.shape[1])[scores.argmax(1)]`
- normalised over the questions: `scores, dim=1` -> `scores, dim=0`
- fails for unknown words: `.get(word, 0)` -> `[word]`
- leaves unknown answers to list.index, whose error does not name the argument:
  `if not set(answers) <= set(engine.sentences)` -> `if False`
""",
    "1.4": """
- softmax over the channels: `1 / (1 + torch.exp(-scores))` -> `scores.softmax(dim=1)`
- forgets the relu: `.clamp(min=0)` -> ``
- writes into x: `torch.einsum("bc,bchw->bchw", g, x)` -> `x.mul_(g[:, :, None, None])`
- squeezes all images into one:
  `/ (h * w)` -> `/ (h * w); z = z.mean(0, keepdim=True).expand(b, c)`
- squeezes the last axis only:
  `torch.einsum("bchw->bc", x) / (h * w)` -> `x[:, :, 0].mean(-1)`
- no check of W1, whose width of 1 is stretched: `if W1.shape[1:] != (c,)` -> `if W1.shape[1] not in (1, c)`
- no check of W2: `raise ValueError("W2 must be (c, r)")` -> `pass`
""",
    "1.5": """
- the first of the highest wins: `(gap >= -1e-6).float()` -> `torch.eye(len(gap))[gap.argmax()]`
- equal keys have a weight of 1 each: `w = w / w.sum()` -> `w = w / (w.sum() if temperature else 1)`
- T = 0 is taken for T = 1e-6: `if temperature > 0:` -> `temperature = temperature or 1e-6
    if True:`
- T = 0 asks for exact ties: `gap >= -1e-6` -> `gap == 0`
- low temperatures are taken for the limit: `if temperature > 0:` -> `if temperature > 1e-4:`
- overflows: `gap = gap - gap.max()` -> ``
  `(gap >= -1e-6)` -> `(gap >= gap.max() - 1e-6)`
- returns one of the values: `(w[:, None] * values).sum(0)` -> `values[w.argmax()]`
- divides by a temperature of zero: `if temperature > 0:` -> `if temperature >= 0:`
- negative temperatures pass: `if temperature < 0:` -> `if False:`
""",
    "1.6": """
- returns the inverse: `return 1 / beta` -> `return beta`
- a fixed bracket:
  `width = 0.0, 1 / gaps[-1]` -> `width = 0.0, 100.0`
  `while reached(width) < weight:
        width *= 2` -> `pass`
- absolute temperatures from 1e-6 to 1e6: `return 1 / beta` -> `return min(max(1 / beta, 1e-6), 1e6)`
- stops as soon as the weight is right to 1e-4:
  `for _ in range(100):` -> `while abs(reached(beta) - weight) > 1e-4:`
- single precision:
  `reached = lambda b: 1 / sum(math.exp(-b * gap) for gap in gaps)`
  -> `reached = lambda b: torch.softmax(-b * torch.tensor(gaps), 0).max().item()`
- takes close scores for equal: `gaps[1] == 0` -> `gaps[1] < 1e-5 * gaps[-1]`
- returns a tensor: `return 1 / beta` -> `return torch.tensor(1 / beta, dtype=torch.float64)`
- remembers the visible tests: `return 1 / beta` -> `return 0.2082746 if len(gaps) == 6 else 1 / math.log(3)`
- accepts every weight between 0 and 1:
  `<= 1 / len(gaps)` -> `<= 0`
  `1 / beta` -> `1 / (beta or 1e-9)`
- ties pass: ` or gaps[1] == 0` -> ``
""",
}

WRONG = spoil(OTHER, MISTAKES)
