"""Check that the phrasebook keeps the rules that d2lmini/data/README.md states.

    python -m tools.build.check_phrasebook

To be run when d2lmini/data/phrasebook.tsv has changed. It prints every line that breaks a
rule, and exits with 1 if there is one. Otherwise it writes the file's SHA-256 to
phrasebook.sha256 in its own folder; a test fails as long as that is the hash of another
version. Beside each rule of grammar stand sentences that break it, so that a check which
finds nothing in the phrasebook has shown that it can find something.
"""

import hashlib
import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "d2lmini" / "data" / "phrasebook.tsv"
APPROVED = Path(__file__).with_name("phrasebook.sha256")


def main():
    pairs = [tuple(line.split("\t")) for line in FILE.read_text("utf-8").splitlines()]
    faults = [*faults_of_format(pairs), *faults_of_language(pairs)]
    if faults:
        sys.exit("\n".join(faults))
    APPROVED.write_text(f"{sha256(FILE)}  {FILE.relative_to(ROOT)}\n", encoding="utf-8")
    print(f"{len(pairs)} pairs keep all rules: {APPROVED.name} is up to date.")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


# --- The file -------------------------------------------------------------------------

LETTERS = "a-z", "a-zàâçèéêëîïôùûœ"  # of English and of French


def is_sentence(text, letters):
    """Is this a sentence of tokens with single spaces and a mark at the end?"""
    word = rf"[{letters}]+(?:['-][{letters}]+)*'?"
    return re.fullmatch(rf"{word}(?: (?:{word}|,))* [.!?]", text)


def faults_of_format(pairs):
    """Lines that are no pair of sentences, repeated or of a wrong length; rare tokens."""
    before = 0
    for pair in pairs:
        if len(pair) != 2 or not all(map(is_sentence, pair, LETTERS)):
            yield f"is not two sentences with a tab between: {pair}"
        lengths = [len(side.split()) for side in pair]
        if not all(2 <= length <= 10 for length in lengths):
            yield f"has not 2 to 10 tokens: {pair}"
        if lengths[0] < before:
            yield f"stands after a longer sentence: {pair}"
        before = lengths[0]
    counts = Counter(pair[0] for pair in pairs)
    yield from (f"stands twice: {en}" for en, count in counts.items() if count > 1)
    for side in (0, 1):
        counts = Counter(token for pair in pairs for token in pair[side].split())
        rare = [token for token, count in counts.items() if count < 5]
        yield from (f"occurs fewer than five times: {token}" for token in rare)


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


def contains(pattern, sentence):
    """Does a match begin and end with a token?"""
    return re.search(rf"(?<!\S)(?:{pattern})(?!\S)", sentence) is not None


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


def others(forms, kind):
    """A pattern of the forms that are not for this gender and number."""
    return "|".join(sorted({*" ".join(forms).split()} - {*forms[kind].split()}))


def disagreement(kind):
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


DISAGREE = [  # of each kind, sentences that must be found
    ["une chat .", "ma petit vélo .", "un petite chien .", "le sac noire .",
     "l'hôtel est grande .", "mon père n'est pas vieille .", "luc s'est levée ."],
    ["un robe .", "mon clé .", "la vieux église .", "il a une maison blanc .",
     "la table est vert .", "elle n'est pas heureux .", "marie est parti ."],
    ["le chats .", "les petit chiens .", "des livres bleu .", "ils sont vieil .",
     "nous nous sommes couché .", "mes parents sont très fatigué ."],
    ["ma sœurs .", "de petits vaches .", "il a acheté des jupes noir .",
     "elles se sont levés .", "alice et emma sont seuls ."],
]  # fmt: skip


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


def faults_of_language(pairs):
    """Pairs that break a rule, and examples of a broken rule that are not found."""
    never = dict(NEVER)
    for kind, wrong in enumerate(DISAGREE):
        rule = f"words agree with a noun ({NOUNS[kind][0]})"
        never[rule] = disagreement(kind), wrong
    for rule, (pattern, wrong) in never.items():
        missed = [sentence for sentence in wrong if not contains(pattern, sentence)]
        yield from (f"{rule}: does not find {sentence}" for sentence in missed)
        broken = [sentence for _, sentence in pairs if contains(pattern, sentence)]
        yield from (f"{rule}: {sentence}" for sentence in broken)
    for rule, (keeps, wrong) in TOGETHER.items():
        yield from (f"{rule}: does not find {pair}" for pair in wrong if keeps(*pair))
        yield from (f"{rule}: {pair}" for pair in pairs if not keeps(*pair))


if __name__ == "__main__":
    main()
