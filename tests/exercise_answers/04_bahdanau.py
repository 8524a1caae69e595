"""Answers to the exercises of chapter 4: others that are right, and some that are wrong."""

from functools import partial

from exercise_answers import swap

OTHER = {
    "4.1": """
class LSTMEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        widths = [embed_size] + [num_hiddens] * (num_layers - 1)
        self.cells = nn.ModuleList(nn.LSTMCell(width, num_hiddens) for width in widths)

    def forward(self, X, valid_lens=None, *args):
        b, m = X.shape
        lengths = torch.full((b,), m) if valid_lens is None else valid_lens
        if lengths.min() < 1 or lengths.max() > m:
            raise ValueError("valid_lens do not fit")
        inputs, ends = self.embedding(X).unbind(1), []
        for layer in self.cells:
            h = c = torch.zeros(b, layer.hidden_size)
            outputs = []
            for t, x in enumerate(inputs):
                on = (t < lengths)[:, None]
                new_h, new_c = layer(x, (h, c))
                h, c = torch.where(on, new_h, h), torch.where(on, new_c, c)
                outputs.append(new_h * on)
            inputs = outputs
            ends.append((h, c))
        pair = tuple(torch.stack(part) for part in zip(*ends))
        return torch.stack(inputs), pair


class LSTMAttentionDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.rnn = nn.LSTM(embed_size + num_hiddens, num_hiddens, num_layers)

    def step(self, y, state):
        values, pair, valid_lens = state
        query = pair[0][-1:].transpose(0, 1)
        context = self.attention(query, values, values, valid_lens)
        looked = self.attention.attention_weights
        x = torch.cat([context, self.embedding(y)], -1)
        output, pair = self.rnn(x.transpose(0, 1), pair)
        return self.dense(output[0]), (values, pair, valid_lens), looked

    def forward(self, X, state):
        scores, weights = [], []
        for t in range(X.shape[1]):
            score, state, looked = self.step(X[:, t : t + 1], state)
            scores.append(score)
            weights.append(looked)
        self._attention_weights = weights
        return torch.stack(scores, 1), state
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
        scores, weights = [], []
        for y in X.T:
            query = hidden_state[-1][:, None]
            context = self.attention(query, values, values, mask=mask)
            weights.append(self.attention.attention_weights)
            x = torch.cat([context[:, 0], self.embedding(y)], -1)[None]
            output, hidden_state = self.rnn(x, hidden_state)
            scores.append(self.dense(output[0]))
        self._attention_weights = weights
        return torch.stack(scores, 1), (values, hidden_state, valid_lens)


def attention_multiplications(n, m, h, *, additive):
    total = 0
    for _ in range(m):
        total += h * h * additive
    for _ in range(n):
        total += h * h * additive + m * h
        total += m * h
    return total
""",
    "4.3": """
def even_weights(weights, valid_lens):
    rows = [
        torch.cat([torch.full((k,), 1 / k), torch.zeros(weights.shape[-1] - k)])
        for k in valid_lens.tolist()
    ]
    return torch.stack(rows)[:, None].repeat(1, weights.shape[1], 1)


def shifted_weights(weights, valid_lens, steps=1):
    new = torch.zeros_like(weights)
    for i, length in enumerate(valid_lens.tolist()):
        for j in range(length):
            place = max(0, min(length - 1, j + steps))
            new[i, :, place] = new[i, :, place] + weights[i, :, j]
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
        self.rights = nn.ModuleList(nn.GRU(width, half) for width in widths)
        self.lefts = nn.ModuleList(nn.GRU(width, half) for width in widths)

    def forward(self, X, valid_lens=None, *args):
        b, m = X.shape
        lengths = [m] * b if valid_lens is None else valid_lens.tolist()
        outputs, states = [], []
        for row, length in zip(X, lengths):
            x, ends = self.embedding(row[:length])[:, None], []
            for right, left in zip(self.rights, self.lefts):
                there, end = right(x)
                back, begin = left(x.flip(0))
                ends.append(torch.cat([end[0, 0], begin[0, 0]]))
                x = torch.cat([there, back.flip(0)], -1)
            outputs.append(nn.functional.pad(x[:, 0], (0, 0, 0, m - length)))
            states.append(torch.stack(ends))
        return torch.stack(outputs, 1), torch.stack(states, 1)
""",
    "4.5": """
def entropies(weights):
    logs = torch.where(weights > 0, weights, torch.ones_like(weights)).log()
    return -(weights * logs).sum(-1)


def mean_by_step(values, steps):
    means = []
    for t, column in enumerate(values.T):
        chosen = column[steps > t]
        means.append(chosen.mean() if len(chosen) else torch.tensor(float("nan")))
    return torch.stack(means)
""",
}

_swap = partial(swap, OTHER)  # wrong ones are right ones, spoilt

WRONG = {
    "4.1": [
        (
            "the cell asks",
            _swap("4.1", ("pair[0][-1:].transpose", "pair[1][-1:].transpose")),
        ),
        (
            "the bottom layer asks",
            _swap("4.1", ("pair[0][-1:].transpose", "pair[0][:1].transpose")),
        ),
        (
            "the chapter's query: the last of the pair",
            _swap("4.1", ("pair[0][-1:]", "pair[-1]")),
        ),
        (
            "hidden state and cell together ask",
            _swap("4.1", ("pair[0][-1:].transpose", "(pair[0] + pair[1])[-1:].transpose")),
        ),
        (
            "every step begins with an empty cell",
            _swap(
                "4.1",
                (
                    "(values, pair, valid_lens), looked",
                    "(values, (pair[0], 0 * pair[1]), valid_lens), looked",
                ),
            ),
        ),
        (
            "hands on the hidden state alone",
            _swap(
                "4.1",
                (
                    "(values, pair, valid_lens), looked",
                    "(values, pair[0], valid_lens), looked",
                ),
                (
                    "= state\n        query",
                    "= state\n        pair = "
                    "pair if len(pair) == 2 and isinstance(pair, tuple) "
                    "else (pair, pair)\n        query",
                ),
            ),
        ),
        (
            "hands on the state that it was given",
            _swap("4.1", ("output, pair = self.rnn", "output, _ = self.rnn")),
        ),
        (
            "the encoder gives cell and hidden state, in this order",
            _swap("4.1", ("for part in zip(*ends))", "for part in zip(*ends))[::-1]")),
        ),
        (
            "the encoder gives the hidden state twice",
            _swap("4.1", ("ends.append((h, c))", "ends.append((h, h))")),
        ),
        (
            "the encoder reads the padding",
            _swap(
                "4.1",
                ("on = (t < lengths)[:, None]", "on = (t < m + 0 * lengths)[:, None]"),
            ),
        ),
        (
            "the encoder shows what it read of the padding",
            _swap("4.1", ("outputs.append(new_h * on)", "outputs.append(new_h)")),
        ),
        (
            "the cell goes on reading the padding",
            _swap("4.1", ("torch.where(on, new_c, c)", "new_c")),
        ),
        (
            "any lengths will do",
            _swap("4.1", ("if lengths.min() < 1 or lengths.max() > m:", "if False:")),
        ),
        (
            "the state of the last layer only",
            _swap("4.1", ("torch.stack(part)", "torch.stack(part)[-1:]")),
        ),
        (
            "attends to padding",
            _swap("4.1", ("values, values, valid_lens)", "values, values)")),
        ),
        (
            "asks after the step",
            _swap(
                "4.1",
                (
                    "query = pair[0]",
                    "before = torch.cat([0 * values[:, :1], "
                    "self.embedding(y)], -1)\n        query = self.rnn("
                    "before.transpose(0, 1), pair)[1][0]",
                ),
            ),
        ),
        (
            "no attention: the last state is the context",
            _swap(
                "4.1",
                (
                    "looked = self.attention",
                    "context = pair[0][-1:].transpose(0, 1)\n        looked = self.attention",
                ),
            ),
        ),
        (
            "the hidden state stays, the cell moves on",
            _swap(
                "4.1",
                ("scores, weights = [], []", "scores, weights, pair = [], [], state[1]"),
                (
                    "score, state, looked = self.step(X[:, t : t + 1], state)",
                    "score, after, looked = self.step(X[:, t : t + 1], state)\n"
                    "            state = (state[0], (pair[0], after[1][1]), state[2])",
                ),
            ),
        ),
        (
            "shows the last step only",
            _swap("4.1", ("_attention_weights = weights", "_attention_weights = looked")),
        ),
        (
            "the decoder stays a GRU",
            _swap(
                "4.1",
                (
                    "self.rnn = nn.LSTM(embed_size + num_hiddens, num_hiddens, num_layers)",
                    "pass",
                ),
            ),
        ),
    ],
    "4.2": [
        (
            "the layer alone is exchanged",
            """
class DotProductDecoder(d2l.Seq2SeqAttentionDecoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.attention = d2l.DotProductAttention(dropout)
""",
        ),
        (
            "attends to padding",
            _swap("4.2", ("mask = d2l.length_mask(valid_lens, m)", "pass")),
        ),
        (
            "fails without lengths",
            _swap("4.2", ("if valid_lens is not None:", "if True:")),
        ),
        (
            "the bottom layer asks",
            _swap("4.2", ("hidden_state[-1][:, None]", "hidden_state[0][:, None]")),
        ),
        (
            "no scale",
            _swap(
                "4.2",
                (
                    "hidden_state[-1][:, None]",
                    "hidden_state[-1][:, None] * m**0 * values.shape[-1] ** 0.5",
                ),
            ),
        ),
        (
            "scales once more",
            _swap(
                "4.2",
                (
                    "hidden_state[-1][:, None]",
                    "hidden_state[-1][:, None] / values.shape[-1] ** 0.5",
                ),
            ),
        ),
        (
            "compares with the words, not with the encoder's states",
            _swap(
                "4.2",
                ("query, values, values", "query, values.tanh(), values"),
            ),
        ),
        (
            "the first query for all steps",
            _swap(
                "4.2",
                (
                    "scores, weights = [], []",
                    "scores, weights, query = [], [], hidden_state[-1][:, None]",
                ),
                ("            query = hidden_state[-1][:, None]\n", ""),
            ),
        ),
        (
            "word before context",
            _swap(
                "4.2",
                (
                    "[context[:, 0], self.embedding(y)]",
                    "[self.embedding(y), context[:, 0]]",
                ),
            ),
        ),
        (
            "a matrix for the query",
            _swap(
                "4.2",
                (
                    "DotProductAttention(dropout)\n",
                    "DotProductAttention(dropout)\n"
                    "        self.attention.M = nn.Linear(num_hiddens, num_hiddens)\n",
                ),
                (
                    "hidden_state[-1][:, None]",
                    "self.attention.M(hidden_state[-1][:, None])",
                ),
            ),
        ),
        (
            "forgets dropout",
            _swap("4.2", ("DotProductAttention(dropout)", "DotProductAttention(0)")),
        ),
        (
            "shows one tensor, not a list",
            _swap(
                "4.2",
                ("_attention_weights = weights", "_attention_weights = weights[-1]"),
            ),
        ),
        (
            "the state stays as it was",
            _swap("4.2", ("output, hidden_state = self.rnn", "output, _ = self.rnn")),
        ),
        (
            "forgets the matrix of the keys",
            _swap("4.2", ("total += h * h * additive\n    for", "pass\n    for")),
        ),
        (
            "the keys go through their matrix in every step, as in d2l",
            _swap(
                "4.2",
                (
                    "total += h * h * additive + m * h",
                    "total += h * h * additive * m + m * h",
                ),
            ),
        ),
        (
            "forgets the pooling",
            _swap("4.2", ("        total += m * h\n", "")),
        ),
        (
            "no scores in additive attention",
            _swap("4.2", ("additive + m * h", "additive + m * h * (not additive)")),
        ),
        (
            "counts additions, too",
            _swap("4.2", ("return total", "return 2 * total")),
        ),
        (
            "one matrix, on the query",
            _swap(
                "4.2", ("    for _ in range(m):\n        total += h * h * additive\n", "")
            ),
        ),
    ],
    "4.3": [
        (
            "even over the padding, too",
            _swap(
                "4.3",
                (
                    "in valid_lens.tolist()\n    ]",
                    "in [weights.shape[-1]] * len(weights)\n    ]",
                ),
            ),
        ),
        (
            "even over the places with weight",
            """
def even_weights(weights, valid_lens):
    some = (weights > 0).float()
    return some / some.sum(-1, keepdim=True)
"""
            + _swap("4.3").partition("\n\n\n")[2],
        ),
        (
            "one row for all steps",
            _swap("4.3", ("[:, None].repeat(1, weights.shape[1], 1)", "[:, None]")),
        ),
        (
            "the lengths of the first sentence for all",
            _swap(
                "4.3",
                (
                    "enumerate(valid_lens.tolist())",
                    "enumerate([int(valid_lens[0])] * len(weights))",
                ),
            ),
        ),
        (
            "goes round the end",
            _swap("4.3", ("max(0, min(length - 1, j + steps))", "(j + steps) % length")),
        ),
        (
            "moves into the padding",
            _swap(
                "4.3",
                ("min(length - 1, j + steps)", "min(weights.shape[-1] - 1, j + steps)"),
            ),
        ),
        (
            "loses what leaves the sentence",
            _swap(
                "4.3",
                (
                    "place = max",
                    "if not 0 <= j + steps < length:\n                continue\n            place = max",
                ),
            ),
        ),
        (
            "left for right",
            _swap("4.3", ("j + steps))", "j - steps))")),
        ),
        (
            "by one, whatever steps says",
            _swap("4.3", ("j + steps))", "j + (1 if steps > 0 else -1)))")),
        ),
        (
            "the last weight to arrive replaces the others",
            _swap("4.3", ("= new[i, :, place] + weights", "= weights")),
        ),
        (
            "changes the old weights",
            _swap("4.3", ("return new", "return weights.copy_(new)")),
        ),
        (
            "what leaves is spread by normalising",
            _swap(
                "4.3",
                (
                    "place = max",
                    "if not 0 <= j + steps < length:\n                continue\n            place = max",
                ),
                ("return new", "return new / new.sum(-1, keepdim=True).clamp(min=1e-9)"),
            ),
        ),
    ],
    "4.4": [
        (
            "reads forward only",
            _swap("4.4", ("left(x.flip(0))", "left(x)"), ("back.flip(0)]", "back]")),
        ),
        ("does not turn the outputs round again", _swap("4.4", ("back.flip(0)]", "back]"))),
        (
            "backward half first",
            _swap(
                "4.4",
                ("[there, back.flip(0)]", "[back.flip(0), there]"),
                ("[end[0, 0], begin[0, 0]]", "[begin[0, 0], end[0, 0]]"),
            ),
        ),
        (
            "the backward state at the last token",
            _swap("4.4", ("begin[0, 0]]", "back[0, 0]]")),
        ),
        (
            "the state of the forward GRU twice",
            _swap("4.4", ("[end[0, 0], begin[0, 0]]", "[end[0, 0], end[0, 0]]")),
        ),
        (
            "the same GRU both ways",
            _swap("4.4", ("= left(x.flip(0))", "= right(x.flip(0))")),
        ),
        ("odd sizes are rounded down", _swap("4.4", ("if odd:", "if False:"))),
        (
            "reads the padding",
            _swap("4.4", ("else valid_lens.tolist()", "else [m] * b")),
        ),
        (
            "h units each way",
            _swap(
                "4.4",
                (
                    "half, odd = divmod(num_hiddens, 2)",
                    "half, odd = num_hiddens, num_hiddens % 2",
                ),
            ),
        ),
        (
            "adds the two up",
            _swap(
                "4.4",
                (
                    "half, odd = divmod(num_hiddens, 2)",
                    "half, odd = num_hiddens, num_hiddens % 2",
                ),
                ("torch.cat([there, back.flip(0)], -1)", "there + back.flip(0)"),
                ("torch.cat([end[0, 0], begin[0, 0]])", "end[0, 0] + begin[0, 0]"),
            ),
        ),
        (
            "the last layer's state for all layers",
            _swap("4.4", ("torch.stack(ends)", "torch.stack([ends[-1]] * len(ends))")),
        ),
        (
            "reshapes PyTorch's states",
            """
class BidirectionalEncoder(d2l.Seq2SeqEncoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        if num_hiddens % 2:
            raise ValueError("num_hiddens")
        super().__init__(vocab_size, embed_size, num_hiddens, num_layers, dropout)
        self.rnn = nn.GRU(embed_size, num_hiddens // 2, num_layers, bidirectional=True)
        self.num_layers = num_layers

    def forward(self, X, valid_lens=None, *args):
        outputs, state = super().forward(X, valid_lens)
        return outputs, state.reshape(self.num_layers, len(X), -1)
""",
        ),
        (
            "turns the padded rows round",
            """
class BidirectionalEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        if num_hiddens % 2:
            raise ValueError("num_hiddens")
        sizes = vocab_size, embed_size, num_hiddens // 2, num_layers
        self.there, self.back = d2l.Seq2SeqEncoder(*sizes), d2l.Seq2SeqEncoder(*sizes)

    def forward(self, X, valid_lens=None, *args):
        there, end = self.there(X, valid_lens)
        back, begin = self.back(X.flip(1))
        return torch.cat([there, back.flip(0)], -1), torch.cat([end, begin], -1)
""",
        ),
        (
            "the directions meet at the end only, not in each layer",
            """
class BidirectionalEncoder(d2l.Encoder):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, dropout=0):
        super().__init__()
        if num_hiddens % 2:
            raise ValueError("num_hiddens")
        self.embedding = nn.Embedding(vocab_size, embed_size)
        sizes = embed_size, num_hiddens // 2, num_layers
        self.there, self.back = nn.GRU(*sizes), nn.GRU(*sizes)

    def forward(self, X, valid_lens=None, *args):
        b, m = X.shape
        lengths = [m] * b if valid_lens is None else valid_lens.tolist()
        outputs, states = [], []
        for row, length in zip(X, lengths):
            x = self.embedding(row[:length])[:, None]
            (there, end), (back, begin) = self.there(x), self.back(x.flip(0))
            x = torch.cat([there, back.flip(0)], -1)[:, 0]
            outputs.append(nn.functional.pad(x, (0, 0, 0, m - length)))
            states.append(torch.cat([end, begin], -1)[:, 0])
        return torch.stack(outputs, 1), torch.stack(states, 1)
""",
        ),
    ],
    "4.5": [
        (
            "0 · ln 0 is nan",
            _swap(
                "4.5",
                (
                    "torch.where(weights > 0, weights, torch.ones_like(weights)).log()",
                    "weights.log()",
                ),
            ),
        ),
        (
            "adds a small number to every weight",
            _swap(
                "4.5",
                (
                    "torch.where(weights > 0, weights, torch.ones_like(weights)).log()",
                    "(weights + 1e-3).log()",
                ),
            ),
        ),
        ("the sign", _swap("4.5", ("return -(", "return ("))),
        ("in bits", _swap("4.5", (".log()", ".log2()"))),
        (
            "as a mean over the tokens",
            _swap("4.5", ("(weights * logs).sum(-1)", "(weights * logs).mean(-1)")),
        ),
        (
            "over another axis",
            _swap("4.5", ("(weights * logs).sum(-1)", "(weights * logs).sum(-2)")),
        ),
        (
            "normalised by the width",
            _swap(
                "4.5",
                (
                    "return -(weights * logs).sum(-1)",
                    "return -(weights * logs).sum(-1) / torch.tensor(weights.shape[-1]).log()",
                ),
            ),
        ),
        (
            "entropy of the softmax of weights",
            _swap("4.5", ("logs = ", "weights = weights.softmax(-1)\n    logs = ")),
        ),
        ("counts what was never written", _swap("4.5", ("column[steps > t]", "column"))),
        ("one step too many", _swap("4.5", ("column[steps > t]", "column[steps >= t]"))),
        (
            "divides by all sentences",
            _swap("4.5", ("chosen.mean()", "chosen.sum() / len(column)")),
        ),
        (
            "multiplies by a mask, which keeps nan",
            """
def entropies(weights):
    return torch.special.entr(weights).sum(-1)


def mean_by_step(values, steps):
    real = torch.arange(values.shape[1]) < steps[:, None]
    return (values * real).sum(0) / real.sum(0)
""",
        ),
        (
            "leaves out nan, and nothing else",
            """
def entropies(weights):
    return torch.special.entr(weights).sum(-1)


def mean_by_step(values, steps):
    return values.nanmean(0)
""",
        ),
        ("zero where none is left", _swap("4.5", ('float("nan")', "0.0"))),
    ],
}
