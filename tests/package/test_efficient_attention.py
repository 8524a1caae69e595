"""Attention without the square: blocks, windows, latent vectors, memories of fixed size."""

from functools import partial

import pytest
import torch
from helpers import assert_close, gradients, larger, make_gpt, random, some_tokens
from torch import nn

import d2lmini as d2l

KINDS = {
    "softmax": d2l.WindowAttention,
    "window": partial(d2l.WindowAttention, window=5),
    "rotary window": partial(d2l.WindowAttention, window=5, rotary=d2l.RotaryEncoding(6)),
    "linear": d2l.LinearAttention,
    "gated linear": partial(d2l.LinearAttention, gated=True, conv=3),
    "delta": d2l.DeltaAttention,
    "gated delta": partial(d2l.DeltaAttention, gated=True, conv=4),
    "latent": partial(d2l.LatentAttention, num_latents=10, rotary_width=4),
    "latent without positions": partial(
        d2l.LatentAttention, num_latents=10, rotary_width=0
    ),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
X = random(2, 150, 24, seed=5)  # more than two chunks


def layer(make, dtype=torch.float32):
    torch.manual_seed(0)
    return make(24, 4).to(dtype)


# --- the layers ----------------------------------------------------------------------


@kinds
def test_future_tokens_cannot_change_the_past(make):
    module, changed = layer(make), X.clone()
    changed[:, 70:] += 1
    difference = (module(X) - module(changed)).abs().amax(dim=(0, 2))
    assert difference[:70].max() < 1e-5 and difference[70:75].min() > 1e-4


@kinds
@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.double, 1e-12)])
@pytest.mark.parametrize("sizes", [[1] * 150, [3, 1, 70, 1, 75]])
def test_stepwise_equals_parallel(make, dtype, tolerance, sizes):
    module, cache, outputs = layer(make, dtype), d2l.Cache(), []
    for piece in X.to(dtype).split(sizes, dim=1):
        before = cache.select(slice(None))
        outputs.append(module(piece, cache))
    assert_close(torch.cat(outputs, dim=1), module(X.to(dtype)), tolerance)
    assert_close(module(piece, before), outputs[-1], tolerance)  # the copy is as it was
    assert cache.num_tokens == 150


@kinds
def test_gradients_of_the_last_output_are_those_of_a_pass_in_pieces(make):
    module = layer(make, torch.double)
    inputs = X.double().requires_grad_()
    cache = d2l.Cache()
    outputs = [module(piece, cache) for piece in inputs.split([3, 1, 70, 76], dim=1)]
    parts = [inputs, *module.parameters()]
    ours, whole = (
        gradients(torch.cat(outputs, dim=1), parts),
        gradients(module(inputs), parts),
    )
    assert_close(ours, whole, tolerance=1e-9)


def state_size(make, n):
    cache = d2l.Cache()
    layer(make)(X[:, :n], cache)
    return cache.nbytes / 4 / len(X)


def test_only_softmax_and_latent_attention_remember_more_of_a_longer_text():
    for name, make in KINDS.items():
        per_token = {"softmax": 2 * 24, "latent": 14, "latent without positions": 10}
        growth = (state_size(make, 140) - state_size(make, 40)) / 100
        assert growth == per_token.get(name, 0), name
    assert state_size(d2l.DeltaAttention, 9) == 4 * 6 * 6
    assert state_size(d2l.LinearAttention, 9) == 4 * 6 * 7
    assert state_size(KINDS["window"], 140) == 2 * 4 * 24  # the token itself comes anew


@kinds
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_gives_the_result_to_its_precision(make, dtype):
    module = layer(make, dtype)
    output = module(X.to(dtype))
    assert output.dtype == dtype
    tolerance = 10 * torch.finfo(dtype).eps
    assert_close(output.double(), module.double()(X.to(dtype).double()), tolerance)


@kinds
def test_a_gpt_with_the_layer_decodes_with_its_states(make):
    options = {"norm": "rms", "ffn": "swiglu", "positions": "rotary"}
    model = larger(make_gpt(40, 24, 3, 4, attention=[make, None, make], **options))
    tokens, caches = some_tokens(), model.make_caches()
    logits = [model(piece, caches) for piece in tokens.split([4, 1, 5], dim=1)]
    assert_close(torch.cat(logits, dim=1), model(tokens))
    short = larger(make_gpt(40, 24, 1, 4, attention=make, max_len=10))
    caches = short.make_caches()
    short(tokens, caches)
    with pytest.raises(ValueError, match="at most max_len = 10 tokens fit, not 11"):
        short(tokens[:, :1], caches)


def test_a_window_of_all_tokens_is_the_attention_of_a_gpt_block():
    config = d2l.GPTConfig(40, 24, 1, 4, norm="rms")
    blk, full = d2l.GPTBlock(config), layer(d2l.WindowAttention)
    blk.load_state_dict(full.state_dict(), strict=False)
    assert_close(full(X), blk.attend(X))
    windowed = layer(partial(d2l.WindowAttention, window=5))
    Q, K, V = windowed._project(X, d2l.Cache())
    mask = d2l.sliding_window_mask(150, 5)
    heads = d2l.masked_softmax(Q @ K.mT / 6**0.5, mask=mask) @ V
    assert_close(windowed(X), windowed.W_o(heads.transpose(1, 2).flatten(2)))


@pytest.mark.parametrize("r", [0, 4])
def test_the_absorbed_form_of_latent_attention_equals_the_expanded_one(r):
    module = layer(partial(d2l.LatentAttention, num_latents=10, rotary_width=r))
    Q, C, R = random(2, 4, 5, 6 + r), random(2, 9, 10, seed=1), random(2, 9, r, seed=2)
    assert_close(module.attend_absorbed(Q, C, R), module.attend_expanded(Q, C, R))


# --- memories ------------------------------------------------------------------------


def test_a_linear_memory_is_attention_with_the_kernel_as_weight():
    module = layer(d2l.LinearAttention, torch.double)
    Q, K, V = module._project(X.double(), d2l.Cache())
    weights = (d2l.positive_features(Q) @ d2l.positive_features(K).mT).tril()
    heads = weights / weights.sum(dim=-1, keepdim=True) @ V
    expected = module.W_o(heads.transpose(1, 2).flatten(2))
    assert_close(module(X.double()), expected, tolerance=1e-12)


@pytest.mark.parametrize("with_beta", [False, True])
@pytest.mark.parametrize("with_decay", [False, True])
@pytest.mark.parametrize("chunk_size", [1, 4, 64])
def test_chunks_write_what_the_recurrence_writes(with_beta, with_decay, chunk_size):
    Q, K, V = (random(2, 3, 11, 4, seed=i).double() for i in range(3))
    V, K = V[..., :3], nn.functional.normalize(K, dim=-1)
    beta = random(2, 3, 11, seed=3).double().sigmoid() if with_beta else None
    fade = nn.functional.logsigmoid(random(2, 3, 11).double()) if with_decay else None
    S, expected = torch.zeros(2, 3, 4, 3).double(), []
    for i in range(11):
        k, v = K[:, :, i, :, None], V[:, :, i, None]
        S = S * fade[:, :, i, None, None].exp() if with_decay else S
        if with_beta:
            v = beta[:, :, i, None, None] * (v - k.mT @ S)
        S = S + k @ v
        expected.append(Q[:, :, i, None] @ S)
    options = {"beta": beta, "log_decay": fade, "chunk_size": chunk_size}
    output, state = d2l.memory_attention(Q, K, V, **options)
    assert_close(output, torch.cat(expected, dim=2), tolerance=1e-12)
    assert_close(state, S, tolerance=1e-12)


def test_of_a_key_written_twice_the_delta_rule_knows_the_new_value():
    K = torch.eye(4)[[0, 1, 0]][None, None]
    V = torch.tensor([[1.0, 0], [0, 3], [0, 1]])[None, None]
    added, _ = d2l.memory_attention(K, K, V)
    replaced, state = d2l.memory_attention(K, K, V, beta=torch.ones(1, 1, 3))
    assert added[0, 0, 2].tolist() == [1, 1]
    assert replaced[0, 0, 2].tolist() == [0, 1]
    assert state[0, 0, 1].tolist() == [0, 3]  # the other key keeps its value
    nothing, _ = d2l.memory_attention(K, K, V, beta=torch.zeros(1, 1, 3))
    assert not nothing.any()


@pytest.mark.parametrize("with_beta", [False, True])
@pytest.mark.parametrize("chunk_size", [2, 5, 64])
def test_a_decay_to_nothing_begins_a_new_memory(with_beta, chunk_size):
    Q, K, V = (random(2, 3, 11, 4, seed=i) for i in range(3))
    log_decay = -random(2, 3, 11, seed=3).abs()
    options = {"beta": random(2, 3, 11, seed=4).sigmoid()} if with_beta else {}
    log_decay[..., [3, 4, 8]] = -torch.inf
    log_decay.requires_grad_()
    output, state = d2l.memory_attention(
        Q, K, V, random(2, 3, 4, 4), log_decay=log_decay, chunk_size=chunk_size, **options
    )
    pieces = []
    for start, end in [(4, 8), (8, 11)]:
        piece, last = d2l.memory_attention(
            *(X[..., start:end, :] for X in (Q, K, V)),
            log_decay=log_decay[..., start:end].masked_fill(
                ~log_decay[..., start:end].isfinite(), 0
            ),
            **{name: X[..., start:end] for name, X in options.items()},
        )
        pieces.append(piece)
    assert_close(output[..., 4:, :], torch.cat(pieces, dim=2))
    assert_close(state, last)
    output.sum().backward()
    assert log_decay.grad.isfinite().all()


def test_a_very_strong_gate_forgets_without_overflow():
    Q, K, V = (random(1, 1, 90, 4, seed=i) for i in range(3))
    fade = torch.full((1, 1, 90), -200.0, requires_grad=True)
    output, _ = d2l.memory_attention(Q, K, V, log_decay=fade)
    assert_close(output, (Q * K).sum(dim=-1, keepdim=True) * V)
    output.sum().backward()
    assert fade.grad.isfinite().all()


# --- blocks and windows --------------------------------------------------------------


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, random(2, 1, 30, 30) < 0.5, random(30) < 0])
@pytest.mark.parametrize("block_size", [1, 8, 30, 64])
def test_attention_by_blocks_equals_the_formula_with_its_gradients(
    causal, mask, block_size
):
    Q, K, V = (random(2, 3, 30, 4, seed=i).requires_grad_() for i in range(3))
    allowed = torch.ones(30, 30, dtype=torch.bool)
    allowed = allowed if mask is None else allowed & mask
    allowed = allowed & d2l.causal_mask(30) if causal else allowed
    expected = d2l.masked_softmax(Q @ K.mT / 2, mask=allowed) @ V
    options = {"causal": causal, "mask": mask, "block_size": block_size}
    output = d2l.blockwise_attention(Q, K, V, **options)
    assert_close(output, expected)
    assert_close(gradients(output, [Q, K, V]), gradients(expected, [Q, K, V]))


def test_attention_by_blocks_holds_for_large_scores_and_other_widths():
    Q, K, V = (
        100 * random(1, 1, 5, 4),
        100 * random(1, 1, 20, 4, seed=1),
        random(1, 1, 20, 7),
    )
    expected = nn.functional.scaled_dot_product_attention(Q, K, V)
    assert_close(d2l.blockwise_attention(Q, K, V, block_size=3), expected)
    half = d2l.blockwise_attention(Q.half(), K.half(), V.half(), block_size=3)
    assert half.dtype == torch.float16 and half.isfinite().all()


def test_the_sum_of_many_half_precision_weights_does_not_overflow():
    torch.manual_seed(0)
    layer, X = d2l.LinearAttention(64, 1), random(1, 1600, 64)
    expected = layer(X)[:, -1]
    found = layer.half()(X.half())[:, -1]
    assert found.dtype == torch.float16
    assert_close(found.float(), expected, 0.01)


def total_saved(attend, n):
    """How many numbers the backward pass of a call needs, all kept tensors together."""
    kept = {}

    def pack(x):
        kept[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes() // 4
        return x

    inputs = [random(1, 1, n, 8, seed=i).requires_grad_() for i in range(3)]
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        output = attend(*inputs)
    return sum(kept.values()) + output.numel()


def test_no_block_keeps_a_matrix_of_all_weights():
    def formula(Q, K, V):
        return (Q @ K.mT / 8**0.5).softmax(dim=-1) @ V

    blockwise = partial(d2l.blockwise_attention, block_size=32)
    assert total_saved(formula, 256) > 256**2
    twice = total_saved(blockwise, 512) / total_saved(blockwise, 256)
    assert total_saved(blockwise, 256) < 256 * 8 * 6 and twice < 2.1


def test_a_window_sees_its_last_keys_and_the_sinks():
    mask = d2l.sliding_window_mask(3, 2, start=2, sinks=1).int().tolist()
    assert mask == [[1, 1, 1, 0, 0], [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]
    first = d2l.sliding_window_mask(4, 9, sinks=3)
    assert torch.equal(first, d2l.causal_mask(4))  # no sink from the future
    assert d2l.sliding_window_mask(2, 1, num_keys=4, start=1).int().tolist() == [
        [0, 1, 0, 0],
        [0, 0, 1, 0],
    ]


# --- what is refused -----------------------------------------------------------------

Q = random(1, 2, 5, 4)
SHORT = Q[:, :, :3]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: d2l.blockwise_attention(Q, SHORT, SHORT, causal=True), "causal needs n"),
        (lambda: d2l.blockwise_attention(Q, Q, SHORT), "V as many rows as K"),
        (lambda: d2l.blockwise_attention(Q, Q[..., :2], Q), "Q, K and V must be"),
        (lambda: d2l.blockwise_attention(Q, Q, Q, block_size=0), "block_size must be"),
        (lambda: d2l.blockwise_attention(Q, Q, Q, mask=torch.ones(5, 5)), "mask must be"),
        (
            lambda: d2l.blockwise_attention(Q, Q, Q, mask=torch.ones(5, 4).bool()),
            r"mask must be boolean and fit \(1, 2, 5, 5\), not torch.bool \(5, 4\)",
        ),
        (lambda: d2l.sliding_window_mask(5, 0), "window must be an integer >= 1, not 0"),
        (lambda: d2l.sliding_window_mask(5, 2, sinks=-1), "sinks must be an integer"),
        (lambda: d2l.memory_attention(Q, SHORT, Q), r"Q, K must be \(b, h, n, p\)"),
        (lambda: d2l.memory_attention(Q, Q, Q, Q), r"state must be \(1, 2, 4, 4\)"),
        (lambda: d2l.memory_attention(Q, Q, Q, beta=Q), r"beta must be \(1, 2, 5\)"),
        (lambda: d2l.memory_attention(Q, Q, Q, log_decay=Q[0]), "log_decay must be"),
        (lambda: d2l.LinearAttention(24, 5), "num_heads must divide num_hiddens = 24"),
        (lambda: d2l.DeltaAttention(24, 0), "num_heads must be an integer >= 1"),
        (lambda: d2l.DeltaAttention(24, 4, conv=-1), "conv must be an integer >= 0"),
        (lambda: d2l.WindowAttention(24, 4, 0), "window must be an integer >= 1"),
        (lambda: d2l.LatentAttention(24, 4, num_latents=0), "num_latents must be"),
        (
            lambda: d2l.LatentAttention(24, 4, num_latents=8, rotary_width=3),
            "width must be even",
        ),
        (
            lambda: make_gpt(40, 24, 2, 4, attention=[d2l.LinearAttention]),
            "must have length 2, not 1",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
