"""Queries that are learned for each step, and the states at which a possessive looks."""

import pytest
import torch

from experiments import masked_word, query


@pytest.mark.parametrize("name", query.DECODERS)
def test_a_learned_query_depends_on_nothing_but_the_number_of_the_step(name):
    torch.manual_seed(0)
    decoder = query.by_number(query.DECODERS[name], num_steps=4)(9, 4, 6, 1)
    torch.nn.init.normal_(decoder.attention.queries.weight)
    outputs, lengths = torch.randn(3, 2, 6), torch.tensor([3, 2])
    X = torch.randint(9, (2, 4))

    def weights(X, first):
        state, found = decoder.init_state((outputs, first), lengths), []
        for x in X:
            _, state = decoder(x, state)
            found += decoder.attention_weights
        return torch.cat(found, dim=1)  # (b, n, m)

    together = weights([X], torch.randn(1, 2, 6))
    assert (together[:, 1:] != together[:, :-1]).any(dim=-1).all()
    one_by_one = weights((8 - X).split(1, dim=1), torch.randn(1, 2, 6))
    torch.testing.assert_close(one_by_one, together)


def test_a_possessive_looks_at_the_largest_weight_of_its_row():
    assert masked_word.phrase("il a perdu sa veste .") == ("sa", "veste")
    assert masked_word.phrase("sa veste et son chat .") is None
    tokens = [["il", "sa"], ["il", "son"]]
    weights = torch.tensor([[[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.7, 0.3]]])
    phrases = [("sa", "veste"), ("sa", "robe")]
    found = masked_word.looked_at(tokens, weights, phrases)
    assert found.tolist() == [1, masked_word.NOWHERE]


def test_a_phrase_is_right_if_its_words_stand_side_by_side():
    phrases = [("sa", "veste"), ("son", "chat")]
    translations = ["sa belle veste .", "son chat ."]
    assert masked_word.right(translations, phrases) == (1, 1 / 2)
