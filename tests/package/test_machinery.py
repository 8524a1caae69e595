"""Layers and models under PyTorch's own machinery: compile, export, autocast, pickle."""

import copy
import pickle

import pytest
import torch
from helpers import make_gpt, random

import d2lmini as d2l

pytestmark = pytest.mark.slow

SIZES = 8, 12, 2  # num_hiddens, ffn_num_hiddens, num_heads


def attention(layer):
    """An attention layer on queries, keys and values, with a list of lengths."""
    return layer, [*(random(3, 5, 8, seed=seed) for seed in range(3)), [2, 5, 4]]


def translator(encoder, decoder):
    """A model on sources and targets."""
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=0, lr=0.1)
    return model, [*torch.arange(30).reshape(2, 3, 5) % 11]


def gru():
    parts = d2l.Seq2SeqEncoder, d2l.Seq2SeqAttentionDecoder
    return translator(*(part(11, 6, 8, 1) for part in parts))


def transformer():
    parts = d2l.TransformerEncoder, d2l.TransformerDecoder
    model, inputs = translator(*(part(11, *SIZES, num_blks=1, dropout=0) for part in parts))
    return model, [*inputs, torch.tensor([2, 5, 4])]


def vit():
    return d2l.ViT(4, 2, *SIZES, 1, 0, 0), [random(3, 1, 4, 4)]


def gpt(**options):
    tokens = torch.arange(15).reshape(3, 5) % 11
    return make_gpt(11, 8, 1, 2, max_len=5, **options), [tokens]


LLAMA = {"num_kv_heads": 1, "norm": "rms", "ffn": "swiglu", "positions": "rotary"}

LAYERS = {
    "DotProductAttention": lambda: attention(d2l.DotProductAttention(0)),
    "DistanceAttention": lambda: attention(d2l.DistanceAttention(0)),
    "BilinearAttention": lambda: attention(d2l.BilinearAttention(8, 0)),
    "AdditiveAttention": lambda: attention(d2l.AdditiveAttention(4, 0)),
    "MultiHeadAttention": lambda: attention(d2l.MultiHeadAttention(8, 2, 0)),
    "Transformer": transformer,
    "ViT": vit,
    "GPT": gpt,
    "GPT like Llama": lambda: gpt(**LLAMA),
    "GRU with attention": gru,
}


@pytest.fixture(params=LAYERS)
def problem(request):
    """A layer that has seen its inputs once, the inputs, and its output for them."""
    torch.manual_seed(0)
    layer, inputs = LAYERS[request.param]()
    return layer, inputs, layer(*inputs).detach()


@pytest.mark.weekly
@pytest.mark.parametrize(  # PyTorch does not compile recurrent networks
    "problem", [name for name in LAYERS if "GRU" not in name], indirect=True
)
def test_it_compiles_into_one_graph_for_all_sizes(problem):
    layer, inputs, expected = problem
    torch.compiler.reset()
    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager", dynamic=True)
    torch.testing.assert_close(compiled(*inputs), expected)


@pytest.mark.weekly
@pytest.mark.filterwarnings("ignore:The tensor attribute")
def test_it_is_exported_for_batches_of_any_size(problem):
    layer, inputs, _ = problem
    inputs = [torch.as_tensor(part) for part in inputs]
    sizes = ({0: torch.export.Dim.DYNAMIC},) * len(inputs)
    if isinstance(layer, d2l.Seq2Seq) and inputs[2:]:
        sizes = *sizes[:2], sizes[2:]  # its lengths are *args
    program = torch.export.export(layer.eval(), tuple(inputs), dynamic_shapes=sizes)
    larger = [torch.cat([part, part]) for part in inputs]
    torch.testing.assert_close(program.module()(*larger), layer(*larger))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast_is_accurate_and_so_are_its_weights(problem, dtype):
    layer, inputs, expected = problem
    weights = getattr(layer, "attention_weights", [])
    with torch.autocast("cpu", dtype):
        output = layer(*inputs)
    close = {"atol": 0.05, "rtol": 0.05}
    torch.testing.assert_close(output.float(), expected, **close)
    for one, other in zip(getattr(layer, "attention_weights", []), weights, strict=True):
        torch.testing.assert_close(one.float(), other, **close)


@pytest.mark.weekly
def test_copies_and_pickles_do_not_hold_the_last_call(problem):
    layer, inputs, expected = problem
    size = len(pickle.dumps(layer))
    layer(*(torch.cat([torch.as_tensor(part)] * 100) for part in inputs))
    assert len(pickle.dumps(layer)) == size
    for clone in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        torch.testing.assert_close(clone(*inputs), expected)
