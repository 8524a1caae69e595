"""Models that only experiments have: what they read, and what they leave out."""

import pytest
import torch
from helpers import random

import d2lmini as d2l
from experiments import embeddings, look_up, models, norms, transformer_parts, vision


def test_the_schedule_scales_the_rates_of_the_embeddings_and_of_all_others():
    data = models.phrasebook_pairs(256)
    names, sizes, _ = embeddings.MODELS["Transformer"]
    model = models.translator(models.VARIANTS, data, names, sizes, 0.01, seed=0)
    model.factor, model.board.display = 8, False
    trainer, rates = models.UnvalidatedTrainer(1, warmup=2), []

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
    encoder = models.BidirectionalEncoder(9, 4, 6, 1)
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


@pytest.mark.parametrize("Decoder", [models.LuongDecoder, models.LuongDotDecoder])
def test_a_decoder_that_attends_after_its_step_sees_no_later_token_and_no_padding(Decoder):
    torch.manual_seed(0)
    decoder = Decoder(9, 4, 6, 1)
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
    data = models.phrasebook_pairs(64)
    *inputs, _ = next(iter(data.val_dataloader()))

    def logits(*removed):
        model = models.translator(d2l, data, *models.MODELS["Transformer"], seed=0)
        for part in removed:
            transformer_parts.remove(part, model)
        return model(*inputs)

    *others, factor = transformer_parts.PARTS
    found = [logits(), *map(logits, others)]
    assert torch.equal(found[0], logits())
    for i, one in enumerate(found):
        assert not any(torch.equal(one, other) for other in found[:i])
    torch.testing.assert_close(logits(factor), found[0])  # only training will differ


def test_without_the_factor_a_step_of_adam_is_an_eighth_for_the_embeddings():
    data = models.phrasebook_pairs(64)
    moved = []
    for removed in ([], ["factor √d of the embeddings"]):
        model = models.translator(d2l, data, *models.MODELS["Transformer"], seed=0)
        for part in removed:
            transformer_parts.remove(part, model)
        model.board.display = False
        factor = model.encoder.num_hiddens**0.5
        before = factor * model.encoder.embedding.weight.detach().clone()
        models.UnvalidatedTrainer(1).fit(model, data)
        after = factor * model.encoder.embedding.weight.detach()
        moved.append((after - before).abs().max().item())
    assert moved[0] == pytest.approx(8 * moved[1], rel=0.01)


def test_decoding_without_self_attention_still_counts_the_tokens_so_far():
    data = models.phrasebook_pairs(64)
    model = models.translator(d2l, data, *models.MODELS["Transformer"], seed=0).eval()
    transformer_parts.remove("self-attention of the decoder", model)
    src, tgt, lengths, _ = (part[:2] for part in data.arrays)
    whole = model(src, tgt, lengths)
    state = model.decoder.init_state(model.encoder(src, lengths), lengths)
    steps = []
    for i in range(tgt.shape[1]):
        step, state = model.decoder(tgt[:, i : i + 1], state)
        steps.append(step)
    torch.testing.assert_close(torch.cat(steps, dim=1), whole)


def test_with_pre_norm_an_added_vector_reaches_the_last_normalisation_unchanged():
    data = models.phrasebook_pairs(64)
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


def test_a_pre_norm_decoder_gets_the_same_logits_token_by_token():
    data = models.phrasebook_pairs(64)
    src, tgt, lengths, _ = next(iter(data.val_dataloader()))
    model = norms.deep_translator(data, norms.PreNormEncoder, norms.PreNormDecoder, 0, 0.01)
    state, steps = model.decoder.init_state(model.encoder(src, lengths), lengths), []
    for x in tgt.split(1, dim=1):
        logits, state = model.decoder(x, state)
        steps.append(logits)
    expected = model(src, tgt, lengths)
    torch.testing.assert_close(torch.cat(steps, dim=1), expected)


def test_weights_from_the_positions_alone_are_the_same_for_every_image():
    torch.manual_seed(0)
    model, X = look_up.attention_by_position().eval(), random(3, 1, 24, 24)
    model(X)
    for weights in (block.attention.attention.attention for block in model.blks):
        each = weights.attention_weights.view(3, 4, 10, 10)
        assert torch.equal(each[0], each[1]) and torch.equal(each[0], each[2])
        assert each.std() > 0.01  # and they are not uniform


def test_each_draw_of_digits_has_other_training_images_and_the_same_held_out_ones():
    order, draws = d2l.Digits(), [vision.drawn(40, draw) for draw in range(3)]
    for at, data in zip((0, 40, 80), draws):
        (X, y), (all_images, labels) = data.train[:], order.train[:]
        assert torch.equal(X, all_images[at : at + 40])
        assert torch.equal(y, labels[at : at + 40]) and len(y.unique()) == 10
        assert torch.equal(data.val[:][0], order.val[:][0])
