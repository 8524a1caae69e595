"""Answers to the exercises of chapter 8: others that are right, and some that are wrong."""

from functools import partial

from exercise_answers import swap

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
    chances = torch.ones(1, dtype=torch.float64)  # of so many right, image by image
    for _ in range(images):
        missed = torch.cat([chances * (1 - accuracy), chances.new_zeros(1)])
        found = torch.cat([chances.new_zeros(1), chances * accuracy])
        chances = missed + found
    best = chances.cumsum(0).clamp(max=1) ** tries
    best = torch.cat([best[:1], best.diff()])
    return (best * torch.arange(images + 1)).sum().item() / images
""",
    "8.4": """
class NewHands(d2l.Digits):
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


def share_nearby(images, reach):
    n, near = len(images), 0
    if n == 1:
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
        raise ValueError("num_hiddens has no quarter")
    if step <= 0:
        raise ValueError("step is too small")
    place = step * torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).double()
    place = place.reshape(rows * cols, 2)
    omega = 10000 ** (-torch.arange(0, num_hiddens // 2, 2).double() * 2 / num_hiddens)
    angles = place[:, :, None] * omega
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

one, two, three, four, five, six = (
    partial(swap, OTHER, number) for number in ("8.1", "8.2", "8.3", "8.4", "8.5", "8.6")
)


def _vit(forward, init="", rolled="rollout(weights).mean(dim=1)"):
    """A MeanViT with these lines, and this rollout."""
    return f"""
class MeanViT(d2l.ViT):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        del self.cls_token
        self.pos_embedding = {init or "nn.Parameter(self.pos_embedding.data[:, 1:])"}

    def forward(self, X):
        X = self.patch_embedding(X)
        {forward}


def mean_rollout(weights):
    return {rolled}
"""


_TOKENS = "self.blks(self.dropout(X + self.pos_embedding))"
_MEAN = f"return self.head({_TOKENS}.mean(1))"

WRONG = {
    "8.1": [
        ("forgets <cls>", one(("tokens = 1 + patches", "tokens = patches"))),
        (
            "<cls> goes through the embedding",
            one(("product(patches, channels", "product(tokens, channels")),
        ),
        ("three projections", one(('"qkvo"', '"qkv"'))),
        (
            "scores only",
            one(
                ('        parts["attention"] += product(tokens, tokens, num_hiddens)\n', "")
            ),
        ),
        (
            "one layer of the MLP",
            one(
                (
                    '        parts["mlp"] += product(tokens, mlp_num_hiddens, num_hiddens)\n',
                    "",
                )
            ),
        ),
        ("a single block", one(("in range(num_blks)", "in range(1)"))),
        ("a head for each token", one(("product(1, num_h", "product(tokens, num_h"))),
        ("grey images only", one(("channels * patch", "patch"))),
        ("ten classes", one(("num_hiddens, num_classes)", "num_hiddens, 10)"))),
        ("additions too", one(("rows * inner * columns", "2 * rows * inner * columns"))),
        ("rounds down", one(("!= side:", "> side:"))),
        ("overtakes without <cls>", one(("least - 1, 0)", "least, 0)"))),
        ("at least as much is enough", one(("least = mlp", "least = -1 + mlp"))),
        ("forgets the patch", one(("return patch * k", "return k"))),
        ("the number of tokens", one(("return patch * k", "return k * k + 1"))),
        ("ignores the projections", one(("if projections:", "if False:"))),
        ("four widths, not two", one(("-= 2 * num", "-= 4 * num"))),
        ("no smaller than nothing", one(("max(1, math", "max(0, math"))),
    ],
    "8.2": [
        (
            "keeps <cls> and leaves it out of the mean",
            two(
                (
                    "tokens = self.dropout(self.patch_embedding(X) + self.pos_embedding)",
                    "tokens = super().forward(X)",
                )
            ),
        ),
        (
            "still has <cls> among its parameters",
            two(("        self.cls_token = None\n", "")),
        ),
        (
            "a position too many, cut off when used",
            """
class MeanViT(d2l.ViT):
    def forward(self, X):
        X = self.patch_embedding(X) + self.pos_embedding[:, 1:]
        return self.head(self.blks(self.dropout(X)).mean(1))


def mean_rollout(weights):
    return rollout(weights).mean(dim=1)
""",
        ),
        (
            "the mean with <cls> in it",
            """
class MeanViT(d2l.ViT):
    def forward(self, X):
        X = self.patch_embedding(X)
        X = torch.cat((self.cls_token.expand(len(X), -1, -1), X), dim=1)
        return self.head(self.blks(self.dropout(X + self.pos_embedding)).mean(1))


def mean_rollout(weights):
    return rollout(weights).mean(dim=1)
""",
        ),
        ("the sum", two((" / tokens.shape[1]", ""))),
        ("the first patch", _vit(f"return self.head({_TOKENS}[:, 0])")),
        ("the largest instead of the mean", _vit(f"return self.head({_TOKENS}.amax(1))")),
        ("the mean over features", _vit(f"return self.head({_TOKENS}.mean(2))")),
        (
            "the head on every patch, then the mean",
            _vit(f"return self.head({_TOKENS}).mean(1)"),
        ),
        (
            "the mean of what goes in",
            _vit("return self.head((X + self.pos_embedding).mean(1))"),
        ),
        ("forgets positions", _vit("return self.head(self.blks(self.dropout(X)).mean(1))")),
        (
            "forgets dropout",
            _vit("return self.head(self.blks(X + self.pos_embedding).mean(1))"),
        ),
        ("loud positions", two(("normal_(std=0.02)", "normal_()"))),
        ("no positions to begin with", two((".normal_(std=0.02)", ".zero_()"))),
        (
            "positions that are not learnt",
            _vit(_MEAN, "nn.Buffer(self.pos_embedding.data[:, 1:])")
            .replace(
                "self.pos_embedding = ",
                "P = self.pos_embedding.data[:, 1:]\n        del self.pos_embedding\n"
                "        self.pos_embedding = ",
            )
            .replace("nn.Buffer(self.pos_embedding.data[:, 1:])", "P"),
        ),
        ("columns instead of rows", _vit(_MEAN, rolled="rollout(weights).mean(dim=2)")),
        ("starts at the first patch", _vit(_MEAN, rolled="rollout(weights)[:, 0]")),
        (
            "blocks in the wrong order",
            _vit(_MEAN, rolled="rollout(weights[::-1]).mean(dim=1)"),
        ),
        ("the last block only", _vit(_MEAN, rolled="rollout(weights[-1:]).mean(dim=1)")),
        ("forgets the free line", _vit(_MEAN, rolled="weights[-1].mean(dim=(1, 2))")),
        (
            "the first head",
            _vit(_MEAN, rolled="rollout([A[:, :1] for A in weights]).mean(1)"),
        ),
        ("the sum of the rows", _vit(_MEAN, rolled="rollout(weights).sum(dim=1)")),
    ],
    "8.3": [
        (
            "sets aside what is held out",
            three(
                ("self.val.images = self.train.images[-num_aside:]\n", "pass\n"),
                ("self.val.labels = self.train.labels[-num_aside:]\n", "pass\n"),
            ),
        ),
        (
            "trains on what it set aside",
            three(
                ("self.train.images = self.train.images[:-num_aside]\n", "pass\n"),
                ("self.train.labels = self.train.labels[:-num_aside]\n", "pass\n"),
            ),
        ),
        (
            "sets the first ones aside",
            three(
                ("self.train.images[-num_aside:]", "self.train.images[:num_aside]"),
                ("self.train.labels[-num_aside:]", "self.train.labels[:num_aside]"),
                ("self.train.images[:-num_aside]", "self.train.images[num_aside:]"),
                ("self.train.labels[:-num_aside]", "self.train.labels[num_aside:]"),
            ),
        ),
        (
            "labels of others",
            three(
                (
                    "self.val.labels = self.train.labels[-num",
                    "self.val.labels = self.val.labels[-num",
                )
            ),
        ),
        (
            "forgets the batch size",
            three(("super().__init__(batch_size, num", "super().__init__(num")),
        ),
        ("leaves nothing to train on", three(("> 1296", "> 1297"))),
        ("sets nothing aside", three(("num_aside < 1 ", "num_aside < 0 "))),
        ("the last of the best", three(("judged > winner", "judged >= winner"))),
        (
            "chooses by what is held out",
            three(
                ("judged = judge(model)", "judged = reveal(model)"),
                ("reveal(winner[2])", "judge(winner[2])"),
            ),
        ),
        (
            "looks at what is held out every time",
            three(("judged = judge(model)", "judged, _ = judge(model), reveal(model)")),
        ),
        ("trains the winner again", three(("reveal(winner[2])", "reveal(fit(winner[0]))"))),
        (
            "judges the winner again",
            three(("winner[1], reveal", "judge(winner[2]), reveal")),
        ),
        ("the model, not the setting", three(("return winner[0]", "return winner[2]"))),
        ("the worst", three(("judged > winner[1]", "judged < winner[1]"))),
        (
            "no word about empty settings",
            three(('raise ValueError("settings are empty")', "return None, 0.0, 0.0")),
        ),
        ("a number of images", three((".sum().item() / images", ".sum().item()"))),
        ("no luck at all", three(("clamp(max=1) ** tries", "clamp(max=1)"))),
        ("the worst of them", three(("** tries\n", "** (1 / tries)\n"))),
        (
            "a normal distribution",
            three(
                (
                    "    chances = torch.ones(1, dtype=torch.float64)  # of so many right, image by image\n",
                    "    spread = math.sqrt(accuracy * (1 - accuracy) / images)\n"
                    "    return accuracy + spread * math.sqrt(2 * math.log(tries))\n"
                    "    chances = torch.ones(1, dtype=torch.float64)\n",
                )
            ),
        ),
    ],
    "8.4": [
        ("forgets to scale", four((".unsqueeze(1) / 16", ".unsqueeze(1)"))),
        (
            "holds out the first 500",
            four(
                ("X[:-500], y[:-500]", "X[500:], y[500:]"),
                ("X[-500:], y[-500:]", "X[:500], y[:500]"),
            ),
        ),
        ("trains on all", four(("X[:-500], y[:-500]", "X, y"))),
        (
            "the mixed split",
            four(("        self.train = ", "        return\n        self.train = ")),
        ),
        ("labels of the mixed split", four(("y[-500:])", "self.val.labels)"))),
        (
            "another order of training images",
            four(("X[:-500], y[:-500]", "X[:-500].flip(0), y[:-500].flip(0)")),
        ),
        ("never shuffles", four(("shuffle=train", "shuffle=False"))),
        ("shuffles all", four(("shuffle=train", "shuffle=True"))),
        (
            "a batch size of its own",
            four(("super().__init__(batch_size)", "super().__init__()")),
        ),
        ("the nearest is itself", four(("if j != i]", "]"), ("n - 1", "n"))),
        (
            "before them only",
            four(
                (
                    "abs(others[int(squares.argmin())] - i)",
                    "i - others[int(squares.argmin())]",
                )
            ),
        ),
        ("strictly within reach", four(("<= reach", "< reach"))),
        ("a number, not a share", four(("return near / n", "return near"))),
        ("the farthest", four(("argmin", "argmax"))),
        (
            "numbers the others anew",
            four(("others[int(squares.argmin())]", "int(squares.argmin())")),
        ),
        (
            "the first row of pixels only",
            four((".reshape(n - 1, -1).sum(dim=1)", ".reshape(n - 1, -1)[:, 0]")),
        ),
        (
            "the largest product",
            four(("((images[others] - image) ** 2)", "(-images[others] * image)")),
        ),
        ("no word about a single image", four(("if n == 1", "if n == 0"))),
    ],
    "8.5": [
        (
            "columns before rows",
            five(
                (
                    "torch.cartesian_prod(torch.arange(rows), torch.arange(cols))",
                    "torch.cartesian_prod(torch.arange(cols), torch.arange(rows)).flip(1)",
                )
            ),
        ),
        (
            "halves exchanged",
            five(("angles = place[:, :, None]", "angles = place.flip(1)[:, :, None]")),
        ),
        (
            "frequencies of the full width",
            five(("double() * 2 / num_hiddens", "double() / num_hiddens")),
        ),
        ("sines first, then cosines", five(("dim=-1).flatten(1)", "dim=-2).flatten(1)"))),
        (
            "cosines before sines",
            five(("[angles.sin(), angles.cos()]", "[angles.cos(), angles.sin()]")),
        ),
        (
            "numbers the patches instead of rows and columns",
            five(
                (
                    "angles = place[:, :, None]",
                    "angles = (step * torch.arange(rows * cols))[:, None, None].expand(-1, 2, 1)",
                )
            ),
        ),
        ("ignores the step", five(("place = step * torch", "place = torch"))),
        (
            "divides by the step",
            five(
                (
                    "place = step * torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).double()",
                    "place = torch.cartesian_prod(torch.arange(rows), torch.arange(cols)).double() / step",
                )
            ),
        ),
        (
            "rows count double",
            five(
                (
                    ".reshape(rows * cols, 2)",
                    ".reshape(rows * cols, 2) * torch.tensor([2, 1])",
                )
            ),
        ),
        ("even widths are enough", five(("num_hiddens % 4", "num_hiddens % 2"))),
        ("a step of nothing", five(("step <= 0", "step < 0"))),
        (
            "keeps the axis of the batch",
            five((".flatten(1).float()", ".flatten(1).float()[None]")),
        ),
        ("the model forgets the step", five(("P.shape[-1], step)", "P.shape[-1])"))),
        (
            "starts there, and learns on",
            five(
                (
                    'del self.pos_embedding\n        self.register_buffer("pos_embedding", P)',
                    "self.pos_embedding.data = P.detach()",
                )
            ),
        ),
        (
            "<cls> counts as a patch",
            five(
                (
                    "P[0, 1:] = grid_encoding(rows, cols, P.shape[-1], step)",
                    "P[0, :-1] = grid_encoding(rows, cols, P.shape[-1], step)",
                )
            ),
        ),
        (
            "<cls> keeps what it had",
            five(
                (
                    "torch.zeros_like(self.pos_embedding)",
                    "self.pos_embedding.detach().clone()",
                )
            ),
        ),
        (
            "added to the learnt ones",
            five(
                (
                    "torch.zeros_like(self.pos_embedding)",
                    "self.pos_embedding.detach().clone()",
                ),
                ("P[0, 1:] =", "P[0, 1:] +="),
            ),
        ),
    ],
    "8.6": [
        ("one convolution", six(("self.conv2(self.conv1(X).relu())", "self.conv1(X)"))),
        ("no ReLU at the end", six((".relu()).relu())", ".relu()))"))),
        (
            "no ReLU at all",
            six(("self.conv2(self.conv1(X).relu()).relu()", "self.conv2(self.conv1(X))")),
        ),
        ("windows of five", six(("channels, 3", "channels, 5"))),
        ("windows of one", six(("channels, 3", "channels, 1"))),
        ("loses the edge", six(('padding="same"', "padding=0"))),
        ("no bias", six(('padding="same"', 'padding="same", bias=False'))),
        (
            "twice the same convolution",
            six(("self.conv2(self.conv1(X).relu())", "self.conv1(self.conv1(X).relu())")),
        ),
        (
            "adds the stem beside the patches",
            six(
                ("class StemViT", "class Unused"),
                (
                    "\n\ndef pixels_seen",
                    """
class StemViT(d2l.ViT):
    def __init__(self, channels, **options):
        super().__init__(**options)
        self.stem = nn.Sequential(
            nn.LazyConv2d(channels, 3, padding=1), nn.ReLU(),
            nn.LazyConv2d(channels, 3, padding=1), nn.ReLU())

    def forward(self, X):
        return super().forward(self.stem(X))


def pixels_seen""",
                ),
            ),
        ),
        (
            "one channel in the end",
            six(("self.conv2 = nn.LazyConv2d(channels", "self.conv2 = nn.LazyConv2d(1")),
        ),
        (
            "the sum of the features",
            six(("embed(X)[:, patch].sum(0), X)", "embed(X)[:, patch].sum(), X)[None]")),
        ),
        ("slopes that cancel", six(("slopes.abs().sum(", "slopes.sum("))),
        ("the first feature", six(("sum(dim=(0, 1, 2))", "sum(dim=(1, 2))[0]"))),
        ("the first image", six(("sum(dim=(0, 1, 2))", "sum(dim=(0, 2))[0]"))),
        ("the first channel", six(("sum(dim=(0, 1, 2))", "sum(dim=(0, 1))[0]"))),
        ("all tokens", six(("embed(X)[:, patch].sum(0)", "embed(X).sum((0, 1))"))),
        ("slopes, not booleans", six((".sum(dim=(0, 1, 2)) > 0", ".sum(dim=(0, 1, 2))"))),
        (
            "marks positive slopes only",
            six((".abs().sum(dim=(0, 1, 2)) > 0", ".sum(dim=(0, 1, 2)) > 0")),
        ),
        (
            "leaves X changed",
            six(("    slopes = ", "    X.requires_grad_()\n    slopes = ")),
        ),
        ("how large, not whether", six((") > 0", ") > 0.05"))),
    ],
}
