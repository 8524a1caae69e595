"""The benchmark: equal candidates, and ratios within a repeat."""

import pytest
import torch

import d2lmini
from experiments import bench

DATA = d2lmini.MTFraEng(4)
BATCH = [part[:4] for part in DATA.arrays]
SIZES = 8, 6, 2, 2


def models():
    return bench.make_models(DATA, dropout=0, sizes=SIZES)


@pytest.mark.parametrize("batch", [BATCH, bench.random_batch(DATA, 3, 12)])
def test_the_candidates_have_the_same_loss_and_others_are_refused(batch):
    candidates = models()
    bench.check_losses(candidates, batch)
    with torch.no_grad():
        candidates["d2l"].decoder.dense.weight *= 1.5
    with pytest.raises(ValueError, match="same training loss"):
        bench.check_losses(candidates, batch)


def test_a_training_step_changes_ours_as_it_changes_d2l_s():
    candidates = models()
    before = [part.detach().clone() for part in candidates["ours"].parameters()]
    bench.training_step(candidates["ours"], BATCH)()
    bench.training_step(candidates["d2l"], BATCH)()
    after = [candidates[name].parameters() for name in ("ours", "d2l")]
    for old, ours, theirs in zip(before, *after):
        assert not torch.equal(old, ours)
        torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=0)


def test_ratios_are_medians_within_a_repeat_and_the_candidates_alternate():
    calls = []
    times = {"ours": [1, 10, 1], "d2l": [2, 30, 8]}

    def measure(name):
        calls.append(name)
        return times[name][(len(calls) - 1) // 2]

    names = {"ours": "ours", "d2l": "d2l"}
    row = bench.Row("a step, ms", names, measure)
    line = ("a step, ms", "1.0", "d2l", "8.0", "3.00")
    assert bench.compare(row, repeats=3, num_threads=1) == [line]
    assert calls == ["ours", "d2l"] * 3
