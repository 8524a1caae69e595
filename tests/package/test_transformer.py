"""The Transformer: equal to PyTorch's and d2l's layers, causal, cached, and its beams."""

import itertools
import math
import re
from types import SimpleNamespace

import nbformat
import pytest
import torch
from helpers import assert_close, gradients, random
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import d2lmini as d2l
from tools.d2l_reference import d2l_transformer_decoder

PAD, EOS, BOS = 0, 1, 2
CPU = torch.device("cpu")
few = settings(max_examples=settings().max_examples // 3)


def random_tokens(*shape, seed=0, size=7):
    return torch.randint(size, shape, generator=torch.Generator().manual_seed(seed))


def problem_of(shape=(2, 5, 6), lengths=(3, 5), seed=0, size=7, **options):
    """A model in which no two weights are alike, sources (b, m) and targets (b, n)."""
    b, m, n = shape
    sizes = options.pop("sizes", (12, 16, 3, 2, 0.0))  # dropout comes last
    torch.manual_seed(seed)
    encoder = d2l.TransformerEncoder(size, *sizes, **options)
    decoder = d2l.TransformerDecoder(size, *sizes, **options)
    model = d2l.Seq2Seq(encoder, decoder, tgt_pad=PAD, lr=0.01, tgt_eos=EOS)
    for part in model.parameters():
        if part.ndim == 1:  # biases and norms
            part.data += 0.3 * torch.randn(part.shape)
    src, tgt = random_tokens(b, m + n, seed=seed, size=size).split([m, n], dim=1)
    tgt[:, 0] = BOS
    valid_lens = torch.tensor([m] * b if lengths is None else lengths)
    batch = src, tgt, valid_lens, torch.ones_like(tgt)  # no padding tells of an end
    lengths = None if lengths is None else valid_lens
    return SimpleNamespace(**locals())  # a problem is all of these


@st.composite
def problems(draw, width=None, size=None, dropout=0.0, bias=(False, True)):
    """Problems of random sizes, in double precision; `width` is that of a head."""
    b, m, n, h, num_blks = (draw(st.integers(1, high)) for high in (3, 6, 6, 3, 2))
    sizes = h * (width or draw(st.integers(1, 5))), draw(st.integers(1, 9)), h, num_blks
    problem = problem_of(
        (b, m, n),
        draw(st.none() | st.lists(st.integers(1, m), min_size=b, max_size=b)),
        draw(st.integers(0, 1000)),
        size or draw(st.integers(4, 9)),
        sizes=(*sizes, dropout),
        use_bias=draw(st.sampled_from(bias)),
    )
    problem.model.double().train(draw(st.booleans()))
    return problem


def start_of(problem):
    """The decoder's state before the first token."""
    model, lengths = problem.model, problem.lengths
    return model.decoder.init_state(model.encoder(problem.src, lengths), lengths)


def in_pieces(decoder, X, state, lengths=(1,)):
    """The logits of X, read in pieces of these lengths in turn, and the last state."""
    logits, cycle = [], itertools.cycle(lengths)
    while X.shape[1]:
        n = min(next(cycle), X.shape[1])
        piece, X = X.split([n, X.shape[1] - n], dim=1)
        Y, state = decoder(piece, state)
        logits.append(Y)
    return torch.cat(logits, dim=1), state


several = st.lists(st.integers(1, 4), min_size=1, max_size=3)  # lengths of pieces


# --- equal to PyTorch's layers -------------------------------------------------------


def counterparts(block, layer):
    """Our parameters, those of PyTorch's layer, and which rows of theirs are ours."""
    theirs = dict(layer.named_parameters())
    for name, ours in block.named_parameters():
        name = name.replace("attention2", "multihead_attn").replace("W_o", "out_proj")
        name = re.sub("attention1?", "self_attn", name).replace("ffn.dense", "linear")
        name = name.replace("addnorm", "norm").replace(".ln", "")
        stem, _, which = name.partition(".W_")
        if not which:
            yield ours, theirs[name], slice(None)
            continue
        three = theirs[f"{stem}.in_proj{which[1:].replace('.', '_')}"]
        third, start = len(three) // 3, "qkv".index(which[0])
        yield ours, three, slice(start * third, (start + 1) * third)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
@few
@given(problem=problems())
def test_a_block_equals_that_of_pytorch_and_so_do_its_gradients(side, problem):
    d, ffn, h, _, dropout = problem.sizes
    (b, m), n, lengths = problem.src.shape, problem.tgt.shape[1], problem.lengths
    X, memory = random(b, n, d).double(), random(b, m, d, seed=1).double()
    padding = None if lengths is None else ~d2l.length_mask(lengths, m).squeeze(1)
    block, arguments = getattr(problem.model, side).blks[0], (d, h, ffn, dropout)
    if side == "encoder":
        layer = nn.TransformerEncoderLayer(*arguments, batch_first=True)
        inputs, ours = [memory], lambda X: block(X, lengths)
        masks = {"src_key_padding_mask": padding}
    else:
        layer = nn.TransformerDecoderLayer(*arguments, batch_first=True)
        inputs, ours = [X, memory], lambda X, Y: block(X, (Y, lengths, [None]))[0]
        mask = ~d2l.causal_mask(n)
        masks = {"tgt_mask": mask, "memory_key_padding_mask": padding}
    parameters, others, rows = zip(*counterparts(block, layer.double()))
    with torch.no_grad():
        for parameter, other, part in zip(parameters, others, rows):
            other[part] = parameter
    inputs = [part.requires_grad_() for part in inputs]
    output, expected = ours(*inputs), layer(*inputs, **masks)
    assert_close(output, expected)
    slopes = gradients(output, [*inputs, *parameters])
    others = gradients(expected, [*inputs, *others])
    for slope, other, part in zip(slopes, others, [slice(None)] * len(inputs) + [*rows]):
        assert_close(slope, other[part])


# --- equal to d2l's, where d2l is right ----------------------------------------------


@few
@given(problems(width=4))
def test_the_encoder_equals_d2l_s_under_weights_that_go_both_ways(d2l_1_0_3, problem):
    encoder, arguments = problem.model.encoder, (problem.size, *problem.sizes)
    theirs, fresh = (
        library.TransformerEncoder(*arguments, **problem.options).double()
        for library in (d2l_1_0_3, d2l)
    )
    theirs(problem.src, None)  # lazy layers learn their widths
    assert list(theirs.state_dict()) == list(encoder.state_dict())
    theirs.load_state_dict(encoder.state_dict())
    fresh.load_state_dict(theirs.state_dict())
    expected = theirs(problem.src, problem.lengths)
    for ours in (encoder, fresh):
        assert_close(ours(problem.src, problem.lengths), expected)
        assert_close(ours.attention_weights, theirs.attention_weights)


@few
@given(problems(width=4, bias=[False]))
def test_the_decoder_equals_d2l_s_in_training_mode(d2l_1_0_3, problem):
    decoder, encoded = problem.model.train().decoder, start_of(problem)[0]
    theirs = d2l_transformer_decoder(d2l_1_0_3)(problem.size, *problem.sizes).double()
    theirs(problem.tgt, theirs.init_state(encoded, None))  # lazy layers learn their widths
    assert list(theirs.state_dict()) == list(decoder.state_dict())
    theirs.load_state_dict(decoder.state_dict())
    ours, expected = (
        part(problem.tgt, part.init_state(encoded, problem.lengths))[0]
        for part in (decoder, theirs)
    )
    assert_close(ours, expected)
    assert_close(gradients(ours, [encoded]), gradients(expected, [encoded]))
    assert_close(decoder.attention_weights, theirs.attention_weights)


# --- the future and the padding ------------------------------------------------------


@few
@given(problems(dropout=0.3), st.data())
def test_future_tokens_cannot_change_the_past(problem, data):
    model, b, n = problem.model, *problem.tgt.shape
    now, more = data.draw(st.integers(1, n)), data.draw(st.integers(0, 3))
    future = random_tokens(b, n - now, seed=problem.seed + 2, size=problem.size)
    other, scores = torch.cat([problem.tgt[:, :now], future], dim=1), []
    for tgt in (problem.tgt, other):
        torch.manual_seed(0)  # the same dropout
        scores.append(model(problem.src, tgt, problem.lengths)[:, :now])
    assert_close(scores[1], scores[0])
    model.eval()
    longer = torch.cat([other, other.new_zeros(b, more)], dim=1)
    short = model(problem.src, problem.tgt[:, :now], problem.lengths)
    assert_close(model(problem.src, longer, problem.lengths)[:, :now], short)


@few
@given(problems(), st.integers(0, 3))
def test_padding_never_leaks(problem, more):
    model, b, m = problem.model, *problem.src.shape
    lengths, padding = problem.valid_lens, random_tokens(b, more, size=problem.size)
    longer = torch.cat([problem.src, padding], dim=1)
    inside = d2l.length_mask(lengths, m + more).squeeze(1)
    longer = torch.where(inside, longer, (longer + 1) % problem.size)
    parameters, results = [*model.parameters()], []
    for src in (problem.src, longer):
        encoded = model.encoder(src, lengths)[inside[:, : src.shape[1]]]
        scores = model(src, problem.tgt, lengths)
        results.append([encoded, scores, *gradients(scores, parameters)])
    assert_close(*results)
    if problem.lengths is None:
        assert_close(model(problem.src, problem.tgt), results[0][1])


# --- decoding in steps ---------------------------------------------------------------


@few
@given(problems(), several)
def test_stepwise_decoding_equals_full_pass_from_the_same_state(problem, several):
    decoder, parameters = problem.model.decoder, [*problem.model.parameters()]
    start = start_of(problem)
    whole, _ = decoder(problem.tgt, start)
    seen, slopes = decoder.attention_weights, gradients(whole, parameters)
    for lengths in ([1], several):
        scores, _ = in_pieces(decoder, problem.tgt, start, lengths)
        assert_close(scores, whole)
        n = 1 if lengths == [1] else decoder.attention_weights[0][0].shape[1]
        last = [[part[:, -n:] for part in kind] for kind in seen]
        assert_close(decoder.attention_weights, last)
        assert_close(gradients(scores, parameters), slopes)


@torch.no_grad()
def test_a_step_projects_only_the_new_token_and_never_the_source_again():
    problem = problem_of((2, 5, 1))
    decoder, state, sizes = problem.model.decoder, start_of(problem), []
    for blk in decoder.blks:
        for layer in (blk.attention1.W_k, blk.attention2.W_k):
            layer.register_forward_hook(lambda _, args, Y: sizes.append(Y.shape[1]))
    for n in range(1, 4):
        sizes.clear()
        _, state = decoder(problem.tgt, state)
        assert sizes == ([1, 5, 1, 5] if n == 1 else [1, 1])
        assert state[2][0][0].shape[2] == n


# --- translating, greedily and with beams --------------------------------------------


def up_to_eos(tokens):
    """The translations as tuples, after a check that only padding follows their ends."""
    rows = [tuple(row[: [*row, EOS].index(EOS) + 1]) for row in tokens.tolist()]
    width = tokens.shape[1]
    assert tokens.tolist() == [[*row] + [PAD] * (width - len(row)) for row in rows]
    return rows


def search_slowly(problem, i, num_steps, beam_size, alpha):
    """Beam search by its definition: a list of hypotheses, each decoded anew."""
    beams, (src, _, lengths, _) = [(0.0, ())], (part[[i]] for part in problem.batch)
    for _ in range(num_steps):
        extended = [beam for beam in beams if EOS in beam[1]]
        for log_prob, tokens in beams:
            if EOS not in tokens:
                logits = problem.model(src, torch.tensor([[BOS, *tokens]]), lengths)
                steps = logits[0, -1].log_softmax(dim=-1).tolist()
                extended += [(log_prob + p, (*tokens, y)) for y, p in enumerate(steps)]
        beams = sorted(extended, reverse=True)[:beam_size]
    return max((total / len(tokens) ** alpha, tokens) for total, tokens in beams)


@few
@given(problems(), st.integers(1, 6))
def test_one_beam_is_greedy_decoding(problem, num_steps):
    arguments = problem.model, problem.batch, CPU, num_steps
    expected, _ = d2l.EncoderDecoder.predict_step(*arguments)
    tokens, _ = d2l.beam_search(*arguments, beam_size=1)
    assert torch.equal(tokens, expected)


@few
@given(problems(), st.integers(1, 4), st.integers(1, 12), st.sampled_from([0, 0.5, 1]))
def test_beams_are_those_of_a_slow_search_and_so_are_scores(problem, steps, k, alpha):
    tokens, scores = d2l.beam_search(problem.model, problem.batch, CPU, steps, k, alpha)
    for i, row in enumerate(up_to_eos(tokens)):
        score, expected = search_slowly(problem, i, steps, k, alpha)
        assert row == expected
        assert scores[i].item() == pytest.approx(score)


class Chain(d2l.Decoder):
    """A decoder whose next token depends on the last one alone."""

    def init_state(self, *args):
        return None

    def forward(self, X, state):
        after = [[0, 0.31, 0, 0.4, 0.29], [0, 0.3, 0, 0.4, 0.3], [0, 0.9, 0, 0.1, 0]]
        return torch.tensor(after)[(X - BOS).clamp(min=0)].log(), state


@pytest.mark.parametrize(
    ("num_steps", "options", "expected", "probability"),
    [
        (3, (2, 0), [EOS], 0.31),  # finished, then overtakes (3, 3)
        (2, (3, 1), [4, EOS], (0.29 * 0.9) ** 0.5),
        (2, (), [4, EOS], (0.29 * 0.9) ** 0.5**0.75),
    ],
)
def test_a_search_worked_out_by_hand(num_steps, options, expected, probability):
    model = d2l.Seq2Seq(nn.Module(), Chain(), PAD, lr=1, tgt_eos=EOS)
    model.encoder.forward = lambda *args: None
    batch = [torch.tensor([[BOS]] * 3)] * 4  # the same sentence three times
    tokens, scores = d2l.beam_search(model, batch, CPU, num_steps, *options)
    assert up_to_eos(tokens) == [tuple(expected)] * 3
    assert scores.exp().tolist() == pytest.approx([probability] * 3)


def test_a_search_in_training_mode_is_that_of_evaluation_mode():
    problem = problem_of(sizes=(12, 16, 3, 2, 0.5))
    arguments = problem.model, problem.batch, CPU, 6
    results = [d2l.beam_search(*arguments) for _ in range(3)]
    assert problem.model.training and problem.model.decoder.blks[0].training
    problem.model.eval()
    for tokens, scores in results:
        expected = d2l.beam_search(*arguments)
        assert torch.equal(tokens, expected[0]) and torch.equal(scores, expected[1])


def test_a_search_without_eos_or_with_a_recurrent_decoder_is_refused():
    problem = problem_of()
    problem.model.tgt_eos = None
    with pytest.raises(ValueError, match="model needs tgt_eos"):
        d2l.beam_search(problem.model, problem.batch, CPU, 3)
    parts = (Part(11, 6, 8, 1) for Part in (d2l.Seq2SeqEncoder, d2l.Seq2SeqDecoder))
    recurrent = d2l.Seq2Seq(*parts, tgt_pad=0, lr=0.1, tgt_eos=1)
    with pytest.raises(ValueError, match="a decoder that is not recurrent"):
        d2l.beam_search(recurrent, problem.batch, CPU, 3)


# --- construction, training, errors --------------------------------------------------


def test_a_new_model_has_the_weights_of_glorot_and_embeddings_of_variance_1():
    torch.manual_seed(0)
    for part in (d2l.TransformerEncoder, d2l.TransformerDecoder):
        module = part(500, 64, 128, 4, 2, 0, use_bias=True)
        scaled = module.embedding.weight * 8
        assert scaled.var().item() == pytest.approx(1, rel=0.03)
        for layer in module.modules():
            if isinstance(layer, nn.Linear):
                expected = nn.init.xavier_uniform_(torch.empty_like(layer.weight))
                assert 0.97 < layer.weight.std() / expected.std() < 1.03
                assert layer.weight.abs().max() < expected.abs().max() * 1.01


def test_an_optimizer_made_at_once_trains_every_weight():
    problem, losses = problem_of((4, 5, 6), None, use_bias=True), []
    model, labels = problem.model, random_tokens(4, 6, seed=9)
    model.plot = lambda key, value, train: losses.append(value.item())
    before = {name: part.clone() for name, part in model.named_parameters()}
    optimizer = model.configure_optimizers()
    for _ in range(20):
        optimizer.zero_grad()
        model.training_step((*problem.batch[:3], labels)).backward()
        optimizer.step()
    assert losses[-1] < losses[0] * 0.6
    after = dict(model.named_parameters())
    assert not [name for name in before if torch.equal(before[name], after[name])]


def test_max_len_is_the_number_of_tokens_that_fit():
    problem = problem_of(max_len=5)
    decoder, start = problem.model.decoder, start_of(problem)
    with pytest.raises(ValueError, match=r"max_len = 5\), not 0 to 5"):
        problem.model.encoder(problem.tgt)
    with pytest.raises(ValueError, match=r"max_len = 5\), not 0 to 5"):
        decoder(problem.tgt, start)
    _, state = in_pieces(decoder, problem.tgt[:, :5], start, [2, 3])
    with pytest.raises(ValueError, match=r"max_len = 5\), not 5 to 5"):
        decoder(problem.tgt[:, 5:], state)


def test_dropout_acts_in_training_only_and_on_the_new_part_alone():
    norm, X, Y = d2l.AddNorm(6, 1.0), random(2, 3, 6), random(2, 3, 6, seed=1)
    assert torch.equal(norm(X, Y), norm.ln(X))
    assert torch.equal(norm.eval()(X, Y), norm.ln(X + Y))
    model, src = problem_of(sizes=(12, 9, 3, 2, 0.5)).model, random_tokens(2, 5)
    rates = [part.p for part in model.modules() if isinstance(part, nn.Dropout)]
    assert rates == [0.5] * (1 + 2 * 3 + 1 + 2 * 5)
    assert not torch.equal(model(src, src), model(src, src))
    model.eval()
    assert torch.equal(model(src, src), model(src, src))


def test_a_trace_is_what_the_model_computes_and_leaves_it_as_it_was():
    data = d2l.MTFraEng(8, num_steps=9, num_train=900, num_val=0)
    problem = problem_of(size=max(len(data.src_vocab), len(data.tgt_vocab)))
    model = problem.model.train()
    model.tgt_eos = data.tgt_vocab["<eos>"]
    trace = d2l.translation_trace(model, data, "i'm home .")
    assert trace["source"] == ["i'm", "home", ".", "<eos>"]
    written = " ".join(token for token in trace["target"] if token != "<eos>")
    assert [written] == d2l.translate(model, data, ["i'm home ."])
    assert [step["token"] for step in trace["steps"]] == trace["target"]
    model.encoder(torch.tensor([data.src_vocab[trace["source"]]]))
    for attention, expected in zip(trace["attentions"], model.encoder.attention_weights):
        weights = torch.tensor([head["weights"] for head in attention["heads"]])
        assert (weights - expected).abs().max() < 1e-4
    for attention in trace["attentions"]:
        for head in attention["heads"]:
            weights, V = torch.tensor(head["weights"]), torch.tensor(head["V"])
            assert (weights @ V - torch.tensor(head["output"])).abs().max() < 2e-3
            future = [row[i + 1 :] for i, row in enumerate(head["scores"])]
            causal = (attention["stack"], attention["kind"]) == ("decoder", "self")
            assert all(a is None for row in future for a in row) or not causal
    assert not any(module._forward_hooks for module in model.modules())
    assert model.training


def test_the_model_on_one_screen_computes_what_the_saved_classes_compute():
    cells = nbformat.read("notebooks/07_transformer.ipynb", as_version=4).cells
    (source,) = [c.source for c in cells if "class DecoderBlock(nn.Module)" in c.source]
    names = {"d2l": d2l, "math": math, "nn": nn}
    exec(source, names)
    torch.manual_seed(0)
    encoder = d2l.TransformerEncoder(11, 8, 16, 2, 2, 0)
    decoder = d2l.TransformerDecoder(13, 8, 16, 2, 2, 0)
    sizes = {"d": 8, "d_ff": 16, "h": 2, "num_blks": 2}
    short = nn.ModuleList([names["Encoder"](11, **sizes), names["Decoder"](13, **sizes)])

    def computed(src, tgt, lens):
        H = short[0](src, lens)
        return short[1](tgt, short[1].init_state(H, lens))[0]

    src, tgt, lens = random_tokens(3, 5), random_tokens(3, 4), torch.tensor([5, 2, 3])
    computed(src, tgt, lens)  # fixes the lazy sizes
    saved = [*encoder.parameters(), *decoder.parameters()]
    assert len(saved) == len([*short.parameters()])
    with torch.no_grad():
        for parameter, weights in zip(short.parameters(), saved, strict=True):
            assert parameter.shape == weights.shape
            parameter.copy_(weights)
    state = decoder.init_state(encoder(src, lens), lens)
    assert_close(computed(src, tgt, lens), decoder(tgt, state)[0])
