"""What a language model expects in place of each token of two documents, in chapter 10."""

import json

import pytest
import torch

import d2lmini as d2l
from experiments import reading


def test_the_file_has_both_documents_and_all_probabilities():
    stored = d2l.smollm2_reading()
    for document, text in zip(stored["documents"], reading.DOCUMENTS.values(), strict=True):
        assert "".join(document["tokens"]) == text
        for token, (p, likeliest) in zip(
            document["tokens"][1:], document["next"], strict=True
        ):
            probs = [prob for _, prob in likeliest]
            assert probs == sorted(probs, reverse=True) and sum(probs) <= 1.003
            assert p == dict(likeliest).get(token, min(p, probs[-1]))


def test_the_second_place_of_a_name_follows_words_that_it_did_not_follow_before():
    before, between, _ = reading.REPORT.split("{}")
    word = between.split()[-1]
    assert f" {word} " not in before
    assert [*between.split()].count(word) == 2  # of bread, and of the town


def test_a_name_is_expected_once_it_was_read_and_no_other():
    names = d2l.smollm2_reading()["names"]
    assert [*names] == reading.NAMES
    first, second, other = torch.tensor([*names.values()]).T
    assert first.max() < 1e-6 and other.max() < 1e-6
    assert second.mean() > 0.1
    report = d2l.smollm2_reading()["documents"][1]
    pairs = zip(report["tokens"][1:], report["next"], strict=True)
    town = [p for token, (p, _) in pairs if token == " Brand"]
    assert town[0] < 0.01 and town[1] > second[0]


def test_a_name_has_the_product_of_the_probabilities_of_its_tokens():
    class Tokenizer:
        def encode(self, text):
            return type("Encoded", (), {"ids": [ord(c) % 50 for c in text]})

    torch.manual_seed(0)
    sizes = {"num_kv_heads": 2, "ffn_num_hiddens": 16, "norm": "rms", "ffn": "swiglu"}
    model = d2l.GPT(d2l.GPTConfig(50, 16, 2, 4, positions="rotary", **sizes)).eval()
    found = reading.name_probs(model, Tokenizer(), "Ab", "Cde")
    text = reading.REPORT.split(" {}")
    for name, start, p in [
        (" Ab", text[0], found[0]),
        (" Cde", f"{text[0]} Ab{text[1]}", found[1]),
    ]:
        logs = reading.predict(model, Tokenizer().encode(start + name).ids)
        ids = Tokenizer().encode(name).ids
        expected = logs[-len(ids) :][torch.arange(len(ids)), ids].sum().exp()
        assert p == pytest.approx(expected.item(), rel=1e-4)


@pytest.mark.weekly
def test_the_file_is_what_the_model_computes_today():
    """Processors round differently."""
    stored, found = json.loads(reading.FILE.read_text("utf-8")), reading.measure()
    for old, new in zip(stored["documents"], found["documents"], strict=True):
        assert old["tokens"] == new["tokens"]
        for (p, likeliest), (q, now) in zip(old["next"], new["next"], strict=True):
            assert p == pytest.approx(q, abs=0.011)
            assert likeliest[0][1] == pytest.approx(now[0][1], abs=0.011)
    for name, probs in stored["names"].items():
        assert probs[1] == pytest.approx(found["names"][name][1], abs=0.011)
