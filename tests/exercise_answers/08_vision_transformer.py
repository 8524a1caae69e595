"""Answers to the exercises of chapter 8: others that are right, and some that are wrong."""

from exercise_answers import spoil

OTHER = {
    "8.1": """
def vit_multiplications(side, patch, num_hiddens, mlp_num_hiddens, num_blks,
                        channels=1, num_classes=10):
    if side // patch * patch != side:
        raise ValueError("patch does not divide side")

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


def overtaking_side(patch, num_hiddens, mlp_num_hiddens, projections=False):
    least = mlp_num_hiddens
    if projections:
        least -= 2 * num_hiddens
    k = max(1, math.isqrt(max(least - 1, 0)) + (least > 1))
    return patch * k
""",
    "8.2": """
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


def mean_rollout(weights):
    b, _, m, _ = weights[0].shape
    reading = torch.full((b, 1, m), 1 / m)
    for A in reversed(weights):
        reading = (reading + reading @ A.mean(dim=1)) / 2
    return reading.squeeze(1)
""",
    "8.3": """
class SetAside(d2l.Digits):
    def __init__(self, batch_size=64, *, num_aside=297):
        if num_aside < 1 or num_aside > 1296:
            raise ValueError("num_aside must leave something on both sides")
        super().__init__(batch_size, num_train=1297)
        self.val.images = self.train.images[-num_aside:]
        self.val.labels = self.train.labels[-num_aside:]
        self.train.images = self.train.images[:-num_aside]
        self.train.labels = self.train.labels[:-num_aside]


def search(settings, fit, judge, reveal):
    winner = None
    for setting in settings:
        model = fit(setting)
        judged = judge(model)
        if winner is None or judged > winner[1]:
            winner = setting, judged, model
    if winner is None:
        raise ValueError("settings are empty")
    return winner[0], winner[1], reveal(winner[2])


def expected_best(accuracy, images, tries):
    chances = torch.ones(1, dtype=torch.float64)  # of so many right
    for _ in range(images):
        missed = torch.cat([chances * (1 - accuracy), chances.new_zeros(1)])
        found = torch.cat([chances.new_zeros(1), chances * accuracy])
        chances = missed + found
    best = chances.cumsum(0).clamp(max=1) ** tries
    best = torch.cat([best[:1], best.diff()])
    return (best * torch.arange(images + 1)).sum().item() / images
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
    if n < 2:
        raise ValueError("a single one of images has no nearest")
    for i, image in enumerate(images):
        others = [j for j in range(n) if j != i]
        squares = ((images[others] - image) ** 2).reshape(n - 1, -1).sum(dim=1)
        near += abs(others[int(squares.argmin())] - i) <= reach
    return near / n
""",
    "8.5": """
def grid_encoding(rows, cols, num_hiddens, step=1):
    if num_hiddens % 4 != 0:
        raise ValueError("num_hiddens is no multiple of 4")
    if step <= 0:
        raise ValueError("step is too small")
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
    "8.6": """
class _Stem(nn.Module):
    def __init__(self, channels, embedding):
        super().__init__()
        self.conv1 = nn.LazyConv2d(channels, 3, padding="same")
        self.conv2 = nn.LazyConv2d(channels, 3, padding="same")
        self.embedding = embedding

    def forward(self, X):
        return self.embedding(self.conv2(self.conv1(X).relu()).relu())


class StemViT(d2l.ViT):
    def __init__(self, channels, **options):
        super().__init__(**options)
        self.patch_embedding = _Stem(channels, self.patch_embedding)


def pixels_seen(embed, X, patch):
    slopes = torch.autograd.functional.jacobian(lambda X: embed(X)[:, patch].sum(0), X)
    return slopes.abs().sum(dim=(0, 1, 2)) > 0
""",
}

MISTAKES = {
    "8.1": """
- forgets <cls>: `tokens = 1 + patches` -> `tokens = patches`
- the head reads every token: `product(1, num_h` -> `product(tokens, num_h`
- as many multiplications are enough: `least = mlp` -> `least = -1 + mlp`
- ignores projections: `if projections:` -> `if False:`
- one channel only: `channels * patch * patch` -> `patch * patch`
- refuses only patches that are too large: `side // patch * patch != side` -> `patch > side`
""",
    "8.2": """
- <cls> is still a parameter: `self.cls_token = None` -> `pass`
- the head on every patch, then the mean:
  `self.head(torch.einsum("bmd->bd", tokens) / tokens.shape[1])` -> `self.head(tokens).mean(1)`
- follows the blocks forwards: `in reversed(weights)` -> `in weights`
- forgets the residual connection:
  `(reading + reading @ A.mean(dim=1)) / 2` -> `reading @ A.mean(dim=1)`
- dropout before the positions are added:
  `self.dropout(self.patch_embedding(X) + self.pos_embedding)`
  -> `self.dropout(self.patch_embedding(X)) + self.pos_embedding`
- positions as large as the patches: `std=0.02` -> `std=1.0`
- the same number for all patches: `reading.squeeze(1)` -> `torch.full((b, m), 1 / m)`
""",
    "8.3": """
- trains on what is set aside:
  `self.train.images = self.train.images[:-num_aside]` -> `pass`
  `self.train.labels = self.train.labels[:-num_aside]` -> `pass`
- evaluates every model on what is held out:
  `judged = judge(model)` -> `judged, _ = judge(model), reveal(model)`
- the last of the best: `judged > winner` -> `judged >= winner`
- aside are the images held out: `self.val.images = self.train.images[-num_aside:]` -> `pass`,
  `self.val.labels = self.train.labels[-num_aside:]` -> `pass`
- the first are set aside: `[:-num_aside]` -> `[num_aside:]`, `[-num_aside:]` -> `[:num_aside]`
- batches of 64: `(batch_size, num_train=1297)` -> `(num_train=1297)`
- trains the winner once more: `reveal(winner[2])` -> `reveal(fit(winner[0]))`
- a normal approximation:
  `    chances = torch.ones(1, dtype=torch.float64)`
  -> `    deviation = math.sqrt(accuracy * (1 - accuracy) / images)
    return accuracy + deviation * math.sqrt(2 * math.log(tries))
    chances = torch.ones(1)`
""",
    "8.4": """
- values from 0 to 16: `.unsqueeze(1) / 16` -> `.unsqueeze(1)`
- training images are not shuffled: `shuffle=train` -> `shuffle=False`
- the nearest image is itself: `if j != i]` -> `]`, `n - 1` -> `n`
- the index among the others: `others[int(squares.argmin())]` -> `int(squares.argmin())`
- all other images for training, too: `X[:-500]` -> `X`, `y[:-500]` -> `y`
- less than reach: `<= reach` -> `< reach`
- only images that come later:
  `near += abs(others[int(squares.argmin())] - i)` -> `near += 0 <= others[int(squares.argmin())] - i`
- the last of several: `int(squares.argmin())` -> `n - 2 - int(squares.flip(0).argmin())`
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
- no more than 1000 positions:
  `torch.arange(cols)).double()` -> `torch.arange(cols)).clamp(max=999 // step).double()`
- stays behind when the model moves:
  `self.register_buffer("pos_embedding", P)` -> `self.pos_embedding = P`
- accepts every even width: `num_hiddens % 4` -> `num_hiddens % 2`
""",
    "8.6": """
- no ReLU at the end: `.relu()).relu())` -> `.relu()))`
- the same convolution twice: `self.conv2(self.conv1(X)` -> `self.conv1(self.conv1(X)`
- the derivative of the sum of all features:
  `embed(X)[:, patch].sum(0), X)` -> `embed(X)[:, patch].sum(), X)[None]`
- the first image only: `sum(dim=(0, 1, 2))` -> `sum(dim=(0, 2))[0]`
- features that grow only: `slopes.abs().sum(dim=(0, 1, 2)) > 0` -> `(slopes > 0).sum(dim=(0, 1, 2)) > 0`
- channels and images cancel:
  `slopes.abs().sum(dim=(0, 1, 2)) > 0` -> `slopes.sum(dim=(1, 2)).abs().sum(dim=0) > 0`
- only where it matters: `> 0` -> `> 0.01`
- X requires gradients afterwards: `slopes = torch` -> `X.requires_grad_()
    slopes = torch`
""",
}

WRONG = spoil(OTHER, MISTAKES)
