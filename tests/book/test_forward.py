"""The page's forward pass in V8 equals PyTorch's with the same 8-bit weights."""

import json

import pytest
import torch
from helpers import make_gpt

import d2lmini as d2l
from experiments import results
from experiments import transformer_parts as parts
from experiments.try_it import translator, weights
from tools.book import translation

PARTS = ["Q", "K", "V", "dots", "scores", "weights", "output"]


class Sentences(d2l.MTFraEng):
    """Batches of any sentences, with the vocabularies of the file."""

    def __init__(self, src_vocab, tgt_vocab):
        self.src_vocab, self.tgt_vocab = src_vocab, tgt_vocab
        self.src, self.tgt, self.num_steps = [], [], translator.NUM_STEPS


@pytest.fixture(scope="module")
def browser():
    return translator.Browser()


@pytest.fixture
def model():
    return translator.read()[0]


@pytest.fixture(scope="module")
def data():
    return Sentences(*translator.read()[1:])


@pytest.fixture(scope="module")
def pairs():
    return translator.pairs()


@pytest.fixture(scope="module")
def held_out(pairs):
    """Sentences that were not for training, a hundred of each file."""
    _, (phrasebook, everyday) = pairs
    return [english for english, _ in phrasebook[:100] + everyday[:100]]


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.weekly)])
def test_translations_of_held_out_sentences_are_those_of_pytorch(
    browser, model, data, held_out, step
):
    held_out = held_out[::step]
    found = [browser.translation(sentence) for sentence in held_out]
    assert found == d2l.translate(model, data, held_out)
    for sentence in held_out:
        expected = d2l.translation_trace(model, data, sentence)
        assert_same(trace(browser, sentence), expected, ["scores", "weights"])


def numbers(nested):
    """All numbers of nested lists; a masked score counts as 0."""
    if isinstance(nested, list):
        return [number for part in nested for number in numbers(part)]
    return [nested or 0.0]


def assert_same(trace, expected, names=PARTS):
    """Compare two traces, their numbers to 1e-4."""
    assert trace["source"] == expected["source"]
    assert [s["token"] for s in trace["steps"]] == [s["token"] for s in expected["steps"]]
    for step, other in zip(trace["steps"], expected["steps"], strict=True):
        for (_, p), (_, q) in zip(step["top"], other["top"], strict=True):
            assert p == pytest.approx(q, abs=1e-4)
    for one, other in zip(trace["attentions"], expected["attentions"], strict=True):
        place = {name: other[name] for name in ("stack", "kind", "block")}
        assert {name: one[name] for name in place} == place
        for head, twin in zip(one["heads"], other["heads"], strict=True):
            for name in names:
                pairs = torch.tensor([numbers(head[name]), numbers(twin[name])])
                assert (pairs[0] - pairs[1]).abs().max() < 1.5e-4, (place, name)


def trace(browser, sentence, off="{}"):
    ids = f"d2lForward.tokenize(model, {sentence!r}).ids"
    return browser.call(
        f"d2lForward.translate(model, {ids}, {off}, {translator.NUM_STEPS})"
    )


SENTENCES = ["the cat slept because it ate .", "where is my red book ?", "we don't sing ."]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_number_of_a_trace_is_that_of_pytorch(browser, model, data, sentence):
    found, expected = (
        trace(browser, sentence),
        d2l.translation_trace(model, data, sentence),
    )
    assert found["target"] == expected["target"]
    assert_same(found, expected)


def switch_off_head(model):
    """Zeros from head 2 of the second block's cross-attention."""

    def zeros(module, inputs, output):
        return torch.cat((output[:, :2], 0 * output[:, 2:3], output[:, 3:]), dim=1)

    model.decoder.blks[1].attention2.attention.register_forward_hook(zeros)


def switch_off_ffn(model):
    model.encoder.blks[0].ffn = parts.Zeros(None)


SWITCHED_OFF = {  # in JavaScript, and in PyTorch
    "{positions: true}": lambda model: parts.remove("positions", model),
    "{factor: true}": lambda model: [
        setattr(stack, "num_hiddens", 1) for stack in (model.encoder, model.decoder)
    ],
    '{heads: [["decoder", "cross", 1, 2]]}': switch_off_head,
    '{ffns: [["encoder", 0]]}': switch_off_ffn,
}


def test_a_weight_that_is_cut_is_missing_as_in_pytorch(browser, model, data):
    """The weight of *it* on *cat*, in head 2 of the encoder's block 2."""

    def without(module, inputs, output):
        Q, K, V = (part[:, 1] for part in inputs[:3])
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        scores[:, 4, 1] = -torch.inf
        output = output.clone()
        output[:, 1] = scores.softmax(dim=-1) @ V
        return output

    model.encoder.blks[1].attention.attention.register_forward_hook(without)
    sentence, link = SENTENCES[0], '["encoder", "self", 1, 1, 4, 1]'
    expected = d2l.translation_trace(model, data, sentence)
    found = trace(browser, sentence, f"{{links: [{link}]}}")
    assert found["target"] == expected["target"]
    assert_same(found, expected, ["Q", "K", "V", "dots", "output"])
    assert found["attentions"][1]["heads"][1]["weights"][4][1] == 0


@pytest.mark.parametrize("off", SWITCHED_OFF)
def test_a_part_that_is_switched_off_is_missing_as_in_pytorch(browser, model, data, off):
    SWITCHED_OFF[off](model)
    for sentence in SENTENCES:
        found, expected = (
            trace(browser, sentence, off),
            d2l.translation_trace(model, data, sentence),
        )
        assert found["target"] == expected["target"]
        assert_same(found, expected)


def test_scores_without_the_division_are_those_of_larger_queries(browser, model, data):
    width = translator.SIZES["num_hiddens"] // translator.SIZES["num_heads"]
    with torch.no_grad():
        for name, W in model.named_parameters():
            if name.endswith("W_q.weight"):
                W.mul_(width**0.5)
    for sentence in SENTENCES:
        found, expected = (
            trace(browser, sentence, "{scale: true}"),
            d2l.translation_trace(model, data, sentence),
        )
        assert found["target"] == expected["target"]
        assert_same(found, expected, ["K", "V", "scores", "weights", "output"])


@pytest.mark.parametrize("sentence", SENTENCES)
def test_without_the_mask_all_positions_read_what_was_written(
    browser, model, data, monkeypatch, sentence
):
    written = d2l.translation_trace(model, data, sentence)["target"]

    def unmask_the_last_pass(module, inputs, options):
        if inputs[0].shape[2] == len(written):
            return inputs, options | {"causal": False}

    for blk in model.decoder.blks:
        attention = blk.attention1.attention
        attention.register_forward_pre_hook(unmask_the_last_pass, with_kwargs=True)
    monkeypatch.setattr(data, "num_steps", len(written))
    expected = d2l.translation_trace(model, data, sentence)
    found = trace(browser, sentence, "{mask: true}")
    assert found["target"] == written
    assert_same(found, expected)
    decoded = [each for each in found["attentions"] if each["stack"] == "decoder"]
    assert not any(None in row for row in decoded[0]["heads"][0]["scores"])


GPT_2 = {"positions": "learned"}
LLAMA = {"norm": "rms", "ffn": "swiglu", "positions": "rotary", "num_kv_heads": 2}


@pytest.mark.parametrize("options", [GPT_2, LLAMA])
def test_a_gpt_continues_a_prompt_as_in_pytorch(browser, options):
    torch.manual_seed(0)
    gpt = make_gpt(9, 16, 2, 4, **options)
    with torch.no_grad():
        for W in gpt.parameters():  # larger than at first, so that its tokens differ
            W.add_(torch.randn_like(W) / 4)
    config = {"num_hiddens": 16, "num_heads": 4, "num_blks": 2, "base": 10000, **options}
    stored = weights.encoded(gpt.state_dict(), "output.weight")
    file = {"config": config, "target": "a b c d e f g h i", "weights": stored}
    state = weights.decoded(stored)
    gpt.load_state_dict({**state, "output.weight": state["embedding.weight"]})
    prompt = torch.tensor([[3, 1, 4, 1, 5]])
    tokens = d2l.generate(gpt, prompt, 6, temperature=0)
    load = f"d2lForward.load({json.dumps(file)})"
    ids = prompt[0].tolist()
    found = browser.call(f"d2lForward.complete({load}, {ids}, {{}}, 6)")
    assert found["target"] == ["abcdefghi"[i] for i in tokens[0, 5:]]
    with torch.no_grad():
        probs = gpt(tokens[:, :-1]).softmax(dim=-1)[0, 4:]
    for step, row in zip(found["steps"], probs, strict=True):
        top = [p for _, p in step["top"]]
        assert top == pytest.approx(row.topk(5).values.tolist(), abs=1e-4)


def test_a_sentence_is_tokenised_as_in_the_course(browser, data):
    found = browser.tokenize("  Where’s the RED car,\u00a0Anna?")
    assert found["tokens"] == "where's the red car , anna ?".split()
    assert found["unknown"] == []
    assert data.src_vocab.to_tokens(found["ids"]) == [*found["tokens"], "<eos>"]
    assert browser.tokenize("who are you")["tokens"][-1] == "?"
    assert browser.tokenize("hello")["tokens"] == ["hello", "."]
    assert browser.tokenize("I have 3 cats.")["tokens"][2] == "three"
    assert browser.tokenize("14 cats for 3.50")["unknown"] == ["14", "3", ".50"]
    found = browser.tokenize("the cat,the “dog” <eos>")
    assert found["tokens"][:5] == ["the", "cat", ",", "the", "dog"]
    assert found["unknown"] == ["<eos>"]
    assert browser.tokenize("Mr. Brown sings !!!")["tokens"] == [
        "mr",
        "brown",
        "sings",
        "!",
    ]
    assert browser.tokenize("a xylophone")["unknown"] == ["xylophone"]


@pytest.mark.parametrize(("english", "right"), translation.WRONG.items())
def test_what_is_told_as_wrong_is_wrong(browser, english, right):
    assert browser.tokenize(english)["unknown"] == []
    assert browser.translation(english).removesuffix(" .") != right


def test_the_thirty_sentences_are_in_no_training_file_but_for_greetings(pairs):
    train, _ = pairs
    thirty = {translator.tokens_of(english)[:-2] for english, _ in translator.visitors()}
    seen = {english[:-2] for english, _ in train} & thirty
    assert len(thirty) == 30 and all(len(english.split()) <= 2 for english in seen)


def test_the_thirty_sentences_are_translated_as_often_as_the_table_says(browser):
    right = [
        browser.translation(sentence) in accepted
        for sentence, accepted in translator.visitors()
    ]
    assert sum(right) >= 29
    row = f"| visitors' sentences translated right |  | {sum(right)} of {len(right)} |"
    assert row in (results.FOLDER / "translator.md").read_text(encoding="utf-8")


def test_the_file_is_small_and_is_the_one_that_the_table_measures():
    size = translator.FILE.stat().st_size
    table = (results.FOLDER / "translator.md").read_text(encoding="utf-8")
    assert size < 450_000 and f"| {size / 1000:.0f} |" in table
    assert table.startswith(results.table(["", *translator.COLUMNS], []))
    assert "\n*Measured on " in table
