"""The toolkit: figures, devices, checks, and training as d2l trains."""

import math
import os
import subprocess
import sys

import pytest
import torch
from torch import nn

import d2lmini as d2l
from conftest import ROOT
from d2lmini import plt


class LineData(d2l.DataModule):
    def __init__(self, num_train=70, num_val=10, batch_size=16):
        super().__init__()
        self.save_hyperparameters()
        generator = torch.Generator().manual_seed(0)
        self.X = torch.randn(num_train + num_val, 2, generator=generator)
        self.y = self.X @ torch.tensor([[2.0], [-1.0]]) + 0.5

    def get_dataloader(self, train):
        rows = slice(0, self.num_train) if train else slice(self.num_train, None)
        return self.get_tensorloader((self.X, self.y), train, rows)


def line(library, lr=0.1):
    """A linear model of either library, the same code for both."""

    class Line(library.Module):
        def __init__(self, lr):
            super().__init__()
            self.save_hyperparameters()
            self.net = nn.Linear(2, 1)

        def loss(self, y_hat, y):
            return nn.functional.mse_loss(y_hat, y)

    torch.manual_seed(0)
    model = Line(lr)
    model.board.display = False
    return model


def data_of(library):
    """The same data as a DataModule of either library."""

    class Data(library.DataModule):
        get_dataloader = LineData.get_dataloader

        def __init__(self):
            super().__init__()
            vars(self).update(vars(LineData()))

    return Data()


# --- figures -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("X", "Y", "lines"),
    [
        ([1, 2, 3], None, [([0, 1, 2], [1, 2, 3])]),
        (torch.tensor([1.0, 2.0]), [[3, 4], [5, 6]], [([1, 2], [3, 4]), ([1, 2], [5, 6])]),
        ([[0, 1], [2, 3]], torch.eye(2), [([0, 1], [1, 0]), ([2, 3], [0, 1])]),
        (torch.eye(2), None, [([0, 1], [1, 0]), ([0, 1], [0, 1])]),
    ],
)
def test_plot_takes_one_curve_or_several_with_or_without_x(X, Y, lines):
    d2l.plot(X, Y)
    drawn = [tuple(map(list, line.get_data())) for line in plt.gca().lines]
    assert drawn == lines


def test_plot_takes_tensors_of_every_kind_and_repeats_its_styles():
    d2l.plot(torch.ones(6, 3, requires_grad=True))
    assert len(plt.gca().lines) == 6
    half = torch.ones(2, dtype=torch.bfloat16)
    d2l.plot({"a": half, "b": [torch.tensor(1.0), torch.tensor(2.0)]}.values())
    assert [list(line.get_ydata()) for line in plt.gca().lines] == [[1, 1], [1, 2]]


def test_plot_clears_the_axes_it_is_given_and_has_a_grid():
    d2l.plot([1, 2])
    d2l.plot([3, 4], axes=plt.gca())
    (line,) = plt.gca().lines
    assert list(line.get_ydata()) == [3, 4]
    assert plt.gca().xaxis.get_gridlines()[0].get_visible()
    assert plt.rcParams["svg.hashsalt"] == "d2lmini"


def test_plot_opens_a_new_figure():
    for _ in range(2):
        d2l.plot([1, 2])
    assert len(plt.get_fignums()) == 2


def test_plot_labels_scales_and_draws_where_it_is_told():
    _, (left, right) = plt.subplots(1, 2)
    d2l.plot([1, 10], [1, 2], "a", "b", ["c"], [1, 10], [0, 3], "log", axes=right)
    assert not left.lines
    assert (right.get_xlabel(), right.get_ylabel(), right.get_xscale()) == ("a", "b", "log")
    assert (right.get_xlim(), right.get_ylim()) == ((1, 10), (0, 3))
    assert [text.get_text() for text in right.get_legend().get_texts()] == ["c"]


def test_plot_refuses_two_x_for_three_y():
    with pytest.raises(ValueError, match="X must hold 1 or 3 curves, as Y does, not 2"):
        d2l.plot(torch.ones(2, 4), torch.ones(3, 4))


def test_a_board_averages_points_and_makes_one_figure():
    board = d2l.ProgressBoard("x", ylim=[0, 9])
    for i in range(6):
        board.draw(i, i * i, "a", every_n=3)
        board.draw(i, -i, "b")
    assert board.data["a"] == [(1, 5 / 3), (4, 50 / 3)]
    assert (board.data["a"][1].x, board.data["a"][1].y) == (4, 50 / 3)
    assert len(board.data["b"]) == 6
    board.fig.canvas.draw()
    (axes,) = board.fig.axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines["a"].get_xdata()) == [1, 4]
    assert (lines["a"].get_color(), lines["b"].get_color()) == ("C0", "C1")
    assert axes.get_ylim() == (0, 9)
    assert len(plt.get_fignums()) == 1


def test_a_board_that_displays_nothing_still_collects():
    board = d2l.ProgressBoard(display=False)
    board.draw(1, 2, "a")
    assert board.data == {"a": [(1, 2)]}
    assert not plt.get_fignums()


@pytest.mark.parametrize("given", ["fig", "axes"])
def test_a_board_draws_into_the_figure_or_axes_it_is_given(given):
    fig, axes = plt.subplots()
    board = d2l.ProgressBoard(**{given: {"fig": fig, "axes": axes}[given]})
    for i in range(3):
        board.draw(i, 2, "a")
    assert len(axes.lines) == 1
    assert list(axes.lines[0].get_xdata()) == [0, 1, 2]
    assert len(plt.get_fignums()) == 1


def test_a_board_whose_figure_was_closed_starts_a_new_one_with_all_points():
    board = d2l.ProgressBoard()
    board.draw(1, 2, "a")
    plt.close("all")
    board.draw(2, 3, "a")
    board.fig.canvas.draw()
    assert len(plt.get_fignums()) == 1
    assert list(board.fig.axes[0].lines[0].get_xdata()) == [1, 2]


def test_nothing_is_rendered_until_somebody_looks(monkeypatch):
    board, drawn = d2l.ProgressBoard(), []
    draw = plt.Figure.draw
    monkeypatch.setattr(plt.Figure, "draw", lambda *args: drawn.append(1) or draw(*args))
    for i in range(100):
        board.draw(i, i, "a")
    assert not drawn
    board.fig.canvas.draw()
    assert len(drawn) == 1


# --- devices and checks --------------------------------------------------------------


def test_there_is_always_a_device():
    assert d2l.try_gpu(10_000) == d2l.cpu() == torch.device("cpu")
    assert d2l.gpu(3) == torch.device("cuda:3")
    assert len(d2l.try_all_gpus()) == max(1, d2l.num_gpus())


def test_checks_name_what_was_expected_and_what_came():
    d2l.check_shape(torch.ones(2, 3), [2, 3])
    d2l.check_len([1, 2], 2)
    with pytest.raises(ValueError, match=r"shape \(3, 2\), not \(2, 3\)"):
        d2l.check_shape(torch.ones(2, 3), (3, 2))
    with pytest.raises(ValueError, match="length 3, not 2"):
        d2l.check_len([1, 2], 3)


# --- classes -------------------------------------------------------------------------


def test_save_hyperparameters_stores_the_arguments_and_only_them():
    class Thing(d2l.HyperParameters):
        def __init__(self, a, b=2, *rest, c=3, _private=4, **more):
            temporary = a
            self.save_hyperparameters(ignore=["b"])
            assert temporary == self.a

    thing = Thing(1, 5, 6, d=7)
    assert thing.hparams == {"a": 1, "rest": (6,), "c": 3, "more": {"d": 7}}
    assert not hasattr(thing, "temporary")
    assert not hasattr(thing, "b")


def test_hyperparameters_are_enough_to_make_another_one():
    data = LineData(batch_size=4)
    assert data.root == "../data"  # the base class stores its own
    assert data.hparams == {"num_train": 70, "num_val": 10, "batch_size": 4}
    assert LineData(**data.hparams).batch_size == 4


def test_a_single_name_can_be_ignored():
    class Thing(d2l.HyperParameters):
        def __init__(self, lr, r):
            self.save_hyperparameters(ignore="lr")

    assert Thing(1, 2).hparams == {"r": 2}


def test_add_to_class_takes_functions_and_properties():
    class Thing:
        pass

    @d2l.add_to_class(Thing)
    def double(self, x):
        return 2 * x

    @d2l.add_to_class(Thing)
    @property
    def answer(self):
        return 42

    assert Thing().double(4) == 8
    assert Thing().answer == 42


def test_unfinished_classes_say_what_is_missing():
    with pytest.raises(NotImplementedError, match="Module must define loss"):
        d2l.Module().loss(None, None)
    with pytest.raises(
        NotImplementedError, match=r"Module must define self\.net or forward"
    ):
        d2l.Module()(torch.ones(1))
    with pytest.raises(NotImplementedError, match="DataModule must define get_dataloader"):
        d2l.DataModule().train_dataloader()
    with pytest.raises(RuntimeError, match="only while a Trainer fits it"):
        d2l.Module().plot("loss", 1.0, train=True)


def test_tensor_loaders_give_the_batches_of_a_plain_loader():
    data = LineData(num_train=37)
    for train in (True, False):
        rows = slice(0, 37) if train else slice(37, None)
        plain = torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(data.X[rows], data.y[rows]), 16, shuffle=train
        )
        ours = data.train_dataloader() if train else data.val_dataloader()
        batches = []
        for loader in (ours, plain):
            torch.manual_seed(5)
            batches.append(list(loader))
        assert len(ours) == len(plain) == len(batches[0])
        for a, b in zip(*batches, strict=True):
            assert all(map(torch.equal, a, b))


# --- training ------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [0, 0.05])
def test_training_moves_the_parameters_as_d2l_does(d2l_1_0_3, clip):
    models = []
    for library in (d2l, d2l_1_0_3):
        model = line(library)
        trainer = library.Trainer(max_epochs=3, gradient_clip_val=clip)
        torch.manual_seed(1)
        trainer.fit(model, data_of(library))
        assert trainer.train_batch_idx == 15
        assert trainer.val_batch_idx == 3
        models.append(model)
    ours, theirs = (model.state_dict() for model in models)
    for name, value in theirs.items():
        torch.testing.assert_close(ours[name], value, rtol=1e-4, atol=1e-5)
    ours, theirs = (model.board.data["val_loss"] for model in models)
    for point, other in zip(ours, theirs, strict=True):
        assert point == pytest.approx((other.x, other.y), rel=1e-4)


def test_history_holds_the_mean_over_examples():
    model, data = line(d2l, lr=0.0), LineData(num_train=37, num_val=5, batch_size=16)
    trainer = d2l.Trainer(max_epochs=2)
    trainer.fit(model, data)
    expected = nn.functional.mse_loss(model(data.X[:37]), data.y[:37]).item()
    assert list(trainer.history.index) == [1, 2]
    assert list(trainer.history.columns) == ["train_loss", "val_loss"]
    assert trainer.history.train_loss.tolist() == pytest.approx([expected] * 2, rel=1e-5)
    expected = nn.functional.mse_loss(model(data.X[37:]), data.y[37:]).item()
    assert trainer.history.val_loss.tolist() == pytest.approx([expected] * 2, rel=1e-5)


def test_a_loss_that_is_not_finite_stops_before_the_parameters():
    model, trainer = line(d2l, lr=1e9), d2l.Trainer(max_epochs=4)
    with pytest.raises(FloatingPointError, match=r"loss is (inf|nan) in epoch 1, batch \d"):
        trainer.fit(model, LineData())
    assert all(parameter.isfinite().all() for parameter in model.parameters())
    assert len(trainer.history) == 1


def test_an_interrupt_keeps_the_history_and_the_figure():
    model, trainer = line(d2l), d2l.Trainer(max_epochs=9)
    model.board.display = True
    step = model.training_step

    def interrupted(batch):
        if trainer.train_batch_idx == 12:
            raise KeyboardInterrupt
        return step(batch)

    model.training_step = interrupted
    with pytest.raises(KeyboardInterrupt):
        trainer.fit(model, LineData())
    assert trainer.history.val_loss.notna().tolist() == [True, True, False]
    assert trainer.history.train_loss.notna().all()
    model.board.fig.canvas.draw()
    (axes,) = model.board.fig.axes
    assert len(axes.lines) == 2
    assert (axes.get_xlabel(), axes.get_xlim()) == ("epoch", (0, 9))


def test_data_without_a_training_batch_are_refused():
    with pytest.raises(
        ValueError, match=r"train_dataloader\(\) must give at least 1 batch"
    ):
        d2l.Trainer(max_epochs=1).fit(line(d2l), LineData(num_train=0))


@pytest.mark.parametrize("loader", [None, LineData(num_val=0).val_dataloader()])
def test_training_without_validation_is_allowed(loader):
    data, trainer = LineData(), d2l.Trainer(max_epochs=2)
    data.val_dataloader = lambda: loader
    trainer.fit(line(d2l), data)
    assert list(trainer.history.columns) == ["train_loss"]


def test_a_second_fit_starts_a_new_history_and_a_new_figure():
    model, trainer = line(d2l), d2l.Trainer(max_epochs=2)
    model.board.display = True
    trainer.fit(model, LineData())
    first = model.board.fig
    trainer.fit(model, LineData())
    assert model.board.fig is not first
    assert len(trainer.history) == 2
    assert len(model.board.data["val_loss"]) == 2


def test_the_curves_lie_over_their_epochs():
    model, trainer = line(d2l), d2l.Trainer(max_epochs=2)
    trainer.fit(model, LineData(num_train=64, batch_size=16))
    assert [point.x for point in model.board.data["train_loss"]] == [
        0.125,
        0.625,
        1.125,
        1.625,
    ]
    assert [point.x for point in model.board.data["val_loss"]] == [1, 2]


def test_a_single_batch_per_epoch_is_drawn():
    model = line(d2l)
    d2l.Trainer(max_epochs=3).fit(model, LineData(batch_size=100))
    assert len(model.board.data["train_loss"]) == 3


def test_validation_sees_no_gradients_and_evaluation_mode():
    model, seen, step = line(d2l), [], d2l.Module.training_step

    def note():
        seen.append((torch.is_grad_enabled(), model.training))

    model.validation_step = lambda batch: note()
    model.training_step = lambda batch: note() or step(model, batch)
    d2l.Trainer(max_epochs=2).fit(model, LineData(num_train=32))
    assert seen == [(True, True), (True, True), (False, False)] * 2


def test_with_a_warmup_the_learning_rate_rises_then_falls():
    rates = []

    class Watched(d2l.Trainer):
        def clip_gradients(self, grad_clip_val, model):
            rates.append(self.optim.param_groups[0]["lr"])

    for warmup in (0, 2):
        trainer = Watched(max_epochs=2, gradient_clip_val=1, warmup=warmup)
        trainer.fit(line(d2l, lr=0.8), LineData(num_train=64, batch_size=16))
    assert rates[:8] == [0.8] * 8
    factors = [1 / 2, 1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]
    assert rates[8:] == pytest.approx([0.8 * factor for factor in factors])


def test_an_optimizer_written_by_hand_will_do(d2l_1_0_3):
    model = line(d2l, lr=0.1)
    model.configure_optimizers = lambda: d2l_1_0_3.SGD([*model.parameters()], model.lr)
    trainer = d2l.Trainer(max_epochs=3, gradient_clip_val=1)
    trainer.fit(model, LineData())
    assert trainer.history.val_loss.iloc[-1] < trainer.history.val_loss.iloc[0]


def test_methods_written_for_d2l_can_take_the_place_of_ours(d2l_1_0_3):
    class Trainer(d2l.Trainer):
        prepare_batch = d2l_1_0_3.Trainer.prepare_batch
        prepare_model = d2l_1_0_3.Trainer.prepare_model
        fit_epoch = d2l_1_0_3.Trainer.fit_epoch
        fit = d2l_1_0_3.Trainer.fit

    models = []
    for trainer_class in (Trainer, d2l.Trainer):
        model, trainer = line(d2l), trainer_class(max_epochs=2)
        torch.manual_seed(1)
        trainer.fit(model, LineData())
        assert len(trainer.history) == 2
        models.append(model)
    for ours, theirs in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_labels_may_be_anything_that_a_loss_takes():
    class Lists(LineData):
        def get_dataloader(self, train):
            return [(torch.ones(1, 2), 3.0)] * 4

    model = line(d2l)
    model.loss = lambda y_hat, y: (y_hat - y).square().mean()
    trainer = d2l.Trainer(max_epochs=1)
    trainer.fit(model, Lists())
    assert trainer.history.notna().all(axis=None)


TRAIN_AND_COPY = """
import copy, io, pickle, sys, torch
sys.path.insert(0, "tests")
from test_toolkit import *
model = d2l.Module()
model.net, model.lr, model.loss = nn.Linear(2, 1), 0.1, nn.functional.mse_loss
d2l.Trainer(max_epochs=1).fit(model, LineData())
clones = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
torch.save(model, io.BytesIO())
print([torch.equal(clone.net.weight, model.net.weight) for clone in clones])
print(len(plt.get_fignums()))
"""


def test_a_trained_model_can_be_copied_and_pickled():
    environment = {k: v for k, v in os.environ.items() if k != "TQDM_DISABLE"}
    command = [sys.executable, "-W", "error", "-c", TRAIN_AND_COPY]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
    printed, bar = done.stdout.decode(), done.stderr.decode()
    assert printed.splitlines()[:2] == ["[True, True]", "1"], bar
    assert "0/5" in bar  # the progress bar, for people,
    assert "\n" not in bar and bar.endswith("\r")  # which leaves nothing behind


def test_lazy_layers_learn():
    model = line(d2l)
    model.net = nn.LazyLinear(1)
    trainer = d2l.Trainer(max_epochs=5, gradient_clip_val=1)
    trainer.fit(model, LineData())
    assert trainer.history.val_loss.iloc[-1] < trainer.history.val_loss.iloc[0]


def test_apply_init_runs_the_model_then_sets_the_weights():
    model = line(d2l)
    model.net = nn.Sequential(nn.LazyLinear(1))
    model.apply_init(
        [torch.ones(1, 2)],
        lambda m: nn.init.ones_(m.weight) if hasattr(m, "weight") else None,
    )
    assert model.net[0].weight.tolist() == [[1, 1]]


def test_a_trainer_refuses_negative_settings():
    for name in ("max_epochs", "num_gpus", "gradient_clip_val", "warmup"):
        with pytest.raises(ValueError, match=f"{name} must not be negative, and is -1"):
            d2l.Trainer(**{"max_epochs": 1, name: -1})


@pytest.mark.skipif(d2l.num_gpus() == 0, reason="needs a GPU")
def test_model_and_batches_go_to_the_gpu():
    model = line(d2l)
    d2l.Trainer(max_epochs=2, num_gpus=1).fit(model, LineData())
    assert next(model.parameters()).is_cuda


# --- classification ------------------------------------------------------------------


def test_classifier_equals_d2l_on_sentences_of_scores(d2l_1_0_3):
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(3, 4, 5, generator=generator)
    labels = torch.randint(5, (3, 4), generator=generator)
    ours, theirs = d2l.Classifier(), d2l_1_0_3.Classifier()
    for name in ("loss", "accuracy"):
        for averaged in (True, False):
            value = getattr(ours, name)(scores, labels, averaged)
            expected = getattr(theirs, name)(scores, labels, averaged)
            torch.testing.assert_close(value, expected)
    assert ours.loss(0 * scores, labels).item() == pytest.approx(math.log(5))


def test_a_classifier_reports_its_accuracy(capsys):
    class Sign(d2l.Classifier):
        def __init__(self):
            super().__init__()
            self.save_hyperparameters()
            self.lr = 0.5
            self.net = nn.Sequential(nn.Linear(2, 2))

    data = LineData()
    data.y = (data.X[:, 0] > 0).long()
    torch.manual_seed(0)
    model, trainer = Sign(), d2l.Trainer(max_epochs=8)
    model.board.display = False
    trainer.fit(model, data)
    assert trainer.history.val_acc.iloc[-1] >= 0.9
    model.layer_summary((3, 2))
    assert capsys.readouterr().out == "Linear output shape: (3, 2)\n"
