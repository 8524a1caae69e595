"""Answers to the exercises of chapter 12: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "12.1": """
def encode_dialogues(dialogues):
    stop, rows = tokenizer.token_to_id("<|end|>"), []
    for dialogue in dialogues:
        row = []
        for question, answer in dialogue:
            row += [(t, False) for t in tokenizer.encode(prompt(question)).ids]
            row += [(t, True) for t in tokenizer.encode(answer + "<|end|>").ids]
        rows.append(row)
    n = max(len(row) for row in rows)
    rows = [row + [(stop, False)] * (n - len(row)) for row in rows]
    tokens = torch.tensor([[t for t, _ in row] for row in rows])
    return tokens, torch.tensor([[counts for _, counts in row] for row in rows])
""",
    "12.2": """
def low_rank(change, rank):
    values, M = torch.linalg.eigh(change.T @ change)
    M = M[:, values.argsort(descending=True)[:rank]]
    return change @ M, M.T

def with_rank(base, tuned, rank):
    model = copy.deepcopy(base)
    state, target = model.state_dict(), tuned.state_dict()
    for name, W in state.items():
        if name.startswith("blks") and W.ndim == 2:
            D, U = low_rank(target[name] - W, rank)
            state[name] = W + D @ U
    model.load_state_dict(state)
    return model
""",
    "12.3": """
def pair_weights(margins, beta):
    return beta * torch.sigmoid(margins) - beta

def logit_gradients(logits, tokens, mask, weights):
    b, n, V = logits.shape
    probs = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)
    gradient = torch.zeros(b, n, V)
    for i in range(b):
        for t in range(n):
            if mask[i, t + 1]:
                gradient[i, t] = -probs[i, t] * weights[i] / b
                gradient[i, t, tokens[i, t + 1]] += weights[i] / b
    return gradient
""",
    "12.4": """
def group_advantages(rewards, scaled=True):
    rows = []
    for row in rewards:
        centred = row - row.mean()
        std = row.std()
        rows.append(centred / std if scaled and std > 0 else centred)
    return torch.stack(rows)

def clipped_loss(log_probs, old, mask, advantages, clip=0.2, by_length=True):
    ratio = torch.exp(log_probs - old)
    A = advantages.expand_as(ratio)
    gain = torch.where(A > 0, A * ratio.clamp(max=1 + clip), A * ratio.clamp(min=1 - clip))
    b, n = mask.shape
    total = 0
    for i in range(b):
        total = total + gain[i][mask[i]].sum() / (mask[i].sum() if by_length else n)
    return -total / b
""",
    "12.5": """
def keep_right(questions, answers, is_right):
    kept = []
    for question, texts in zip(questions, answers):
        seen = set()
        for text in texts:
            if text not in seen and is_right(question, text):
                kept.append((question, text[:-7] if text.endswith("<|end|>") else text))
            seen.add(text)
    return kept

def improve(model, questions, is_right, seed):
    pairs = keep_right(questions, draw(model, questions, 4, seed), is_right)
    tokens, mask = encode(pairs)
    student = new_model()
    student.load_state_dict(model.state_dict())
    return fit(student, tokens, mask, num_steps=80, lr=0.003)
""",
    "12.6": """
def standard_error(scores, groups):
    total, n = 0, len(scores)
    mean = scores.sum() / n
    for g in set(groups.tolist()):
        total = total + (scores[groups == g].sum() - mean * (groups == g).sum()) ** 2
    return (total / n**2) ** 0.5

def compare(first, second, groups):
    d = first - second
    return d.sum() / len(d), standard_error(d, groups)
""",
    "12.7": """
def pass_at_k(n, c, k):
    failed = 1.0
    for i in range(k):
        failed *= max(n - c - i, 0) / (n - i)
    return 1 - failed

def majority_right(probs, k):
    m, votes = len(probs), {(0,) * len(probs): 1.0}
    for _ in range(k):
        following = {}
        for counts, P in votes.items():
            for i in range(m):
                more = tuple(n + (i == j) for j, n in enumerate(counts))
                following[more] = following.get(more, 0) + P * probs[i]
        votes = following
    return sum(P / n.count(n[0]) for n, P in votes.items() if n[0] == max(n))
""",
}

MISTAKES = {
    "12.1": """
- the mask misses the end of an answer: `encode(answer + "<|end|>").ids]` -> `encode(answer).ids] + [(stop, False)]`
- all tokens count: `(t, False)` -> `(t, True)`
- the filling counts: `[(stop, False)]` -> `[(stop, True)]`
- only the last answer counts: `(t, True)` -> `(t, (question, answer) == dialogue[-1])`
- answers are found by the names of the template, also in a question:
```
def encode_dialogues(dialogues):
    texts = ["".join(prompt(x) + y + "<|end|>" for x, y in turns) for turns in dialogues]
    rows = [tokenizer.encode(text).ids for text in texts]
    n = max(map(len, rows))
    tokens = torch.full((len(rows), n), tokenizer.token_to_id("<|end|>"))
    mask = torch.zeros(len(rows), n, dtype=torch.bool)
    for i, row in enumerate(rows):
        inside = False
        for j, token in enumerate(row):
            tokens[i, j], mask[i, j] = token, inside
            name = tokenizer.id_to_token(token)
            inside = (inside or name == "<|assistant|>") and name != "<|end|>"
    return tokens, mask
```
""",
    "12.2": """
- the smallest singular values: `descending=True` -> `descending=False`
- the first columns of the change instead of the best part:
```
def low_rank(change, rank):
    return change[:, :rank], torch.eye(change.shape[1])[:rank]

def with_rank(base, tuned, rank):
    model = copy.deepcopy(base)
    with torch.no_grad():
        for W, new in zip(matrices(model), matrices(tuned)):
            D, U = low_rank(new - W, rank)
            W += D @ U
    return model
```
- base is changed: `copy.deepcopy(base)` -> `base`
- the embedding is changed, too: `name.startswith("blks") and W.ndim` -> `W.ndim`
- the tuned matrix is truncated, not its change: `low_rank(target[name] - W, rank)` -> `low_rank(target[name], rank)` `W + D @ U` -> `D @ U`
""",
    "12.3": """
- the probability of the right order: `beta * torch.sigmoid(margins) - beta` -> `-beta * torch.sigmoid(margins)`
- without beta: `beta * torch.sigmoid(margins) - beta` -> `torch.sigmoid(margins) - 1`
- the wrong sign: `beta * torch.sigmoid(margins) - beta` -> `beta - beta * torch.sigmoid(margins)`
- questions count: `if mask[i, t + 1]:` -> `if True:`
- off by one: `tokens[i, t + 1]` -> `tokens[i, t]`
- a sum over the pairs: `weights[i] / b` -> `weights[i]`
- without the probabilities: `-probs[i, t] * weights[i] / b` -> `0`
""",
    "12.4": """
- always divided by the standard deviation: `scaled and std > 0` -> `std > 0`
- a group of equal rewards is not a number: `scaled and std > 0` -> `scaled`
- the mean of the batch: `row - row.mean()` -> `row - rewards.mean()`
- the standard deviation of a population: `row.std()` -> `row.std(correction=0)`
- clipped on both sides: `ratio.clamp(max=1 + clip)` -> `ratio.clamp(1 - clip, 1 + clip)`
- never clipped below: `ratio.clamp(min=1 - clip)` -> `ratio`
- always by length: `(mask[i].sum() if by_length else n)` -> `mask[i].sum()`
- the sign: `-total / b` -> `total / b`
- no gradient: `torch.exp(log_probs - old)` -> `torch.exp(log_probs - old).detach()`
- a new tensor with the value of the loss: `return -total / b` -> `return torch.tensor(-(total / b).item())`
""",
    "12.5": """
- an answer is kept several times: `text not in seen and is_right` -> `is_right`
- all answers are kept: `text not in seen and is_right(question, text)` -> `text not in seen`
- one answer to a question: `seen.add(text)` -> `seen.update(texts)`
- the end is kept: `text[:-7] if text.endswith("<|end|>") else text` -> `text`
- the end is removed everywhere: `text[:-7] if text.endswith("<|end|>") else text` -> `text.replace("<|end|>", "")`
- the model itself is trained: `student = new_model()` -> `student = model`
- nothing is trained: `fit(student, tokens, mask, num_steps=80, lr=0.003)` -> `student`
- training from random weights: `student.load_state_dict(model.state_dict())` -> `pass`
""",
    "12.6": """
- groups do not matter: `(scores[groups == g].sum() - mean * (groups == g).sum()) ** 2` -> `((scores[groups == g] - mean) ** 2).sum()`
- the mean of a group instead of its sum: `scores[groups == g].sum() - mean * (groups == g).sum()` -> `scores[groups == g].mean() - mean`
- divided by the number of groups: `total / n**2` -> `total / len(set(groups.tolist())) ** 2`
- one less than n: `total / n**2` -> `total / (n * (n - 1))`
- the variance: `(total / n**2) ** 0.5` -> `total / n**2`
- a group is a run of equal integers: `set(groups.tolist())` -> `range(1 + groups.diff().ne(0).sum())` `groups == g` -> `groups.diff(prepend=groups[:1]).ne(0).cumsum(0) == g`
- second minus first: `first - second` -> `second - first`
- the separate errors: `standard_error(d, groups)` -> `(standard_error(first, groups) ** 2 + standard_error(second, groups) ** 2) ** 0.5`
""",
    "12.7": """
- the share of right answers to the power of k: `failed *= max(n - c - i, 0) / (n - i)` -> `failed *= (n - c) / n`
- the chance of a wrong one: `return 1 - failed` -> `return failed`
- a tie is won: `P / n.count(n[0])` -> `P`
- a tie is lost: `if n[0] == max(n)` -> `if n[0] > max(n[1:], default=0)`
- more than half of the votes are needed: `if n[0] == max(n)` -> `if 2 * n[0] > k`
- the most probable number is taken for the right one: `m, votes =` -> `probs = sorted(probs)[::-1]; m, votes =`
""",
}

WRONG = spoil(OTHER, MISTAKES)
