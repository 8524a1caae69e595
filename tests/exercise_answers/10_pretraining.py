"""Answers to the exercises of chapter 10: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "10.1": """
def decoder_batch(examples, pad):
    rows, targets = [], []
    for prompt, answer in examples:
        text = prompt + answer
        rows.append(torch.tensor(text[:-1]))
        targets.append(torch.tensor([-100] * (len(prompt) - 1) + answer))
    fill = nn.utils.rnn.pad_sequence
    inputs = fill(rows, batch_first=True, padding_value=pad)
    return inputs, fill(targets, batch_first=True, padding_value=-100)


def balanced_loss(logits, labels, tasks):
    valid = labels != -100
    targets = labels.clamp(min=0).unsqueeze(-1)
    losses = -logits.log_softmax(dim=-1).gather(-1, targets).squeeze(-1) * valid
    same = tasks[:, None] == tasks[None, :]
    counts = (same * valid.sum(dim=1)).sum(dim=1)  # labels of the row's task
    weights = 1 / counts / len(set(tasks.tolist()))
    return (losses.sum(dim=1) * weights).sum()
""",
    "10.2": """
def pool(hidden, valid_lens, where):
    rows = []
    for X, length in zip(hidden, valid_lens):
        X = X[:length]
        rows.append(X.mean(0) if where == "mean" else X[0 if where == "first" else -1])
    return torch.stack(rows)


def influences(summary, X):
    X = X.detach().clone().requires_grad_()
    squares = torch.zeros_like(X)
    for number in summary(X):
        slope, = torch.autograd.grad(number, X, retain_graph=True, allow_unused=True)
        squares += slope**2
    return squares.sum(dim=1) ** 0.5
""",
    "10.3": """
def perplexity(log_probs, tokens, words=False):
    if not words:
        return torch.exp(-log_probs.double().mean()).item()
    sums = []
    for token, log_prob in zip(tokens, log_probs.tolist()):
        if token[:1] == " " or not sums:
            sums.append(0.0)
        sums[-1] += log_prob
    return 2 ** (-sum(sums) / len(sums) / math.log(2))


def bits_per_byte(log_probs, tokens):
    num_bytes = sum(len(bytes(token, "utf-8")) for token in tokens)
    return float(-log_probs.double().sum()) * math.log2(math.e) / num_bytes
""",
    "10.4": """
def few_shot_prompt(task, examples, query):
    text = task + ":\\n"
    for x, y in examples:
        text += f"{x} => {y}\\n"
    return text + query + " =>"


def choose(log_prob, prompt, choices, neutral=None):
    best, index = None, 0
    for i, tokens in enumerate(choices):
        score = log_prob(tokens, prompt)
        if neutral is None:
            score = score / len(tokens)
        else:
            score = score - log_prob(tokens, neutral)
        if best is None or score > best:
            best, index = score, i
    return index
""",
    "10.5": """
def joint_mask(source_lens, target_lens, prefix=False):
    t = max(int(m) + int(n) for m, n in zip(source_lens, target_lens))
    masks = []
    for m, n in zip(source_lens, target_lens):
        m, n = int(m), int(n)
        mask = torch.zeros(t, t, dtype=torch.bool)
        mask[: m + n, : m + n] = torch.ones(m + n, m + n, dtype=torch.bool).tril()
        if prefix:
            mask[:m, :m] = True
        masks.append(mask)
    return torch.stack(masks)


def attention_pairs(m, n):
    causal = (m + n) * (m + n + 1) // 2
    prefix = causal + m * (m - 1) // 2
    return {"causal": causal, "prefix": prefix, "encoder-decoder": prefix}
""",
    "10.6": """
def compute_optimal(compute, law):
    a, b = law["alpha"], law["beta"]
    log_ratio = math.log(a * law["A"]) - math.log(b * law["B"])
    log_N = (log_ratio + b * math.log(compute / 6)) / (a + b)
    log_D = (-log_ratio + a * math.log(compute / 6)) / (a + b)
    return math.exp(log_N), math.exp(log_D)


def least_compute(loss, law):
    excess, a, b = loss - law["E"], law["alpha"], law["beta"]
    N, D = compute_optimal(6.0, law)  # C / 6 = 1: the two parts of the loss at the optimum
    part = law["A"] / N**a + law["B"] / D**b
    return 6 * (part / excess) ** ((a + b) / (a * b))
""",
    "10.7": """
def novelty(sentences, known, n):
    new = total = 0
    for sentence in sentences:
        for i in range(len(sentence) - n + 1):
            run, total = sentence[i : i + n], total + 1
            new += not any(
                run == other[j : j + n]
                for other in known
                for j in range(len(other) - n + 1)
            )
    return new / total if total else 0.0


def longest_copy(sentence, known):
    best = 0
    for other in known:
        lengths = [0] * (len(other) + 1)  # of the common runs that end here
        for token in sentence:
            before = lengths[:]
            for j, same in enumerate(other):
                lengths[j + 1] = before[j] + 1 if token == same else 0
                best = max(best, lengths[j + 1])
    return best
""",
}

MISTAKES = {
    "10.1": """
- labels that are not shifted:
  `[-100] * (len(prompt) - 1) + answer` -> `[-100] * len(prompt) + answer[:-1]`
- a loss on the prompt as well:
  `[-100] * (len(prompt) - 1) + answer` -> `text[1:]`
- the padding of the labels is a token: `padding_value=-100` -> `padding_value=pad`
- tokens of an answer that are equal to pad have no label:
  `fill(targets, batch_first=True, padding_value=-100)`
  -> `fill([t.where(t != pad, -100) for t in targets], True, -100)`
- the last token of the answer is fed in: `text[:-1]` -> `text`
- writes into the labels: `labels.clamp(min=0)` -> `labels.clamp_(min=0)`
- no gradient: `def balanced_loss` -> `@torch.no_grad()
def balanced_loss`
- a new tensor with the value of the loss: `(losses.sum(dim=1) * weights).sum()` -> `torch.tensor((losses.sum(dim=1) * weights).sum().item())`
- the mean over all labels: `1 / counts / len(set(tasks.tolist()))` -> `1 / valid.sum()`
- the mean over the rows of their means: `same * valid` -> `torch.eye(len(tasks)) * valid`,
  `len(set(tasks.tolist()))` -> `len(tasks)`
- counts the padding as well: `same * valid.sum(dim=1)` -> `same * labels.shape[1]`
- takes the largest number of a task for their count:
  `len(set(tasks.tolist()))` -> `(tasks.max() + 1)`
""",
    "10.2": """
- the last position in place of the last valid token: `X = X[:length]` -> `X = X[:length] if where == "mean" else X`
- the mean over the padding as well: `X = X[:length]` -> `X = X[:length] if where == "last" else X`
- the sum in place of the mean: `X.mean(0)` -> `X.sum(0)`
- the last token for the first: `0 if where == "first" else -1` -> `-1`
- the gradient of the sum of the vector:
  `for number in summary(X):` -> `for number in [summary(X).sum()]:`
- squared norms: `squares.sum(dim=1) ** 0.5` -> `squares.sum(dim=1)`
- the sum of absolute derivatives: `squares += slope**2` -> `squares += slope.abs()`, `squares.sum(dim=1) ** 0.5` -> `squares.sum(dim=1)`
""",
    "10.3": """
- characters in place of bytes: `len(bytes(token, "utf-8"))` -> `len(token)`
- nats: `* math.log2(math.e)` -> ``
- bits to the power of two, of nats:
  `return 2 ** (-sum(sums) / len(sums) / math.log(2))` -> `return 2 ** (-sum(sums) / len(sums))`
- the mean of the tokens for words: `if not words:` -> `if True:`
- counts spaces for words: `return 2 ** (-sum(sums) / len(sums) / math.log(2))`
  -> `return math.exp(-sum(sums) / max(1, "".join(tokens).count(" ")))`
""",
    "10.4": """
- the total in place of the mean per token: `score = score / len(tokens)` -> `pass`
- per token with neutral, too: `score - log_prob(tokens, neutral)`
  -> `(score - log_prob(tokens, neutral)) / len(tokens)`
- takes an empty neutral for none: `if neutral is None:` -> `if not neutral:`
- the last of equally good choices: `score > best` -> `score >= best`
- the choice itself, not its index: `return index` -> `return choices[index]`
- a space at the end: `query + " =>"` -> `query + " => "`
- no colon: `task + ":\\n"` -> `task + "\\n"`
""",
    "10.5": """
- causal in any case: `if prefix:` -> `if False:`
- bidirectional throughout: `mask[:m, :m] = True` -> `mask[: m + n, : m + n] = True`
- attends to the padding: `mask[: m + n, : m + n] = torch.ones(m + n, m + n, dtype=torch.bool).tril()`
  -> `mask[:] = torch.ones(t, t, dtype=torch.bool).tril()`
- the padding attends to the text: `if prefix:` -> `mask[m + n :, : m + n] = True
        if prefix:`
- as long as the longest source and the longest target together:
  `max(int(m) + int(n) for m, n in zip(source_lens, target_lens))`
  -> `int(max(source_lens)) + int(max(target_lens))`
- not itself: `.tril()` -> `.tril(-1)`
- forgets cross-attention: `"encoder-decoder": prefix}` -> `"encoder-decoder": prefix - m * n}`
- the decoder's self-attention is counted in full:
  `"encoder-decoder": prefix}` -> `"encoder-decoder": m * m + n * n + m * n}`
""",
    "10.6": """
- the exponents exchanged: `b * math.log(compute / 6)` -> `a * math.log(compute / 6)`,
  `(-log_ratio + a` -> `(-log_ratio + b`
- the parts of the loss are equal: `math.log(a * law["A"]) - math.log(b * law["B"])`
  -> `math.log(law["A"]) - math.log(law["B"])`
- forgets the 6: `compute / 6)` -> `compute)`
- twenty tokens for each parameter:
  `return math.exp(log_N), math.exp(log_D)` -> `return math.sqrt(compute / 120), math.sqrt(compute / 120) * 20`
- searches on a grid:
  `return math.exp(log_N), math.exp(log_D)` -> `sizes = [10 ** (k / 10) for k in range(-50, 300)]
    N = min(sizes, key=lambda N: predicted_loss(N, compute / 6 / N, law))
    return N, compute / 6 / N`
- half of the excess for each part:
  `6 * (part / excess) ** ((a + b) / (a * b))`
  -> `6 * (2 * law["A"] / excess) ** (1 / a) * (2 * law["B"] / excess) ** (1 / b)`
- forgets E: `excess, a, b = loss - law["E"],` -> `excess, a, b = loss - 0 * law["E"],`
""",
    "10.7": """
- the share that is known: `return new / total if total else 0.0` -> `return 1 - new / total if total else 0.0`
- a share of 1 where there is no run: `if total else 0.0` -> `if total else 1.0`
- only the beginnings of known sentences: `for j in range(len(other) - n + 1)` -> `for j in range(min(1, len(other) - n + 1))`
- equal sentences once: `for sentence in sentences:` -> `for sentence in sorted(set(sentences)):`
- runs that go on in the next sentence: `for sentence in sentences:` -> `for sentence in [sum(sentences, ())]:`
- any common subsequence: `before[j] + 1 if token == same else 0` -> `before[j] + 1 if token == same else max(before[j + 1], lengths[j])`
- the share and not the number: `    return best` -> `    return best / max(1, len(sentence))`
- the first known sentence alone: `for other in known:
        lengths` -> `for other in known[:1]:
        lengths`
""",
}

WRONG = spoil(OTHER, MISTAKES)
