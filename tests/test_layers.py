"""The layers of the toolkit that are faster on a CPU."""

import copy

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

import d2lmini as d2l
from d2lmini import toolkit

has_onednn = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="PyTorch was built without oneDNN"
)


def pair(num_inputs, num_outputs, bias=True):
    """A layer of ours and one of PyTorch's, with the same weights."""
    torch.manual_seed(0)
    ours = d2l.Linear(num_inputs, num_outputs, bias)
    plain = nn.Linear(num_inputs, num_outputs, bias)
    plain.load_state_dict(ours.state_dict())
    return ours, plain


SHAPES = [(96,), (4096, 96), (3, 700, 96), (2, 3, 999, 96), (1, 96), (0, 96), (64, 0, 96)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_linear_layer_is_that_of_pytorch(road, shape, bias):
    ours, plain = pair(96, 128, bias)
    X = torch.randn(shape)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            torch.testing.assert_close(ours(X), plain(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shape", [(1, 1000, 96), (32, 64, 96)])
def test_its_gradients_are_those_of_pytorch_and_so_are_theirs(road, shape):
    layers, X, results = pair(96, 128), torch.randn(shape), []
    for layer in layers:
        inputs = [X.clone().requires_grad_(), layer.weight, layer.bias]
        first = torch.autograd.grad(layer(inputs[0]).sin().sum(), inputs, create_graph=True)
        second = torch.autograd.grad(sum(g.square().sum() for g in first), inputs)
        results.append([*first, *second])
    for ours, plain in zip(*results):
        scale = plain.abs().max().item()
        torch.testing.assert_close(ours, plain, rtol=1e-4, atol=1e-5 * scale)


def test_one_vector_of_a_wide_layer_will_do(road):
    ours, plain = pair(3000, 3000)
    X = torch.randn(3000)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            torch.testing.assert_close(ours(X), plain(X), rtol=1e-5, atol=1e-5)


def test_views_of_a_larger_tensor_will_do(road):
    ours, plain = pair(96, 128)
    X = torch.randn(70, 97, 60)[:, 1:].transpose(1, 2)
    for grad in (True, False):
        with torch.set_grad_enabled(grad):
            torch.testing.assert_close(ours(X), plain(X), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("road", [True], indirect=True)
def test_only_large_products_in_single_precision_take_the_detour(road, monkeypatch):
    detours = []

    def noting(name, function):
        def call(*args, **kwargs):
            detours.append(name)
            return function(*args, **kwargs)

        return call

    conv = noting("convolution", nn.functional.conv2d)
    monkeypatch.setattr(nn.functional, "conv2d", conv)
    monkeypatch.setattr(toolkit, "_onednn", noting("product", toolkit._onednn))

    def road_of(layer, X, grad=True):
        detours.clear()
        with torch.set_grad_enabled(grad):
            layer(X)
        return "".join(detours)

    layer, X = d2l.Linear(256, 256), torch.randn(128, 256)
    assert road_of(layer, X) == "convolution"
    assert road_of(layer, X[1:]) == ""
    assert road_of(layer, X[:32], grad=False) == "product"
    assert road_of(layer, X[:31], grad=False) == ""
    assert road_of(layer.double(), X.double()) == ""
    with torch.autocast("cpu"):
        assert road_of(d2l.Linear(256, 256), X, grad=False) == ""


def test_what_does_not_fit_gets_pytorch_s_error(road):
    ours, plain = pair(96, 128)
    for X in (torch.randn(4096, 48), torch.randn(4096, 96, dtype=torch.float64)):
        for grad in (True, False):
            with torch.set_grad_enabled(grad):
                with pytest.raises(RuntimeError) as expected:
                    plain(X)
                with pytest.raises(RuntimeError) as error:
                    ours(X)
            assert str(error.value) == str(expected.value)


def test_mixed_precision_is_that_of_pytorch(road):
    ours, plain = pair(96, 128)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for grad in (True, False):
            with torch.set_grad_enabled(grad):
                Y = ours(torch.ones(4096, 96))
                torch.testing.assert_close(Y, plain(torch.ones(4096, 96)))


def test_a_lazy_layer_becomes_a_linear_one():
    layer = d2l.LazyLinear(5)
    layer(torch.zeros(2, 3))
    assert type(layer) is d2l.Linear and layer.weight.shape == (5, 3)
    nn.Linear(3, 5).load_state_dict(layer.state_dict())
    assert torch.equal(copy.deepcopy(layer)(torch.ones(3)), layer(torch.ones(3)))


@has_onednn
@pytest.mark.parametrize("vendor", ["AuthenticAMD", "GenuineIntel", None])
@pytest.mark.parametrize("vectors", ["AVX512", "AVX2"])
def test_only_amd_with_long_vectors_prefers_onednn(monkeypatch, tmp_path, vendor, vectors):
    def opened(_name):
        if vendor is None:
            raise FileNotFoundError("there is no /proc")
        path = tmp_path / "cpuinfo"
        path.write_text(f"processor\t: 0\nvendor_id\t: {vendor}\n")
        return path.open()

    monkeypatch.setattr("builtins.open", opened)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: vectors)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    found = toolkit._find_onednn() is not None
    assert found is ((vendor, vectors) == ("AuthenticAMD", "AVX512"))
    monkeypatch.setattr(torch.ops, "mkldnn", object())  # a PyTorch without that product
    assert toolkit._find_onednn() is None


@pytest.mark.parametrize("p", [0.1, 0.5, 0.937])
@pytest.mark.parametrize("n", [1_000_001, 999_998])
def test_dropout_drops_its_share_and_keeps_the_mean(p, n):
    torch.manual_seed(0)
    Y = d2l.Dropout(p)(torch.ones(n))
    scatter = 5 * (p * (1 - p) / n) ** 0.5
    assert (Y == 0).float().mean().item() == pytest.approx(p, abs=scatter)
    assert Y.mean().item() == pytest.approx(1, abs=scatter / (1 - p))
    assert len(Y.unique()) == 2 and Y.max().item() == pytest.approx(1 / (1 - p), rel=1e-4)


def test_a_rate_below_a_side_of_a_coin_is_met():
    torch.manual_seed(0)
    p, n = 2**-16, 2**22  # 256 numbers share a bound, which is 1 for a 256th of them
    Y = d2l.Dropout(p)(torch.ones(n))
    assert abs((Y == 0).sum() - p * n) < 5 * (2 * p * n) ** 0.5
    assert Y.max().item() == pytest.approx(1 / (1 - p), rel=1e-6)


@pytest.mark.parametrize("places", [range(8), range(0, 256, 32)])
def test_every_place_is_dropped_alike_and_on_its_own(places):
    """Also the eight that share a random number, and the 256 that share a bound."""
    torch.manual_seed(0)
    n, p = 100_000, 0.3
    dropped = (d2l.Dropout(p)(torch.ones(n, 256))[:, places] == 0).float()
    scatter = 5 * (p * (1 - p) / n) ** 0.5
    assert (dropped.mean(dim=0) - p).abs().max() < scatter
    correlation = torch.corrcoef(dropped.T) - torch.eye(8)
    assert correlation.abs().max() < 5 / n**0.5


def test_the_gradient_is_dropped_with_the_number():
    X = torch.ones(50, 7, requires_grad=True)
    Y = d2l.Dropout(0.4)(X)
    Y.sum().backward()
    assert torch.equal(X.grad, Y) and 0 < (Y == 0).sum() < Y.numel()


@pytest.mark.parametrize("p", [0, 0.99, 1 - 1e-9, 1])
def test_a_rate_of_0_or_near_1_is_left_to_pytorch(p):
    X = torch.ones(1000)
    torch.manual_seed(0)
    ours = d2l.Dropout(p)(X)
    torch.manual_seed(0)
    assert torch.equal(ours, nn.Dropout(p)(X))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (5, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_dropout_keeps_shape_and_type(shape, dtype):
    Y = d2l.Dropout(0.5)(torch.ones(shape, dtype=dtype))
    assert Y.shape == shape and Y.dtype == dtype
    assert set(Y.flatten().tolist()) <= {0, 2}


def test_dropout_does_nothing_outside_of_training():
    X = torch.ones(10)
    assert d2l.Dropout(0.5).eval()(X) is X


def test_dropout_in_place_works_in_place():
    X = torch.ones(1000)
    assert d2l.Dropout(0.5, inplace=True)(X) is X and (X == 0).any()


def test_the_seed_decides_and_a_checkpoint_repeats_it():
    layer, X = d2l.Dropout(0.5), torch.ones(100, requires_grad=True)
    torch.manual_seed(3)
    first = layer(X)
    torch.manual_seed(3)
    assert torch.equal(layer(X), first) and not torch.equal(layer(X), first)
    Y = checkpoint(layer, X, use_reentrant=False)
    Y.sum().backward()
    assert torch.equal(X.grad, Y)


# --- frozen layers ----------------------------------------------------------------------


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(500, 96), (20, 25, 96), (1, 96), (0, 96)])
def test_frozen_layers_give_their_outputs_side_by_side(road, shape, dtype, bias):
    layers, X = [*pair(96, 128, bias), d2l.Linear(96, 31, bias)], torch.randn(shape)
    layers, X = [layer.to(dtype) for layer in layers], X.to(dtype)
    rows = X[..., 0].numel()
    with torch.no_grad():
        one, all_three = d2l.frozen(rows, layers[0]), d2l.frozen(rows, *layers)
        outputs = [layer(X) for layer in layers]
        torch.testing.assert_close(one(X), outputs[0], rtol=1e-5, atol=1e-5)
        expected = torch.cat(outputs, dim=-1)
        torch.testing.assert_close(all_three(X), expected, rtol=1e-5, atol=1e-5)
        other = X.reshape(-1, 96)[: rows // 2]  # fewer rows than announced will do
        expected = layers[0](other)
        torch.testing.assert_close(one(other), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("which", [0, 1])
def test_of_frozen_layers_some_may_have_a_bias(road, which):
    layers = [d2l.Linear(96, 128, bias=i == which) for i in range(2)]
    X = torch.randn(500, 96)
    with torch.no_grad():
        expected = torch.cat([layer(X) for layer in layers], dim=-1)
        both = d2l.frozen(500, *layers)(X)
    torch.testing.assert_close(both, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("road", [True], indirect=True)
def test_only_large_products_without_autocast_are_frozen_for_onednn(road, monkeypatch):
    detours, product = [], toolkit._onednn
    monkeypatch.setattr(
        toolkit, "_onednn", lambda *args: detours.append(1) or product(*args)
    )
    layer, X = d2l.Linear(256, 256, bias=False), torch.randn(32, 256)
    with torch.no_grad():
        for rows, large in [(32, True), (31, False)]:
            detours.clear()
            d2l.frozen(rows, layer)(X)
            assert bool(detours) == large
        detours.clear()
        with torch.autocast("cpu"):
            Y = d2l.frozen(32, layer)(X)
        assert Y.dtype == torch.bfloat16
        d2l.frozen(32, layer.double())(X.double())
        assert not detours


def test_freezing_changes_no_layer_and_needs_no_gradients(road):
    layer = d2l.Linear(256, 256)
    before = layer.weight.clone()
    frozen = d2l.frozen(64, layer, layer)
    with torch.no_grad():
        frozen(torch.randn(64, 256))
    assert torch.equal(layer.weight, before) and layer.weight.is_contiguous()
    assert layer.weight.grad is None and layer.weight.requires_grad
