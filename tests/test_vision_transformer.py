"""The vision Transformer: equal to PyTorch's and d2l's, blind to order, and its data."""

import gzip
import hashlib
import inspect
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torch import nn

import d2lmini as d2l
from conftest import fashion_files, idx_file
from d2lmini import vision_transformer

few = settings(max_examples=20)
SMALL = {"num_hiddens": 12, "mlp_num_hiddens": 16, "num_heads": 3, "num_blks": 2}


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def assert_close(ours, expected, tolerance=1e-5):
    torch.testing.assert_close(ours, expected, atol=tolerance, rtol=tolerance)


def gradients(output, parts):
    """The gradients of a random sum of the outputs, for all parts."""
    direction = random(*output.shape).to(output.dtype)
    return torch.autograd.grad(output, parts, direction, retain_graph=True)


def vary(module):
    """Move biases, norms and <cls>, so that no two of them are alike."""
    for name, part in module.named_parameters():
        if part.ndim == 1 or name == "cls_token":
            part.data += 0.3 * torch.randn(part.shape)


def small_vit(img_size=8, patch_size=2, c=1, dropout=0.0, seed=0, **options):
    torch.manual_seed(seed)
    sizes = SMALL | {"emb_dropout": dropout, "blk_dropout": dropout} | options
    vit = d2l.ViT(img_size, patch_size, **sizes)
    h, w = vit.patch_embedding.img_size
    vit(torch.zeros(1, c, h, w))  # fixes the channels
    vary(vit)
    vit.pos_embedding.data = random(*vit.pos_embedding.shape, seed=seed)
    return vit


@st.composite
def image_sizes(draw):
    """A batch of images, and the size of their patches, as a number where it can be."""
    b, c, rows, columns, p, q = (draw(st.integers(1, high)) for high in (3, 3, 4, 4, 3, 3))
    if draw(st.booleans()):
        columns, q = rows, p
    size, patch = (rows * p, columns * q), (p, q)
    if size[0] == size[1] and p == q and draw(st.booleans()):
        return (b, c, *size), size[0], p
    as_given = draw(st.sampled_from([tuple, list]))
    return (b, c, *size), as_given(size), as_given(patch)


# --- patches -------------------------------------------------------------------------


@given(image_sizes())
def test_patches_are_cut_row_by_row_and_projected_by_one_matrix(sizes):
    shape, img_size, patch_size = sizes
    X, embedding = random(*shape), d2l.PatchEmbedding(img_size, patch_size, 5)
    Y = embedding(X)
    p, q = embedding.conv.kernel_size
    patches = nn.functional.unfold(X, (p, q), stride=(p, q)).transpose(1, 2)
    assert_close(Y, patches @ embedding.conv.weight.flatten(1).T + embedding.conv.bias)
    grid = shape[2] // p, shape[3] // q
    assert embedding.grid == grid
    assert embedding.num_patches == grid[0] * grid[1] == Y.shape[1]


@given(image_sizes(), st.data())
def test_a_pixel_moves_its_own_patch_and_no_other(sizes, data):
    (b, c, h, w), img_size, patch_size = sizes
    embedding, X = d2l.PatchEmbedding(img_size, patch_size, 5), random(b, c, h, w)
    row, column = data.draw(st.integers(0, h - 1)), data.draw(st.integers(0, w - 1))
    other = X.clone()
    other[..., row, column] += 1
    moved = (embedding(X) != embedding(other)).any(dim=-1)
    p, q = embedding.conv.kernel_size
    expected = torch.arange(moved.shape[1]) == row // p * embedding.grid[1] + column // q
    assert torch.equal(moved, expected.expand(b, -1))


def test_the_sizes_of_the_source_are_the_defaults():
    embedding = d2l.PatchEmbedding()
    assert embedding(torch.zeros(2, 3, 96, 96)).shape == (2, 36, 512)


@pytest.mark.parametrize(
    ("img_size", "patch_size", "message"),
    [
        (28, 16, r"patch_size must divide img_size = \(28, 28\), and is \(16, 16\)"),
        (16, 28, r"patch_size must divide img_size = \(16, 16\), and is \(28, 28\)"),
        ((8, 9), 4, r"patch_size must divide img_size = \(8, 9\), and is \(4, 4\)"),
        ((9, 8), 4, r"patch_size must divide img_size = \(9, 8\), and is \(4, 4\)"),
        ((6, 8), [8, 6], r"patch_size must divide img_size = \(6, 8\), and is \(8, 6\)"),
        (8, 0, "patch_size must be a positive whole number or a pair of them, not 0"),
        (-8, 2, "img_size must be a positive whole number or a pair of them, not -8"),
        (8.0, 2, r"img_size must be .*, not 8\.0"),
        ((8, 8, 8), 2, r"img_size must be .*, not \(8, 8, 8\)"),
        (8, (2, 0), r"patch_size must be .*, not \(2, 0\)"),
        ("8", 2, "img_size must be .*, not '8'"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_with_their_numbers(
    img_size, patch_size, message
):
    for build in (d2l.PatchEmbedding, lambda *sizes: d2l.ViT(*sizes, 8, 8, 2, 1, 0, 0)):
        with pytest.raises(ValueError, match=message):
            build(img_size, patch_size)


@pytest.mark.parametrize("shape", [(1, 1, 8, 6), (1, 1, 6, 4), (1, 6, 8), (6, 8)])
def test_images_of_another_size_are_refused(shape):
    vit = d2l.ViT((6, 8), 2, **SMALL, emb_dropout=0, blk_dropout=0)
    message = re.escape(f"X must be images (b, c, 6, 8), not {shape}")
    with pytest.raises(ValueError, match=message):
        vit(torch.zeros(shape))


def test_the_first_call_fixes_the_channels():
    embedding = d2l.PatchEmbedding((6, 8), 2, 5)
    embedding(torch.zeros(1, 3, 6, 8))
    message = r"X must be images \(b, 3, 6, 8\), not \(2, 1, 6, 8\)"
    with pytest.raises(ValueError, match=message):
        embedding(torch.zeros(2, 1, 6, 8))


# --- equal to PyTorch's layers -------------------------------------------------------


def counterparts(block, layer):
    """Our parameters, those of PyTorch's layer, and which rows of theirs are ours."""
    theirs = dict(layer.named_parameters())
    into = {"attention.W_o": "self_attn.out_proj", "mlp.dense": "linear", "ln": "norm"}
    for name, ours in block.named_parameters():
        _, found, which = name.partition("attention.W_")
        if found and which[0] != "o":
            three = theirs[f"self_attn.in_proj_{which[2:]}"]
            third, start = len(three) // 3, "qkv".index(which[0])
            yield ours, three, slice(start * third, (start + 1) * third)
            continue
        for mine, other in into.items():
            name = name.replace(mine, other)
        yield ours, theirs[name], slice(None)


@few
@given(
    st.tuples(*[st.integers(1, high) for high in (3, 6, 3, 5, 9)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_a_block_equals_pytorch_s_and_so_do_its_gradients(sizes, padded, train, seed):
    b, n, h, p, hidden = sizes
    torch.manual_seed(seed)
    block = d2l.ViTBlock(h * p, h * p, hidden, h, 0.0, use_bias=True).double()
    vary(block)
    arguments = {"activation": "gelu", "batch_first": True, "norm_first": True}
    layer = nn.TransformerEncoderLayer(h * p, h, hidden, 0.0, **arguments).double()
    parameters, others, rows = zip(*counterparts(block.train(train), layer.train(train)))
    with torch.no_grad():
        for parameter, other, part in zip(parameters, others, rows):
            other[part] = parameter
    X, lengths, padding = random(b, n, h * p).double().requires_grad_(), None, None
    if padded:
        lengths = torch.randint(1, n + 1, (b,))
        padding = ~d2l.length_mask(lengths, n).squeeze(1)
    output, expected = block(X, lengths), layer(X, src_key_padding_mask=padding)
    assert_close(output, expected)
    slopes = gradients(output, [X, *parameters])
    others = gradients(expected, [X, *others])
    for slope, other, part in zip(slopes, others, [slice(None), *rows]):
        assert_close(slope, other[part])


def test_the_mlp_is_two_layers_with_gelu_between():
    torch.manual_seed(0)
    mlp, X = d2l.ViTMLP(7, 5, 0.0), random(2, 3, 4)
    mlp(X)
    expected = nn.Sequential(mlp.dense1, nn.GELU(), mlp.dense2)(X)
    assert expected.shape == (2, 3, 5)
    assert_close(mlp(X), expected)


def test_the_mlp_drops_half_by_default_after_each_layer():
    torch.manual_seed(0)
    mlp, X = d2l.ViTMLP(2000, 3000), random(1, 4)
    inputs = []
    mlp.dense2.register_forward_hook(lambda layer, given, output: inputs.append(given[0]))
    output = mlp(X)
    assert 0.4 < (output == 0).float().mean() < 0.6
    assert 0.4 < (inputs[0] == 0).float().mean() < 0.6
    mlp.eval()
    assert (mlp(X) != 0).all()


def test_the_norm_may_span_several_axes():
    torch.manual_seed(0)
    block, X = d2l.ViTBlock(8, (3, 8), 9, 2, 0.0), random(2, 3, 8)
    flat = nn.functional.layer_norm(X, (3, 8))
    attended = X + block.attention(flat, flat, flat)
    expected = attended + block.mlp(nn.functional.layer_norm(attended, (3, 8)))
    assert_close(block(X), expected)


# --- equal to d2l's, which its chapter describes -------------------------------------


@pytest.fixture(scope="module")
def their_vit(d2l_1_0_3):
    from d2l_reference import d2l_vit

    return d2l_vit(d2l_1_0_3)


@few
@given(
    image_sizes(),
    st.tuples(*[st.integers(1, high) for high in (3, 4, 9, 2, 5)]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 1000),
)
def test_a_vit_equals_d2l_s_under_weights_that_go_both_ways(
    their_vit, images, sizes, use_bias, train, seed
):
    (b, c, h, w), img_size, patch_size = images
    heads, p, hidden, num_blks, classes = sizes
    arguments = img_size, patch_size, heads * p, hidden, heads, num_blks
    options = {"use_bias": use_bias, "num_classes": classes}
    torch.manual_seed(seed)
    theirs, ours, fresh = (
        library(*arguments, 0.0, 0.0, **options).double().train(train)
        for library in (their_vit, d2l.ViT, d2l.ViT)
    )
    X = random(b, c, h, w, seed=seed).double()
    theirs(X), ours(X)
    vary(ours)
    assert {*theirs.state_dict()} == {*ours.state_dict()}
    theirs.load_state_dict(ours.state_dict())
    fresh.load_state_dict(theirs.state_dict())
    expected = theirs(X)
    assert expected.shape == (b, classes)
    for vit in (ours, fresh):
        assert_close(vit(X), expected)
        for weights, block in zip(vit.attention_weights, theirs.blks, strict=True):
            assert_close(weights.flatten(0, 1), block.attention.attention.attention_weights)
    slopes = dict(zip(dict(ours.named_parameters()), gradients(ours(X), ours.parameters())))
    others = gradients(expected, theirs.parameters())
    for name, other in zip(dict(theirs.named_parameters()), others):
        assert_close(slopes[name], other)


@pytest.mark.parametrize("name", ["ViT", "PatchEmbedding", "ViTMLP", "ViTBlock"])
def test_the_signatures_are_d2l_s(their_vit, name):
    signatures = {
        "ViT": str(inspect.signature(their_vit)),
        "PatchEmbedding": "(img_size=96, patch_size=16, num_hiddens=512)",
        "ViTMLP": "(mlp_num_hiddens, mlp_num_outputs, dropout=0.5)",
        "ViTBlock": "(num_hiddens, norm_shape, mlp_num_hiddens, num_heads, dropout, "
        "use_bias=False)",
    }
    assert str(inspect.signature(getattr(d2l, name))) == signatures[name]


def test_a_vit_keeps_its_arguments_and_trains_as_a_classifier():
    vit = d2l.ViT(8, 2, **SMALL, emb_dropout=0.1, blk_dropout=0.2)
    assert vit.hparams | SMALL == vit.hparams
    assert (vit.lr, vit.use_bias, vit.num_classes) == (0.1, False, 10)
    optimizer = vit.configure_optimizers()
    assert type(optimizer) is torch.optim.SGD and optimizer.param_groups[0]["lr"] == 0.1


# --- what a ViT can see --------------------------------------------------------------


def shuffled(X, order):
    """Images (b, c, 8, 8) with their patches of 2 x 2 in another order."""
    patches = nn.functional.unfold(X, 2, stride=2)
    return nn.functional.fold(patches[..., order], (8, 8), 2, stride=2)


@few
@given(st.permutations(range(16)), st.integers(0, 100))
def test_patches_and_positions_that_move_together_change_nothing(order, seed):
    vit, X = small_vit(c=3, seed=seed), random(2, 3, 8, 8, seed=seed)
    before, order = vit(X), torch.tensor(order)
    places = vit.pos_embedding.data
    vit.pos_embedding.data = torch.cat((places[:, :1], places[:, 1:][:, order]), dim=1)
    assert_close(vit(shuffled(X, order)), before)


def test_positions_tell_the_order_of_patches_and_without_them_nothing_does():
    vit, X = small_vit(), random(4, 1, 8, 8)
    other = shuffled(X, torch.arange(15, -1, -1))
    assert ((vit(X) - vit(other)).abs().amax(dim=1) > 1e-3).all()
    nn.init.zeros_(vit.pos_embedding)
    assert_close(vit(X), vit(other))


def test_the_scores_of_an_image_do_not_depend_on_its_batch():
    vit, X = small_vit().eval(), random(3, 1, 8, 8)
    assert_close(torch.cat([vit(image[None]) for image in X]), vit(X))


def test_every_patch_and_cls_and_its_position_count():
    vit = small_vit()
    X = random(1, 1, 8, 8).requires_grad_()
    slope, places, cls = gradients(vit(X), [X, vit.pos_embedding, vit.cls_token])
    assert (slope != 0).all() and (places != 0).all() and (cls != 0).all()
    assert_close(cls[0, 0], places[0, 0])  # <cls> stands first


def test_a_vit_begins_with_small_positions_and_an_empty_cls():
    torch.manual_seed(0)
    vit = d2l.ViT(32, 2, 64, 64, 2, 1, 0.1, 0.1)
    assert vit.pos_embedding.shape == (1, 257, 64)
    assert 0.019 < vit.pos_embedding.std() < 0.021
    assert vit.cls_token.shape == (1, 1, 64) and (vit.cls_token == 0).all()


def test_emb_dropout_falls_on_tokens_and_positions():
    vit, X = small_vit(emb_dropout=1.0).train(), random(2, 1, 8, 8)
    nothing = vit.head(vit.blks(torch.zeros(1, 17, 12))[:, 0])
    assert_close(vit(X), nothing.expand(2, -1))
    assert not torch.allclose(vit.eval()(X), nothing.expand(2, -1))


def test_blk_dropout_falls_on_both_parts_of_a_block_but_not_on_the_sum():
    block, X = d2l.ViTBlock(12, 12, 16, 3, 1.0), random(2, 5, 12)
    assert torch.equal(block.train()(X), X)
    assert not torch.allclose(block.eval()(X), X)
    vit = d2l.ViT(8, 2, **SMALL, emb_dropout=0.2, blk_dropout=0.3)
    assert vit.dropout.p == 0.2
    inside = [part.p for part in vit.blks.modules() if isinstance(part, nn.Dropout)]
    assert inside == [0.3] * 6


def test_the_attention_weights_are_those_of_the_last_call():
    vit, X = small_vit().eval(), random(5, 1, 8, 8)
    vit(X[:2])
    vit(X)
    assert len(vit.attention_weights) == 2
    for weights in vit.attention_weights:
        assert weights.shape == (5, 3, 17, 17) and not weights.requires_grad
        assert_close(weights.sum(dim=-1), torch.ones(5, 3, 17))


@pytest.mark.parametrize("optimizer", [torch.optim.SGD, torch.optim.Adam])
def test_training_from_the_first_call_on_moves_every_parameter(optimizer):
    class Own(d2l.ViT):
        def configure_optimizers(self):
            return optimizer(self.parameters(), lr=0.01)

    torch.manual_seed(0)
    vit = Own(8, 2, **SMALL, emb_dropout=0.1, blk_dropout=0.1)
    vit.board.display = False
    copies = []

    def remember(module, given, output):
        if not copies:
            copies.extend((name, p.clone()) for name, p in vit.named_parameters())

    vit.register_forward_hook(remember)
    d2l.Trainer(1).fit(vit, d2l.Digits(num_train=64))
    assert len(copies) == len([*vit.parameters()])
    now = dict(vit.named_parameters())
    assert [name for name, before in copies if torch.equal(before, now[name])] == []


# --- digits --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits():
    return d2l.Digits()


def test_the_digits_are_scikit_learn_s_each_of_them_once(digits):
    from sklearn.datasets import load_digits

    images, labels = (
        torch.cat(parts) for parts in zip(digits.train[:], digits.val[:], strict=True)
    )
    assert images.shape == (1797, 1, 8, 8) and images.dtype == torch.float32
    assert labels.dtype == torch.int64
    assert (len(digits.train), len(digits.val)) == (1297, 500)
    ours = sorted(zip((images * 16).flatten(1).tolist(), labels.tolist()))
    theirs = load_digits()
    assert ours == sorted(zip(theirs.data.tolist(), theirs.target.tolist()))


@given(st.integers(1, 1297))
def test_every_beginning_has_each_digit_in_proportion(n):
    data = d2l.Digits(num_train=n)
    whole = d2l.Digits()
    labels = data.train[:][1]
    counts = labels.bincount(minlength=10)
    share = torch.cat((whole.train[:][1], whole.val[:][1])).bincount() / 1797
    assert ((counts - n * share).abs() < 1.5).all()
    assert torch.equal(labels, whole.train[:n][1])
    assert torch.equal(data.val[:][0], whole.val[:][0])


def test_the_split_is_the_same_everywhere_and_draws_no_numbers(digits):
    torch.manual_seed(0)
    before = torch.get_rng_state()
    data = d2l.Digits()
    assert torch.equal(torch.get_rng_state(), before)
    for ours, others in [(data.train, digits.train), (data.val, digits.val)]:
        assert all(torch.equal(*pair) for pair in zip(ours[:], others[:]))
    ink = [image.sum().item() * 16 for image, _ in (data.train[0], data.val[0])]
    assert ink == [315, 276]
    counts = data.val[:][1].bincount().tolist()
    assert counts == [50, 51, 49, 51, 50, 51, 50, 50, 48, 50]


@pytest.mark.parametrize("num_train", [0, -1, 1298])
def test_a_number_of_digits_that_there_are_not_is_refused(num_train):
    message = f"num_train must be from 1 to 1297, not {num_train}"
    with pytest.raises(ValueError, match=message):
        d2l.Digits(num_train=num_train)


def test_a_set_gives_single_images_and_batches(digits):
    image, label = digits.val[3]
    assert image.shape == (1, 8, 8) and type(label) is int
    X, y = digits.val[[3, -1]]
    assert X.shape == (2, 1, 8, 8) and y.shape == (2,)
    assert torch.equal(X[0], image) and y[0] == label
    assert torch.equal(X[1], digits.val[-1][0])
    assert digits.val[:0][0].shape == (0, 1, 8, 8)
    assert len([*digits.val]) == 500
    with pytest.raises(IndexError):
        digits.val[500]


def test_batches_hold_all_images_once_and_only_training_is_shuffled(digits):
    for train, data in [(True, digits.train), (False, digits.val)]:
        loader = digits.get_dataloader(train)
        batches = [*loader]
        assert len(batches) == len(loader) == -(-len(data) // 64)
        assert {type(batch) for batch in batches} == {list}
        X, y = (torch.cat(parts) for parts in zip(*batches))
        assert len(y) == len(data)
        assert torch.equal(y.bincount(), data[:][1].bincount())
        assert torch.equal(X, data[:][0]) is not train
        again = torch.cat([part for part, _ in loader])
        assert torch.equal(X, again) is not train


# --- FashionMNIST --------------------------------------------------------------------


def fashion_of(folder, files=None, **options):
    """FashionMNIST from files that are there already."""
    files = fashion_files() | (files or {})

    class Own(d2l.FashionMNIST):
        mirrors = ("http://127.0.0.1:9/",)
        sha256 = tuple(
            (name, hashlib.sha256(file).hexdigest()) for name, file in files.items()
        )

    raw = folder / "FashionMNIST" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        (raw / name).write_bytes(file)
    return Own(root=str(folder), **options)


def pixels(name):
    """The bytes of one of the files, read in another way."""
    content = gzip.decompress(fashion_files()[name])
    if "labels" in name:
        return np.frombuffer(content[8:], np.uint8)
    return np.frombuffer(content[16:], np.uint8).reshape(-1, 28, 28)


def test_the_files_are_read_byte_by_byte(tmp_path):
    data = fashion_of(tmp_path)
    assert (data.batch_size, data.resize, data.num_workers) == (64, (28, 28), 4)
    assert (len(data.train), len(data.val)) == (6, 4)
    for part, images in [("train", data.train), ("t10k", data.val)]:
        X, y = images[:]
        expected = torch.tensor(pixels(f"{part}-images-idx3-ubyte.gz"))
        assert torch.equal(X, expected.unsqueeze(1).float() / 255)
        assert y.tolist() == pixels(f"{part}-labels-idx1-ubyte.gz").tolist()
        assert y.dtype == torch.int64
        assert 0 <= X.min() < X.max() <= 1


def test_the_signature_and_the_names_are_d2l_s(d2l_1_0_3, tmp_path):
    theirs = inspect.signature(d2l_1_0_3.FashionMNIST).parameters.values()
    ours = [*inspect.signature(d2l.FashionMNIST).parameters.values()]
    assert [*map(str, ours[:2])] == [*map(str, theirs)]
    assert [part.kind.name for part in ours[2:]] == ["KEYWORD_ONLY"]
    numbers = torch.arange(9, -1, -1)
    names = d2l_1_0_3.FashionMNIST.text_labels(None, numbers)
    assert fashion_of(tmp_path).text_labels(numbers) == names


@pytest.mark.parametrize("size", [(96, 96), (14, 14), (32, 20), (20, 28), [28, 7], 12])
def test_images_are_resized_as_by_torchvision(tmp_path, size):
    """Which has Pillow do it, and round to whole grey levels, once for each axis."""
    data = fashion_of(tmp_path, resize=size, batch_size=4)
    height, width = (size, size) if isinstance(size, int) else size
    expected = [
        np.asarray(Image.fromarray(image).resize((width, height), Image.BILINEAR))
        for image in pixels("train-images-idx3-ubyte.gz")
    ]
    expected = torch.tensor(np.stack(expected)).unsqueeze(1) / 255
    X, _ = data.train[:]
    assert X.shape == (6, 1, height, width)
    assert_close(X, expected, 1.01 / 255)
    assert (X - expected).mean().abs() < 0.2 / 255
    assert torch.equal(torch.stack([image for image, _ in data.train]), X)
    assert torch.equal(
        torch.cat([part for part, _ in data.val_dataloader()]), data.val[:][0]
    )


def test_images_are_kept_as_bytes_until_they_are_asked_for(tmp_path):
    data = fashion_of(tmp_path, resize=(96, 96))
    assert data.train.images.dtype == torch.uint8
    assert data.train.images.shape == (6, 28, 28)


def zeros(*shape):
    return torch.zeros(shape, dtype=torch.uint8)


def cut(file, end):
    """A compressed file of which only a part was compressed."""
    return gzip.compress(gzip.decompress(file)[:end])


IMAGES, LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"
RIGHT = fashion_files()


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        (IMAGES, b"<h1>Not found</h1>", "be a gzip file"),
        (IMAGES, RIGHT[IMAGES][:-20], "be a gzip file"),
        (IMAGES, RIGHT[IMAGES][:10] + b"\xff" * 20, "be a gzip file"),
        (IMAGES, RIGHT[IMAGES][:200] + b"?" + RIGHT[IMAGES][201:], "be a gzip file"),
        (IMAGES, gzip.compress(b""), r"begin with \[0, 0, 8, 3\] and 3 .*, not \[\]"),
        (IMAGES, RIGHT[LABELS], r"begin with \[0, 0, 8, 3\] and 3 lengths, not \[0"),
        (LABELS, RIGHT[IMAGES], r"begin with \[0, 0, 8, 1\] and 1 lengths, not \[0"),
        (LABELS, gzip.compress(b"\0\0\x0d\1" + bytes(10)), r"not \[0, 0, 13, 1, 0"),
        (LABELS, gzip.compress(b"\1\0\x08\1" + bytes(10)), r"not \[1, 0, 8, 1, 0"),
        (LABELS, cut(RIGHT[LABELS], 7), r"begin with .* not \[0, 0, 8, 1, 0, 0, 0\]"),
        (LABELS, cut(RIGHT[LABELS], -1), r"hold 6 bytes, for \(6,\), not 5"),
        (IMAGES, cut(RIGHT[IMAGES], -9), r"hold 4704 bytes, for \(6, 28, 28\), not 4695"),
        (LABELS, idx_file(zeros(5)), "hold 6 labels, one for each image, not 5"),
        (LABELS, idx_file(zeros(6) + 10), "hold labels to 9, not 10"),
    ],
    ids=lambda part: "file" if isinstance(part, bytes) else None,  # gzip notes the time
)
def test_a_file_of_another_kind_is_refused(tmp_path, name, file, message):
    with pytest.raises(ValueError, match=f"{re.escape(name)} .*{message}"):
        fashion_of(tmp_path, {name: file})


def test_more_bytes_than_promised_are_refused(tmp_path):
    file = gzip.compress(gzip.decompress(RIGHT[LABELS]) + b"\0")
    with pytest.raises(ValueError, match=r"must hold 6 bytes, for \(6,\), not 7"):
        fashion_of(tmp_path, {LABELS: file})


@pytest.mark.parametrize("resize", [0, (28, -1), (1, 2, 3), 2.5])
def test_a_size_that_is_none_is_refused(tmp_path, resize):
    with pytest.raises(ValueError, match="resize must be a positive whole number or"):
        fashion_of(tmp_path, resize=resize)


# --- pictures ------------------------------------------------------------------------


def test_a_batch_is_drawn_with_the_names_of_its_labels(tmp_path):
    data = fashion_of(tmp_path, batch_size=5)
    X, y = batch = next(iter(data.train_dataloader()))
    fig = data.visualize(batch, nrows=2, ncols=4)
    assert len(fig.axes) == 8
    titles = [ax.get_title() for ax in fig.axes]
    assert titles == [*data.text_labels(y), "", "", ""]
    for ax, image in zip(fig.axes, X):
        assert np.array_equal(ax.images[0].get_array(), image[0])
    assert not any(ax.images for ax in fig.axes[5:])
    assert not any(ax.axison for ax in fig.axes)


def test_a_batch_is_drawn_with_other_labels_and_in_d2l_s_shape(digits):
    batch = next(iter(digits.val_dataloader()))
    fig = digits.visualize(batch, labels=[*"abcdefgh"])
    assert [ax.get_title() for ax in fig.axes] == [*"abcdefgh"]
    default = digits.visualize(batch)
    titles = [ax.get_title() for ax in default.axes]
    assert titles == [str(label) for label in batch[1][:8].tolist()]


# --- the source's experiment ---------------------------------------------------------


def test_the_experiment_of_the_source_runs_on_a_few_batches(tmp_path):
    import scores

    data = fashion_of(tmp_path, fashion_files(24, 8), resize=(96, 96), batch_size=8)
    history = scores.vision(data, seed=0, max_epochs=2)
    assert list(history) == ["train_loss", "val_loss", "val_acc"]
    assert len(history) == 2 and np.isfinite(history).all(axis=None)
    assert history.equals(scores.vision(data, seed=0, max_epochs=2))


def test_the_command_trains_on_fashion_mnist(tmp_path, monkeypatch, capsys):
    import scores

    calls = []

    def fashion(batch_size, resize, root):
        calls.append((batch_size, resize, root))
        options = {"batch_size": batch_size, "resize": resize}
        return fashion_of(tmp_path, fashion_files(8, 4), **options)

    def trainer(max_epochs, num_gpus):
        calls.append((max_epochs, num_gpus))
        return d2l.Trainer(1, num_gpus)

    monkeypatch.setattr(scores, "d2lmini", SimpleLibrary(fashion, trainer))
    command = ["scores.py", "--only", "vision", "--seeds", "1", "--root", "somewhere"]
    monkeypatch.setattr("sys.argv", command)
    scores.main()
    assert calls == [(128, (96, 96), "somewhere"), (10, 1)]
    assert re.fullmatch(r"seed 0: held-out accuracy [01]\.\d{4}\n", capsys.readouterr().out)


class SimpleLibrary:
    """The course's library, with other data and a shorter training."""

    ViT = d2l.ViT

    def __init__(self, fashion, trainer):
        self.FashionMNIST, self.Trainer = fashion, trainer


def test_the_module_holds_what_the_chapter_promises():
    names = "Digits", "FashionMNIST", "PatchEmbedding", "ViTMLP", "ViTBlock", "ViT"
    assert {*names} == {*vision_transformer.__all__}
