"""The scores: what is trained on, for how long, and how results are printed."""

import time

import pytest
import scores
import torch

import d2lmini


@pytest.mark.filterwarnings("ignore:src_sentences")
def test_every_model_of_the_chapters_is_trained_and_evaluated():
    results = dict(scores.phrasebook(0, num_train=64, num_val=8, max_epochs=1))
    assert [*results] == [
        "recurrent, without attention",
        "recurrent, with attention",
        "Transformer",
    ]
    for held_out, four in results.values():
        assert 0 <= held_out <= 100 and 0 <= four <= 1


def test_short_pairs_have_one_pair_for_each_english_sentence_that_fits(monkeypatch):
    lines = ["Go.\tVa !", "Go.\tMarche.", "A b c d.\tE.", "Hi.\tSalut !", "Run.\tCours !"]
    monkeypatch.setattr(d2lmini.MTFraEng, "_download", lambda self: "\n".join(lines))
    data = scores.ShortPairs(1, num_steps=4, num_train=2, num_val=1, seed=0)
    pairs = [*zip(*data.sentences(train=True)), *zip(*data.sentences(train=False))]
    assert sorted(pairs) == [("go .", "va !"), ("hi .", "salut !"), ("run .", "cours !")]


def test_training_stops_in_time_with_a_learning_rate_near_zero():
    data = d2lmini.MTFraEng(8, num_train=64, num_val=0)
    model = scores.transformer(d2lmini, data, 0.01, (8, 8, 2, 1, 0))
    model.board.display = False
    trainer, start = scores.TimedTrainer(seconds=1, warmup=4), time.monotonic()
    trainer.fit(model, data)
    assert 1 <= time.monotonic() - start < 10
    assert trainer.train_batch_idx > 4
    assert 0 <= trainer.optim.param_groups[0]["lr"] < 0.01


def test_d2l_s_transformer_starts_with_the_weights_that_pytorch_gives():
    layer = torch.nn.Linear(64, 64)
    torch.nn.init.constant_(layer.weight, 9)
    torch.nn.Sequential(layer, torch.nn.LazyLinear(3)).apply(scores.reset)
    assert layer.weight.abs().max() <= 64**-0.5


def test_a_spread_is_the_mean_and_the_standard_deviation():
    assert scores.spread([1.0, 3.0], 1) == "2.0 ± 1.4 (1.0 3.0)"
    assert scores.spread([2.0], 2) == "2.00"


def test_the_vision_transformer_of_d2l_s_experiment_is_trained():
    batch = torch.rand(2, 1, 96, 96), torch.tensor([0, 1])
    data = d2lmini.DataModule()
    data.get_dataloader = lambda train: [batch]
    history = scores.vision(data, seed=0, max_epochs=1)
    assert {*history} == {"train_loss", "val_loss", "val_acc"} and len(history) == 1
