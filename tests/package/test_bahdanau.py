"""The recurrent decoder with attention; what it shares with the one without is tested in
test_translation.py."""

import html
import json
import re
import xml.etree.ElementTree as ET

import pytest
import torch
from helpers import random
from torch.testing import assert_close

import d2lmini as d2l

SIZE = 7  # of the vocabulary


def decoder_of(num_layers=2, **options):
    torch.manual_seed(0)
    return d2l.Seq2SeqAttentionDecoder(SIZE, 3, 4, num_layers, **options)


X = torch.randint(SIZE, (2, 5), generator=torch.Generator().manual_seed(0))
ENCODED = random(6, 2, 4), random(2, 2, 4, seed=1)  # six tokens, two layers


@pytest.mark.parametrize("lengths", [None, torch.tensor([2, 6])])
def test_each_step_attends_to_the_tokens_and_never_to_padding(lengths):
    decoder = decoder_of()
    logits, _ = decoder(X, decoder.init_state(ENCODED, lengths))
    is_token = torch.arange(6) < (6 if lengths is None else lengths.unsqueeze(1))
    for weights in decoder.attention_weights:
        assert_close(weights.sum(dim=-1), torch.ones(2, 1))
        assert torch.equal(weights.squeeze(1) > 0, is_token.expand(2, -1))
    outputs = ENCODED[0].masked_fill(~is_token.expand(2, -1).T.unsqueeze(-1), 1e6)
    others, _ = decoder(X, decoder.init_state((outputs, ENCODED[1]), lengths))
    assert_close(others, logits)


def test_a_call_shows_its_own_weights_and_leaves_earlier_ones_alone():
    decoder = decoder_of()
    state = decoder.init_state(ENCODED, None)
    decoder(X, state)
    first = decoder.attention_weights
    copies = [weights.clone() for weights in first]
    decoder(X[:, 2:], state)
    assert (len(decoder.attention_weights), len(first)) == (3, 5)
    assert all(map(torch.equal, first, copies))


def test_weights_keep_no_graph():
    decoder = decoder_of()
    decoder(X, decoder.init_state(ENCODED, None))
    assert not any(weights.requires_grad for weights in decoder.attention_weights)


def test_dropout_acts_on_the_attention_even_with_one_layer():
    decoder = decoder_of(num_layers=1, dropout=0.5)
    state = decoder.init_state((ENCODED[0], ENCODED[1][:1]), None)
    assert not torch.equal(decoder(X, state)[0], decoder(X, state)[0])
    decoder.eval()
    assert torch.equal(decoder(X, state)[0], decoder(X, state)[0])


# --- show_attention ------------------------------------------------------------------


@pytest.fixture
def shown(monkeypatch):
    """The figures that show_attention gives to Jupyter."""
    figures = []
    show = lambda data, raw: figures.append(data)  # noqa: E731
    monkeypatch.setattr("IPython.display.display", show)
    return figures


def softmax(*shape):
    return torch.softmax(4 * random(*shape), dim=-1)


ROWS, COLUMNS = ["le", "chat", "<eos>"], ["the", '<b>"&', "cat", "</script>"]


def test_an_explorer_holds_every_weight_and_draws_those_of_the_head_shown(shown):
    weights = softmax(2, 3, 3, 4)
    weights[1, 2, 0] = torch.tensor([0.0049, 0.0051, 0.49, 0.5])
    weights[1, 2, 1] = torch.tensor([0.0, 0, 1, 0])
    d2l.show_attention(weights, ROWS, COLUMNS, block=2, head=3)
    page = shown[0]["text/html"]
    data = json.loads(html.unescape(re.search(r'data-given="(.*?)"', page)[1]))
    (held,) = torch.tensor(data["weights"])
    assert_close(held / 100, weights, atol=0.00501, rtol=0)
    assert held[1, 2, 0].tolist() == [0, 1, 49, 50]
    assert (data["block"], data["head"]) == (1, 2)
    root = ET.fromstring(shown[0]["image/svg+xml"])
    drawn = [float(path.get("stroke-opacity")) for path in root.findall(".//{*}path")]
    expected = [weight / 100 for weight in held[1, 2].flatten().tolist()]
    assert drawn == [weight for weight in expected if weight]
    table = re.findall(r"<td>(.*?)</td>", page)
    assert [float(weight) for weight in table] == expected


@pytest.mark.parametrize(
    ("shape", "options", "numbers"),
    [
        ((3, 4), {}, ""),
        ((4, 3, 4), {"head": 2}, ", head 2"),
        ((2, 4, 3, 4), {"head": 3}, ", block 1, head 3"),
    ],
)
def test_an_explorer_names_the_head_without_its_script(shown, shape, options, numbers):
    d2l.show_attention(softmax(*shape), ROWS, COLUMNS, ylabel="<i>", **options)
    caption = f"Attention from <i> to keys{numbers}"
    assert ET.fromstring(shown[0]["image/svg+xml"]).get("aria-label") == caption
    assert f"<summary>{html.escape(caption)}: table" in shown[0]["text/html"]


def test_the_tokens_of_an_explorer_are_text_and_no_markup(shown):
    d2l.show_attention(softmax(3, 4), ROWS, COLUMNS, ylabel="<i>")
    page, picture = shown[0]["text/html"], shown[0]["image/svg+xml"]
    assert picture in page
    texts = [text.text for text in ET.fromstring(picture).findall(".//{*}text")]
    assert texts == ["<i>", *ROWS, "keys", *COLUMNS]
    assert page.count("</script>") == 1
    assert not re.search(r"<(b|i|eos)>", page)


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((4, 4), {}, "rows must hold 4 tokens, not 3"),
        ((2, 3, 5), {}, "columns must hold 5 tokens, not 4"),
        ((2, 3, 4), {"head": 3}, "no head 3 in block 1, of 2 in 1"),
        ((2, 3, 4), {"heads": "abc"}, "3 names of heads, and {.1, 2.} blocks and heads"),
    ],
)
def test_an_explorer_refuses_what_does_not_fit(shown, shape, options, message):
    with pytest.raises(ValueError, match=message):
        d2l.show_attention(softmax(*shape), ROWS, COLUMNS, **options)
    assert shown == []


def test_an_explorer_refuses_scores():
    with pytest.raises(ValueError, match="weights must lie between 0 and 1"):
        d2l.show_attention(random(3, 4), ROWS, COLUMNS)
