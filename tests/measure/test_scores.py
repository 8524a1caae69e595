"""The scores: what is trained on, for how long, and how results are printed."""

from types import SimpleNamespace

import pytest
import torch
from helpers import random

import d2lmini as d2l
from tools.measure import scores
from tools.measure.experiments import (
    copying,
    differences,
    draws,
    embeddings,
    experts,
    gpt,
    look_up,
    look_up_longer,
    norms,
    parts,
    phrasebook,
    sampling,
    training,
    vision,
)

pytestmark = pytest.mark.weekly  # trains for a moment, once for each experiment


@pytest.fixture(autouse=True)
def short_warmup(monkeypatch):
    """Let the learning rate rise until the end of these trainings, if not before."""
    prepare_data = d2l.Trainer.prepare_data

    def prepare(trainer, data):
        prepare_data(trainer, data)
        num_steps = trainer.max_epochs * trainer.num_train_batches
        trainer.warmup = min(trainer.warmup, num_steps)

    monkeypatch.setattr(d2l.Trainer, "prepare_data", prepare)


@pytest.mark.filterwarnings("ignore:src_sentences")
def test_every_model_of_the_chapters_is_trained_and_evaluated():
    rows = dict(phrasebook.rows(0, None, max_epochs=1, num_train=64))
    shuffled = rows.pop("references in random order")
    similar = rows.pop("translations of the most similar training sentence")
    assert 0 < shuffled[2] < similar[2] < 40 and len(shuffled) == len(phrasebook.COLUMNS)
    assert [*rows] == [
        "recurrent, without attention",
        "recurrent, with attention",
        "Transformer",
        *phrasebook.LARGER_STEP,
    ]
    for num_weights, epochs, held_out, four in rows.values():
        assert num_weights > 200_000 and epochs == 1
        assert 0 <= held_out <= 100 and 0 <= four <= 1


@pytest.mark.filterwarnings("ignore:src_sentences")
def test_each_part_of_a_transformer_is_removed_in_turn():
    rows = dict(parts.rows(0, None, max_epochs=1, num_train=64))
    titles = [f"without the {part}" for part in parts.PARTS]
    ffns = "without the feed-forward networks"
    titles.append(f"{ffns} and the self-attention of the encoder")
    titles.append("with cross-attention alone")
    titles.append(f"{titles[0]}, 0.4 times the rate")
    recurrent = "recurrent, with attention"
    last = ["with one head", recurrent, f"{recurrent}, embeddings' rate × 8"]
    assert [*rows] == ["Transformer", *titles, *last]
    weights = {title.removeprefix("without the "): row[0] for title, row in rows.items()}
    whole = weights["Transformer"]
    for title in ("residual connections", "positions", "factor √d of the embeddings"):
        assert weights[title] == whole
    ffn, encoder, decoder = (
        weights[name]
        for name in list(parts.PARTS)[-4:-1]  # the sublayers
    )
    assert whole > weights["layer normalisations"] > encoder == decoder > ffn
    both = weights["feed-forward networks and the self-attention of the encoder"]
    assert whole - both == (whole - ffn) + (whole - encoder)
    assert both - weights["with cross-attention alone"] == whole - decoder
    assert all(0 <= bleu <= 100 for _, bleu in rows.values())


@pytest.mark.filterwarnings("ignore:src_sentences")
def test_each_model_is_trained_with_small_and_large_steps_of_its_embeddings():
    rows = dict(embeddings.rows(0, None, max_epochs=1, num_train=64, rates=(0.01,)))
    assert [*rows] == [f"{name}, rate 0.01" for name in embeddings.MODELS]
    weights = [row[0] for row in rows.values()]
    recurrent, bidirectional, after, transformer = weights
    assert recurrent > bidirectional > transformer > 200_000 and after > transformer
    assert all(len(row) == len(embeddings.COLUMNS) for row in rows.values())
    assert all(0 <= bleu <= 100 for _, *scores in rows.values() for bleu in scores)


def test_the_schedule_scales_the_rates_of_the_embeddings_and_of_all_others():
    data = training.phrasebook_pairs(256)
    names, sizes, _ = embeddings.MODELS["Transformer"]
    model = training.translator(training.VARIANTS, data, names, sizes, 0.01, seed=0)
    model.factor, model.board.display = 8, False
    trainer, rates = training.UnvalidatedTrainer(1, warmup=2), []

    def step(update=trainer.update):
        rates.extend(group["lr"] for group in trainer.optim.param_groups)
        update()

    trainer.update = step
    trainer.fit(model, data)
    assert rates == pytest.approx([0.04, 0.005, 0.08, 0.01, 0.08, 0.01, 0.04, 0.005])
    embedded, others = (group["params"] for group in trainer.optim.param_groups)
    assert [len(w) for w in embedded] == [len(data.src_vocab), len(data.tgt_vocab)]
    assert len(embedded) + len(others) == len([*model.parameters()])


def test_a_bidirectional_encoder_reads_every_token_before_the_padding_and_none_after():
    encoder = training.BidirectionalEncoder(9, 4, 6, 1)
    X, lengths = torch.tensor([[1, 2, 3, 4]]), torch.tensor([3])
    outputs, state = encoder(X, lengths)
    assert outputs.shape == (4, 1, 6) and state.shape == (1, 1, 6)
    for i, moves in enumerate([True, True, True, False]):
        changed = X.clone()
        changed[0, i] = 8
        others = encoder(changed, lengths)[0][:3]
        assert torch.equal(others, outputs[:3]) != moves
        assert (others != outputs[:3]).any(dim=-1).all() == moves
    torch.testing.assert_close(state[0, :, :3], outputs[2, :, :3])  # the last token
    torch.testing.assert_close(state[0, :, 3:], outputs[0, :, 3:])  # the first token


def test_a_decoder_that_attends_after_its_step_sees_no_later_token_and_no_padding():
    torch.manual_seed(0)
    decoder = training.LuongDecoder(9, 4, 6, 1)
    values, first = torch.randn(2, 3, 6), torch.randn(1, 2, 6)
    lengths = torch.tensor([3, 2])
    X = torch.randint(9, (2, 5))
    logits, (_, last, _) = decoder(X, (values, first, lengths))
    state, steps = (values, first, lengths), []
    for x in X.split(1, dim=1):  # one token at a time
        step, state = decoder(x, state)
        steps.append(step)
    torch.testing.assert_close(torch.cat(steps, dim=1), logits)
    torch.testing.assert_close(state[1], last)
    changed = X.clone()
    changed[:, 3] = (X[:, 3] + 1) % 9
    moved = (decoder(changed, (values, first, lengths))[0] != logits).any(dim=-1)
    assert moved.tolist() == [[False, False, False, True, True]] * 2
    hidden = values.clone()
    hidden[1, 2] = 9  # padding
    torch.testing.assert_close(decoder(X, (hidden, first, lengths))[0], logits)
    hidden[1, 1] = 9  # the context of one step changes its own logits
    assert (decoder(X, (hidden, first, lengths))[0][1] != logits[1]).any(dim=-1).all()


def test_each_part_that_is_removed_changes_the_logits_in_its_own_way():
    data = training.phrasebook_pairs(64)
    *inputs, _ = next(iter(data.val_dataloader()))

    def logits(*removed):
        model = training.translator(d2l, data, *training.MODELS["Transformer"], seed=0)
        for part in removed:
            parts.remove(part, model)
        return model(*inputs)

    *others, factor = parts.PARTS
    found = [logits(), *map(logits, others)]
    assert torch.equal(found[0], logits())
    for i, one in enumerate(found):
        assert not any(torch.equal(one, other) for other in found[:i])
    torch.testing.assert_close(logits(factor), found[0])  # only training will differ


def test_without_the_factor_a_step_of_adam_is_an_eighth_for_the_embeddings():
    data = training.phrasebook_pairs(64)
    moved = []
    for removed in ([], ["factor √d of the embeddings"]):
        model = training.translator(d2l, data, *training.MODELS["Transformer"], seed=0)
        for part in removed:
            parts.remove(part, model)
        model.board.display = False
        factor = model.encoder.num_hiddens**0.5
        before = factor * model.encoder.embedding.weight.detach().clone()
        training.UnvalidatedTrainer(1).fit(model, data)
        after = factor * model.encoder.embedding.weight.detach()
        moved.append((after - before).abs().max().item())
    assert moved[0] == pytest.approx(8 * moved[1], rel=0.01)


def test_decoding_without_self_attention_still_counts_the_tokens_so_far():
    data = training.phrasebook_pairs(64)
    model = training.translator(d2l, data, *training.MODELS["Transformer"], seed=0).eval()
    parts.remove("self-attention of the decoder", model)
    src, tgt, lengths, _ = (part[:2] for part in data.arrays)
    whole = model(src, tgt, lengths)
    state = model.decoder.init_state(model.encoder(src, lengths), lengths)
    steps = []
    for i in range(tgt.shape[1]):
        step, state = model.decoder(tgt[:, i : i + 1], state)
        steps.append(step)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)


def test_pre_norm_and_post_norm_are_compared_with_and_without_warm_up():
    rows = dict(norms.rows(0, None, num_train=64))
    assert [title.count("pre-norm") for title in rows] == [0, 0, 1, 1, 1, 1]
    losses = [loss for row in rows.values() for loss in row]
    assert len(set(losses)) == 12 and all(3 < loss < 8 for loss in losses)


def test_with_pre_norm_an_added_vector_reaches_the_last_normalisation_unchanged():
    data = training.phrasebook_pairs(64)
    encoder = norms.PreNormEncoder(len(data.src_vocab), num_blks=4, **norms.SIZES)
    inputs = []
    encoder.last.register_forward_pre_hook(lambda _, args: inputs.append(args[0]))
    for module in encoder.modules():
        if isinstance(module, (d2l.MultiHeadAttention, d2l.PositionWiseFFN)):
            module.forward = lambda X, *args: torch.zeros_like(X)
    X = data.arrays[0][:2]
    encoder(X)
    expected = encoder.pos_encoding(encoder.embedding(X) * 32**0.5)
    assert torch.equal(inputs[0], expected)


@pytest.mark.slow
def test_each_difference_from_d2l_is_measured_by_itself():
    rows = dict(differences.rows(0, None, max_epochs=1, num_train=640))
    ours = rows["Transformer, this course"]
    assert all(len(row) == 2 for row in rows.values())
    assert rows["each decoded token encoded as position 0"][0] is None
    future, _ = rows["the future visible in validation"]
    padding, _ = rows["padding counted in the training loss"]
    initial, _ = rows["initial weights of d2l"]
    assert len({ours[0], future, padding, initial}) == 4
    recurrent, padded = rows["recurrent, with attention, this course"], [*rows.values()][-1]
    assert recurrent[0] != padded[0]
    assert all(2 < row[0] < 8 for row in rows.values() if row[0])


def test_copying_has_models_without_and_with_attention_and_the_chance_level():
    rows = dict(copying.rows(0, None, num_batches=4, widths=(8,)))
    assert [*rows] == [
        "without attention, 8 hidden units",
        "without attention, 64 hidden units, four times the training",
        "with attention, 8 hidden units",
        "symbols drawn at random",
    ]
    for copied in rows.values():
        assert len(copied) == 4 and 0 < min(copied) <= max(copied) < 0.5


@pytest.mark.weekly
def test_every_part_of_a_gpt_is_trained_from_small_and_from_larger_weights():
    models = {
        name: gpt.MODELS[name] for name in ("GPT-2's parts", "RMSNorm", gpt.NO_POSITIONS)
    }
    rows = dict(gpt.rows(0, None, 2, models, rates=(0.006,)))
    assert [*rows] == [
        f"{name}, {size} first weights" for size in gpt.STDS for name in models
    ]
    weights, fewer, fewest, *_ = (row[0] for row in rows.values())
    assert weights > fewer > fewest > 100_000  # RMSNorm has no biases
    numbers = [number for _, *run in rows.values() for number in run]
    assert len({*numbers}) == 6
    assert all(3 < number < 4 for number in numbers)  # near 10 bits for 2.7 bytes


def test_experts_store_as_much_as_the_wide_network_and_use_no_more_than_the_narrow(
    monkeypatch,
):
    rates = []
    monkeypatch.setattr(experts, "train", lambda model, n: rates.append(model.lr) or n)
    tokens = torch.arange(256 * 128) % 1024
    monkeypatch.setattr(experts, "tokens_of_python", lambda: (None, tokens, None))
    narrow, wide, *mixtures = dict(experts.rows(0, None, num_batches=7)).values()
    routers = 2 * 8 * experts.WIDTH
    for weights, used, *bits, busiest in mixtures:
        assert weights == wide[0] + routers and used == narrow[0] + routers
        assert bits == [7, 7] and 1 / 8 < busiest <= 1 / 2
    assert all(
        used == weights and load is None for weights, used, *_, load in (narrow, wide)
    )
    assert tuple(rates) == 4 * experts.RATES


def test_runs_of_four_tokens_are_repeated_where_they_occurred_before():
    assert sampling.repeated([1, 2, 3, 4, 5]) == 0
    assert sampling.repeated([1, 2, 3, 4, 1, 2, 3, 4]) == pytest.approx(1 / 5)
    assert sampling.repeated([7] * 10) == pytest.approx(6 / 7)
    assert sampling.repeated([1, 2]) == 0
    assert sampling.until([5, 6, 9, 7], 9) == [5, 6] and sampling.until([5], 9) == [5]


def test_a_table_has_the_mean_and_the_spread_over_the_seeds(monkeypatch):
    def rows(seed, root):
        yield "a model", (1234, [0.25, 0.75][seed])
        yield "a control", (None, 0.5)

    experiment = SimpleNamespace(rows=rows, COLUMNS={"weights": 0, "BLEU": 2})
    monkeypatch.setitem(scores.EXPERIMENTS, "small", experiment)
    assert scores.tabulate("small", range(2), None).splitlines() == [
        "| model | weights | BLEU |",
        "| --- | ---: | ---: |",
        "| a model | 1,234 | 0.50 ± 0.35 |",
        "| a control |  | 0.50 |",
    ]


def test_digits_are_classified_with_few_and_with_many_images():
    rows = dict(vision.rows(0, None, steps=2, images=(10, 60)))
    assert rows.pop("digits guessed at random") == (None, 0.1, 0.1)
    assert [*rows] == [
        "nearest neighbour",
        "logistic regression",
        "dense layers",
        "convolutions",
        "convolutions, pixels in a random order",
        "convolutions, mean over all places",
        "convolutions, mean over all places, pixels in a random order",
        "vision Transformer",
        "vision Transformer, initial positions of d2l",
        "vision Transformer, patches of 4 × 4",
        "vision Transformer, patches of 4 × 4, initial positions of d2l",
        "vision Transformer, one large vector for all tokens",
        "vision Transformer, output layer reads all tokens",
        "vision Transformer, output layer reads the mean of all tokens",
    ]
    assert rows.pop("convolutions, mean over all places")[0] < 6_000
    for title in vision.BASELINES:
        num_weights, few, many = rows.pop(title)
        assert num_weights is None and 0.5 < few < many < 1
    for num_weights, *accuracies in rows.values():
        assert num_weights > 5_000 and 0 <= min(accuracies) <= max(accuracies) < 0.9


def test_each_draw_of_digits_has_other_training_images_and_the_same_held_out_ones():
    order, draws = d2l.Digits(), [vision.drawn(40, draw) for draw in range(3)]
    for at, data in zip((0, 40, 80), draws):
        (X, y), (all_images, labels) = data.train[:], order.train[:]
        assert torch.equal(X, all_images[at : at + 40])
        assert torch.equal(y, labels[at : at + 40]) and len(y.unique()) == 10
        assert torch.equal(data.val[:][0], order.val[:][0])


def test_the_table_of_draws_has_the_models_of_the_table_above_it():
    few = {"steps": 1, "images": (10,)}
    rows, others = (dict(draws.rows(seed, None, **few)) for seed in (0, 1))
    assert [*rows] == [*dict(vision.rows(0, None, **few))]
    assert rows["nearest neighbour"] != others["nearest neighbour"]


def test_look_up_is_also_tried_by_baselines_and_for_longer():
    rows = dict(look_up_longer.rows(0, None, steps=(2, 3)))
    assert len(rows) == 9 and all(0 <= accuracy < 0.4 for (accuracy,) in rows.values())


def test_weights_from_the_positions_alone_are_the_same_for_every_image():
    torch.manual_seed(0)
    model, X = look_up.attention_by_position().eval(), random(3, 1, 24, 24)
    model(X)
    for weights in (block.attention.attention.attention for block in model.blks):
        each = weights.attention_weights.view(3, 4, 10, 10)
        assert torch.equal(each[0], each[1]) and torch.equal(each[0], each[2])
        assert each.std() > 0.01  # and they are not uniform


def test_the_networks_that_look_up_a_digit_are_of_about_equal_size():
    rows = dict(look_up.rows(0, None, steps=(2,)))
    assert rows.pop("digits guessed at random") == (None, 0.1)
    _, named = rows.pop("one of the eight digits, named at random")
    _, frequent = rows.pop("the most frequent of the eight digits")
    assert abs(named - (1 / 8 + 7 / 8 / 10)) < 0.002 and 0.29 < frequent < 0.31
    transformer = rows["vision Transformer, rate 0.005"][0]
    for num_weights, accuracy in rows.values():
        assert abs(num_weights / transformer - 1) < 0.15 and 0 <= accuracy < 0.4
