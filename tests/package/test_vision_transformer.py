"""The vision Transformer: equal to PyTorch's and d2l's, blind to order, and its data."""

import gzip
import hashlib
import re

import numpy as np
import pytest
import torch
from helpers import assert_close, fashion_files, gradients, random
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from torch import nn

import d2lmini as d2l

few = settings(max_examples=settings().max_examples // 3)
SMALL = {"num_hiddens": 12, "mlp_num_hiddens": 16, "num_heads": 3, "num_blks": 2}


def vary(module):
    """Move biases, norms and <cls>, so that no two of them are alike."""
    for name, part in module.named_parameters():
        if part.ndim == 1 or name == "cls_token":
            part.data += 0.3 * torch.randn(part.shape)


def small_vit(c=1, dropout=0.0, seed=0):
    torch.manual_seed(seed)
    vit = d2l.ViT(8, 2, **SMALL, emb_dropout=dropout, blk_dropout=dropout)
    vit(torch.zeros(1, c, 8, 8))  # fixes the channels
    vary(vit)
    vit.pos_embedding.data = random(*vit.pos_embedding.shape, seed=seed)
    return vit


@st.composite
def image_sizes(draw):
    """The shape of a batch, img_size and patch_size, as integers where they can be."""
    b, c, rows, columns, p, q = (draw(st.integers(1, high)) for high in (3, 3, 4, 4, 3, 3))
    if draw(st.booleans()):
        return (b, c, rows * p, rows * p), rows * p, p
    as_given = draw(st.sampled_from([tuple, list]))
    size = rows * p, columns * q
    return (b, c, *size), as_given(size), as_given((p, q))


# --- patches -------------------------------------------------------------------------


@given(image_sizes())
def test_patches_are_cut_row_by_row_and_projected_by_one_matrix(sizes):
    shape, img_size, patch_size = sizes
    X, embedding = random(*shape), d2l.PatchEmbedding(img_size, patch_size, 5)
    Y = embedding(X)
    p, q = embedding.conv.kernel_size
    patches = nn.functional.unfold(X, (p, q), stride=(p, q)).transpose(1, 2)
    assert_close(Y, patches @ embedding.conv.weight.flatten(1).T + embedding.conv.bias)
    assert embedding.grid == (shape[2] // p, shape[3] // q)
    assert embedding.num_patches == Y.shape[1]


def test_patches_that_do_not_divide_an_image_are_refused():
    message = re.escape("patch_size must divide img_size = (6, 8), and is (8, 6)")
    with pytest.raises(ValueError, match=message):
        d2l.ViT((6, 8), [8, 6], **SMALL, emb_dropout=0, blk_dropout=0)


@pytest.mark.parametrize("shape", [(1, 1, 8, 6), (1, 6, 8)])
def test_images_of_another_size_are_refused(shape):
    message = re.escape(f"X must be images (b, C, 6, 8), not {shape}")
    with pytest.raises(ValueError, match=message):
        d2l.PatchEmbedding((6, 8), 2, 5)(torch.zeros(shape))


# --- equal to PyTorch's layers -------------------------------------------------------


def copy_into(layer, block):
    """Give PyTorch's layer the weights of a block."""
    ours = block.state_dict()
    names = {"attention.W_o": "self_attn.out_proj", "mlp.dense": "linear", "ln": "norm"}
    weights = {
        f"self_attn.in_proj_{kind}": torch.cat(
            [ours.pop(f"attention.W_{part}.{kind}") for part in "qkv"]
        )
        for kind in ("weight", "bias")
    }
    for name, weight in ours.items():
        for mine, other in names.items():
            name = name.replace(mine, other)
        weights[name] = weight
    layer.load_state_dict(weights)


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
    copy_into(layer, block)
    block.train(train), layer.train(train)
    X, lengths, padding = random(b, n, h * p).double().requires_grad_(), None, None
    if padded:
        lengths = torch.randint(1, n + 1, (b,))
        padding = ~d2l.length_mask(lengths, n).squeeze(1)
    output, expected = block(X, lengths), layer(X, src_key_padding_mask=padding)
    assert_close(output, expected)
    ours = gradients(output, [X, block.attention.W_o.weight, block.mlp.dense1.weight])
    theirs = [X, layer.self_attn.out_proj.weight, layer.linear1.weight]
    for slope, other in zip(ours, gradients(expected, theirs)):
        assert_close(slope, other)


# --- equal to d2l's, which its chapter describes -------------------------------------


@pytest.fixture(scope="module")
def their_vit(d2l_1_0_3):
    from tools.d2l_reference import d2l_vit

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
            assert_close(weights, block.attention.attention.attention_weights)
            assert weights.shape[0] == b * heads and not weights.requires_grad
    slopes = dict(zip(dict(ours.named_parameters()), gradients(ours(X), ours.parameters())))
    others = gradients(expected, theirs.parameters())
    for name, other in zip(dict(theirs.named_parameters()), others):
        assert_close(slopes[name], other)


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
    P = vit.pos_embedding.data
    vit.pos_embedding.data = torch.cat((P[:, :1], P[:, 1:][:, order]), dim=1)
    assert_close(vit(shuffled(X, order)), before)


def test_positions_tell_the_order_of_patches_and_without_them_nothing_does():
    vit, X = small_vit(), random(4, 1, 8, 8)
    other = shuffled(X, torch.arange(15, -1, -1))
    assert ((vit(X) - vit(other)).abs().amax(dim=1) > 1e-3).all()
    nn.init.zeros_(vit.pos_embedding)
    assert_close(vit(X), vit(other))


def test_a_vit_begins_with_large_positions_and_an_empty_cls():
    torch.manual_seed(0)
    vit = d2l.ViT(32, 2, 64, 64, 2, 1, 0.1, 0.1)
    assert vit.pos_embedding.shape == (1, 257, 64)
    assert 0.98 < vit.pos_embedding.std() < 1.02  # as d2l's
    assert vit.cls_token.shape == (1, 1, 64) and (vit.cls_token == 0).all()
    near = d2l.ViT(32, 2, 64, 64, 2, 1, 0.1, 0.1, pos_std=0.02)
    assert 0.019 < near.pos_embedding.std() < 0.021


def test_dropout_falls_on_tokens_with_their_positions_and_on_both_parts_of_a_block():
    vit, X = small_vit(dropout=1.0), random(2, 1, 8, 8)
    nothing = vit.head(torch.zeros(2, 12))  # all tokens are dropped, and all sublayers
    assert_close(vit.train()(X), nothing)
    assert not torch.allclose(vit.eval()(X), nothing)
    block, X = vit.blks[0], random(2, 5, 12)
    assert torch.equal(block.train()(X), X)
    vit = d2l.ViT(8, 2, **SMALL, emb_dropout=0.2, blk_dropout=0.3)
    assert vit.dropout.p == 0.2
    assert [part.p for part in vit.blks.modules() if isinstance(part, nn.Dropout)] == (
        [0.3] * 6
    )


def test_training_reaches_every_parameter_also_those_made_in_the_first_call():
    torch.manual_seed(0)
    vit = d2l.ViT(8, 2, **SMALL, emb_dropout=0.1, blk_dropout=0.1)
    vit.board.display = False
    d2l.Trainer(2).fit(vit, d2l.Digits(num_train=64))
    trained = vit.trainer.optim.param_groups[0]["params"]
    assert [*map(id, trained)] == [*map(id, vit.parameters())]
    assert all((part.grad != 0).any() for part in trained)


# --- digits --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits():
    return d2l.Digits()


def test_the_digits_are_scikit_learn_s_each_of_them_once(digits):
    from sklearn.datasets import load_digits

    images, labels = map(torch.cat, zip(digits.train[:], digits.val[:], strict=True))
    assert images.shape == (1797, 1, 8, 8) and images.dtype == torch.float32
    assert (len(digits.train), len(digits.val)) == (1297, 500)
    ours = sorted(zip((images * 16).flatten(1).tolist(), labels.tolist()))
    theirs = load_digits()
    assert ours == sorted(zip(theirs.data.tolist(), theirs.target.tolist()))


@given(st.integers(1, 1297))
def test_every_prefix_has_each_digit_in_proportion(digits, n):
    data = d2l.Digits(num_train=n)
    labels, held_out = data.train[:][1], data.val[:][1]
    counts = torch.cat((digits.train[:][1], held_out)).bincount()
    assert ((labels.bincount(minlength=10) - n * counts / 1797).abs() < 1.5).all()
    assert torch.equal(labels, digits.train[:n][1])
    assert torch.equal(held_out, digits.val[:][1])


@pytest.mark.parametrize("num_train", [0, 1298])
def test_a_number_of_digits_that_there_are_not_is_refused(num_train):
    with pytest.raises(ValueError, match=f"num_train must be .* 1297, not {num_train!r}"):
        d2l.Digits(num_train=num_train)


def test_batches_hold_all_images_once_and_only_training_is_shuffled(digits):
    for train, data in [(True, digits.train), (False, digits.val)]:
        batches = [*digits.get_dataloader(train)]
        assert len(batches) == -(-len(data) // 64)
        assert {type(batch) for batch in batches} == {list}
        X, y = map(torch.cat, zip(*batches))
        assert torch.equal(y.bincount(), data[:][1].bincount())
        assert torch.equal(X, data[:][0]) is not train
        again = torch.cat([part for part, _ in digits.get_dataloader(train)])
        assert torch.equal(X, again) is not train


def test_mnist_holds_out_a_hundred_of_each_digit_whatever_is_trained_on():
    data = d2l.MNIST(num_train=40)
    X, y = data.val[:]
    assert X.shape == (1000, 1, 28, 28) and (X.min(), X.max()) == (0, 1)
    assert y.bincount().tolist() == [100] * 10
    assert data.train[:][1].bincount().tolist() == [4] * 10
    assert torch.equal(d2l.MNIST().val[:][0], X)
    with pytest.raises(ValueError, match=r"num_train must be .* 4000, not 4001"):
        d2l.MNIST(num_train=4001)


def test_the_first_digit_of_a_look_up_says_which_other_one_is_the_label():
    task = d2l.LookUp(8, num_batches=3)
    numbers = torch.arange(10)
    digits = numbers[:, None, None, None].expand(10, 1, 8, 8), numbers
    X, y, pointers = task.draw(digits, 50)
    cells = X[:, 0, ::8, ::8].flatten(1)  # every image of a digit is full of its number
    assert torch.equal(cells.repeat_interleave(64, 1).sum(dim=1), X.sum(dim=(1, 2, 3)))
    assert torch.equal(cells[:, 0], pointers) and pointers.max() < 8
    assert torch.equal(cells[torch.arange(50), 1 + pointers], y)
    assert [tuple(X.shape) for X, _ in task.train_dataloader()] == [(8, 1, 24, 24)] * 3
    (X, y), (again, _) = task.val_dataloader()[0], d2l.LookUp().val
    assert torch.equal(X, again) and y.shape == (1000,)


# --- FashionMNIST --------------------------------------------------------------------


def fashion_of(folder, write=True, **options):
    """FashionMNIST from files that are there already, or are written first."""
    files = fashion_files()

    class Own(d2l.FashionMNIST):
        mirrors = ("http://127.0.0.1:9/",)
        sha256 = tuple(
            (name, hashlib.sha256(file).hexdigest()) for name, file in files.items()
        )

    raw = folder / "FashionMNIST" / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    for name, file in files.items():
        if write:
            (raw / name).write_bytes(file)
    return Own(root=str(folder), **options)


def pixels(name):
    """The bytes of one of the files, read in another way."""
    content = gzip.decompress(fashion_files()[name])
    if "labels" in name:
        return np.frombuffer(content[8:], np.uint8)
    return np.frombuffer(content[16:], np.uint8).reshape(-1, 28, 28)


def test_the_files_are_read_byte_by_byte(tmp_path):
    data = fashion_of(tmp_path, resize=(28, 28))
    assert (data.batch_size, len(data.train), len(data.val)) == (64, 6, 4)
    for part, images in [("train", data.train), ("t10k", data.val)]:
        X, y = images[:]
        expected = torch.tensor(pixels(f"{part}-images-idx3-ubyte.gz"))
        assert torch.equal(X, expected.unsqueeze(1).float() / 255)
        assert y.tolist() == pixels(f"{part}-labels-idx1-ubyte.gz").tolist()
        assert y.dtype == torch.int64 and images.images.dtype == torch.uint8


def test_the_names_of_the_classes_are_d2l_s(d2l_1_0_3, tmp_path):
    numbers = torch.arange(9, -1, -1)
    names = d2l_1_0_3.FashionMNIST.text_labels(None, numbers)
    assert fashion_of(tmp_path).text_labels(numbers) == names


@pytest.mark.parametrize("size", [(96, 96), (32, 20), 12])
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
    assert_close(X, expected, 1.01 / 255)
    assert (X - expected).mean().abs() < 0.2 / 255
    assert torch.equal(torch.stack([image for image, _ in data.train]), X)


@pytest.mark.parametrize("name", sorted(fashion_files()))
def test_a_damaged_file_is_refused(tmp_path, name):
    fashion_of(tmp_path)
    file = tmp_path / "FashionMNIST" / "raw" / name
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(ConnectionError, match=f"no mirror has given {name}"):
        fashion_of(tmp_path, write=False)


@pytest.mark.parametrize("labels", [(), [*"abcde"]])
def test_a_batch_is_drawn_with_the_names_of_its_labels_or_with_others(tmp_path, labels):
    data = fashion_of(tmp_path, batch_size=5)
    X, y = batch = next(iter(data.train_dataloader()))
    assert data.visualize(batch, nrows=2, ncols=4, labels=labels) is None
    axes = d2l.plt.gcf().axes
    titles = [ax.get_title() for ax in axes]
    assert titles == [*(labels or data.text_labels(y)), "", "", ""]
    for ax, image in zip(axes, X):
        assert np.array_equal(ax.images[0].get_array(), image[0])
    assert not any(ax.images for ax in axes[5:])
