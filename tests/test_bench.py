"""The benchmark's arithmetic, and that it only compares what is equal."""

import bench
import pytest
import rivals
import torch

import d2lmini

DATA = d2lmini.MTFraEng(4)
BATCH = [part[:4] for part in DATA.arrays]
SIZES = 8, 6, 2, 2


def models():
    return rivals.make_models(DATA, max_len=20, sizes=SIZES)


def test_ratios_are_taken_within_a_turn():
    assert bench.median_ratio([2, 30, 8], [1, 10, 1]) == 3
    with pytest.raises(ValueError):
        bench.median_ratio([1], [1, 2])


def test_all_parties_are_measured_in_turns_after_a_first_for_nothing():
    calls = []
    measured = bench.take_turns(
        {"ours": 1, "d2l": 10}, 2, lambda party: calls.append(party) or party * len(calls)
    )
    assert calls == [1, 10] * 3
    assert measured == {"ours": [3, 5], "d2l": [40, 60]}


def test_growth_is_the_exponent_of_a_power():
    sizes = [9, 32, 128]
    assert bench.growth(sizes, [3 * n**1.5 for n in sizes]) == pytest.approx(1.5)


def test_a_row_meets_its_bar_by_the_ratio_of_d2l():
    measured = {"ours": [1.0, 2.0, 4.0], "d2l": [3.0, 4.0, 16.0]}
    row = bench.make_row("a step, ms", measured, bar=3)
    assert (row["ours"], row["d2l"], row["torch.nn"]) == (2000, 3, None)
    assert row["met"] is True
    assert bench.make_row("a step, ms", measured, bar=3.1)["met"] is False
    assert bench.make_row("a step, ms", measured)["met"] is None


@pytest.mark.parametrize("batch", [BATCH, bench.random_batch(DATA, 10, b=3, n=12)])
def test_all_models_have_the_same_loss_and_others_are_not_timed(batch):
    parties = models()
    bench.check_losses(parties, batch)
    with torch.no_grad():
        parties["d2l"].decoder.dense.weight *= 1.5
    with pytest.raises(ValueError, match="same training loss"):
        bench.check_losses(parties, batch)


@pytest.mark.parametrize("n", [1, 7])
def test_the_bare_loop_writes_what_our_model_writes(n):
    ours = models()["ours"].eval()
    cpu, batch = torch.device("cpu"), bench.random_batch(DATA, 2, b=5, n=6)
    expected, _ = ours.predict_step(batch, cpu, n)
    bare = rivals.BareLoop(ours, 5)
    assert torch.equal(bare.predict_step(batch, cpu, n)[0], expected)
    assert expected.unique().numel() > 1 or n == 1  # it does not write one word only


def test_dropout_is_set_in_every_model():
    for name, model in models().items():
        model.plot = lambda *args, **kwargs: None
        losses = {model.train().training_step(BATCH).item() for _ in range(3)}
        assert len(losses) == 1, name
        rivals.set_dropout(model, 0.5)
        losses = {model.training_step(BATCH).item() for _ in range(3)}
        assert len(losses) == 3, name


def test_a_training_step_is_that_of_fit_and_its_products_are_counted():
    parties = models()
    bench.check_losses(parties, BATCH)
    flops = {}
    for name, model in parties.items():
        before = [part.detach().clone() for part in model.parameters()]
        flops[name] = bench.count_flops(bench.training_step(model, BATCH))
        after = list(model.parameters())
        assert not any(torch.equal(old, new) for old, new in zip(before, after)), name
    assert 0 < flops["ours"] == flops["torch.nn"] < flops["d2l"]  # ours cuts the padding
    parameters = [model.parameters() for model in (parties["ours"], parties["d2l"])]
    for ours, theirs in zip(*parameters):
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=0)


def test_a_product_of_two_matrices_is_counted():
    X = torch.ones(3, 4)
    assert bench.count_flops(lambda: X @ X.T) == 2 * 3 * 4 * 3


def test_random_batches_have_the_lengths_they_name():
    src, tgt, lengths, labels = bench.random_batch(DATA, 7, b=50, n=10)
    pad = DATA.tgt_vocab["<pad>"]
    assert src.shape == tgt.shape == labels.shape == (50, 10)
    assert {*lengths.tolist()} == {*(labels != pad).sum(1).tolist()} == {7, 8, 9, 10}
    assert lengths[0] == 10
