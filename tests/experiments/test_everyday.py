"""The everyday sentences: their French agrees, elides and contracts."""

import re

import pytest

from experiments.try_it import everyday


@pytest.fixture(scope="module")
def pairs():
    by_hand, generated = everyday.pairs()
    return by_hand + generated


def test_every_sentence_is_tokenised_like_the_phrasebook(pairs):
    for pair in pairs:
        for sentence in pair:
            tokens = sentence.split(" ")
            assert sentence == sentence.lower() and tokens[-1] in [*".!?"], sentence
            assert len(tokens) <= 13, sentence
            assert all(re.fullmatch(r"[,.!?]|[\wœ'-]+", token) for token in tokens), (
                sentence
            )


def test_no_elision_and_no_contraction_is_missing(pairs):
    missing = re.compile(
        r"(?<!\S)((je|me|te|se|le|la|ne|de|que|ce) (?!oui\b|huit\b|onze\b)[aeiouyhéèêàâôœ]"
        r"|(de|à) les?(?!\S)|si ils?(?!\S))"
    )
    assert [french for _, french in pairs if missing.search(french)] == []


def test_every_english_sentence_of_a_list_has_one_translation():
    lists = everyday.pairs()
    numbers = [len(part) for part in lists]
    assert [len({english for english, _ in part}) for part in lists] == numbers
    assert all(f"{number:,}" in everyday.__doc__ for number in numbers)


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("a red car", "une voiture rouge"),
        ("a white car", "une voiture blanche"),
        ("my new bear", "mon nouvel ours"),
        ("an old man", "un vieil homme"),
        ("beautiful bird", "bel oiseau"),
        ("beautiful umbrella", "beau parapluie"),
        ("this umbrella", "ce parapluie"),
        ("this apple", "cette pomme"),
        ("this child", "cet enfant"),
        ("my school", "mon école"),
        ("her uncle", "son oncle"),
    ],
)
def test_adjectives_and_determiners_agree_with_their_noun(pairs, english, french):
    assert_translated(pairs, english, french)


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("i'm eating", "je mange"),
        ("i'd like to", "je voudrais"),
        ("she isn't going to", "elle ne va pas"),
        ("she went", "elle est allée"),
        ("we went", "nous sommes allés"),
        ("they didn't go", "ils ne sont pas allés"),
    ],
)
def test_verbs_agree_with_their_subject(pairs, english, french):
    assert_translated(pairs, english, french)


def assert_translated(pairs, english, french):
    """Where the English words are, the French ones are, too."""
    one, other = rf"(?<!\S){english}(?!\S)", rf"(?<![^\s']){french}(?!\S)"
    found = [pair for pair in pairs if re.search(one, pair[0])]
    assert found and [pair for pair in found if not re.search(other, pair[1])] == []


def test_it_has_the_gender_of_what_it_stands_for(pairs):
    crosses = re.compile(
        r"(le|la|un|une) .* traversé (le|la) .* parce qu'(il|elle) (?:était|avait) "
    )
    streets = re.compile(r"because it was too (wide|long|big|cold|dark|busy|dangerous) ")
    seen = set()
    for english, french in pairs:
        if "because it" in english and (match := crosses.match(french)):
            animal, way, it = match.groups()
            article = way if streets.search(english) else animal
            assert it == ("elle" if article in ("la", "une") else "il"), french
            seen.add((article is way, it))
    assert len(seen) == 4


def test_contractions_are_written_out():
    assert everyday.expand("i'm sure he's just left .") == "i am sure he has just left ."
    assert everyday.expand("paul's cat isn't here .") == "paul's cat is not here ."
    assert everyday.expand("i can't , it's late .") == "i cannot , it is late ."
