"""The phrasebook keeps the rules that d2lmini/data/README.md states.

Beside each rule of grammar stand sentences that break it, so that a check which finds
nothing in the phrasebook has shown that it can find something.
"""

import re
from collections import Counter
from statistics import mean

import pytest
from helpers import ROOT

import d2lmini as d2l

FILE = ROOT / "d2lmini" / "data" / "phrasebook.tsv"
PAIRS = [line.split("\t") for line in FILE.read_text("utf-8").splitlines()]
ENGLISH, FRENCH = zip(*PAIRS)


# --- The file -------------------------------------------------------------------------


@pytest.mark.parametrize("side, letters", [(0, "a-z"), (1, "a-zàâçèéêëîïôùûœ")])
def test_every_line_is_two_sentences_of_tokens_with_a_tab_between(side, letters):
    assert re.fullmatch(rb"(?:[^\t\r\n]+\t[^\t\r\n]+\n)+", FILE.read_bytes())
    word = rf"[{letters}]+(?:['-][{letters}]+)*'?"
    sentence = re.compile(rf"{word}(?: (?:{word}|,))* [.!?]")
    assert [pair for pair in PAIRS if not sentence.fullmatch(pair[side])] == []


def test_no_english_sentence_stands_twice():
    assert [en for en, count in Counter(ENGLISH).items() if count > 1] == []


def test_sentences_have_two_to_ten_tokens_and_short_ones_stand_first():
    lengths = [[len(s.split()) for s in side] for side in (ENGLISH, FRENCH)]
    assert set(lengths[0]) == set(lengths[1]) == set(range(2, 11))
    assert lengths[0] == sorted(lengths[0])


@pytest.mark.parametrize("sentences", [ENGLISH, FRENCH])
def test_every_token_occurs_often_enough_to_be_learnt(sentences):
    counts = Counter(token for sentence in sentences for token in sentence.split())
    assert [token for token, count in counts.items() if count < 5] == []


@pytest.mark.parametrize("seed", range(3))
def test_training_and_validation_share_no_sentence_but_their_lengths(seed):
    data = d2l.MTFraEng(128, num_steps=11, num_train=7000, num_val=1000, seed=seed)
    train, val = data.sentences(train=True)[0], data.sentences(train=False)[0]
    assert (len(train), len(val)) == (7000, 1000)
    assert set(train).isdisjoint(val)
    lengths = [mean(len(en.split()) for en in part) for part in (train, val)]
    assert lengths[0] == pytest.approx(lengths[1], abs=0.2)


# --- What no French sentence contains ---------------------------------------------------

ASPIRATED = "huit|onze|oui|héros|haricots?|hiboux?|hauts?|hautes?|honte"
VOWEL = rf"(?!(?:{ASPIRATED})(?!\S))(?:[aeiouàâéèêëîïôùûœh]|y(?!\S))"
CLITICS = "(?:(?:ne|me|te|se|le|la|les|lui|leur|nous|y) |[nmtsl]')*+"
HAVE = "(?:[jnl]')?(?:ai|as|a|avons|avez|ont)"
MOVED = "(?:allé|venu|parti|arrivé|resté|tombé|rentré|levé|couché|réveillé)e?s?"

NEVER = {  # rule: the pattern of what breaks it, sentences that do
    "elision is made": (
        rf"(?:je|me|te|se|le|la|ne|de|que|jusque) {VOWEL}\S*|ce (?:est|étai\S+)|si ils?",
        ["je ai faim .", "le hôtel est loin .", "ce est vrai .", "si il dort , je lis ."],
    ),
    "elision is made before a vowel or a mute h only": (
        rf"(?:j|m|t|s|l|d|n|c|qu|jusqu)'(?!{VOWEL})\S+|s'elles?",
        ["l'chat dort .", "d'huit à neuf .", "il n'dort pas .", "s'elle dort , je lis ."],
    ),
    "de and à contract with le and les, and with these only": (
        rf"(?:de|à) les?|(?:du|au) {VOWEL}\S*",
        ["le chat de le voisin dort .", "il va à les magasins .", "il va au école ."],
    ),
    "ma, ce and beau have other forms before a vowel, and only there": (
        rf"(?:ma|ta|sa|ce|(?:un|le|mon|ton|son) (?:beau|nouveau|vieux)) {VOWEL}\S*"
        rf"|(?:cet|bel|nouvel|vieil) (?!{VOWEL})\S+",
        ["ma amie dort .", "ce homme dort .", "un vieux arbre .", "un bel jardin ."],
    ),
    "a question inverts with -t- between vowels, and only there": (
        r"\S*[ae]-(?:il|elle)s?|\S*[^ae]-t-\S+",
        ["mange-il ici ?", "a-elle faim ?", "est-t-il malade ?"],
    ),
    "des becomes de before an adjective": (
        "des (?:petite?|grande?|beaux|belle|jolie?|nouve\\w+|vieux|vieille|bonn?e?)s? .*",
        ["il a des belles fleurs .", "elle a des grands yeux ."],
    ),
    "ne has its other half": (
        r"(?<!personne )(?:ne |n')(?!.*\b(?:pas|jamais|rien|plus|personne|que)\b).*",
        ["je ne dors .", "elle n'aime le thé ."],
    ),
    "verbs of motion and reflexive verbs take être": (
        rf"{HAVE} (?:(?:pas|déjà) )?{MOVED}",
        ["il a allé à paris .", "je n'ai pas venu ."],
    ),
    "a participle agrees with the object before it": (
        rf"les {HAVE} (?:pas )?\w+[^s]",
        ["il les a vu .", "je ne les ai pas aidé ."],
    ),
    "a verb agrees with its pronoun": (
        rf"(?:je|tu|il|elle) {CLITICS}(?!ment|vient)\w+(?:ons|ez|ent)|tu {CLITICS}\w+[^sx]"
        rf"|(?:ils|(?<!chez )elles) {CLITICS}\w+[^t]",
        ["il dorment .", "elle n'aiment pas paris .", "tu mange .", "elles se lève ."],
    ),
}


def contains(pattern: str, sentence: str) -> bool:
    """Does a match begin and end with a token?"""
    return re.search(rf"(?<!\S)(?:{pattern})(?!\S)", sentence) is not None


def assert_never(pattern: str, wrong: list[str]):
    """The pattern is in each of the wrong sentences, and in none of the phrasebook."""
    assert [sentence for sentence in wrong if not contains(pattern, sentence)] == []
    assert [sentence for sentence in FRENCH if contains(pattern, sentence)] == []


@pytest.mark.parametrize("rule", NEVER)
def test_a_rule_of_french_is_kept(rule):
    assert_never(*NEVER[rule])


# --- Agreement in gender and number -----------------------------------------------------

# Lists of four: masculine, feminine, and their plurals.
MASCULINE = """chat chien livre vélo stylo cahier sac gant jardin village hôtel musée arbre
    garçon homme père frère oncle""".split()
FEMININE = """vache maison voiture table chaise lampe fenêtre église école clé pomme robe
    jupe chemise veste montre écharpe fille mère sœur tante""".split()
NOUNS = [MASCULINE, FEMININE, [m + "s" for m in MASCULINE], [f + "s" for f in FEMININE]]
MEN, WOMEN = "paul|marc|luc|thomas|pierre|louis", "marie|julie|sophie|claire|alice|emma"
PERSONS = [
    f"je|tu|il|{MEN}",
    f"elle|{WOMEN}",
    "nous|ils|parents|paul et marie|marc et luc",
    "elles|alice et emma|sophie et julie",
]
DETERMINERS = [
    "un le du au ce cet quel mon ton son",
    "une la cette quelle ma ta sa",
    "des les aux ces quels mes tes ses",
    "des les aux ces quelles mes tes ses",
]
REGULAR = """petit grand joli bleu vert noir intelligent fatigué prêt seul sûr allé venu
    parti arrivé resté tombé rentré levé couché réveillé reposé habillé""".split()
IRREGULAR = [
    "beau bel nouveau nouvel vieux vieil bon blanc gris heureux gentil inquiet",
    "belle nouvelle vieille bonne blanche grise heureuse gentille inquiète",
    "beaux nouveaux vieux bons blancs gris heureux gentils inquiets",
    "belles nouvelles vieilles bonnes blanches grises heureuses gentilles inquiètes",
]
ADJECTIVES = [
    " ".join([*(adjective + ending for adjective in REGULAR), irregular])
    for ending, irregular in zip(("", "e", "s", "es"), IRREGULAR)
]
CLAUSE = "(?:^|(?:que|quand|mais|si|,) |qu'|s')"
BE = "suis|es|est|sommes|sont|étais|était|étions|étaient"
ADVERB = "pas|très|trop|si|toujours|souvent|déjà|jamais|plus|moins|aussi"
IS = rf"(?:(?:ne|me|te|se|nous|{BE}|{ADVERB}) |[nmts]')*"


def others(forms: list[str], kind: int) -> str:
    """A pattern of the forms that are not for this gender and number."""
    return "|".join(sorted({*" ".join(forms).split()} - {*forms[kind].split()}))


def disagreement(kind: int) -> str:
    """A pattern: beside a noun, or after it and être, stands the form of another kind."""
    noun, person = "|".join(NOUNS[kind]), PERSONS[kind]
    determiner, adjective = others(DETERMINERS, kind), others(ADJECTIVES, kind)
    liaison = rf"(?:mon|ton|son) {VOWEL}"  # mon école
    return (
        rf"(?!{liaison})(?:{determiner}) (?:\w+ )??(?:{noun})"
        rf"|(?:{adjective}) (?:{noun})"
        rf"|(?:[ld]')?(?:{noun}) (?:{adjective})"
        rf"|{CLAUSE}(?:\w+ |\w+-|l')?(?:{noun}|{person}) {IS}(?:{adjective})"
    )


@pytest.mark.parametrize(
    "kind, wrong",
    [
        (0, ["une chat .", "ma petit vélo .", "un petite chien .", "le sac noire .",
             "l'hôtel est grande .", "mon père n'est pas vieille .", "luc s'est levée ."]),
        (1, ["un robe .", "mon clé .", "la vieux église .", "il a une maison blanc .",
             "la table est vert .", "elle n'est pas heureux .", "marie est parti ."]),
        (2, ["le chats .", "les petit chiens .", "des livres bleu .", "ils sont vieil .",
             "nous nous sommes couché .", "mes parents sont très fatigué ."]),
        (3, ["ma sœurs .", "de petits vaches .", "il a acheté des jupes noir .",
             "elles se sont levés .", "alice et emma sont seuls ."]),
    ],
)  # fmt: skip
def test_determiners_adjectives_and_participles_agree_with_the_noun(kind, wrong):
    assert_never(disagreement(kind), wrong)


# --- English and French together --------------------------------------------------------

NAMES = rf"\b(?:{MEN}|{WOMEN})\b"
NO = r"\S+n't|not|never|nobody|only"
SEVERAL = "you two|(?<=, )(?:sir|madam|doctor|children|my friends)"
VOUS = r"(?!chez|assez|nez)\S+ez(?:-\S+)?|(?:\S+-)?vous|votre|vos"
TU = r"tu|te|toi|ton|ta|tes|t'\S+|\S+-(?:tu|toi)"

TOGETHER = {  # rule: whether a pair keeps it, pairs that do not
    "both ask or neither": (
        lambda en, fr: en.endswith("?") == fr.endswith("?"),
        [("are you ready ?", "tu es prêt ."), ("you're ready .", "es-tu prêt ?")],
    ),
    "both deny or neither": (
        lambda en, fr: contains(NO, en) == contains(r"ne|n'\S+|pas", fr),
        [("i don't sleep .", "je dors ."), ("i sleep .", "je ne dors pas .")],
    ),
    "both name the same people": (
        lambda en, fr: sorted(re.findall(NAMES, en)) == sorted(re.findall(NAMES, fr)),
        [("paul has two cats .", "luc a deux chats .")],
    ),
    "you is vous where english says so, and tu elsewhere": (
        lambda en, fr: not contains(TU if contains(SEVERAL, en) else VOUS, fr),
        [("you sleep .", "vous dormez ."), ("you sleep , sir .", "tu dors , monsieur .")],
    ),
}


@pytest.mark.parametrize("rule", TOGETHER)
def test_a_rule_of_translation_is_kept(rule):
    keeps, wrong = TOGETHER[rule]
    assert [pair for pair in wrong if keeps(*pair)] == []
    assert [pair for pair in PAIRS if not keeps(*pair)] == []
