"""Devices: everything public stays where its inputs are, and means the same on a GPU.

`CALLS` holds calls of what computes with tensors; parts are called by their wholes. On
the `meta` device, whose tensors have shapes but no numbers, a tensor that was left on the
CPU shows without a GPU. `pytest -m gpu` makes the same calls on CUDA, and trains and
translates there, too; without it these tests run on the CPU alone.
"""

import copy
import subprocess
import sys
from functools import partial

import nbformat
import pytest
import torch
from helpers import assert_close, make_gpt, random
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

import d2lmini as d2l
from tools import ROOT


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request):
    """Tests with a device run on the CPU, and with `pytest -m gpu` on CUDA."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
    return torch.device(request.param)


def move(things, device, dtype=None):
    """Copies of the tensors and modules in `things`, on the device; dtype is of floats."""

    def moved(thing):
        if isinstance(thing, nn.Module):
            return copy.deepcopy(thing).to(device, dtype)
        if not torch.is_tensor(thing):
            return thing
        return thing.to(device, dtype if thing.is_floating_point() else None, copy=True)

    return tree_map(moved, things)


# --- calls of what computes with tensors ----------------------------------------------

Q, K, V = (random(2, n, 8, seed=n) for n in (3, 5, 5))
HEADS = [X.unflatten(-1, (4, 2)).transpose(1, 2) for X in (Q, K, V)]
SQUARE = [HEADS[1]] * 3  # as many queries as keys
COLUMNS = [d2l.reverse_axes(X) for X in (Q, K, V)]
SCORES, LENGTHS, MASK = random(2, 3, 5), torch.tensor([2, 5]), random(3, 5) < 0.5
TOKENS = torch.randint(2, 9, (2, 5), generator=torch.Generator().manual_seed(0))
IMAGES = random(2, 1, 8, 8)
OUTPUTS, HIDDEN = random(5, 2, 8), random(2, 2, 8, seed=1)  # of a GRU with two layers


def made(Class, *args, inputs=None, **options):
    """An instance without dropout, after a first call if it has lazy layers."""
    torch.manual_seed(0)
    module = Class(*args, **options).eval()
    if inputs:
        module(*inputs)
    return module


def attentions(queries, keys, values):
    """A layer of every kind for inputs like these."""
    inputs, width = (queries, keys, values), keys.shape[-1]
    return [
        made(d2l.DotProductAttention, 0.5),
        made(d2l.AdditiveAttention, width, 0.5, inputs=inputs),
        made(d2l.DistanceAttention, 0.5),
        made(d2l.BilinearAttention, width, 0.5, inputs=inputs),
        made(d2l.MultiHeadAttention, width, 4, 0.5, inputs=inputs),
    ]


SIZES = 9, 8, 16, 4, 2, 0.5  # of the vocabulary, of vectors, ...
RECURRENT, TRANSFORMER = (
    made(d2l.Seq2Seq, *sides, tgt_pad=0, lr=0.01, tgt_eos=1)
    for sides in (
        [
            made(d2l.Seq2SeqEncoder, 9, 4, 8, 2),
            made(d2l.Seq2SeqAttentionDecoder, 9, 4, 8, 2),
        ],
        [made(d2l.TransformerEncoder, *SIZES), made(d2l.TransformerDecoder, *SIZES)],
    )
)
CLASSIFIER = d2l.Classifier()
ROTARY = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}
LLAMA = made(make_gpt, 9, 8, 2, 4, **ROTARY)


def with_caches(model, tokens, padding=None):
    """The logits of a text in two parts, and what the caches then hold."""
    caches = model.make_caches()
    if padding is not None:
        caches = [d2l.PaddedCache(padding) for _ in caches]
    logits = [model(part, caches) for part in tokens.split((2, tokens.shape[1] - 2), dim=1)]
    return logits, [cache.tensors for cache in caches]


def with_blocks(model, tokens):
    """The logits of two texts in a paged cache, the first of them one token longer."""
    paged = d2l.PagedCache(model, num_blocks=8, block_size=2)
    with torch.no_grad():
        longer = model(tokens[:1, :1], paged.extend(["a"]))
        return longer, model(tokens[:2], paged.extend(["a", "b"], tokens.shape[1]))


def greedy(model, *batch):
    return model.predict_step(batch, batch[0].device, 4, save_attention_weights=True)


def beams(model, *batch):
    return d2l.beam_search(model, batch, batch[0].device, 4)


def initialised(init, module):
    return [*module.apply(init).parameters()]


def masked_tokens(X):
    vocab = d2l.Vocab("abcdefg", reserved_tokens=["<mask>"])  # with <unk> 9 tokens
    return d2l.mask_tokens(X, vocab, 0.5, generator=torch.Generator().manual_seed(0))


# name, a function or a module, its arguments, and, if it has any, its options
CALLS = [
    ("Classifier.loss", CLASSIFIER.loss, (SCORES, TOKENS[:, :3] % 5)),
    ("Classifier.accuracy", CLASSIFIER.accuracy, (SCORES, TOKENS[:, :3] % 5)),
    (
        "Seq2SeqDecoder",
        made(d2l.Seq2SeqDecoder, 9, 4, 8, 2),
        (TOKENS, (OUTPUTS, HIDDEN, HIDDEN[0])),
    ),
    ("Seq2SeqAttentionDecoder", RECURRENT.decoder, (TOKENS, (K, HIDDEN, LENGTHS))),
    ("EncoderDecoder.predict_step", greedy, (TRANSFORMER, TOKENS, TOKENS, LENGTHS, TOKENS)),
    ("Seq2Seq", RECURRENT, (TOKENS, TOKENS)),
    ("Seq2Seq", TRANSFORMER, (TOKENS, TOKENS, LENGTHS)),
    ("Seq2Seq.loss", TRANSFORMER.loss, (random(2, 5, 9), TOKENS)),
    ("init_seq2seq", initialised, (d2l.init_seq2seq, nn.GRU(3, 4))),
    ("nadaraya_watson", d2l.nadaraya_watson, (K[0], V[0], Q[0], d2l.gaussian)),
    ("causal_mask", lambda X: d2l.causal_mask(3, 5, device=X.device), (Q,)),
    ("masked_softmax", d2l.masked_softmax, (SCORES, [2, 5]), {"mask": MASK}),
    ("causal_attention", d2l.causal_attention, HEADS),
    *(
        (type(layer).__name__, layer, (Q, K, V), options)
        for layer in attentions(Q, K, V)
        for options in (
            {},
            {"valid_lens": LENGTHS},
            {"valid_lens": [2, 5], "mask": MASK},
            {"causal": True},
        )
    ),
    ("PositionalEncoding", made(d2l.PositionalEncoding, 8, 0.5), (Q, 2)),
    ("RotaryEncoding", made(d2l.RotaryEncoding, 8), (Q, 2)),
    ("init_transformer", initialised, (d2l.init_transformer, nn.Embedding(9, 4))),
    ("beam_search", beams, (TRANSFORMER, TOKENS, TOKENS, LENGTHS, TOKENS)),
    ("ViT", made(d2l.ViT, 8, 2, 16, 32, 4, 2, 0.5, 0.5, inputs=[IMAGES]), (IMAGES,)),
    ("self_attention", d2l.self_attention, (*HEADS, MASK)),
    ("ScaledDotProductAttention", d2l.ScaledDotProductAttention(True, 7), SQUARE),
    ("column_attention", d2l.column_attention, (*COLUMNS, LENGTHS)),
    ("valid_lens_for", d2l.valid_lens_for, ("prefix", LENGTHS, 5, LENGTHS)),
    (
        "TransformerLM",
        made(d2l.TransformerLM, *SIZES, "prefix"),
        (TOKENS, LENGTHS, LENGTHS - 1),
    ),
    ("mask_tokens", masked_tokens, (TOKENS,)),
    ("GPT", with_caches, (made(make_gpt, 9, 8, 2, 4), TOKENS)),
    ("GPT", with_caches, (LLAMA, TOKENS)),
    ("GPT", with_caches, (LLAMA, TOKENS, torch.tensor([2, 0]))),
    ("PagedCache", with_blocks, (LLAMA, TOKENS)),
    ("quantize_tensor", d2l.quantize_tensor, (random(3, 8), 4, 2)),
    ("QuantizedLinear", d2l.QuantizedLinear(random(6, 8), random(6)), (Q,)),
    ("QuantizedLinear", d2l.QuantizedLinear(random(6, 8), bits=4, group_size=4), (Q,)),
    ("blockwise_attention", d2l.blockwise_attention, HEADS, {"mask": MASK}),
    ("blockwise_attention", d2l.blockwise_attention, SQUARE, {"causal": True}),
    ("sliding_window_mask", lambda X: d2l.sliding_window_mask(3, 2, device=X.device), (Q,)),
    *(
        (make.func.__name__, made(make, 8, 4), (K,))
        for make in (
            partial(d2l.WindowAttention, window=2, conv=3),
            partial(d2l.LinearAttention, gated=True, conv=3),
            partial(d2l.DeltaAttention, gated=True),
            partial(d2l.LatentAttention, num_latents=6, rotary_width=4),
        )
    ),
    ("LoRA", made(d2l.LoRA, nn.Linear(8, 6), 2), (Q,)),
    ("next_token_probs", d2l.next_token_probs, (SCORES, 0.7, 4, 0.9)),
    ("generate", partial(d2l.generate, top_k=1), (LLAMA, TOKENS, 3)),
]

EXPERTS = {"num_experts": 4, "top_k": 2, "ffn_num_hiddens": 8}
ROUTED = [  # sizes depend on numbers, which tensors on `meta` do not have
    ("MixtureOfExperts", made(d2l.MixtureOfExperts, 8, 12, 4, 2), (K,)),
    (
        "ExpertGPT",
        made(partial(make_gpt, Class=d2l.ExpertGPT), 9, 8, 2, 4, **EXPERTS),
        (TOKENS,),
    ),
]


def tensors(things):
    return [x for x in tree_leaves(things) if torch.is_tensor(x)]


def run(call, device, dtype=None):
    """The outputs of a call on the device, and the gradients of what goes into it."""
    function, args, options = move((*call[1:], {})[:3], device, dtype)
    parts = [x for x in tensors((args, options)) if x.is_floating_point()]
    for module in tree_leaves((function, args)):
        if isinstance(module, nn.Module):
            parts += module.parameters()
    for part in parts:
        part.requires_grad_()
    outputs = tensors(function(*args, **options))
    results = [x.square().sum() for x in outputs if x.requires_grad]
    if not results:
        return outputs, []
    return outputs, tensors(torch.autograd.grad(sum(results), parts, allow_unused=True))


class OneDevice(TorchDispatchMode):
    """Refuses what CUDA refuses: an operation on tensors of different devices.

    The `meta` device alone lets some pass, for example a matrix product. Only a tensor
    without axes, a number, may be on the CPU beside others.
    """

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        parts = tensors((args, kwargs))
        devices = {x.device.type for x in parts if x.is_meta or x.ndim}
        assert len(devices) < 2, f"{operation} takes tensors on {sorted(devices)}"
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize("call", CALLS, ids=[name for name, *_ in CALLS])
def test_everything_stays_on_the_device_of_the_inputs(call, monkeypatch):
    is_true = torch.Tensor.__bool__  # a search on `meta` cannot know that it is finished
    monkeypatch.setattr(torch.Tensor, "__bool__", lambda x: not x.is_meta and is_true(x))
    with OneDevice():
        outputs, gradients = run(call, "meta")
    assert outputs and all(x.is_meta for x in [*outputs, *gradients])


FOLDERS = ROOT / "notebooks", ROOT / "notebooks" / "further"
PAGES = sorted(path for folder in FOLDERS for path in folder.glob("*.ipynb"))


def failures(notebook):
    """A line for each cell that fails on the device that stands in for CUDA."""
    command = [sys.executable, ROOT / "tests" / "package" / "stand_in.py", notebook]
    options = {"stdout": subprocess.PIPE, "encoding": "utf-8", "check": True}
    return subprocess.run(command, cwd=ROOT, **options).stdout.splitlines()


def write_notebook(path, cells):
    cells = [nbformat.v4.new_code_cell(cell, id=f"{i}") for i, cell in enumerate(cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def cells_that_fail_on_cuda(notebook):
    """Those that mix devices; few others may fail."""
    lines = failures(notebook)
    passed_over = [line for line in lines if line.startswith("passed over")]
    assert len(passed_over) < 5, lines
    return [line for line in lines if line not in passed_over]


def test_a_cell_that_mixes_devices_is_found_without_a_gpu(tmp_path):
    layers = "layer = nn.Linear(3, 3).to(device)\nlayer(X.to(device)).sum().backward()"
    cells = [
        "import torch\nfrom torch import nn\nimport d2lmini as d2l",
        "X, device = torch.ones(2, 3), d2l.try_gpu()",
        layers,
        layers.replace("X.to(device)", "X"),
        "X[torch.arange(2, device=device)]",
        "layer.weight.detach().numpy()",
        "assert torch.equal(X.to(device).add_(2 * X.sum().to(device)).cpu(), X + 12)",
    ]
    write_notebook(tmp_path / "some.ipynb", cells)
    found = [
        line.split(":")[0] for line in cells_that_fail_on_cuda(tmp_path / "some.ipynb")
    ]
    assert found == ["3", "4", "5"]


@pytest.mark.weekly
def test_answers_are_encoded_drawn_and_streamed_on_the_device_of_the_model(tmp_path):
    cells = [
        "import torch\nimport d2lmini as d2l",
        "tokenizer, device = d2l.train_bpe(['a'], 256), d2l.try_gpu()",
        "model = d2l.GPT(d2l.GPTConfig(256, 8, 1, 2, max_len=32)).to(device)",
        "batch = d2l.encode_answers(tokenizer, ['a'], ['bc'], 'z', device=device)",
        "d2l.answer_log_probs(model, *batch).sum().backward()",
        "batch = d2l.sample_answers(model, tokenizer, ['a', 'b'], 2, 'z')[:2]",
        "d2l.answer_log_probs(model, *batch).sum().backward()",
        "_ = [*d2l.stream(model, tokenizer, 'a', 'z', temperature=0)]",
        "d2l.add_lora(model, 2, ['W_q'])(batch[0]).sum().backward()",
        "d2l.merge_lora(model)(batch[0])",
    ]
    write_notebook(tmp_path / "some.ipynb", cells)
    assert failures(tmp_path / "some.ipynb") == []


@pytest.mark.weekly
@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_notebook_mixes_devices(path):
    assert cells_that_fail_on_cuda(path) == []


# --- the same results on every device ------------------------------------------------


@pytest.mark.parametrize(
    "call", [call for call in CALLS if call[1] is not initialised], ids=lambda call: call[0]
)
def test_results_are_those_of_double_precision_on_the_cpu(call, device):
    expected = run(call, "cpu", torch.float64)
    for ours, exact in zip(run(call, device), expected, strict=True):
        for x, y in zip(ours, exact, strict=True):
            assert x.device.type == device.type
            assert_close(x.cpu().to(y.dtype), y, tolerance=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("sizes", [(3, 5, 8), (64, 72, 32)])
def test_a_query_without_valid_keys_gets_zeros_and_finite_gradients(device, dtype, sizes):
    n, m, width = sizes
    inputs = [random(2, i, width, seed=i) for i in (n, m, m)]
    mask = (random(n, m) < 0.5).index_fill(0, torch.tensor([1]), False)
    layers = attentions(*inputs)
    inputs, mask = move((inputs, mask), device, dtype)
    for layer in layers:
        layer = layer.to(device, dtype).train()
        parts = [x.clone().requires_grad_() for x in inputs]
        output = layer(*parts, [0, m], mask=mask)
        output.float().square().sum().backward()
        assert output.dtype == dtype and output.isfinite().all()
        assert (output[0] == 0).all() and (output[1, 1] == 0).all()
        assert (output[1] != 0).any()
        assert all(x.grad.isfinite().all() for x in (*parts, *layer.parameters()))
        assert not any(x.grad[0].any() for x in parts)  # no way into the first example


HALF = pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)


@HALF
@pytest.mark.parametrize(
    "call",
    [call for call in [*CALLS, *ROUTED] if call[1] is not initialised],
    ids=lambda call: call[0],
)
def test_half_precision_gives_the_result_to_its_precision(call, dtype, device):
    expected, _ = run(call, "cpu", torch.float64)
    with torch.autocast(device.type, dtype):
        mixed, _ = run(call, device)
    for ours in (run(call, device, dtype)[0], mixed):
        for x, y in zip(ours, expected, strict=True):
            x, y = x.cpu().double(), y.double()
            error = (x - y).abs().max()
            assert error <= 8 * torch.finfo(dtype).eps * y.abs().max()


def many_tokens(dtype, scale):
    """Calls of the layers with 4,096 keys, and entries as large as the scale."""
    X = scale * random(1, 4096, 32).to(dtype).float()
    heads = [A.unflatten(-1, (2, 16)).transpose(1, 2) for A in (X[:, :64], X, X)]
    short = X[:, :8]
    layers = [
        layer
        for layer in attentions(short, short, short)
        if not isinstance(layer, d2l.AdditiveAttention)  # its tensor n·n·p is too large
    ]
    for layer in layers:
        yield layer, (X[:, :64], X, X)
    yield d2l.causal_attention, heads
    yield d2l.blockwise_attention, heads
    for make, n in [
        (partial(d2l.LinearAttention, conv=3), 4096),
        (partial(d2l.DeltaAttention, gated=True), 4096),
        (partial(d2l.WindowAttention, window=9), 256),
        (partial(d2l.LatentAttention, num_latents=6, rotary_width=4), 256),
    ]:
        yield made(make, 32, 2), (X[:, :n],)


@HALF
@pytest.mark.parametrize("autocast", [False, True])
def test_half_precision_holds_for_many_tokens(dtype, autocast, device):
    for function, args in many_tokens(dtype, scale=1):
        inner = torch.float32 if autocast else dtype
        ours, exact = move((function, args), device, inner), [function, args]
        if isinstance(function, nn.Module):  # with the same, rounded, parameters
            ours[0].load_state_dict(move([function], "cpu", dtype)[0].state_dict())
            exact[0] = move([ours[0]], "cpu", torch.float64)[0]
        exact = exact[0](*move(args, "cpu", torch.float64))
        with torch.autocast(device.type, dtype, enabled=autocast):
            output = ours[0](*ours[1]).cpu().double()
        error = (output - exact).abs().max() / exact.abs().max()
        assert error <= 16 * torch.finfo(dtype).eps, function


@HALF
@pytest.mark.parametrize("autocast", [False, True])
def test_large_entries_give_no_nan_in_half_precision(dtype, autocast, device):
    for function, args in many_tokens(dtype, scale=100):
        function, args = move((function, args), device, None if autocast else dtype)
        with torch.autocast(device.type, dtype, enabled=autocast):
            output = function(*args)
        attention = getattr(function, "attention", function)
        weights = getattr(attention, "attention_weights", output)
        assert output.isfinite().all() and weights.isfinite().all(), function


@pytest.mark.parametrize("n", [2, 17, 64, 128, 192, 200])
def test_gradients_of_causal_attention_are_finite_for_low_scores_in_bfloat16(device, n):
    # Where n % 128 is 64, a mask gives NaN on an H100 or H200 (PyTorch's issue 196678).
    Q, K, V = (9 * random(1, 2, n, 64, seed=i).abs() for i in range(3))
    parts = [X.to(device, torch.bfloat16).requires_grad_() for X in (Q, -K, V)]
    assert (Q @ -K.mT / 8).max() < -100
    d2l.DotProductAttention(0)(*parts, causal=True).float().square().sum().backward()
    assert all(X.grad.isfinite().all() and X.grad.any() for X in parts)


@pytest.mark.parametrize("model", [RECURRENT, TRANSFORMER], ids=["GRU", "Transformer"])
def test_neither_padding_nor_future_tokens_change_a_prediction(model, device):
    model, tokens, lengths = move((model, TOKENS, LENGTHS), device)
    logits = model(tokens, tokens, lengths)
    src, tgt = nn.functional.pad(tokens, (0, 3), value=7), tokens.clone()
    src[0, 2:], tgt[:, 3:] = 8, 8
    assert_close(model(src, tgt, lengths)[:, :3], logits[:, :3])


def fitted(model, device, precision="32-true"):
    """A copy of the model, trained on the device, and the history of its loss."""
    data = d2l.Copying(num_batches=4, batch_size=8, max_len=6, num_symbols=8)
    trainer = d2l.Trainer(2, num_gpus=int(device.type == "cuda"), precision=precision)
    model = copy.deepcopy(model)
    torch.manual_seed(0)
    trainer.fit(model, data)
    assert next(model.parameters()).device.type == device.type
    assert 0 <= data.accuracy(model.eval(), length=3) <= 1
    return trainer.history.train_loss.tolist()


def test_training_has_the_same_history_on_every_device(device):
    expected = fitted(RECURRENT, torch.device("cpu"))  # which has no dropout
    assert fitted(RECURRENT, device) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_the_same_seed_gives_the_same_history(precision, device):
    torch.set_num_threads(1)  # then the same to the last bit
    first, second = (fitted(TRANSFORMER, device, precision) for _ in range(2))
    assert first == (second if device.type == "cpu" else pytest.approx(second, rel=1e-3))


def test_translations_and_figures_take_what_is_on_the_device(device):
    data = d2l.MTFraEng(4, num_train=8, num_val=0)
    sizes = SIZES[1:]
    encoder = d2l.TransformerEncoder(len(data.src_vocab), *sizes)
    decoder = d2l.TransformerDecoder(len(data.tgt_vocab), *sizes)
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=0, lr=0.1, tgt_eos=1).to(device)
    sentences = data.sentences(train=True)[0]
    for decode in (None, d2l.beam_search):
        assert len(d2l.translate(model, data, sentences, decode)) == 8
    weights = torch.full((1, 1, 2, 3), 1 / 3, device=device)
    d2l.show_heatmaps(weights, "keys", "queries")
    d2l.show_attention(weights, ["a", "b"], ["c", "d", "e"])
    d2l.draw_attention("q", "abc", "def", "o", *weights[0, 0])
    d2l.plot(weights[0, 0, 0], weights[0, 0])
    d2l.ProgressBoard().draw(weights.sum(), weights.mean(), "loss")
