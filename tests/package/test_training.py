"""The training classes: devices, training as d2l trains, and its curves."""

import copy
import itertools
import pickle
import re

import nbformat
import pytest
import torch
from helpers import assert_close, drawn, random
from nbclient import NotebookClient
from torch import nn

import d2lmini as d2l
from d2lmini import plt
from tools import ROOT


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


def line(library=d2l, lr=0.1, display=False):
    """A linear model of either library."""
    torch.manual_seed(0)
    model = library.Module()
    model.net, model.lr, model.loss = nn.Linear(2, 1), lr, nn.functional.mse_loss
    model.board.display = display
    return model


# --- curves --------------------------------------------------------------------------


def test_a_board_averages_points_and_draws_them_in_one_figure():
    board = d2l.ProgressBoard("x", "y")
    for i in range(6):
        board.draw(i, i * i, "a", every_n=3)
        board.draw(i, -i, "b")
    assert board.data["a"] == [(1, 5 / 3), (4, 50 / 3)]
    assert len(plt.get_fignums()) == 1
    (axes,) = board.fig.axes
    assert drawn(axes) == [([1, 4], [5 / 3, 50 / 3]), ([*range(6)], [*range(0, -6, -1)])]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b"]
    assert axes.get_xlim()[1] > 5  # it grows with the points


CELLS = {  # with what appears below: p is a picture, t text, e an error
    "import sys, torch, d2lmini as d2l\nsys.path[:0] = ['tests', 'tests/package']\n"
    "from test_training import LineData, line\neye = torch.eye(3)[None, None]": "",
    "for _ in range(3):\n    d2l.show_heatmaps(eye, 'Keys', 'Queries')": "ppp",
    "for i in range(2):\n"
    "    d2l.Trainer(2).fit(line(display=True), LineData())\n    print(i)": "tpp",
    "d2l.Trainer(2).fit(line(display=True), LineData())\nd2l.plot([1, 2, 3])": "pp",
    "board = d2l.ProgressBoard('x')\nboard.draw(1, 2, 'a')\nboard.draw(2, 3, 'a')": "p",
    "board.draw(3, 1, 'a')": "p",
    "model = line(display=True)\ndef stop(batch):\n    raise KeyboardInterrupt\n"
    "model.validation_step = stop\nd2l.Trainer(2).fit(model, LineData())": "ep",
}


def test_each_figure_appears_once_below_its_cell_with_its_curves():
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    where = {"metadata": {"path": ROOT}}
    NotebookClient(notebook, allow_errors=True, resources=where).execute()
    kinds = {"display_data": "p", "execute_result": "v", "stream": "t", "error": "e"}
    curve = r'<path d="M[^"]+L[^"]+" clip-path="[^"]+" style="fill: none; stroke: #3d4450'
    for cell, expected in zip(cells, CELLS.values()):
        assert "".join(kinds[output.output_type] for output in cell.outputs) == expected
        for picture in [o.data for o in cell.outputs if o.output_type == "display_data"]:
            found = re.findall(curve, picture["image/svg+xml"])
            assert len(found) == ("heatmap" not in cell.source)


# --- devices, base classes -----------------------------------------------------------


def test_there_is_always_a_device():
    assert d2l.try_gpu(10_000) == d2l.cpu() == torch.device("cpu")
    assert d2l.gpu(3) == torch.device("cuda:3")
    assert len(d2l.try_all_gpus()) == max(1, d2l.num_gpus())


def test_save_hyperparameters_stores_the_arguments_and_only_them():
    class Thing(d2l.HyperParameters):
        def __init__(self, a, b, bb=2, *rest, c=3, _private=4, **more):
            temporary = a
            self.save_hyperparameters(ignore=["bb"])
            assert temporary == self.a

    thing = Thing(1, 2, 5, 6, d=7)
    assert thing.hparams == {"a": 1, "b": 2, "rest": (6,), "c": 3, "more": {"d": 7}}
    assert not hasattr(thing, "temporary") and not hasattr(thing, "bb")


def test_add_to_class_takes_functions_and_properties():
    Thing = type("Thing", (), {})
    assert d2l.add_to_class(Thing)(drawn) is drawn is Thing.drawn
    d2l.add_to_class(Thing)(property(lambda self: 42))
    assert getattr(Thing(), "<lambda>") == 42


def test_unfinished_classes_say_what_is_missing():
    with pytest.raises(NotImplementedError, match="Module must define loss"):
        d2l.Module().loss(None, None)
    with pytest.raises(NotImplementedError, match="DataModule must define get_dataloader"):
        d2l.DataModule().train_dataloader()


@pytest.mark.parametrize("train", [True, False])
def test_tensor_loaders_give_the_batches_of_a_plain_loader(train):
    data = LineData(num_train=37)
    ours = data.get_dataloader(train)
    plain = torch.utils.data.DataLoader(ours.dataset, 16, shuffle=train)
    torch.manual_seed(5)
    batches = list(ours)
    torch.manual_seed(5)
    torch.testing.assert_close(batches, list(plain), rtol=0, atol=0)
    assert len(ours) == len(batches)


# --- training ------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [0, 0.05])
def test_training_moves_the_parameters_as_d2l_does(d2l_1_0_3, clip):
    models = [line(library) for library in (d2l, d2l_1_0_3)]
    for library, model in zip((d2l, d2l_1_0_3), models):
        trainer = library.Trainer(3, gradient_clip_val=clip)
        torch.manual_seed(1)
        trainer.fit(model, LineData())
        assert (trainer.train_batch_idx, trainer.val_batch_idx) == (15, 3)
    for ours, theirs in zip(*(model.parameters() for model in models), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(*(model.board.data["val_loss"] for model in models)):
        assert ours == pytest.approx((theirs.x, theirs.y), rel=1e-4)
    assert not plt.get_fignums()  # with display=False


def test_methods_and_optimizers_written_for_d2l_can_take_the_place_of_ours(d2l_1_0_3):
    names = "prepare_batch", "prepare_model", "fit_epoch", "fit"
    methods = {name: getattr(d2l_1_0_3.Trainer, name) for name in names}
    for Trainer in (d2l.Trainer, type("Trainer", (d2l.Trainer,), methods)):
        model, trainer = line(), Trainer(max_epochs=5, gradient_clip_val=1)
        optimizer = d2l_1_0_3.SGD([*model.parameters()], model.lr)
        model.configure_optimizers = lambda optimizer=optimizer: optimizer
        trainer.fit(model, LineData())
        assert trainer.history.val_loss.iloc[-1] < 0.9 * trainer.history.val_loss.iloc[0]


def test_history_holds_means_over_examples_and_the_board_a_few_points_per_epoch():
    model, data = line(lr=0.0), LineData(num_train=52, num_val=51)  # 4 batches of each
    trainer = d2l.Trainer(max_epochs=2)
    trainer.fit(model, data)
    assert list(trainer.history.index) == [1, 2]
    assert list(trainer.history.columns) == ["train_loss", "val_loss"]
    for name, rows in [("train_loss", slice(52)), ("val_loss", slice(52, None))]:
        expected = nn.functional.mse_loss(model(data.X[rows]), data.y[rows]).item()
        assert trainer.history[name].tolist() == pytest.approx([expected] * 2, rel=1e-5)
    places = {name: [p.x for p in points] for name, points in model.board.data.items()}
    assert places == {"train_loss": [0.125, 0.625, 1.125, 1.625], "val_loss": [1, 2]}


def test_a_loss_that_is_not_finite_stops_before_the_parameters():
    model, trainer = line(lr=1e9), d2l.Trainer(max_epochs=4)
    with pytest.raises(FloatingPointError, match=r"loss is (inf|nan) in epoch 1"):
        trainer.fit(model, LineData())
    assert all(parameter.isfinite().all() for parameter in model.parameters())
    assert len(trainer.history) == 1


def test_a_second_fit_has_its_own_history_and_figure():
    model, trainer = line(display=True), d2l.Trainer(max_epochs=2)
    for _ in range(2):
        trainer.fit(model, LineData())
        points = [point.y for point in model.board.data["val_loss"]]
        assert trainer.history.val_loss.tolist() == points and len(points) == 2
    assert len(plt.get_fignums()) == 2


def test_validation_can_be_left_out_but_not_training():
    data, trainer = LineData(), d2l.Trainer(max_epochs=2)
    data.val_dataloader = lambda: None
    trainer.fit(line(), data)
    assert list(trainer.history.columns) == ["train_loss"]
    data.train_dataloader = list
    with pytest.raises(ValueError, match="LineData must have at least 1 training batch"):
        trainer.fit(line(), data)


@pytest.mark.parametrize("precision", ["32-true", "bf16-mixed"])
def test_each_pass_has_its_mode_and_mixed_precision_is_for_forward_passes(precision):
    model, seen = line(), []

    def note(net, inputs, output):
        seen.append((output.dtype, net.training, torch.is_grad_enabled()))

    model.net.register_forward_hook(note)
    trainer = d2l.Trainer(max_epochs=5, num_gpus=1, precision=precision)
    trainer.fit(model, LineData(num_train=32))
    dtype = torch.bfloat16 if precision == "bf16-mixed" else torch.float32
    assert seen == [*[(dtype, True, True)] * 2, (dtype, False, False)] * 5
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert {parameter.device for parameter in model.parameters()} == {d2l.try_gpu()}
    assert trainer.history.val_loss.iloc[-1] < 0.5 * trainer.history.val_loss.iloc[0]


@pytest.mark.parametrize(
    ("warmup", "factors"),
    [
        (0, [1, 1, 1, 1, 1, 1, 1, 1]),
        (2, [1 / 2, 1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]),
        (8, [1 / 8, 2 / 8, 3 / 8, 4 / 8, 5 / 8, 6 / 8, 7 / 8, 1]),
    ],
)
def test_with_a_warmup_the_learning_rate_rises_then_falls(warmup, factors):
    trainer, rates = d2l.Trainer(max_epochs=2, gradient_clip_val=1, warmup=warmup), []
    trainer.clip_gradients = lambda *_: rates.append(trainer.optim.param_groups[0]["lr"])
    trainer.fit(line(lr=0.8), LineData(num_train=64))
    assert rates == pytest.approx([0.8 * factor for factor in factors])


def test_a_trainer_refuses_settings_that_make_no_sense():
    with pytest.raises(ValueError, match="max_epochs must be an integer >= 0, not -1"):
        d2l.Trainer(max_epochs=-1)
    with pytest.raises(ValueError, match="precision is 32-true or bf16-mixed, not '16'"):
        d2l.Trainer(max_epochs=1, precision="16")
    with pytest.raises(ValueError, match=r"warmup must be at most 8.*, and is 9$"):
        d2l.Trainer(max_epochs=2, warmup=9).fit(line(lr=0.8), LineData(num_train=64))


def test_the_loss_of_half_precision_scores_is_in_single_precision():
    scores, labels = random(6, 900).bfloat16(), torch.arange(6)
    for loss in (d2l.Classifier().loss, d2l.TransformerLM(9, 8, 8, 2, 1, 0).loss):
        ours = loss(scores[None], labels[None])
        assert_close(ours, nn.functional.cross_entropy(scores.float(), labels), 1e-6)


def test_evaluation_mode_ends_with_the_mode_that_every_layer_had():
    model = nn.Sequential(nn.Dropout(0.5), nn.Dropout(0.5).eval())
    with pytest.raises(KeyError), d2l.eval_mode(model):
        assert not any(module.training for module in model.modules())
        raise KeyError  # whatever happens in between
    assert [module.training for module in model.modules()] == [True, True, False]


def test_a_trained_model_can_be_copied_and_pickled():
    model = line(display=True)
    d2l.Trainer(max_epochs=1, warmup=1).fit(model, LineData())
    for clone in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert torch.equal(clone.net.weight, model.net.weight)
        assert clone.board.data == model.board.data
        assert not hasattr(clone, "trainer")  # which refers to the data
    assert len(plt.get_fignums()) == 1


def test_apply_init_sets_the_weights_of_lazy_layers():
    model = line()
    model.net = nn.LazyLinear(1)
    model.apply_init([torch.ones(1, 2)], lambda layer: nn.init.ones_(layer.weight))
    assert model.net.weight.tolist() == [[1, 1]]


def test_classifier_equals_d2l_on_sentences_of_scores(d2l_1_0_3):
    scores = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.arange(12).reshape(3, 4) % 5
    for name, averaged in itertools.product(("loss", "accuracy"), (True, False)):
        ours = getattr(d2l.Classifier(), name)(scores, labels, averaged)
        theirs = getattr(d2l_1_0_3.Classifier(), name)(scores, labels, averaged)
        torch.testing.assert_close(ours, theirs)


def test_a_classifier_reports_its_accuracy(capsys):
    data, model, trainer = LineData(), d2l.Classifier(), d2l.Trainer(max_epochs=8)
    data.y = (data.X[:, 0] > 0).long()
    torch.manual_seed(0)
    model.lr, model.net, model.board.display = 0.5, nn.Sequential(nn.Linear(2, 2)), False
    trainer.fit(model, data)
    assert trainer.history.val_acc.iloc[-1] >= 0.9
    model.layer_summary((3, 2))
    assert capsys.readouterr().out == "Linear output shape: (3, 2)\n"
