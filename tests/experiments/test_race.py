"""The two translators that race: the file of the figure, PyTorch and JavaScript agree."""

import base64
import json

import numpy as np
import pytest
import torch
from torch.testing import assert_close

import d2lmini as d2l
from experiments import race
from experiments.try_it import weights
from tools.book.translation import Page

SENTENCES = [english for steps in race.GROWING.values() for english, _ in steps]
START = """const models = Object.fromEntries(Object.entries(d2lModels.recurrent).map(
  ([kind, file]) => [kind, d2lForward.load(file)]))"""


@pytest.fixture(scope="module")
def content():
    return weights.read(race.WEIGHTS)


@pytest.fixture(scope="module")
def models(content):
    return race.read(content)


@pytest.fixture(scope="module")
def page():
    return Page(race.WEIGHTS, start=START)


@pytest.fixture
def families():
    return json.loads(race.FILE.read_text(encoding="utf-8"))["sentences"]


def cells(text):
    """The states (m, 128) that the figure gets."""
    return torch.from_numpy(np.frombuffer(base64.b64decode(text), "i1").copy()).view(
        -1, 128
    )


def test_the_figure_shows_what_pytorch_computes(content, families):
    """Numbers may differ in their last digit, where processors round differently."""
    for stored, found in zip(families, race.measured(content), strict=True):
        assert stored["name"] == found["name"]
        for old, new in zip(stored["steps"], found["steps"], strict=True):
            for kind in race.KINDS:
                one, two = old.pop(kind), new.pop(kind)
                states = [cells(each.pop("states")).int() for each in (one, two)]
                shares = [torch.tensor(each.pop("weights", [])) for each in (one, two)]
                assert_close(*states, atol=1, rtol=0)
                assert_close(*shares, atol=1, rtol=0)
                assert one == two  # the translation and its mistakes
            assert old == new


@pytest.mark.parametrize("kind", race.KINDS)
def test_the_rounded_models_translate_as_well_as_those_of_the_chapters(models, kind):
    data = d2l.MTFraEng(64, num_steps=11, num_train=2200, num_val=500, seed=1, min_freq=20)
    model, src_vocab, tgt_vocab = models[kind]
    assert src_vocab.idx_to_token == data.src_vocab.idx_to_token
    assert tgt_vocab.idx_to_token == data.tgt_vocab.idx_to_token
    english, _ = data.sentences(train=False)
    found = d2l.held_out_bleu(data, d2l.translate(model, data, english))
    assert abs(found - d2l.one_vector()["BLEU"][kind][0][-1]) < 1


@pytest.mark.parametrize("kind", race.KINDS)
def test_a_page_computes_what_pytorch_computes(models, page, kind):
    model, src_vocab, tgt_vocab = models[kind]
    for sentence in [*SENTENCES, "he has a black cat and a dog and a red bicycle ."]:
        ids = src_vocab[[*sentence.split(), "<eos>"]]
        found = page.call(f"d2lForward.recurrent(models[{kind!r}], {ids})")
        states, target, attended = race.trace(model, src_vocab, tgt_vocab, sentence)
        assert found["source"] == [*sentence.split(), "<eos>"]
        assert found["target"] == target
        assert_close(torch.tensor(found["states"]), states, atol=1e-4, rtol=0)
        if attended is None:
            assert found["weights"] == []
        else:
            assert_close(torch.tensor(found["weights"]), attended, atol=1e-4, rtol=0)


def test_the_sentences_grow_and_their_words_are_known(models):
    for _, src_vocab, tgt_vocab in models.values():
        for steps in race.GROWING.values():
            lengths = [len(english.split()) for english, _ in steps]
            assert lengths == sorted({*lengths}) and len(steps) > 3
            for english, french in steps:
                assert src_vocab.unk not in src_vocab[english.split()]
                assert tgt_vocab.unk not in tgt_vocab[french.split()]


def test_the_rounded_models_break_where_the_page_says(families):
    """The texts of the page name these translations."""
    he, _, alice, _ = (family["steps"] for family in families)
    wrong = [[step[kind]["mistakes"] > 0 for step in he] for kind in race.KINDS]
    assert wrong == [[False, False, True, True, True], [False] * 5]
    two, three = (" ".join(he[i]["one vector"]["target"]) for i in (2, 3))
    assert two == three == "il y a un chien noir et un chien noir . <eos>"
    assert "pierre" in alice[3]["attention"]["target"]
