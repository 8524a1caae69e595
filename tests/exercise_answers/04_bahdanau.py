"""Answers to the exercises of chapter 4: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "4.1": """
def uniform_weights(weights, valid_lens):
    b, n, m = weights.shape
    rows = [[1 / k] * k + [0.0] * (m - k) for k in valid_lens.tolist()]
    return torch.tensor(rows)[:, None].repeat(1, n, 1)


def shifted_weights(weights, valid_lens, steps):
    new = torch.zeros_like(weights)
    for i, length in enumerate(valid_lens.tolist()):
        for j in range(length):
            k = max(0, min(length - 1, j + steps))
            new[i, :, k] += weights[i, :, j]
    return new
""",
    "4.2": """
class DotProductDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers)
        self.attention = d2l.DotProductAttention(0)

    def forward(self, X, state):
        values, hidden_state, valid_lens = state
        b, m, _ = values.shape
        mask = torch.ones(b, 1, m, dtype=torch.bool)
        if valid_lens is not None:
            mask = d2l.length_mask(valid_lens, m)
        logits, weights = [], []
        for y in X.T:
            query = hidden_state[-1][:, None]
            context = self.attention(query, values, values, mask=mask)
            weights.append(self.attention.attention_weights)
            x = torch.cat([context[:, 0], self.embedding(y)], -1)[None]
            output, hidden_state = self.rnn(x, hidden_state)
            logits.append(self.dense(output[0]))
        self._attention_weights = weights
        return torch.stack(logits, 1), (values, hidden_state, valid_lens)
""",
    "4.3": """
def entropies(weights):
    logs = torch.where(weights > 0, weights, 1).log()
    return -(weights * logs).sum(-1)


def mean_by_step(values, steps):
    return torch.stack([column[steps > t].mean() for t, column in enumerate(values.T)])
""",
    "4.4": """
class LSTMAttentionDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers)
        self.rnn = make_lstm(embed_size + num_hiddens, num_hiddens, num_layers)

    def forward(self, X, state):
        values, (hidden_state, cell), valid_lens = state
        logits, weights = [], []
        for x in self.embedding(X).unbind(1):
            query = hidden_state[-1:].transpose(0, 1)
            context = self.attention(query, values, values, valid_lens)
            weights.append(self.attention.attention_weights)
            x = torch.cat([context[:, 0], x], -1)[None]
            output, (hidden_state, cell) = self.rnn(x, (hidden_state, cell))
            logits.append(self.dense(hidden_state[-1]))
        self._attention_weights = weights
        return torch.stack(logits, 1), (values, (hidden_state, cell), valid_lens)
""",
    "4.5": """
class BidirectionalEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers):
        super().__init__()
        half = num_hiddens // 2
        self.embedding = nn.Embedding(vocab_size, embed_size)
        widths = [embed_size] + [num_hiddens] * (num_layers - 1)
        self.forwards = nn.ModuleList(nn.GRU(width, half) for width in widths)
        self.backwards = nn.ModuleList(nn.GRU(width, half) for width in widths)

    def forward(self, X, valid_lens=None, *args):
        b, m = X.shape
        lengths = [m] * b if valid_lens is None else valid_lens.tolist()
        outputs, states = [], []
        for row, length in zip(X, lengths):  # each sentence by itself
            x, ends = self.embedding(row[:length]), []
            for forward, backward in zip(self.forwards, self.backwards):
                right, last = forward(x)
                left, first = backward(x.flip(0))
                ends.append(torch.cat([last[0], first[0]]))
                x = torch.cat([right, left.flip(0)], -1)
            outputs.append(nn.functional.pad(x, (0, 0, 0, m - length)))
            states.append(torch.stack(ends))
        return torch.stack(outputs, 1), torch.stack(states, 1)
""",
}

MISTAKES = {
    "4.1": """
- uniform over the padding, too: `in valid_lens.tolist()]` -> `in [m] * b]`
- uniform over the tokens that have weight:
  `b, n, m = weights.shape` -> `positive = (weights > 0).float()
    return positive / positive.sum(-1, keepdim=True)`
- wraps around at the end: `max(0, min(length - 1, j + steps))` -> `(j + steps) % length`
- loses the weight that would leave the sentence:
  `new[i, :, k] +=` -> `new[i, :, k] += (k == j + steps) *`
- replaces instead of adding up: `[i, :, k] +=` -> `[i, :, k] =`
- moves into the padding: `for i, length in enumerate(valid_lens.tolist()):`
  -> `for i, length in enumerate([weights.shape[-1]] * len(weights)):`
""",
    "4.2": """
- exchanges the layer, and nothing else: `def forward(` -> `def unused(`
- attends to padding: `mask = d2l.length_mask(valid_lens, m)` -> `pass`
- scales the query, which the layer does already:
  `[-1][:, None]` -> `[-1][:, None] / values.shape[-1] ** 0.5`
- the bottom layer is the query: `hidden_state[-1][:, None]` -> `hidden_state[0][:, None]`
- every step starts from the first state:
  `output, hidden_state = self.rnn(x, hidden_state)` -> `output, last = self.rnn(x, hidden_state)`
- adds the weights of every call to the list: `self._attention_weights = weights` -> `self._attention_weights = [*(self._attention_weights or []), *weights]`
""",
    "4.3": """
- 0 · ln 0 is nan: `torch.where(weights > 0, weights, 1)` -> `weights`
- adds a small number to every weight: `torch.where(weights > 0, weights, 1)` -> `(weights + 1e-3)`
- divides by all sentences: `column[steps > t].mean()` -> `column[steps > t].sum() / len(column)`
- counts one step more: `column[steps > t]` -> `column[steps >= t]`
- counts all steps: `column[steps > t]` -> `column`
""",
    "4.4": """
- the cell is the query: `hidden_state[-1:]` -> `cell[-1:]`
- the bottom layer is the query: `hidden_state[-1:]` -> `hidden_state[:1]`
- attends to padding: `(query, values, values, valid_lens)` -> `(query, values, values)`
- the cell is not handed on: `output, (hidden_state, cell) = ` -> `output, (hidden_state, _) = `
- adds the weights of every call to the list: `self._attention_weights = weights` -> `self._attention_weights += weights`
""",
    "4.5": """
- reshapes PyTorch's states:
```
class BidirectionalEncoder(d2l.Seq2SeqEncoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers)
        self.rnn = nn.GRU(embed_size, num_hiddens // 2, num_layers, bidirectional=True)
        self.num_layers = num_layers

    def forward(self, X, valid_lens=None, *args):
        outputs, state = super().forward(X, valid_lens)
        return outputs, state.reshape(self.num_layers, len(X), -1)
```
- does not put the backward outputs into the order of the tokens: `left.flip(0)]` -> `left]`
- takes the backward state at the last token as the final one: `first[0]]` -> `left[0]]`
- reads the padding: `else valid_lens.tolist()` -> `else [m] * b`
- one layer only: `zip(self.forwards, self.backwards)` -> `[(self.forwards[0], self.backwards[0])]`
""",
}

WRONG = spoil(OTHER, MISTAKES)
