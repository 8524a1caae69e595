"""The everyday sentences: their French agrees, elides and contracts."""

import random
import re

import pytest

from tools.book import everyday
from tools.book.everyday import HE, SHE, TEMPLATES, THEY, Action, I, V, np

NOUNS = {noun.en: noun for noun in everyday.THINGS + everyday.PEOPLE + everyday.PETS}
ADJECTIVES = {each.en: each for each in everyday.COLOURS + everyday.BEFORE}


@pytest.fixture(scope="module")
def pairs():
    """Sentences of every template, and those written by hand."""
    return everyday.by_hand() + everyday.generated(seed=1, per_template=40)


def test_every_sentence_is_tokenised_like_the_phrasebook(pairs):
    for pair in pairs:
        for sentence in pair:
            tokens = sentence.split(" ")
            assert sentence == sentence.lower() and tokens[-1] in [*".!?"], sentence
            assert all(re.fullmatch(r"[,.!?]|[\wœ'-]+", token) for token in tokens), (
                sentence
            )


def test_no_elision_and_no_contraction_is_missing(pairs):
    missing = re.compile(
        r"(?<!\S)((je|me|te|se|le|la|ne|de|que|ce) (?!oui\b|huit\b|onze\b)[aeiouyhéèêàâôœ]"
        r"|(de|à) les?(?!\S)|si ils?(?!\S))"
    )
    assert [french for _, french in pairs if missing.search(french)] == []


def test_every_english_sentence_of_the_grammar_has_one_translation():
    generated = everyday.generated(seed=1, per_template=40)
    assert len({english for english, _ in generated}) == len(generated)
    assert len(generated) > 20 * len(TEMPLATES)


@pytest.mark.parametrize(
    ("phrase", "english", "french"),
    [
        (("the", "car", "red"), "the red car", "la voiture rouge"),
        (("a", "car", "white"), "a white car", "une voiture blanche"),
        (("my", "flower", "new"), "my new flower", "ma nouvelle fleur"),
        (("a", "man", "old"), "an old man", "un vieil homme"),
        (("this", "umbrella", None), "this umbrella", "ce parapluie"),
        (("this", "child", None), "this child", "cet enfant"),
        (("her", "bird", "beautiful"), "her beautiful bird", "son bel oiseau"),
    ],
)
def test_adjectives_and_determiners_agree_with_their_noun(phrase, english, french):
    kind, noun, adjective = phrase
    found = np(kind, NOUNS[noun], ADJECTIVES.get(adjective))
    assert everyday.english(found.en) == english
    assert everyday.french(found.fr) == french


@pytest.mark.parametrize(
    ("subject", "verb", "tense", "no", "english", "french"),
    [
        (SHE, "go", "past", True, "she didn't go", "elle n'est pas allée"),
        (THEY, "leave", "past", False, "they left", "ils sont partis"),
        (I, "eat", "progressive", False, "i'm eating", "je mange"),
        (HE, "love", "present", True, "he doesn't love", "il n'aime pas"),
        (I, "run", "would like to", False, "i'd like to run", "je voudrais courir"),
        (
            SHE,
            "study",
            "going to",
            True,
            "she isn't going to study",
            "elle ne va pas étudier",
        ),
    ],
)
def test_verbs_agree_with_their_subject(subject, verb, tense, no, english, french):
    found = everyday.clause(subject, Action(V[verb]), tense, no)
    assert everyday.english(found[0]) == english
    assert everyday.french(found[1]) == french


def test_it_has_the_gender_of_what_it_stands_for():
    sentences = everyday.Sentences(random.Random(0))
    feminine = {noun.fr for noun in everyday.ANIMALS + everyday.WAYS if noun.feminine}
    seen = set()
    for _ in range(200):
        english, french = sentences.crosses()
        head, tail = everyday.french(french).split(" parce qu'")
        tired = any(f" {state.en} " in english for state in everyday.STATES[1:6])
        if tired:  # the animal is
            noun = next(n for n in everyday.ANIMALS if re.search(rf"\b{n.fr}\b", head))
            assert tail.startswith("elle" if noun.fr in feminine else "il"), french
            seen.add(noun.feminine)
    assert seen == {True, False}


def test_contractions_are_written_out():
    assert everyday.expand("i'm sure he's just left .") == "i am sure he has just left ."
    assert everyday.expand("paul's cat isn't here .") == "paul's cat is not here ."
    assert everyday.expand("i can't , it's late .") == "i cannot , it is late ."
