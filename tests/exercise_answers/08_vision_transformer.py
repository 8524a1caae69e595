"""Answers to the exercises of chapter 8: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "8.1": """
class MeanViT(d2l.ViT):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        m, d = self.patch_embedding.num_patches, self.num_hiddens
        self.cls_token = None
        self.pos_embedding = nn.Parameter(torch.empty(1, m, d).normal_(std=0.02))

    def forward(self, X):
        tokens = self.dropout(self.patch_embedding(X) + self.pos_embedding)
        for blk in self.blks:
            tokens = blk(tokens)
        return self.head(torch.einsum("bmd->bd", tokens) / tokens.shape[1])
""",
    "8.2": """
def search(settings, fit, judge, reveal):
    winner = None
    for setting in settings:
        model = fit(setting)
        judged = judge(model)
        if winner is None or judged > winner[1]:
            winner = setting, judged, model
    return winner[0], winner[1], reveal(winner[2])


def optimism(correct, num_judges, draws=2000):
    n, differences = correct.shape[1], []
    right = correct.double()
    for _ in range(draws):
        judges = torch.zeros(n, dtype=torch.bool)
        judges[torch.rand(n).argsort()[:num_judges]] = True
        scores = right[:, judges].mean(1).tolist()
        best = scores.index(max(scores))
        differences.append(scores[best] - right[best, ~judges].mean().item())
    return sum(differences) / draws
""",
    "8.3": """
def vit_multiplications(side, patch, num_hiddens, mlp_num_hiddens, num_blks,
                        channels=1, num_classes=10):
    def product(rows, inner, columns):
        return rows * inner * columns

    patches = (side // patch) * (side // patch)
    tokens = 1 + patches
    parts = dict.fromkeys(["patches", "projections", "attention", "mlp", "head"], 0)
    parts["patches"] += product(patches, channels * patch * patch, num_hiddens)
    for _ in range(num_blks):
        for _ in "qkvo":
            parts["projections"] += product(tokens, num_hiddens, num_hiddens)
        parts["attention"] += product(tokens, num_hiddens, tokens)
        parts["attention"] += product(tokens, tokens, num_hiddens)
        parts["mlp"] += product(tokens, num_hiddens, mlp_num_hiddens)
        parts["mlp"] += product(tokens, mlp_num_hiddens, num_hiddens)
    parts["head"] += product(1, num_hiddens, num_classes)
    return parts
""",
    "8.4": """
class NewWriters(d2l.Digits):
    def __init__(self, batch_size=64):
        super().__init__(batch_size)
        file = load_digits()
        X = torch.tensor(file.images, dtype=torch.float32).unsqueeze(1) / 16
        y = torch.tensor(file.target)
        self.train = torch.utils.data.TensorDataset(X[:-500], y[:-500])
        self.val = torch.utils.data.TensorDataset(X[-500:], y[-500:])

    def get_dataloader(self, train):
        data = self.train if train else self.val
        return torch.utils.data.DataLoader(data, self.batch_size, shuffle=train)


def fraction_nearby(images, reach):
    n, near = len(images), 0
    for i, image in enumerate(images):
        others = [j for j in range(n) if j != i]
        squares = ((images[others] - image) ** 2).reshape(n - 1, -1).sum(dim=1)
        near += abs(others[int(squares.argmin())] - i) <= reach
    return near / n
""",
    "8.5": """
def grid_encoding(rows, cols, num_hiddens, step=1):
    position = step * torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).double()
    position = position.reshape(rows * cols, 2)
    omega = 10000 ** (-torch.arange(0, num_hiddens // 2, 2).double() * 2 / num_hiddens)
    angles = position[:, :, None] * omega
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1).float()


class GridViT(d2l.ViT):
    def __init__(self, *, step=1, **options):
        super().__init__(**options)
        rows, cols = self.patch_embedding.grid
        P = torch.zeros_like(self.pos_embedding)
        P[0, 1:] = grid_encoding(rows, cols, P.shape[-1], step)
        del self.pos_embedding
        self.register_buffer("pos_embedding", P)
""",
}

MISTAKES = {
    "8.1": """
- <cls> is still a parameter: `self.cls_token = None` -> `pass`
- the head on every patch, then the mean:
  `self.head(torch.einsum("bmd->bd", tokens) / tokens.shape[1])` -> `self.head(tokens).mean(1)`
- the sum of the outputs: ` / tokens.shape[1]` -> ``
- positions as large as the patches: `std=0.02` -> `std=1.0`
- a position for <cls> as well: `torch.empty(1, m, d)` -> `torch.empty(1, m + 1, d)`,
  `+ self.pos_embedding` -> `+ self.pos_embedding[:, 1:]`
- forgets the positions: ` + self.pos_embedding` -> ``
- forgets the dropout:
  `self.dropout(self.patch_embedding(X) + self.pos_embedding)` -> `self.patch_embedding(X) + self.pos_embedding`
- dropout before the positions are added:
  `self.dropout(self.patch_embedding(X) + self.pos_embedding)` -> `self.dropout(self.patch_embedding(X)) + self.pos_embedding`
- positions that are not trained:
  `nn.Parameter(torch.empty(1, m, d).normal_(std=0.02))` -> `torch.empty(1, m, d).normal_(std=0.02)`,
  `self.cls_token = None` -> `self.cls_token = None
        del self.pos_embedding`
""",
    "8.2": """
- reveals every model: `judged = judge(model)` -> `judged, _ = judge(model), reveal(model)`
- chooses by what is held out: `judged = judge(model)` -> `judged = reveal(model)`
- reveals the last model: `reveal(winner[2])` -> `reveal(model)`
- reveals another model, fitted again: `reveal(winner[2])` -> `reveal(fit(winner[0]))`
- the lowest wins: `judged > winner` -> `judged < winner`
- compares with all images: `right[best, ~judges]` -> `right[best]`
- the best on the other images, too: `right[best, ~judges].mean()` -> `right[:, ~judges].mean(1).max()`
- always the first model: `best = scores.index(max(scores))` -> `best = 0`
- always the same judges: `torch.rand(n).argsort()` -> `torch.arange(n)`
""",
    "8.3": """
- forgets <cls>: `tokens = 1 + patches` -> `tokens = patches`
- the head reads every token: `product(1, num_h` -> `product(tokens, num_h`
- one channel only: `channels * patch * patch` -> `patch * patch`
- three projections: `in "qkvo"` -> `in "qkv"`
""",
    "8.4": """
- values from 0 to 16: `.unsqueeze(1) / 16` -> `.unsqueeze(1)`
- the nearest image is itself: `if j != i]` -> `]`, `n - 1` -> `n`
- the index among the others: `others[int(squares.argmin())]` -> `int(squares.argmin())`
- all other images for training, too: `X[:-500]` -> `X`, `y[:-500]` -> `y`
- less than reach: `<= reach` -> `< reach`
- only images that come later:
  `near += abs(others[int(squares.argmin())] - i)` -> `near += 0 <= others[int(squares.argmin())] - i`
""",
    "8.5": """
- columns before rows: `angles = position[:, :, None]` -> `angles = position.flip(1)[:, :, None]`
- frequencies of the full width: `double() * 2 / num_hiddens` -> `double() / num_hiddens`
- trains the encoding:
  `del self.pos_embedding
        self.register_buffer("pos_embedding", P)` -> `self.pos_embedding.data = P.detach()`
- <cls> keeps its random vector:
  `torch.zeros_like(self.pos_embedding)` -> `self.pos_embedding.detach().clone()`
- rows and columns of the grid exchanged: `rows, cols = self` -> `cols, rows = self`
- all sines before all cosines: `dim=-1)` -> `dim=1)`
- the model has step 1: `P.shape[-1], step)` -> `P.shape[-1])`
""",
}

WRONG = spoil(OTHER, MISTAKES)
