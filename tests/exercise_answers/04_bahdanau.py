"""Answers to the exercises of chapter 4: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "4.1": """
class LSTMEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        dropout = dropout if num_layers > 1 else 0
        self.lstm = nn.LSTM(embed_size, num_hiddens, num_layers, dropout=dropout)

    def forward(self, X, valid_lens=None, *args):
        m = X.shape[1]
        lengths = [m] * len(X) if valid_lens is None else valid_lens.tolist()
        if min(lengths) < 1 or max(lengths) > m:
            raise ValueError("valid_lens do not fit")
        outputs, states = [], []
        for row, length in zip(X, lengths):  # each sentence by itself
            output, state = self.lstm(self.embedding(row[:length]))
            outputs.append(nn.functional.pad(output, (0, 0, 0, m - length)))
            states.append(state)
        hidden_state, cell = (torch.stack(part, dim=1) for part in zip(*states))
        return torch.stack(outputs, dim=1), (hidden_state, cell)


class LSTMAttentionDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        widths = [embed_size + num_hiddens] + [num_hiddens] * (num_layers - 1)
        self.rnn = nn.ModuleList(nn.LSTMCell(width, num_hiddens) for width in widths)
        self.dropout = nn.Dropout(dropout)

    def step(self, x, pair):
        hidden_states, cells = [], []
        for layer, *before in zip(self.rnn, *pair):
            hidden_state, cell = layer(x, before)
            hidden_states.append(hidden_state)
            cells.append(cell)
            x = self.dropout(hidden_state)  # for the next layer
        return torch.stack(hidden_states), torch.stack(cells)

    def forward(self, X, state):
        values, pair, valid_lens = state
        logits, weights = [], []
        for x in self.embedding(X).unbind(1):
            query = pair[0][-1:].transpose(0, 1)
            context = self.attention(query, values, values, valid_lens)
            weights.append(self.attention.attention_weights)
            pair = self.step(torch.cat([context[:, 0], x], -1), pair)
            logits.append(self.dense(pair[0][-1]))
        self._attention_weights = weights
        return torch.stack(logits, 1), (values, pair, valid_lens)
""",
    "4.2": """
class DotProductDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.attention = d2l.DotProductAttention(dropout)

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


def attention_multiplications(n, m, h, *, additive):
    projected_keys = m * h * h * additive
    projected_query = h * h * additive
    return projected_keys + n * (projected_query + m * h + m * h)
""",
    "4.3": """
def uniform_weights(weights, valid_lens):
    b, n, m = weights.shape
    rows = [[1 / k] * k + [0.0] * (m - k) for k in valid_lens.tolist()]
    return torch.tensor(rows)[:, None].repeat(1, n, 1)


def shifted_weights(weights, valid_lens, steps=1):
    new = torch.zeros_like(weights)
    for i, length in enumerate(valid_lens.tolist()):
        for j in range(length):
            k = max(0, min(length - 1, j + steps))
            new[i, :, k] += weights[i, :, j]
    return new
""",
    "4.4": """
class BidirectionalEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        half, odd = divmod(num_hiddens, 2)
        if odd:
            raise ValueError("num_hiddens is odd")
        self.embedding = nn.Embedding(vocab_size, embed_size)
        widths = [embed_size] + [num_hiddens] * (num_layers - 1)
        self.forwards = nn.ModuleList(nn.GRU(width, half) for width in widths)
        self.backwards = nn.ModuleList(nn.GRU(width, half) for width in widths)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, valid_lens=None, *args):
        b, m = X.shape
        lengths = [m] * b if valid_lens is None else valid_lens.tolist()
        outputs, states = [], []
        for row, length in zip(X, lengths):
            x, ends = self.embedding(row[:length]), []
            for forward, backward in zip(self.forwards, self.backwards):
                x = self.dropout(x) if ends else x
                right, last = forward(x)
                left, first = backward(x.flip(0))
                ends.append(torch.cat([last[0], first[0]]))
                x = torch.cat([right, left.flip(0)], -1)
            outputs.append(nn.functional.pad(x, (0, 0, 0, m - length)))
            states.append(torch.stack(ends))
        return torch.stack(outputs, 1), torch.stack(states, 1)
""",
    "4.5": """
def entropies(weights):
    logs = torch.where(weights > 0, weights, 1).log()
    return -(weights * logs).sum(-1)


def mean_by_step(values, steps):
    means = []
    for t, column in enumerate(values.T):
        chosen = column[steps > t]
        means.append(chosen.mean() if len(chosen) else torch.tensor(float("nan")))
    return torch.stack(means)
""",
}

MISTAKES = {
    "4.1": """
- the cell is the query: `pair[0][-1:]` -> `pair[1][-1:]`
- the bottom layer is the query: `pair[0][-1:]` -> `pair[0][:1]`
- the encoder reads the padding: `else valid_lens.tolist()` -> `else [m] * len(X)`
- attends to padding: `(query, values, values, valid_lens)` -> `(query, values, values)`
- ignores dropout: `nn.Dropout(dropout)` -> `nn.Identity()`
- the cell comes first: `hidden_state, cell = (torch` -> `cell, hidden_state = (torch`
- adds the weights of every call to the list: `self._attention_weights = weights` -> `self._attention_weights += weights`
""",
    "4.2": """
- exchanges the layer, and nothing else: `def forward(` -> `def unused(`
- attends to padding: `mask = d2l.length_mask(valid_lens, m)` -> `pass`
- scales the query, which the layer does already:
  `[-1][:, None]` -> `[-1][:, None] / values.shape[-1] ** 0.5`
- counts projected keys in every step, as in d2l:
  `return projected_keys + n` -> `return n * projected_keys + n`
- ignores dropout: `d2l.DotProductAttention(dropout)` -> `d2l.DotProductAttention(0)`
- forgets the weighted sum: `m * h + m * h)` -> `m * h)`
""",
    "4.3": """
- uniform over the padding, too: `in valid_lens.tolist()]` -> `in [m] * b]`
- wraps around at the end: `max(0, min(length - 1, j + steps))` -> `(j + steps) % length`
- loses the weight that would leave the sentence:
  `new[i, :, k] +=` -> `new[i, :, k] += (k == j + steps) *`
- replaces instead of adding up: `[i, :, k] +=` -> `[i, :, k] =`
- takes tokens without weight for padding:
  `b, n, m = weights.shape` -> `b, n, m = weights.shape; valid_lens = (weights > 0).any(1).sum(-1)`
- changes the weights that it gets: `new = torch.zeros_like(weights)` -> `new = weights; weights = weights.clone(); new *= 0`
""",
    "4.4": """
- reshapes PyTorch's states:
```
class BidirectionalEncoder(d2l.Seq2SeqEncoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        if num_hiddens % 2:
            raise ValueError("num_hiddens is odd")
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.rnn = nn.GRU(embed_size, num_hiddens // 2, num_layers, bidirectional=True)
        self.num_layers = num_layers

    def forward(self, X, valid_lens=None, *args):
        outputs, state = super().forward(X, valid_lens)
        return outputs, state.reshape(self.num_layers, len(X), -1)
```
- does not put the backward outputs into the order of the tokens: `left.flip(0)]` -> `left]`
- takes the backward state at the last token as the final one: `first[0]]` -> `left[0]]`
- reads the padding: `else valid_lens.tolist()` -> `else [m] * b`
- one GRU for both directions: `backward(x.flip(0))` -> `forward(x.flip(0))`
""",
    "4.5": """
- 0 · ln 0 is nan: `torch.where(weights > 0, weights, 1)` -> `weights`
- adds a small number to every weight: `torch.where(weights > 0, weights, 1)` -> `(weights + 1e-3)`
- multiplies by a mask, which keeps nan:
```
def entropies(weights):
    return torch.special.entr(weights).sum(-1)


def mean_by_step(values, steps):
    valid = torch.arange(values.shape[1]) < steps[:, None]
    return (values * valid).sum(0) / valid.sum(0)
```
- divides by all sentences: `chosen.mean()` -> `chosen.sum() / len(column)`
- counts one step more: `column[steps > t]` -> `column[steps >= t]`
- 0 where no sentence is left: `float("nan")` -> `0.0`
""",
}

WRONG = spoil(OTHER, MISTAKES)
