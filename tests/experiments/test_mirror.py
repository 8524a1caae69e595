"""A token and its mirror image: the task, what is removed, and what guesses can know."""

import pytest
import torch

from experiments import mirror


def test_an_answer_is_what_the_table_has_for_a_token_and_its_mirror_image():
    data = mirror.Sequences(0, updates=2)
    (X, y), (other, _) = data.get_dataloader(train=True)
    assert X.shape == y.shape == (mirror.BATCH, mirror.LENGTH)
    assert not torch.equal(X, other) and not torch.equal(X, data.test[0][: mirror.BATCH])
    for row, answers in zip(X[:5].tolist(), y[:5].tolist()):
        expected = [data.table[a, b].item() for a, b in zip(row, reversed(row))]
        assert answers == expected


@pytest.mark.parametrize("title", mirror.MODELS)
def test_each_model_lacks_its_part_before_and_after_training(title):
    torch.manual_seed(0)
    model = mirror.Mirror(mirror.MODELS[title][0], 0.01)
    if change := mirror.MODELS[title][1]:
        change(model)
    X = torch.randint(mirror.TOKENS, (2, mirror.LENGTH))
    changed = X.clone()
    changed[:, -1] = (X[:, -1] + 1) % mirror.TOKENS
    moved = (model(changed) - model(X)).abs().amax(dim=(0, 2)) > 1e-6
    assert moved[-1] and moved[:-1].all() == (title != "without attention")
    turned = model(X.flip(1)).flip(1)
    same = torch.allclose(turned, model(X), atol=1e-5)
    assert same == (title == "without positions")


def test_with_uniform_weights_a_head_reads_the_mean():
    model = mirror.Mirror(1, 0.01)
    mirror.uniform(model)
    attention = model.encoder.blks[0].attention
    X = torch.randn(2, 5, mirror.SIZES[0])
    mean = attention.W_o(attention.W_v(X).mean(dim=1, keepdim=True)).expand_as(X)
    torch.testing.assert_close(attention(X, X, X), mean)


def test_who_knows_more_guesses_better_and_nobody_is_sure():
    shares = [*mirror.guesses(mirror.Sequences(0)).values()]
    assert 1 / mirror.TOKENS < shares[0] < shares[1] < shares[2] < 0.3
    assert shares[2] > 1 / (mirror.LENGTH - 1)
