"""The benchmark: equal candidates, ratios within a repeat, thresholds, a profile."""

import pytest
import torch

import d2lmini
from tools.measure import bench

DATA = d2lmini.MTFraEng(4)
BATCH = [part[:4] for part in DATA.arrays]
SIZES = 8, 6, 2, 2


def models(dropout=0):
    return bench.make_models(DATA, dropout, sizes=SIZES)


@pytest.mark.parametrize("batch", [BATCH, bench.random_batch(DATA, 3, 12)])
def test_the_candidates_have_the_same_loss_and_others_are_refused(batch):
    candidates = models()
    bench.check_losses(candidates, batch)
    with torch.no_grad():
        candidates["d2l"].decoder.dense.weight *= 1.5
    with pytest.raises(ValueError, match="same training loss"):
        bench.check_losses(candidates, batch)


def test_every_candidate_trains_with_dropout():
    for name, model in models(dropout=0.5).items():
        losses = {
            model.train().loss(model(*BATCH[:-1]), BATCH[-1]).item() for _ in range(3)
        }
        assert len(losses) == 3, name


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_a_training_step_changes_ours_as_it_changes_d2l_s(precision):
    candidates = models()
    before = [part.detach().clone() for part in candidates["ours"].parameters()]
    bench.training_step(candidates["ours"], BATCH, precision=precision)()
    bench.training_step(candidates["d2l"], BATCH)()
    after = [candidates[name].parameters() for name in ("ours", "d2l")]
    for old, ours, theirs in zip(before, *after):
        assert not torch.equal(old, ours)
        if precision == "32-true":
            torch.testing.assert_close(ours, theirs, atol=1e-3, rtol=0)


def test_random_batches_have_the_lengths_they_name():
    src, tgt, lengths, labels = bench.random_batch(DATA, 50, 10)
    assert src.shape == tgt.shape == labels.shape == (50, 10)
    words = (labels != DATA.tgt_vocab["<pad>"]).sum(dim=1)
    assert {*lengths.tolist()} == {*words.tolist()} == {5, 6, 7, 8, 9, 10}


def test_ratios_are_medians_within_a_repeat_and_the_candidates_alternate():
    calls = []
    times = {"ours": [1, 10, 1], "d2l": [2, 30, 8]}

    def measure(name):
        calls.append(name)
        return times[name][(len(calls) - 1) // 2]

    names = {"ours": "ours", "d2l": "d2l"}
    row = bench.Row("a step, ms", names, {"d2l": 3}, measure=measure)
    line = ("a step, ms", "1.0", "d2l", "8.0", "3.00", "3", "yes")
    assert bench.compare(row, repeats=3, num_threads=1) == [line]
    assert calls == ["ours", "d2l"] * 3
    calls.clear()
    ((*_, met),) = bench.compare(row._replace(thresholds={"d2l": 3.1}), 3, 1)
    assert met == "**no**"


def test_a_call_is_timed_and_its_operations_are_listed(capsys):
    X = torch.ones(100, 100)
    assert 0 < bench.run_time(lambda: X @ X, num_threads=1, min_run_time=1e-3) < 1e3
    bench.print_profile(lambda: X @ X, num_rows=1)
    assert "aten::mm" in capsys.readouterr().out


def test_attention_over_many_tokens_is_run_in_both_libraries():
    for name in ("ours", "d2l"):
        bench.attend(name, num_tokens=4)


def test_decoding_takes_all_steps():
    for name in ("ours", "d2l"):
        bench.decode(models()[name].eval(), BATCH, num_steps=3)


def test_both_libraries_train_with_a_figure(d2l_1_0_3, monkeypatch):
    for name in ("use_svg_display", "display"):  # which the benchmark replaces
        monkeypatch.setattr(d2l_1_0_3, name, getattr(d2l_1_0_3, name))
    (row,) = bench.fit_rows(max_epochs=1)
    for candidate in row.candidates.values():
        candidate()
        assert d2lmini.plt.gcf().axes[0].lines


def test_a_compiled_gpt_is_compared_with_the_same_one_uncompiled(monkeypatch):
    monkeypatch.setattr(bench.shutil, "which", lambda name: name)
    monkeypatch.setattr(torch, "compile", lambda model: model)  # which would take a minute
    (row,) = bench.compile_rows()
    assert row.candidates.keys() == {"ours"} | row.thresholds.keys()
    for passes in row.candidates.values():
        passes()
