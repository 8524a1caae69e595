"""Phrases whose order differs between the languages, and how many are right."""

from collections import Counter

from experiments import fixed_place


def test_adjectives_are_told_apart_by_their_place_and_predicates_are_no_phrases():
    behind, before = fixed_place.phrases("luc a un petit bateau rouge .")
    assert [*behind] == [("bateau", "rouge")] and not before  # the order differs
    assert fixed_place.phrases("une vieille maison .") == (
        Counter(),
        Counter([("vieille", "maison")]),
    )
    for sentence in ("la tasse est rouge .", "il a très froid .", "il a froid ."):
        assert fixed_place.phrases(sentence) == (Counter(), Counter())


def test_a_phrase_is_right_where_both_words_stand_in_their_order():
    references = ["un lit blanc et un lit blanc .", "un petit chat .", "un beau jardin ."]
    translations = ["un lit blanc et un lit noir .", "un chat petit .", "un beau jardin ."]
    assert fixed_place.right(translations, references) == [1 / 2, 1 / 2]
    assert fixed_place.right(references, references) == [1, 1]
