"""The grammar of the phrasebook: French and English forms, from words to clauses.

French is spelt without elision and contraction until `tidy_french` makes them, once, in
the finished sentence: the rest of the grammar may say `je ai` and `de le`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import phrasebook_words as words
from phrasebook_words import Adjective, Noun, Verb

Pair = tuple[str, str]
Pairs = Iterator[Pair]


def listed(text: str) -> list[str]:
    """What stands between the commas."""
    return [" ".join(item.split()) for item in text.split(",") if item.strip()]


def table(text: str) -> list[tuple[str, ...]]:
    """Rows between semicolons, of cells between bars."""
    return [
        tuple(" ".join(cell.split()) for cell in row.split("|")) for row in text.split(";")
    ]


# --- French spelling: elision and contraction ---------------------------------------

VOWEL = "(?!(?:oui|huit|onze)(?!\\S))[aeiouyàâéèêîôœh]"  # every h of the lists is mute
ELISION = re.compile(rf"(?<!\S)(je|me|te|se|le|la|ne|de|que|ce) (?={VOWEL})")
CONTRACTIONS = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}
CONTRACTION = re.compile(r"(?<!\S)(de|à) (le|les)(?!\S)")


def tidy_french(text: str) -> str:
    """Elide and contract: `je ai` is j'ai, `si il` is s'il, `de le` is du."""
    text = " ".join(text.split())
    text = re.sub(r"(?<!\S)si (?=ils?(?!\S))", "s'", text)
    text = ELISION.sub(lambda match: match[1][:-1] + "'", text)
    return CONTRACTION.sub(lambda match: CONTRACTIONS[match[0]], text)


def tidy_english(text: str) -> str:
    """Write `an` for `a` before a vowel: every listed vowel letter is sounded as one."""
    return re.sub(r"(?<!\S)a (?=[aeiou])(?!uni|use)", "an ", " ".join(text.split()))


# --- French verbs -----------------------------------------------------------------

REFLEXIVE = ("me", "te", "se", "nous", "vous", "se")
ENDINGS = {
    "er": "e es e ons ez ent".split(),
    "ir": "is is it issons issez issent".split(),
    "imperfect": "ais ais ait ions iez aient".split(),
    "future": "ai as a ons ez ont".split(),
}


def irregular(infinitive: str) -> list[list[str]] | None:
    """The forms of an irregular verb, as the columns of its row in the table."""
    for prefix, model in [("", infinitive), *words.COMPOUNDS]:
        if infinitive == prefix + model and model in words.IRREGULAR:
            columns = words.IRREGULAR[model].split("|")
            return [[prefix + form for form in column.split()] for column in columns]
    return None


def strong(stem: str) -> str:
    """The stem of an -er verb before a silent ending: achèt-, préfèr-, nettoi-."""
    if stem.endswith("appel"):
        return stem + "l"
    if stem.endswith(("oy", "ay")):
        return stem[:-1] + "i"
    return re.sub("[eé](?=[lnrtv]$)", "è", stem)


def present(infinitive: str, person: int) -> str:
    if columns := irregular(infinitive):
        return columns[0][person]
    stem, kind = infinitive[:-2], infinitive[-2:]
    ending = ENDINGS[kind][person]
    if kind == "er":
        if ending == "ons":
            stem = re.sub("c$", "ç", re.sub("g$", "ge", stem))
        elif ending != "ez":
            stem = strong(stem)
    return stem + ending


def imperfect(infinitive: str, person: int) -> str:
    columns, ending = irregular(infinitive), ENDINGS["imperfect"][person]
    if columns and len(columns) == 4:
        return columns[3][0] + ending
    stem = present(infinitive, 3).removesuffix("ons")
    if ending.startswith("i"):
        stem = re.sub("ge$", "g", re.sub("ç$", "c", stem))
    return stem + ending


def future_stem(infinitive: str) -> str:
    columns = irregular(infinitive)
    if columns and len(columns) > 2:
        return columns[2][0]
    if infinitive.endswith("er") and infinitive[-4] != "é":
        return strong(infinitive[:-2]) + "er"
    return infinitive.removesuffix("e")


def future(infinitive: str, person: int) -> str:
    return future_stem(infinitive) + ENDINGS["future"][person]


def conditional(infinitive: str, person: int) -> str:
    return future_stem(infinitive) + ENDINGS["imperfect"][person]


def participle(infinitive: str) -> str:
    if columns := irregular(infinitive):
        return columns[1][0]
    return infinitive[:-2] + {"er": "é", "ir": "i"}[infinitive[-2:]]


def imperative(infinitive: str, person: int) -> str:
    """The form for tu (1), nous (3) or vous (4): without the s of `tu manges`."""
    form = present(infinitive, person)
    return form[:-1] if person == 1 and form.endswith(("es", "as")) else form


# --- Adjectives and noun phrases ---------------------------------------------------


class Phrase(NamedTuple):
    """An English noun phrase and its French; `no_fr` is what follows a negation."""

    en: str
    fr: str
    no_en: str
    no_fr: str
    feminine: bool
    plural: bool


OWN = {  # masculine, feminine, plural
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}


def vowel(word: str) -> bool:
    return re.match(VOWEL, word) is not None


def agree(adjective: Adjective, feminine: bool, plural: bool = False) -> str:
    """The form of an adjective for a gender and number."""
    if adjective.invariable:
        return adjective.fr
    form = adjective.fr_feminine if feminine else adjective.fr
    return words.french_s(form) if plural else form


def agree_participle(form: str, feminine: bool, plural: bool) -> str:
    return form + "e" * feminine + "s" * (plural and (feminine or form[-1] != "s"))


def determiner(kind: str, first: str, feminine: bool, plural: bool) -> str:
    """The French article, possessive or demonstrative before the word `first`."""
    which = 2 if plural else int(feminine)
    if kind in OWN:
        return OWN[kind][0 if which == 1 and vowel(first) else which]
    if kind == "this":
        return "cet" if which == 0 and vowel(first) else ("ce", "cette", "ces")[which]
    if kind == "a":
        return ("un", "une", "des")[which]
    the = ("le", "la", "les")[which]
    return f"de {the}" if kind in ("some", "any") else the


def np(kind: str, noun: Noun, adjective: Adjective | None = None, plural=False) -> Phrase:
    """A noun phrase.

    The kinds are `a`, `the`, `this`, the possessives, `some` (some bread, some apples),
    `any` (bare in English: i eat bread, she sells flowers) and `all` (i like cats).
    """
    en = noun.en_plural if plural else noun.en
    fr = noun.fr_plural if plural else noun.fr
    before = False
    if adjective:
        en = f"{adjective.en} {en}"
        form = agree(adjective, noun.feminine, plural)
        before = adjective in words.BEFORE.values()
        if before and not plural and not noun.feminine and vowel(fr):
            form = words.LIAISON.get(form, form)
        fr = f"{form} {fr}" if before else f"{fr} {form}"
    article = determiner(kind, fr, noun.feminine, plural)
    if before and plural and kind in ("some", "any"):
        article = "de"  # de belles fleurs
    no_fr = f"de {fr}" if kind in ("a", "some", "any") else f"{article} {fr}"
    demonstrative = "these" if plural else "this"
    english = {"any": "", "all": "", "this": demonstrative}.get(kind, kind)
    no_en = f"any {en}" if kind == "some" else f"{english} {en}"
    return Phrase(f"{english} {en}", f"{article} {fr}", no_en, no_fr, noun.feminine, plural)


def bare(noun: Noun, adjective: Adjective | None = None, plural=False) -> str:
    """The French noun without its article, with its adjective."""
    return np("my", noun, adjective, plural).fr.split(" ", 1)[1]


# --- Who does it, and what is done --------------------------------------------------


class Subject(NamedTuple):
    """Somebody: the French person is 0 for je ... 5 for ils."""

    en: str
    fr: str
    person: int
    feminine: bool = False
    several: bool = False

    @property
    def third(self) -> bool:
        return self.person == 2


class Action(NamedTuple):
    """A verb with what completes it, as in "eat bread"."""

    verb: Verb
    en: str = ""
    fr: str = ""
    no_en: str | None = None
    no_fr: str | None = None


I, YOU, HE, SHE, WE, THEY = SIX = [  # noqa: E741
    Subject("i", "je", 0),
    Subject("you", "tu", 1),
    Subject("he", "il", 2),
    Subject("she", "elle", 2, True),
    Subject("we", "nous", 3, False, True),
    Subject("they", "ils", 5, False, True),
]
NAMES = [Subject(name, name, 2) for name in words.MEN]
NAMES += [Subject(name, name, 2, True) for name in words.WOMEN]
PAIRS = [
    Subject(f"{a} and {b}", f"{a} et {b}", 5, a in words.WOMEN, True)
    for a, b in [("paul", "marie"), ("alice", "emma"), ("marc", "luc"), ("sophie", "julie")]
]
POLITE = [  # who is vous, and the words that say so
    (Subject("you", "vous", 4, False, False), ", sir", ", monsieur"),
    (Subject("you", "vous", 4, True, False), ", madam", ", madame"),
    (Subject("you", "vous", 4, False, False), ", doctor", ", docteur"),
    (Subject("you", "vous", 4, False, True), ", children", ", les enfants"),
    (Subject("you two", "vous", 4, False, True), "", "tous les deux"),
]
CONTRACTED = {"am": "'m", "is": "'s", "are": "'re", "have": "'ve", "will": "'ll"}


def subject(phrase: Phrase) -> Subject:
    """A noun phrase as a subject."""
    person = 5 if phrase.plural else 2
    return Subject(phrase.en.strip(), phrase.fr, person, phrase.feminine, phrase.plural)


def the(noun: Noun, kind: str = "the", plural: bool = False) -> Subject:
    """A noun with its article or possessive as a subject."""
    return subject(np(kind, noun, None, plural))


RELATIVES = [
    the(noun, own) for noun in words.FAMILY for own in ("my", "your", "his", "her")
]
RELATIVES = [s for s in RELATIVES if s.en not in ("your friend", "her friend")]
OTHERS_KIN = [s for s in RELATIVES if not s.en.startswith("my ")][:12]
FOLK = [the(noun) for noun in words.PEOPLE]
CHILDREN = [Subject("the children", "les enfants", 5, False, True)]
CHILDREN += [Subject("my parents", "mes parents", 5, False, True)]
CHILDREN += [Subject("my sisters", "mes sœurs", 5, True, True)]
CHILDREN += [Subject("the girls", "les filles", 5, True, True)]
CHILDREN += [Subject("my friends", "mes amis", 5, False, True)]
ANYONE = SIX + SIX + NAMES + PAIRS + RELATIVES[:20] + CHILDREN


def act(
    verb: str, what: Phrase | str = "", fr: str = "", link: str = "", à: str = ""
) -> Action:
    """An action: a verb with a noun phrase, or with words of both languages.

    `link` is the English preposition before a noun phrase, `à` the French one.
    """
    if isinstance(what, str):
        no_fr = fr if verb == "play" else re.sub("^(une?|des|de la) ", "de ", fr)
        return Action(words.VERBS[verb], what, fr, what, no_fr)
    no_fr = f"{à} {what.fr}" if à else what.no_fr
    return Action(
        words.VERBS[verb],
        f"{link} {what.en}",
        f"{à} {what.fr}",
        f"{link} {what.no_en}",
        no_fr,
    )


def loved(whom: Phrase | None = None) -> Action:
    """To love somebody is aimer; to love something is adorer, as the list has it."""
    love = act("love", whom or "")
    return love._replace(verb=love.verb._replace(fr="aimer"))


# --- English clauses -----------------------------------------------------------------


def be(s: Subject, past: bool = False) -> str:
    if past:
        return "was" if s.person in (0, 2) else "were"
    return ("am", "are", "is", "are", "are", "are")[s.person]


def short(s: Subject, auxiliary: str) -> str:
    """Subject and auxiliary, contracted after a pronoun: i'm, she's, paul is."""
    if s in SIX or s.en == "you":
        return s.en + CONTRACTED.get(auxiliary, f" {auxiliary}")
    return f"{s.en} {auxiliary}"


def short_not(s: Subject, past: bool = False) -> str:
    """Subject and negated be: i'm not, he isn't, they weren't."""
    return "i'm not" if s == I and not past else f"{s.en} {be(s, past)}n't"


def form(action: Action, kind: str, no: bool = False) -> str:
    """The English of an action: `base`, `third`, `past`, `participle` or `ing`."""
    head, _, tail = action.verb.en.partition(" ")
    head = {
        "base": head,
        "third": "has" if head == "have" else words.english_s(head),
        "past": action.verb.past.split()[0],
        "participle": action.verb.participle.split()[0],
        "ing": words.english_ing(head),
    }[kind]
    rest = action.no_en if no and action.no_en is not None else action.en
    return f"{head} {tail} {rest}"


MODALS = {  # English: third person, French verb, its tense, words before the infinitive
    "can": ("can", "pouvoir", "present", ""),
    "must": ("must", "devoir", "present", ""),
    "should": ("should", "devoir", "conditional", ""),
    "could": ("could", "pouvoir", "conditional", ""),
    "want to": ("wants to", "vouloir", "present", ""),
    "have to": ("has to", "devoir", "present", ""),
    "hope to": ("hopes to", "espérer", "present", ""),
    "need to": ("needs to", "avoir", "present", "besoin de"),
    "would like to": ("would like to", "vouloir", "conditional", ""),
}


def english(s: Subject, action: Action, tense: str, no: bool = False) -> str:
    """An English statement, negated or not."""
    base = form(action, "base", no)
    does = "does" if s.third else "do"
    if tense == "present":
        return f"{s.en} {does}n't {base}" if no else f"{s.en} {form(action, third(s))}"
    if tense == "progressive":
        start = short_not(s) if no else short(s, be(s))
        return f"{start} {form(action, 'ing', no)}"
    if tense == "was doing":
        return f"{s.en} {be(s, past=True)} {form(action, 'ing', no)}"
    if tense == "past":
        return f"{s.en} didn't {base}" if no else f"{s.en} {form(action, 'past')}"
    if tense == "future":
        return f"{s.en} won't {base}" if no else f"{short(s, 'will')} {base}"
    if tense == "near":
        return f"{short_not(s) if no else short(s, be(s))} going to {base}"
    if tense in ("would", "used to"):
        return f"{s.en} {tense} {base}"
    if no and tense in ("want to", "need to"):
        return f"{s.en} {does}n't {tense} {base}"
    modal = MODALS[tense][0] if s.third else tense
    return (
        f"{s.en} {modal}{'n' * (modal != 'can')}'t {base}"
        if no
        else f"{s.en} {modal} {base}"
    )


def third(s: Subject) -> str:
    return "third" if s.third else "base"


# --- French clauses --------------------------------------------------------------------

TENSES: dict[str, Callable[[str, int], str]] = {
    "present": present,
    "progressive": present,
    "imperfect": imperfect,
    "was doing": imperfect,
    "used to": imperfect,
    "future": future,
    "conditional": conditional,
    "would": conditional,
}


def reflexive(action: Action, s: Subject) -> str:
    return REFLEXIVE[s.person] if action.verb.fr.startswith("se ") else ""


def infinitive(action: Action, s: Subject = HE, no: bool = False, clitic: str = "") -> str:
    rest = action.no_fr if no and action.no_fr is not None else action.fr
    clitic = clitic or reflexive(action, s)
    return f"{clitic} {action.verb.fr.removeprefix('se ')} {rest}"


def parts(s: Subject, action: Action, tense: str, no: str, clitic: str, thing) -> tuple:
    """What stands before, in and after the finite verb: clitic, verb, rest."""
    fr = action.verb.fr.removeprefix("se ")
    own = reflexive(action, s)
    rest = action.no_fr if no and action.no_fr is not None else action.fr
    if tense in TENSES:
        return clitic or own, TENSES[tense](fr, s.person), rest
    if tense == "near":
        return "", present("aller", s.person), infinitive(action, s, bool(no), clitic)
    if tense in MODALS:
        _, verb, mood, link = MODALS[tense]
        finite = TENSES[mood](verb, s.person)
        return "", finite, f"{link} {infinitive(action, s, bool(no), clitic)}"
    auxiliary, done = "avoir", participle(fr)
    if own or fr in words.WITH_ETRE:
        auxiliary, done = "être", agree_participle(done, s.feminine, s.several)
    elif thing:  # the object stands before: je l'ai vue
        done = agree_participle(done, *thing)
    return clitic or own, present(auxiliary, s.person), f"{done} {rest}"


def french(
    s: Subject,
    action: Action,
    tense: str,
    no: str = "",
    mid: str = "",
    clitic: str = "",
    thing: tuple[bool, bool] | None = None,
) -> str:
    """A French statement.

    `no` is pas, jamais or plus; `mid` an adverb after the finite verb; `clitic` an object
    pronoun, and `thing` the gender and number of a direct one.
    """
    before, finite, rest = parts(s, action, tense, no, clitic, thing)
    return f"{s.fr} {'ne' if no else ''} {before} {finite} {no} {mid} {rest}"


def invert(finite: str, s: Subject) -> str:
    """Verb and pronoun the other way round: es-tu, a-t-il."""
    t = "-t" if s.third and finite[-1] in "ae" else ""
    return f"{finite}{t}-{s.fr}"


def inverted(
    s: Subject, action: Action, tense: str, clitic: str = "", mid: str = ""
) -> str:
    """A French question without its question word: vas-tu au marché, as-tu bien dormi."""
    before, finite, rest = parts(s, action, tense, "", clitic, None)
    return f"{before} {invert(finite, s)} {mid} {rest}"


def both(
    s: Subject, action: Action, tense: str, no: bool = False, end: Pair = ("", "")
) -> Pair:
    """A statement in both languages, with an expression of time or place at its end."""
    fr = french(s, action, tense, "pas" if no else "")
    return f"{english(s, action, tense, no)} {end[0]}", f"{fr} {end[1]}"


def unclear(s: Subject, action: Action, tense: str) -> bool:
    """Is the English as good as present: i read, they cut the bread?"""
    return tense == "past" and not s.third and action.verb.past == action.verb.en


def linked(*pairs: Pair) -> Pair:
    """The pairs one after the other, English with English and French with French."""
    return " ".join(en for en, _ in pairs), " ".join(fr for _, fr in pairs)


def stop(pair: Pair, mark: str = ".") -> Pair:
    return f"{pair[0]} {mark}", f"{pair[1]} {mark}"


def told(s: Subject, action: Action, yes: str, no: str = "", end: Pair = ("", "")) -> Pairs:
    """The statements in the tenses `yes`, then the negated ones in the tenses `no`."""
    for tenses, negated in ((yes, False), (no, True)):
        for tense in listed(tenses):
            yield stop(both(s, action, tense, negated, end))


def said(rows: Iterable[Sequence[str]], *slots: Sequence) -> Pairs:
    """The English and the French of every row, with those of the slots put in.

    A slot may say nothing in English: the form that only French needs.
    """
    ens, frs = [slot[0] for slot in slots], [slot[1] for slot in slots]
    for en, fr in rows:
        yield en.format(*ens), fr.format(*frs)


def fill(text: str, *slots: Sequence) -> Pair:
    """`en | fr` with the English and the French of the slots put in."""
    return next(said([text.split("|")], *slots))


# --- Being: whatever English says with be, and French with être or avoir ---------------


def fits(s: Subject, adjective: Adjective) -> str:
    return agree(adjective, s.feminine, s.several)


def is_so(
    s: Subject, so: str, no: str = "", tense: str = "present", verb: str = "être"
) -> str:
    """French: somebody is (not) so; `so` may carry an adverb before it."""
    return f"{s.fr} {'ne' if no else ''} {TENSES[tense](verb, s.person)} {no} {so}"


def is_(
    s: Subject,
    what: Adjective | Pair,
    past: bool = False,
    no: str = "",
    adverb: Pair = ("", ""),
    verb: str = "être",
) -> Pair:
    """Somebody is, or was, so: i'm tired, she was late, he isn't a doctor, i'm hungry.

    `what` is an adjective, or words of both languages; `no` is pas to negate both, and
    jamais where the English adverb is never.
    """
    start = short_not(s, past) if no == "pas" else short(s, be(s, past))
    so = fits(s, what) if isinstance(what, Adjective) else what[1]
    tense = "imperfect" if past else "present"
    return (
        f"{start} {adverb[0]} {what[0]}",
        is_so(s, f"{adverb[1]} {so}", no, tense, verb),
    )


def turns_round(s: Subject) -> bool:
    """Is the subject a pronoun, so that a question puts it behind its verb?"""
    return s in SIX or s.person == 4


def is_asked(s: Subject, what: Adjective | Pair, verb: str = "être") -> Pair:
    """The question to that: are you tired ? is the soup hot ?"""
    so = fits(s, what) if isinstance(what, Adjective) else what[1]
    fr = f"est-ce que {is_so(s, so, verb=verb)}"
    if turns_round(s):
        fr = f"{invert(present(verb, s.person), s)} {so}"
    return f"{be(s)} {s.en} {what[0]} ?", f"{fr} ?"


def question(s: Subject, action: Action, tense: str, end: Pair = ("", "")) -> Pair:
    """Yes or no? Do and did make est-ce que; be, can and will turn a pronoun round."""
    base, turned = form(action, "base"), turns_round(s)
    if tense in ("present", "past", "want to", "need to", "have to"):
        do = "did" if tense == "past" else "does" if s.third else "do"
        en = f"{do} {s.en} {tense if tense.endswith('to') else ''} {base}"
        turned = False
    elif tense == "progressive":
        en = f"{be(s)} {s.en} {form(action, 'ing')}"
    elif tense == "near":
        en = f"{be(s)} {s.en} going to {base}"
    else:
        en = f"{'will' if tense == 'future' else tense} {s.en} {base}"
    fr = french(s, action, tense)
    fr = inverted(s, action, tense) if turned else f"est-ce que {fr}"
    return stop(linked((en, fr), end), "?")
