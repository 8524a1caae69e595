"""The patterns of the phrasebook: what people do, and one function a kind of sentence.

A pattern yields English and French sentences, which are tidied later: lists of words that
go well together, combined. `PATTERNS` has them all, each with how many pairs are drawn.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

import phrasebook_words as words
from phrasebook_grammar import (
    ANYONE,
    CHILDREN,
    FOLK,
    HE,
    MODALS,
    NAMES,
    OTHERS_KIN,
    OWN,
    PAIRS,
    POLITE,
    RELATIVES,
    SHE,
    SIX,
    THEY,
    WE,
    YOU,
    Action,
    I,
    Pair,
    Pairs,
    Phrase,
    Subject,
    act,
    agree,
    agree_participle,
    bare,
    be,
    both,
    english,
    fill,
    fits,
    form,
    french,
    imperative,
    imperfect,
    infinitive,
    invert,
    inverted,
    is_,
    is_asked,
    is_so,
    linked,
    listed,
    loved,
    np,
    participle,
    present,
    question,
    said,
    short,
    stop,
    subject,
    table,
    the,
    third,
    told,
    unclear,
)
from phrasebook_words import Adjective, Noun, entries

# --- What people do: lists of actions, for the patterns to draw from ------------------

SIMPLE = [
    act(verb)
    for verb in listed("""
        sing, dance, work, sleep, run, walk, swim, cry, laugh, smile, eat, drink, read,
        write, cook, travel, speak, wait, listen, leave, pay, cheat, lie, hesitate, answer,
        win, lose, understand, forget, dream, shout, drive, start, finish, arrive, fall,
        rest, hurry, get up, wake up, get dressed, have fun, fall asleep
    """)
]
BY_VERB = {action.verb.en: action for action in SIMPLE}
STILL = [  # what one is in the middle of: i'm eating, i was eating
    BY_VERB[verb]
    for verb in listed("""
        sing, dance, work, sleep, run, swim, cry, laugh, smile, eat, drink, read, write,
        cook, wait, listen, leave, lie, dream, drive
    """)
]
NOUN = {
    noun.en: noun
    for table in vars(words).values()
    if isinstance(table, list)
    for noun in table
    if isinstance(noun, Noun)
}


def these(names: str) -> list[Noun]:
    """The nouns of these English names."""
    return [NOUN[en] for en in names.split()]


def some(
    verb: str, nouns: list[Noun], plural: bool = False, kind: str = "any"
) -> list[Action]:
    return [act(verb, np(kind, noun, None, plural)) for noun in nouns]


def acts(text: str) -> list[Action]:
    """The actions of a table: verb | English | French."""
    return [act(*row) for row in table(text)]


def doing(verbs: str, actions: list[Action]) -> list[Action]:
    """Those of the actions that have one of these verbs."""
    return [action for action in actions if action.verb.en in listed(verbs)]


def but_not(verbs: str, actions: list[Action]) -> list[Action]:
    """The actions that have none of these verbs."""
    return [action for action in actions if action.verb.en not in listed(verbs)]


def which(noun: Noun) -> str:
    """Quel or quelle."""
    return "quel" + "le" * noun.feminine


def so_many(n: Pair, noun: Noun) -> Pair:
    """So many of them: two cats, a lot of cats."""
    return f"{n[0]} {noun.en_plural}", f"{n[1]} {noun.fr_plural}"


PASTIMES = acts("""
    play | football | au football; play | tennis | au tennis; play | cards | aux cartes;
    play | chess | aux échecs; play | the piano | du piano;
    play | the guitar | de la guitare; play | the violin | du violon;
    watch | television | la télévision; watch | films | des films;
    listen | to music | de la musique; listen | to the radio | la radio;
    read | the newspaper | le journal; take | the bus | le bus; take | the train | le train;
    wait | for the bus | le bus; do | the dishes | la vaisselle;
    prepare | dinner | le dîner; clean | the house | la maison;
    clean | the kitchen | la cuisine; work | in the garden | dans le jardin;
    walk | in the forest | dans la forêt; walk | on the beach | sur la plage;
    run | in the park | dans le parc; swim | in the sea | dans la mer;
    swim | in the lake | dans le lac; stay | at home | à la maison;
    eat | at home | à la maison; eat | at the restaurant | au restaurant;
    work | at the library | à la bibliothèque; go | to the market | au marché;
    go | to the beach | à la plage; go | to the cinema | au cinéma;
    go | to school | à l'école; go | to the swimming pool | à la piscine;
    learn | english | l'anglais; learn | french | le français; study | history | l'histoire;
    study | mathematics | les mathématiques; speak | french | français;
    draw | animals | des animaux; paint | flowers | des fleurs; return | home | à la maison;
    go to bed | early | tôt; go to bed | late | tard; get up | early | tôt;
    get up | late | tard
""")
EATEN = [noun for noun in words.FRUIT if noun.en not in ("lemon", "onion")]
MEALS = some("eat", words.FOOD) + some("drink", words.DRINKS)
MEALS += some("eat", EATEN, plural=True) + some("read", words.READING, plural=True)
MEALS += some("write", these("letter poem story"), plural=True)
HABITS = PASTIMES + MEALS
TASKS = acts("""
    open | the door | la porte; open | the window | la fenêtre; close | the door | la porte;
    close | the window | la fenêtre; cut | the bread | le pain; make | a cake | un gâteau;
    take | a photo | une photo; choose | a present | un cadeau;
    bring | a present | un cadeau; phone | the doctor | le médecin;
    invite | the neighbours | les voisins; help | the neighbours | les voisins
""")
ERRANDS = some("buy", words.THINGS + words.CLOTHES, kind="a")
ERRANDS += some("buy", words.FOOD + words.DRINKS[:2], kind="some")
ERRANDS += some("buy", words.FRUIT, True, "some")
ERRANDS += some("sell", these("boat car motorbike"), kind="the")
ERRANDS += some("repair", words.VEHICLES[-4:] + words.FURNITURE[-3:], kind="the")
ERRANDS += some("visit", these("castle museum church"), kind="the")
ERRANDS += some("write", these("letter poem story book"), kind="a")
ERRANDS += some("read", words.READING, kind="this")
ERRANDS += some("clean", words.ROOMS + these("car table"), kind="the")
ERRANDS += some("draw", words.ANIMALS + these("tree house"), kind="a")
ERRANDS += some("paint", these("chair table kitchen"), kind="the")
ERRANDS += TASKS
MISHAPS = some("lose", words.THINGS, kind="a") + some("find", words.THINGS, kind="a")
MISHAPS += some("break", these("plate cup bottle lamp chair"), kind="a")
MISHAPS += some("forget", these("bag umbrella ticket key"), kind="the")
SEEN = some("see", words.ANIMALS, kind="a") + some("hear", these("dog cat"), kind="the")

ALWAYS = entries(
    """every_day tous_les_jours, every_morning chaque_matin, every_evening chaque_soir,
    in_the_morning le_matin, in_the_evening le_soir, on_sundays le_dimanche,
    on_mondays le_lundi, in_summer en_été, in_winter en_hiver, every_week chaque_semaine"""
)
YESTERDAY = entries(
    """yesterday hier, this_morning ce_matin, last_week la_semaine_dernière,
    last_night hier_soir, two_days_ago il_y_a_deux_jours, last_month le_mois_dernier"""
) + [[f"on {en}", fr] for en, fr in words.DAYS]
TOMORROW = entries(
    """tomorrow demain, tonight ce_soir, next_week la_semaine_prochaine, soon bientôt,
    later plus_tard, tomorrow_morning demain_matin, next_month le_mois_prochain"""
) + [[f"on {en}", fr] for en, fr in words.DAYS]
NOW = entries("now maintenant, at_the_moment en_ce_moment")
MANNERS = [
    [verb, en.replace("_", " "), fr.replace("_", " ")]
    for line in """\
sing well bien|sing badly mal|sing a_lot beaucoup|dance well bien|dance badly mal
work a_lot beaucoup|work too_much trop|work badly mal|work well bien
sleep well bien|sleep badly mal|sleep a_lot beaucoup|sleep too_much trop
run fast vite|run too_fast trop_vite|walk slowly lentement|walk too_fast trop_vite
walk fast vite|swim well bien|swim fast vite|swim badly mal
laugh a_lot beaucoup|laugh too_much trop|cry a_lot beaucoup|eat too_much trop
eat well bien|eat fast vite|eat slowly lentement|eat a_lot beaucoup
drink too_much trop|drink slowly lentement|read a_lot beaucoup|read slowly lentement
write well bien|write slowly lentement|write a_lot beaucoup|cook well bien|cook badly mal
travel a_lot beaucoup|speak slowly lentement|speak too_fast trop_vite|speak well bien
speak too_much trop|drive fast vite|drive too_fast trop_vite|drive slowly lentement
drive well bien|drive badly mal|answer well bien|listen well bien|arrive late en_retard
arrive early en_avance|leave early tôt|leave late tard|wait a_lot beaucoup""".splitlines()
    for verb, en, fr in (entry.split() for entry in line.split("|"))
]
MIDDLE = ("bien", "mal", "beaucoup", "trop")  # il a bien dormi

# --- Patterns: being ------------------------------------------------------------------

PATTERNS: dict[str, tuple[int, Callable[[], Pairs]]] = {}


def pattern(limit: int) -> Callable:
    """Register a pattern, of which at most `limit` pairs are drawn."""

    def register(function: Callable[[], Pairs]) -> Callable[[], Pairs]:
        PATTERNS[function.__name__] = (limit, function)
        return function

    return register


PERSONAL = {**words.TRAITS, **words.STATES}
MOODS = words.STATES  # what passes
GRADED = {
    en: adjective
    for en, adjective in PERSONAL.items()
    if en not in ("married", "alone", "free", "lost", "late", "beautiful")
}


@pattern(330)
def somebody_is() -> Pairs:
    for s in SIX + NAMES + CHILDREN:
        for adjective in PERSONAL.values():
            yield stop(is_(s, adjective))


@pattern(130)
def women_are() -> Pairs:
    shared = (
        "happy tired ready busy alone surprised lost worried late tall clever kind".split()
    )
    for s in [s for s in CHILDREN + PAIRS if s.feminine]:
        for en in shared:
            yield stop(is_(s, PERSONAL[en]))
            yield stop(is_(s, PERSONAL[en], past=True))


@pattern(110)
def somebody_is_not() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        for adjective in PERSONAL.values():
            yield stop(is_(s, adjective, no="pas"))


@pattern(150)
def somebody_is_very() -> Pairs:
    degrees = [("very", "très"), ("too", "trop"), ("so", "si")]
    for s in SIX + NAMES + RELATIVES[:12]:
        for en, adjective in GRADED.items():
            several = en in ("serious", "shy", "proud", "nervous", "lazy")
            for degree in degrees if several else degrees[:1]:
                yield stop(is_(s, adjective, adverb=degree))


@pattern(110)
def somebody_is_always() -> Pairs:
    always, already = [("always", "toujours"), ("often", "souvent")], ("already", "déjà")
    for s in SIX + NAMES:
        for en in "late tired calm busy happy ill ready alone angry".split():
            for adverb in always if en != "ready" else []:
                yield stop(is_(s, PERSONAL[en], adverb=adverb))
            if en in ("late", "tired", "ready"):
                yield stop(is_(s, PERSONAL[en], adverb=already))
            if en != "ready":
                yield stop(is_(s, PERSONAL[en], no="jamais", adverb=("never", "")))


@pattern(170)
def somebody_was() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:16] + CHILDREN:
        for en, adjective in MOODS.items():
            if en == "married":
                continue
            for when in [("", ""), *YESTERDAY[:4]]:
                yield stop(linked(is_(s, adjective, past=True), when))
                yield stop(linked(is_(s, adjective, past=True, no="pas"), when))


@pattern(150)
def is_somebody() -> Pairs:
    for s in SIX[1:]:
        for en, adjective in PERSONAL.items():
            yield is_asked(s, adjective)
            if en in MOODS and en not in ("lost", "alone", "sure") and s != WE:
                yield linked(("why", "pourquoi"), is_asked(s, adjective))
    for s in NAMES + RELATIVES:
        for adjective in MOODS.values():
            yield is_asked(s, adjective)


@pattern(160)
def polite_being() -> Pairs:
    for s, tail, fr_tail in POLITE:
        for en, adjective in MOODS.items():
            so = f"{en} {tail}", f"{fits(s, adjective)} {fr_tail}"
            if en == "married" and "children" in tail:
                continue
            if en not in ("calm", "married", "sad"):
                yield is_asked(s, so)
            yield stop(is_(s, so))


THING_IS = table("""
    soup coffee tea water milk | hot cold; meat bread cheese cake fish salad soup pear |
    delicious fresh; bread cake | dry; bag box table cupboard armchair computer | heavy; bag
    box bottle cup plate cupboard fridge | empty; bag box bottle train bus | full; bag pen
    jacket phone coat | light; house hotel car watch restaurant dress phone computer camera
    | expensive; book film letter museum story novel magazine | interesting sad; book film
    letter novel poem | long short; story film | funny; kitchen bedroom car shirt plate
    glass cup | clean dirty; glass cup plate lamp window chair watch clock guitar | broken;
    shop bank museum library door window box station pharmacy | open closed; church castle
    museum house | beautiful old; sofa bed armchair chair hotel car shoe | comfortable;
    train car bus plane motorbike horse | fast; train bus boat computer | slow; village park
    beach library garden street | quiet; mountain river street forest | dangerous; coat hat
    street umbrella shoe garden | wet; castle hotel museum church | famous; map phone
    bicycle computer umbrella | useful; table mirror box lake | round; exercise lesson |
    easy difficult; house school station building kitchen | modern; house garden school
    bridge kitchen bedroom | big small; car phone computer coat jacket | new; garden beach
    island dress town | pretty
""")  # what may be said of what
MATCHES = [
    (noun, (words.QUALITIES | words.BEFORE)[adjective])
    for nouns_, adjectives_ in THING_IS
    for noun in these(nouns_)
    for adjective in adjectives_.split()
]


@pattern(240)
def something_is() -> Pairs:
    for noun, adjective in MATCHES:
        for s in (the(noun), the(noun, "this")):
            yield stop(is_(s, adjective))
            yield stop(is_(s, adjective, no="pas"))
            yield is_asked(s, adjective)
            yield stop(is_(s, adjective, adverb=("very", "très")))
        if noun.en not in "water milk bread meat cheese coffee tea soup".split():
            yield stop(is_(the(noun, plural=True), adjective))
            yield stop(is_(the(noun, "this", plural=True), adjective, no="pas"))


UNGRADED = ("broken", "empty", "full", "open", "closed")
COLOURED = (
    words.CLOTHES
    + words.SHOES
    + words.VEHICLES[-4:]
    + these("bag umbrella chair lamp door cup pencil armchair")
)


@pattern(170)
def something_has_a_colour() -> Pairs:
    for noun in COLOURED:
        for colour in words.COLOURS.values():
            for kind in ("the", "my", "your", "his", "her"):
                s = the(noun, kind, plural=noun in words.SHOES)
                yield stop(is_(s, colour))
                yield stop(is_(s, colour, no="pas"))


@pattern(50)
def what_colour() -> Pairs:
    for noun in COLOURED:
        if noun not in words.SHOES:
            for kind in ("your", "his", "her", "their", "the"):
                s = the(noun, kind)
                yield fill("what colour is {} ? | de quelle couleur est {} ?", s)


def ending_in(en: str, fr: str, phrase: Phrase) -> Pair:
    """A sentence, or with a question word a question, that ends in a noun phrase."""
    mark = "?" if en.split()[0] in ("where", "do", "who") else "."
    return stop(linked((en, fr), phrase[:2]), mark)


@pattern(330)
def coloured_things() -> Pairs:
    frames = table("""
        i'm looking for | je cherche | my a; where is | où est | my your the; do you like |
        est-ce que tu aimes | this my; i prefer | je préfère | this the your; she's wearing
        | elle porte | a; marie is wearing | marie porte | a; he's wearing | il porte | a
        his; i bought | j'ai acheté | a this; give me | donne-moi | the this; i can't find |
        je ne trouve pas | my the; who has | qui a | a; we saw | nous avons vu | a; my
        brother lost | mon frère a perdu | his; my sister has | ma sœur a | a
    """)
    for en, fr, kinds in frames:
        for noun in words.CLOTHES if "wearing" in en else COLOURED:
            if noun in words.SHOES or noun.en == "door":
                continue
            if "lost" in en and noun in words.VEHICLES + words.FURNITURE:
                continue
            for colour in words.COLOURS.values():
                for kind in kinds.split():
                    yield ending_in(en, fr, np(kind, noun, colour))


@pattern(90)
def pairs_of_things() -> Pairs:
    frames = table("""
        i bought | j'ai acheté | some; she's wearing | elle porte | any;
        he has | il a | any; where are | où sont | my; where are | où sont | your;
        i like | j'aime | this; i lost | j'ai perdu | my
    """)
    for noun in words.SHOES:
        for colour in words.COLOURS.values():
            for en, fr, kind in frames:
                yield ending_in(en, fr, np(kind, noun, colour, plural=True))


EPITHETS = table("""
    big | house garden kitchen school town tree bag car dog horse hotel park building;
    small | house village boat garden island bird box lamp bridge lake church shop;
    beautiful | house castle bird tree garden horse island church town dress museum hotel;
    new | car school computer phone camera hotel watch umbrella coat museum bicycle guitar
    shop;
    old | house castle man woman church tree car hotel bridge umbrella museum clock town;
    pretty | garden dress house beach village scarf island lamp town girl;
    good | restaurant hotel book film cake museum student doctor;
    bad | restaurant hotel film student; interesting | book story museum town film;
    modern | house school kitchen building museum; quiet | village street park beach hotel;
    expensive | watch car restaurant camera dress;
    famous | museum castle restaurant church painter; funny | story film;
    french | book film newspaper restaurant car song; italian | restaurant film car song;
    sad | story song film poem; heavy | bag box;
    comfortable | chair bed armchair hotel sofa; empty | bottle box; fast | car train;
    long | letter story street; useful | book map; difficult | exercise book
""")
NAMED = [
    (noun, (words.BEFORE | words.QUALITIES)[adjective])
    for adjective, nouns_ in EPITHETS
    for noun in these(nouns_)
]


@pattern(330)
def it_is_a() -> Pairs:
    lines = table("""
        it's {} . | c'est {} .; that's {} . | c'est {} .; it isn't {} . | ce n'est pas {} .;
        is it {} ? | est-ce que c'est {} ?; it was {} . | c'était {} .
    """)
    for noun, adjective in NAMED:
        yield from said(lines, np("a", noun, adjective))
        yield fill("these are {} . | ce sont {} .", np("any", noun, adjective, True))


@pattern(120)
def before_a_vowel() -> Pairs:
    """Bel, nouvel and vieil."""
    seen = [("i saw", "j'ai vu"), ("they saw", "ils ont vu"), ("there's", "il y a")]
    owned = [("i have", "j'ai"), ("he has", "il a"), ("we bought", "nous avons acheté")]
    for adjective, nouns, frames in [
        ("beautiful", "tree hotel bird", [*seen, ("look at", "regarde")]),
        ("new", "computer camera", [*owned, ("paul wants", "paul veut")]),
        ("old", "computer camera", owned[:2]),
        ("old", "tree hotel elephant", seen),
        ("old", "friend", [*owned[:2], ("i met", "j'ai rencontré")]),
        ("new", "hotel", [*seen, ("do you know", "est-ce que tu connais")]),
    ]:
        for noun in these(nouns):
            for en, fr in frames:
                kind = "this" if en == "look at" else "a"
                yield ending_in(en, fr, np(kind, noun, words.BEFORE[adjective]))


@pattern(100)
def what_a() -> Pairs:
    dull = "big small empty famous french italian useful modern".split()
    for noun, adjective in NAMED:
        if adjective.en not in dull:
            fr = f"{which(noun)} {bare(noun, adjective)} !"
            yield f"what {np('a', noun, adjective).en} !", fr


@pattern(400)
def described_things() -> Pairs:
    frames = table("""
        we saw, she saw | nous avons vu, elle a vu | house castle bird tree garden horse
        island church town museum village film bridge; there's | il y a | house castle bird
        tree garden horse island church town museum village film bridge restaurant hotel
        park beach school lake; they bought, i bought, she has, i'd like | ils ont acheté,
        j'ai acheté, elle a, je voudrais | house car computer phone watch umbrella coat
        bicycle guitar book dress bag camera; we need | nous avons besoin de | car computer
        phone house lamp map bag; i know | je connais | restaurant hotel beach village;
        he lives in, my uncle lives in | il habite dans, mon oncle habite dans | house
        village building town; she's reading | elle lit | book story newspaper letter poem;
        i'm looking for | je cherche | restaurant hotel book map
    """)
    for ens, frs, fitting in frames:
        for en, fr in zip(listed(ens), listed(frs)):
            for noun, adjective in NAMED:
                if noun.en in fitting.split() and adjective.en != "bad":
                    yield ending_in(en, fr, np("a", noun, adjective))


COMPARED = table("""
    taller | tall; younger | young; older | old; stronger | strong; richer | rich;
    more patient | patient; more serious | serious; lazier | lazy; more generous | generous
""")


@pattern(160)
def comparing_people() -> Pairs:
    kin = [the(noun, "my") for noun in these("father brother uncle mother sister aunt")]
    children = [s for s in kin if s.en in ("my brother", "my sister")]
    for more, en in COMPARED:
        for a in [HE, SHE, *NAMES, *kin]:
            so = fits(a, PERSONAL[en])
            for b in NAMES[::2] + kin:
                if (a in kin and b in NAMES) or a == b:
                    continue
                if a in kin and (a in children) != (b in children):
                    continue
                yield stop(is_(a, (f"{more} than {b.en}", f"plus {so} que {b.fr}")))
                if en != "young":
                    yield stop(is_(a, (f"as {en} as {b.en}", f"aussi {so} que {b.fr}")))
                if more.startswith("more"):
                    yield stop(is_(a, (f"less {en} than {b.en}", f"moins {so} que {b.fr}")))


@pattern(100)
def comparing_with_pronouns() -> Pairs:
    strong_forms = table("me | moi; you | toi; him | lui; her | elle")
    for more, en in COMPARED:
        for a in [I, YOU, HE, SHE, *NAMES]:
            for (b, fr), s in zip(strong_forms, (I, YOU, HE, SHE)):
                if a != s:
                    so = f"plus {fits(a, PERSONAL[en])} que {fr}"
                    yield stop(is_(a, (f"{more} than {b}", so)))


@pattern(40)
def superlatives() -> Pairs:
    best = table("tallest | tall; youngest | young; oldest | old; strongest | strong")
    groups = [("in the class", "de la classe"), ("in the family", "de la famille")]
    for s in [I, YOU, HE, SHE, *NAMES]:
        for most, en in best:
            so = f"{'la' if s.feminine else 'le'} plus {fits(s, PERSONAL[en])}"
            for group in groups:
                yield stop(linked(is_(s, (f"the {most}", so)), group))


@pattern(50)
def comparing_things() -> Pairs:
    grades = table("""
        faster | fast | plane train car bus boat bicycle;
        slower | slow | bicycle boat bus car train plane;
        more expensive | expensive | train plane car watch phone computer camera;
        bigger | big | kitchen bedroom garden office;
        older | old | church castle school museum bridge;
        heavier | heavy | bag table chair sofa armchair;
        cheaper | expensive | bus train plane bicycle
    """)
    for more, en, fitting in grades:
        adjective = (words.QUALITIES | words.BEFORE)[en]
        degree = "moins" if more == "cheaper" else "plus"
        speed = more in ("faster", "slower")
        for a in fitting.split():
            for b in fitting.split():
                if a != b and (not speed or fitting.index(a) < fitting.index(b)):
                    s, other = the(NOUN[a]), the(NOUN[b])
                    so = f"{degree} {fits(s, adjective)} que {other.fr}"
                    yield stop(is_(s, (f"{more} than {other.en}", so)))


@pattern(80)
def the_best() -> Pairs:
    places = table("""
        it's the best {} in the town . | c'est {} de la ville .;
        it's the best {} in the world . | c'est {} du monde .
    """)
    questions = table("""
        which {0} is the best ? | {1} {0} est {2} ?;
        what is the best {0} ? | {1} est {2} {0} ?
    """)
    for noun in these("restaurant hotel school bakery museum beach song"):
        better = "meilleure" if noun.feminine else "meilleur"
        best = f"la {better}" if noun.feminine else f"le {better}"
        if noun.en != "song":
            yield from said(places, (noun.en, f"{best} {noun.fr}"))
        yield stop(is_(the(noun, "this"), ("better", better)))
        yield from said(questions, (noun.en, noun.fr), ("", which(noun)), ("", best))
    for noun in these("coffee soup cake bread wine tea salad"):
        for kind, other, fr in [("your", "mine", "mien"), ("my", "hers", "sien")]:
            than = f"la {fr}ne" if noun.feminine else f"le {fr}"
            better = "meilleure" if noun.feminine else "meilleur"
            so = f"better than {other}", f"{better} que {than}"
            yield stop(is_(the(noun, kind), so))


# --- Patterns: jobs, origins, ages, states --------------------------------------------


@pattern(190)
def jobs() -> Pairs:
    kin = [s for s in RELATIVES if s.en.split()[1] not in ("neighbour", "friend", "son")]
    others = table("""
        are you a {0} , sir ? | êtes-vous {0} , monsieur ?;
        are you a {1} , madam ? | êtes-vous {1} , madame ?;
        my cousin paul is a {0} . | mon cousin paul est {0} .;
        my cousin marie is a {1} . | ma cousine marie est {1} .;
        my friend emma is a {1} . | mon amie emma est {1} .
    """)
    for en, masculine, feminine in words.JOBS:
        for s in [I, YOU, HE, SHE, *NAMES, *kin]:
            job = f"a {en}", feminine if s.feminine else masculine
            yield stop(is_(s, job))
            yield stop(is_(s, job, no="pas"))
            if s in (YOU, HE, SHE):
                yield is_asked(s, job)
            yield from told(s, act("be", *job), "want to")
        yield from said(others, (en, masculine), (en, feminine))


@pattern(70)
def nationalities() -> Pairs:
    for adjective in words.NATIONALITIES.values():
        for s in [*SIX, *NAMES[::3], *RELATIVES[::5], *PAIRS]:
            yield stop(is_(s, adjective))
            if s in SIX[1:]:
                yield is_asked(s, adjective)


FROM = {en: re.sub("^en ", "de ", fr).replace("au ", "du ") for en, fr in words.COUNTRIES}


@pattern(90)
def origins() -> Pairs:
    towns = [(city, f"de {ville}") for city, ville in words.CITIES]
    for s in [*SIX, *NAMES[::2], *RELATIVES[::4], *PAIRS]:
        for en, fr in [*FROM.items(), *towns]:
            yield from told(s, act("come"), "present", end=(f"from {en}", fr))
    for country in FROM.items():
        yield fill("this wine comes from {} . | ce vin vient {} .", country)
        yield fill("these oranges come from {} . | ces oranges viennent {} .", country)


WHERE = [(f"in {en}", fr) for en, fr in words.COUNTRIES]
WHERE += [(f"in {en}", f"à {fr}") for en, fr in words.CITIES]


@pattern(180)
def living_somewhere() -> Pairs:
    spots = WHERE + table("""
        here | ici; in town | en ville; in the country | à la campagne;
        near the sea | près de la mer; near the station | près de la gare
    """)
    for s in ANYONE:
        for spot in spots:
            yield from told(s, act("live"), "present", no="present", end=spot)
            if spot[0].startswith("in "):
                yield from told(s, act("work"), "present", no="present", end=spot)
                if s in SIX + NAMES:
                    yield from told(s, act("study"), "present", no="present", end=spot)
            yield from told(s, act("live"), "used to", end=spot)
            if spot in WHERE and s in SIX + NAMES:
                to = spot[0].replace("in ", "to ", 1), spot[1]
                yield from told(s, act("travel"), "past", end=spot)
                yield from told(s, act("go"), "future", end=to)
                yield from told(s, act("live"), "want to", end=spot)


@pattern(60)
def have_you_ever_been() -> Pairs:
    for (en, _), (_, spot) in zip([*words.COUNTRIES, *words.CITIES], WHERE):
        for s in (YOU, HE, SHE, THEY):
            has = "has" if s.third else "have"
            done = agree_participle("allé", s.feminine, s.several)
            fr = f"{invert(present('être', s.person), s)} déjà {done} {spot}"
            yield f"{has} {s.en} ever been to {en} ?", f"{fr} ?"
            if s != YOU:
                has, fr = "'s" if s.third else "'ve", is_so(s, f"{done} {spot}", "jamais")
                yield f"{s.en}{has} never been to {en} .", f"{fr} ."
        yield f"i've never been to {en} .", f"je ne suis jamais allé {spot} ."


NEEDS = entries(
    """hungry faim, thirsty soif, cold froid, hot chaud, afraid peur, sleepy sommeil,
    right raison, wrong tort, lucky de_la_chance"""
)


@pattern(230)
def states_with_avoir() -> Pairs:
    for s in SIX + NAMES + PAIRS + RELATIVES[:20]:
        for en, fr in NEEDS:
            yield stop(is_(s, (en, fr), verb="avoir"))
            yield stop(is_(s, (en, fr.replace("de la", "de")), no="pas", verb="avoir"))
            if en not in ("right", "wrong", "lucky"):
                for adverb in [("very", "très"), ("always", "toujours")]:
                    yield stop(is_(s, (en, fr), adverb=adverb, verb="avoir"))
            yield stop(is_(s, (en, fr), past=True, verb="avoir"))
            if s in SIX[1:] + NAMES:
                yield is_asked(s, (en, fr), "avoir")
    for s, *tails in POLITE:
        for need in NEEDS:
            yield is_asked(s, linked(need, tails), "avoir")
            yield stop(is_(s, linked(need, tails), verb="avoir"))


@pattern(70)
def afraid_of() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:8]:
        for noun in these("dog wolf mouse horse lion cow"):
            of = f"afraid of {noun.en_plural}", f"peur des {noun.fr_plural}"
            yield stop(is_(s, of, verb="avoir"))
            yield stop(is_(s, of, no="pas", verb="avoir"))
            if s in SIX[1:]:
                yield is_asked(s, of, "avoir")


@pattern(110)
def body() -> Pairs:
    lines = table("""
        {0} hurts . | {1} mal à {0} .; {0} hurts today . | {1} mal à {0} aujourd'hui .;
        {0} still hurts . | {1} encore mal à {0} .;
        does {0} hurt ? | est-ce que {1} mal à {0} ?;
        {0} doesn't hurt . | {2} pas mal à {0} .;
        {0} doesn't hurt anymore . | {2} plus mal à {0} .
    """)
    for noun in words.BODY:
        place = np("the", noun).fr
        for kind, s in {"my": I, "your": YOU, "his": HE, "her": SHE}.items():
            has, mine = present("avoir", s.person), (f"{kind} {noun.en}", place)
            ai, ne_ai = ("", f"{s.fr} {has}"), ("", f"{s.fr} ne {has}")
            yield from said(lines[: 5 if s == YOU else 6], mine, ai, ne_ai)
        for title in (("sir", "monsieur"), ("madam", "madame")):
            text = "does your {} hurt , {} ? | est-ce que vous avez mal à {} , {} ?"
            yield fill(text, (noun.en, place), title)


AGES = words.NUMBERS[1:] + entries(
    """thirteen treize, fifteen quinze, sixteen seize, twenty vingt, thirty trente,
    forty quarante"""
)


@pattern(110)
def ages() -> Pairs:
    elders = ("father", "mother", "uncle", "aunt", "neighbour")
    kin = [s for s in RELATIVES[::3] if "grand" not in s.en]
    for s in [I, YOU, HE, SHE, *NAMES, *kin]:
        elder = any(word in s.en for word in elders)
        for en, fr in AGES[-2:] if elder else AGES:
            yield stop(is_(s, (f"{en} years old", f"{fr} ans"), verb="avoir"))
            if s in (HE, SHE, *NAMES):
                yield f"{s.en} will be {en} tomorrow .", f"{s.fr} aura {fr} ans demain ."
    for s in RELATIVES:
        yield fill("how old is {} ? | quel âge a {} ?", s)
    yield from table("""
        how old are you ? | quel âge as-tu ?; how old is he ? | quel âge a-t-il ?;
        how old is she ? | quel âge a-t-elle ?;
        how old are you , children ? | quel âge avez-vous , les enfants ?
    """)


# --- Patterns: it is, there is, where, when -------------------------------------------


@pattern(110)
def it_is() -> Pairs:
    judged = (
        "easy difficult expensive interesting useful dangerous delicious funny sad long"
    )
    judgements = [(en, (words.QUALITIES | words.BEFORE)[en].fr) for en in judged.split()]
    judgements += entries(
        """true vrai, important important, possible possible, impossible impossible,
        strange étrange, far loin, perfect parfait, beautiful beau, good bon"""
    )
    lines = table("""
        it's {} . | c'est {} .; that's {} . | c'est {} .; it isn't {} . | ce n'est pas {} .;
        that's not {} . | ce n'est pas {} .; is it {} ? | est-ce que c'est {} ?;
        it was {} . | c'était {} .; it's too {} . | c'est trop {} .;
        it's very {} . | c'est très {} .
    """)
    for en, fr in judgements:
        graded = en not in ("true", "possible", "impossible", "perfect", "delicious")
        yield from said(lines if graded else lines[:-2], (en, fr))


@pattern(140)
def weather() -> Pairs:
    skies = table("""
        raining | il pleut | il pleuvait; snowing | il neige | il neigeait;
        cold | il fait froid | il faisait froid; hot | il fait chaud | il faisait chaud;
        sunny | il y a du soleil | il y avait du soleil;
        windy | il y a du vent | il y avait du vent; dark | il fait nuit | il faisait nuit
    """)
    when = entries("today aujourd'hui, this_morning ce_matin, here ici, outside dehors")
    for en, fr, past in skies:
        if en in ("raining", "snowing", "sunny", "windy"):
            yield f"it's {en} .", f"{fr} ."
            yield f"is it {en} ?", f"est-ce que {fr} ?"
        verb = "il y a" if fr.startswith("il y a") else " ".join(fr.split()[:2])
        always = fr.replace(verb, f"{verb} toujours")
        for time, quand in [*when, *WHERE]:
            if en != "dark" or time == "outside":
                yield f"it's {en} {time} .", f"{fr} {quand} ."
                yield f"is it {en} {time} ?", f"est-ce que {fr} {quand} ?"
                yield f"it's always {en} {time} .", f"{always} {quand} ."
                if (time, quand) in WHERE:
                    yield f"it was {en} {time} yesterday .", f"{past} {quand} hier ."
        yield f"it was {en} last night .", f"{past} hier soir ."
        yield f"it was {en} yesterday .", f"{past} hier ."
    forecasts = table("""
        it will rain {} . | il pleuvra {} .; it's going to rain {} . | il va pleuvoir {} .;
        it will snow {} . | il neigera {} .; it won't rain {} . | il ne pleuvra pas {} .
    """)
    for day in TOMORROW[:4]:
        yield from said(forecasts, day)
    for season in ALWAYS[-3:]:
        yield fill("it often rains {} . | il pleut souvent {} .", season)
        yield fill("it never snows {} . | il ne neige jamais {} .", season)


HOURS = [(en, f"{fr} heures") for en, fr in words.NUMBERS[:-1]] + [("one", "une heure")]


@pattern(150)
def clock() -> Pairs:
    yield from table("""
        what time is it ? | quelle heure est-il ?; it's noon . | il est midi .;
        it's midnight . | il est minuit .
    """)
    hours = table("""
        it's {} o'clock . | il est {} .; it's already {} o'clock . | il est déjà {} .;
        it's half past {} . | il est {} et demie .;
        it's almost {} o'clock . | il est presque {} .;
        it's not {} o'clock yet . | il n'est pas encore {} .;
        come at {} o'clock . | viens à {} .
    """)
    departures = table("""
        {} leaves at {} o'clock . | {} part à {} .;
        {} leaves at half past {} . | {} part à {} et demie .;
        {} arrives at {} o'clock . | {} arrive à {} .
    """)
    leaving = [the(noun) for noun in these("train bus plane boat")]
    for hour in HOURS:
        yield from said(hours, hour)
        for s in leaving:
            yield from said(departures, s, hour)
        end = fill("at {} o'clock | à {}", hour)
        for s in SIX + NAMES[::2]:
            if hour[0] in ("six", "seven", "eight"):
                for verb in ("get up", "leave", "start", "wake up"):
                    yield from told(s, act(verb), "present, past", end=end)
            elif hour[0] in ("nine", "ten", "eleven"):
                yield from told(s, act("go to bed"), "present, past", end=end)
            for verb, tense in [("eat", "future"), ("arrive", "future"), ("leave", "near")]:
                yield from told(s, act(verb), tense, end=end)
    for s in map(the, these("shop bank museum library bakery pharmacy")):
        for hour in HOURS[5:10]:
            yield fill("{} opens at {} o'clock . | {} ouvre à {} .", s, hour)
            yield fill("{} closes at {} o'clock . | {} ferme à {} .", s, hour)
        yield fill("when does {} open ? | quand est-ce que {} ouvre ?", s)
        yield fill("what time does {} close ? | à quelle heure est-ce que {} ferme ?", s)
    for s in leaving:
        yield fill("what time does {} leave ? | à quelle heure est-ce que {} part ?", s)
        yield fill("when does {} arrive ? | quand est-ce que {} arrive ?", s)


@pattern(60)
def dates() -> Pairs:
    lines = table("""
        today is {} . | aujourd'hui , c'est {} .; tomorrow is {} . | demain , c'est {} .;
        is today {} ? | est-ce que c'est {} aujourd'hui ?; see you on {} ! | à {} !;
        i'm free on {} . | je suis libre {} .;
        i'm not free on {} . | je ne suis pas libre {} .;
        are you free on {} ? | es-tu libre {} ?;
        are you free on {} , doctor ? | êtes-vous libre {} , docteur ?;
        i'll see you on {} . | je te verrai {} .;
        the shop is closed on {}s . | le magasin est fermé le {} .;
        my birthday is on {} . | mon anniversaire est {} .;
        what are you doing on {} ? | que fais-tu {} ?;
        what did you do on {} ? | qu'est-ce que tu as fait {} ?
    """)
    for day in words.DAYS:
        yield from said(lines, day)


SPOTS = dict(
    table("""
        in | dans; on | sur; under | sous; behind | derrière; near | près de; in front of |
        devant; next to | à côté de
    """)
)
SITES = table("""
    on under | table chair bed sofa armchair | cat book key newspaper hat bag phone ball;
    in | box bag cupboard | key book umbrella camera watch photo map letter pencil;
    in behind | garden house | dog cat rabbit;
    behind in_front_of | house school church | car garden tree bicycle;
    near next_to | station park church market bridge | hotel restaurant bank school museum;
    in | kitchen bedroom | table lamp cat clock chair mirror cupboard;
    next_to behind | door window bed sofa | lamp chair table bag mirror armchair;
    in | tree | cat bird monkey
""")
PLACED = [
    (noun, fill(f"{spot} {{}} | {SPOTS[spot]} {{}}", the(place)))
    for spots, places, nouns_ in SITES
    for spot in (spot.replace("_", " ") for spot in spots.split())
    for place in these(places)
    for noun in these(nouns_)
]


@pattern(110)
def places_of_things() -> Pairs:
    there = table("""
        there's {} {} . | il y a {} {} .; is there {} {} ? | y a-t-il {} {} ?
    """)
    for noun, place in PLACED:
        for kind in ("the", "my", "your"):
            if kind == "the" or noun in words.THINGS:
                yield stop(is_(the(noun, kind), place))
                yield stop(is_(the(noun, kind), place, no="pas"))
        yield stop(is_(the(noun, plural=True), place))
        yield is_asked(the(noun), place)
        a = np("a", noun)
        yield from said(there, a, place)
        yield fill("there isn't {} {} . | il n'y a pas {} {} .", (a.en, a.no_fr), place)
        for n in words.NUMBERS[:2]:
            yield fill("there are {} {} . | il y a {} {} .", so_many(n, noun), place)


@pattern(110)
def where_is() -> Pairs:
    for noun in words.THINGS + words.CLOTHES + words.PETS + these("car school"):
        for kind in ("the", "my", "your"):
            yield fill("where's {} ? | où est {} ?", the(noun, kind))
        yield fill("where are {} ? | où sont {} ?", the(noun, plural=True))
    for s in NAMES + RELATIVES:
        yield fill("where's {} ? | où est {} ?", s)
    for s in SIX[1:]:
        yield f"where {be(s)} {s.en} ?", f"où {invert(present('être', s.person), s)} ?"
        en = f"where {be(s)} {s.en} now ?"
        yield en, f"où {invert(present('être', s.person), s)} maintenant ?"
        fr = invert(imperfect("être", s.person), s)
        yield f"where {be(s, True)} {s.en} yesterday ?", f"où {fr} hier ?"
    lines = table("""
        where's {} , please ? | où est {} , s'il te plaît ?;
        where's {} , please , sir ? | où est {} , s'il vous plaît , monsieur ?;
        excuse me , sir , where's {} ? | excusez-moi , monsieur , où est {} ?
    """)
    for noun in words.PLACES:
        yield from said(lines, the(noun))


@pattern(150)
def nearby() -> Pairs:
    lines = table("""
        is there {1} near here ? | y a-t-il {1} près d'ici ?;
        there's {1} near here . | il y a {1} près d'ici .;
        there isn't {1} near here . | il n'y a pas {2} près d'ici .;
        is {0} far from here ? | est-ce que {0} est loin d'ici ?;
        {0} isn't far from here . | {0} n'est pas loin d'ici .;
        {0} is next to {3} . | {0} est à côté de {3} .
    """)
    sites = [noun for noun in words.PLACES if noun.en != "airport"]
    others = [*words.PLACES[5:], *words.PLACES[:5]]
    neighbours = dict(zip(words.PLACES, others)) | {NOUN["shop"]: sites[0]}
    for noun in [*sites, NOUN["shop"]]:
        a = np("a", noun)
        yield from said(lines, the(noun), a, ("", a.no_fr), the(neighbours[noun]))


@pattern(120)
def going_places() -> Pairs:
    means = entries(
        """by_train en_train, by_car en_voiture, by_bus en_bus, by_plane en_avion,
        on_foot à_pied"""
    )
    go = act("go")
    for s in ANYONE:
        for noun in words.PLACES:
            to = fill("to {} | à {}", the(noun))
            yield from told(s, go, "progressive, past", no="past", end=to)
            for way in means[-3:]:
                if s in SIX and (way[0] == "on foot") == (noun.en != "airport"):
                    yield from told(s, go, "progressive", end=linked(to, way))
            if s in SIX[1:]:
                yield question(s, go, "progressive", to)
        for (city, _), (_, fr) in zip([*words.COUNTRIES, *words.CITIES], WHERE):
            far = city in ("japan", "china", "canada", "brazil")
            for way in means[3:4] if far else means[:4]:
                to = linked((f"to {city}", fr), way)
                yield from told(s, go, "past, progressive", end=to)


@pattern(60)
def coming_and_going() -> Pairs:
    for s in ANYONE:
        for when in YESTERDAY:
            yield from told(s, act("arrive"), "past", end=when)
            yield from told(s, act("leave"), "past", end=when)
            yield from told(s, act("fall"), "past", end=("in the street", "dans la rue"))
        for when in TOMORROW:
            yield from told(s, act("come"), "future", no="future", end=when)


HOME = {0: "moi", 1: "toi", 2: "lui", 3: "nous", 5: "eux"}


@pattern(60)
def at_home() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        women = "elles" if s.several else "elle"
        home = "home", f"chez {women if s.feminine else HOME[s.person]}"
        yield stop(is_(s, home))
        yield stop(is_(s, home, no="pas"))
        yield stop(is_(s, linked(home, YESTERDAY[0]), past=True))
        if s in SIX[1:]:
            yield is_asked(s, home)


# --- Patterns: having, giving, liking -------------------------------------------------

OWNED = words.PETS + words.THINGS + these("car boat garden motorbike")
WISHED = words.PETS + these("car boat garden motorbike bicycle guitar")


@pattern(280)
def having() -> Pairs:
    lines = table("""
        do you have {0} ? | est-ce que tu as {0} ?;
        do you have {0} , sir ? | est-ce que vous avez {0} , monsieur ?;
        who has {0} ? | qui a {0} ?; i need {0} . | j'ai besoin de {0} .;
        i don't need {0} . | je n'ai pas besoin de {0} .
    """)
    for s in ANYONE:
        for noun in OWNED:
            a = np("a", noun)
            yield from told(s, act("have", a), "present", no="present")
            if noun in WISHED:
                yield from told(s, act("have", a), "want to")
            if noun in words.PETS + these("book bag"):
                for n in words.NUMBERS[:3]:
                    yield from told(s, act("have", *so_many(n, noun)), "present")
            if s == YOU:
                yield from said(lines, a)


@pattern(50)
def siblings() -> Pairs:
    for s in SIX + NAMES:
        have, does = ("has", "does") if s.third else ("have", "do")
        ai = present("avoir", s.person)
        for names in ("brother sister", "son daughter", "uncle aunt"):
            one, two = these(names)
            for n in words.NUMBERS[:3]:
                both_ = [(np("a", one), so_many(n, two))]
                if n[0] != "three":
                    both_.append((so_many(("three", "trois"), one), so_many(n, two)))
                for x, y in both_:
                    what = fill("{} and {} | {} et {}", x, y)
                    yield from told(s, act("have", *what), "present")
            for noun in (one, two):
                only = f"{s.fr} ne {ai} que deux {noun.fr_plural} ."
                yield f"{s.en} only {have} two {noun.en_plural} .", only
                yield from told(s, act("have", np("a", noun)), "", no="present")
                if s in SIX[1:]:
                    fr = f"combien de {noun.fr_plural} est-ce que {s.fr} {ai} ?"
                    yield f"how many {noun.en_plural} {does} {s.en} have ?", fr


@pattern(60)
def looks() -> Pairs:
    features = entries(
        """blue_eyes les_yeux_bleus, green_eyes les_yeux_verts, brown_eyes les_yeux_marron,
        long_hair les_cheveux_longs, short_hair les_cheveux_courts,
        black_hair les_cheveux_noirs, small_feet de_petits_pieds,
        big_ears de_grandes_oreilles, small_hands de_petites_mains"""
    )
    for s in [*SIX, *NAMES, *RELATIVES[::3], *PAIRS]:
        for feature in features:
            yield from told(s, act("have", *feature), "present")


@pattern(230)
def belonging() -> Pairs:
    kin = [noun for noun in words.FAMILY if noun.en != "neighbour"]
    lines = table("""
        this is {} . | voici {} .; that's {} . | c'est {} .;
        it isn't {} . | ce n'est pas {} .; is it {} ? | est-ce que c'est {} ?
    """)
    for kind in OWN:
        for noun in kin + words.PETS + words.THINGS + words.CLOTHES + these("car house"):
            yield from said(lines[: 2 if noun in kin else 4], np(kind, noun))
            if noun not in kin:
                yield fill("these are {} . | ce sont {} .", np(kind, noun, None, True))
    lines = table("""
        it's {0}'s {1} . | c'est {1} de {0} .; where's {0}'s {1} ? | où est {1} de {0} ?;
        it isn't {0}'s {1} . | ce n'est pas {1} de {0} .
    """)
    for name in NAMES:
        for noun in words.THINGS + words.CLOTHES + these("car house"):
            yield from said(lines, name, (noun.en, np("the", noun).fr))
        for noun in words.FAMILY[:10]:
            en, fr = f"{name.en}'s {noun.en}", f"{np('the', noun).fr} de {name.fr}"
            for trait in ("ill", "tall", "clever", "funny"):
                yield stop(is_(Subject(en, fr, 2, noun.feminine), PERSONAL[trait]))


@pattern(80)
def possessive_things_are() -> Pairs:
    degrees = {"too": "trop", "very": "très", "": ""}
    qualities = table("""
        new | car watch coat phone house computer umbrella;
        old | school house car coat computer guitar; dirty | shirt coat jacket dress;
        too small | house office bedroom bed; very comfortable | bed sofa armchair
    """)
    for kind in OWN:
        for en, nouns_ in qualities:
            degree, _, quality = en.rpartition(" ")
            adjective = (words.QUALITIES | words.BEFORE)[quality]
            for noun in these(nouns_):
                adverb = degree, degrees[degree]
                yield stop(is_(the(noun, kind), adjective, adverb=adverb))


def own(s: Subject) -> str:
    """The possessive of a subject."""
    pronouns = dict(zip("i you he she we they".split(), OWN))
    return pronouns.get(s.en, "her" if s.feminine else "his")


LIKED = [  # English and French, as things in general
    *((n.en, np("the", n).fr) for n in words.FOOD + words.DRINKS + words.SUBJECTS),
    *((n.en_plural, np("the", n, None, True).fr) for n in words.FRUIT + words.ANIMALS),
    *table("""
        flowers | les fleurs; sad films | les films tristes; funny stories | les histoires
        drôles; old houses | les vieilles maisons; big towns | les grandes villes; cold milk
        | le lait froid; french cheese | le fromage français; italian films | les films
        italiens
    """),
]


@pattern(300)
def liking() -> Pairs:
    for s in ANYONE:
        for verb in ("like", "love", "hate", "prefer"):
            for liked in LIKED:
                action = act(verb, *liked)
                yield from told(s, action, "present", no="present" * (verb == "like"))
                if verb == "like" and s in SIX[1:]:
                    yield question(s, action, "present")
            if s in SIX + NAMES and verb != "prefer":
                for action in but_not("take, wait, return, stay", PASTIMES):
                    pastime = act(verb, form(action, "ing"), infinitive(action, s))
                    yield from told(s, pastime, "present")


@pattern(70)
def preferring() -> Pairs:
    contrasts = table("""
        tea | coffee; milk | wine; rice | bread; fish | meat; water | lemonade;
        music | sport; jam | honey; cheese | ham
    """)
    things = {n.en: np("the", n).fr for n in words.FOOD + words.DRINKS + words.SUBJECTS}
    for s in ANYONE:
        for a, b in contrasts + [(b, a) for a, b in contrasts]:
            end = f"{a} to {b}", f"{things[a]} à {things[b]}"
            yield from told(s, act("prefer"), "present", end=end)
    en = "which do you prefer , tea or coffee ?"
    yield en, "qu'est-ce que tu préfères , le thé ou le café ?"


@pattern(60)
def which_one() -> Pairs:
    for noun in words.CLOTHES + words.THINGS[:8] + these("film car restaurant"):
        quel = noun.en, f"{which(noun)} {noun.fr}"
        yield fill("which {} do you prefer ? | {} est-ce que tu préfères ?", quel)
        yield fill("which {} do you want ? | {} est-ce que tu veux ?", quel)
        text = "which {} did you choose ? | {} est-ce que tu as choisi{} ?"
        yield fill(text, quel, ("", "e" * noun.feminine))


TO_WHOM = table("me | me; you | te; him | lui; her | lui; us | nous; them | leur")
GIFTS = these("book watch hat scarf camera guitar pen umbrella phone cat")


@pattern(240)
def giving() -> Pairs:
    for (pronoun, clitic), who in zip(TO_WHOM, [HE, I, SHE, HE, SHE, WE]):
        for s in [who, *NAMES[::4]] + [I] * (pronoun not in ("me", "you", "us")):
            for noun in GIFTS:
                for verb in ("give", "bring", "show", "sell", "buy"):
                    a = np("this" if verb == "show" else "a", noun)
                    for tense in ("past", "future"):
                        if tense == "future" and verb in ("sell", "show"):
                            continue
                        en = english(s, act(verb, f"{pronoun} {a.en}"), tense)
                        fr = french(s, act(verb, "", a.fr), tense, clitic=clitic)
                        yield stop((en, fr))
                en = english(s, act("give", f"{pronoun} a {noun.en}"), "past", True)
                no = act("give", "", f"de {noun.fr}")
                yield stop((en, french(s, no, "past", "pas", clitic=clitic)))
    orders = table("""
        give me {} , please . | donne-moi {} , s'il te plaît .;
        bring me {} , please . | apporte-moi {} , s'il te plaît .;
        show me {} . | montre-moi {} .; give him {} . | donne-lui {} .;
        give us {} . | donne-nous {} .; can you give me {} ? | peux-tu me donner {} ?;
        give me {} , please , sir . | donnez-moi {} , s'il vous plaît , monsieur .
    """)
    for noun in GIFTS[:-1] + words.FRUIT[:4]:
        yield from said(orders, the(noun))


@pattern(90)
def would_like() -> Pairs:
    lines = table("""
        i'd like {} . | je voudrais {} .;
        i'd like {} , please . | je voudrais {} , s'il te plaît .;
        i'd like {} , please , madam . | je voudrais {} , s'il vous plaît , madame .;
        do you want {} ? | est-ce que tu veux {} ?;
        do you want {} , children ? | est-ce que vous voulez {} , les enfants ?
    """)
    wished = [np("some", n) for n in words.FOOD + words.DRINKS]
    wished += [np("some", n, None, True) for n in words.FRUIT]
    for x in wished + [np("a", n) for n in words.FRUIT]:
        yield from said(lines, x)
        if x.no_en.startswith("any"):
            yield f"do we have {x.no_en} ?", f"est-ce que nous avons {x.fr} ?"


@pattern(120)
def quantities() -> Pairs:
    amounts = table("""
        a lot of | beaucoup de; too much | trop de; a little | un peu de; enough | assez de
    """)
    many = [("a lot of", "beaucoup de"), ("too many", "trop de"), ("enough", "assez de")]
    for s in SIX + NAMES + RELATIVES[:6]:
        for noun in words.FOOD + words.DRINKS:
            verb = "drink" if noun in words.DRINKS else "eat"
            for amount in amounts[:-1]:
                action = act(verb, *fill(f"{{}} {noun.en} | {{}} {noun.fr}", amount))
                yield from told(s, action, "present, past")
        for noun in EATEN:
            for amount in many[:2]:
                yield from told(s, act("eat", *so_many(amount, noun)), "past")
        for noun in words.THINGS[:2] + words.CLOTHES[3:5] + words.SHOES:
            for amount in many:
                yield from told(s, act("have", *so_many(amount, noun)), "present")


@pattern(70)
def how_many() -> Pairs:
    for noun in words.FRUIT + words.THINGS[:6]:
        verb = ("eat", "mangé") if noun in words.FRUIT else ("buy", "acheté")
        done = verb[0], agree_participle(verb[1], noun.feminine, True)
        many = so_many(("how many", "combien de"), noun)
        yield fill("{} did you {} ? | {} est-ce que tu as {} ?", many, done)
        yield fill("{} do you want ? | {} est-ce que tu veux ?", many)
        yield fill("{} do you need ? | de {} est-ce que tu as besoin ?", many)
    for noun in words.FOOD + words.DRINKS:
        yield fill("how much {} do you want ? | combien de {} est-ce que tu veux ?", noun)
    for noun in words.THINGS + words.CLOTHES:
        for kind in ("this", "the"):
            yield fill("how much is {} ? | combien coûte {} ?", the(noun, kind))
    yield "how much is it ?", "combien ça coûte ?"


# --- Patterns: doing ------------------------------------------------------------------


FORESEEN = "come win sing eat sleep work wait stay leave drive pay understand".split()


@pattern(800)
def short_statements() -> Pairs:
    for s in SIX + NAMES[::3] + PAIRS:
        for action in SIMPLE if s.third else but_not("read", SIMPLE):
            verb = action.verb.en
            if verb not in ("arrive", "fall", "leave", "start"):
                yield from told(s, action, "present")
            yield from told(s, action, "past, future" if verb in FORESEEN else "past")


@pattern(230)
def short_negations() -> Pairs:
    for s in SIX + NAMES:
        for action in SIMPLE:
            yield from told(s, action, "", no="present, past")
            if action.verb.en in FORESEEN:
                yield from told(s, action, "", no="future")


@pattern(200)
def short_progressives() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:12] + FOLK:
        for action in STILL:
            yield from told(s, action, "progressive")
            if s in SIX + NAMES:
                yield from told(s, action, "", no="progressive")
                yield from told(s, action, "was doing")


@pattern(110)
def near_future() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:10]:
        for action in SIMPLE:
            yield from told(s, action, "near")
            if action.verb.en in "sing leave work win travel arrive start".split():
                for when in TOMORROW[:4]:
                    yield from told(s, action, "near", no="near", end=when)


SKILLS = [BY_VERB[verb] for verb in "sing dance swim drive cook read write".split()]
SKILLS += [action for action in doing("play", PASTIMES) if action.en != "football"]
LANGUAGES = [act("speak", *language) for language in words.LANGUAGES]


@pattern(130)
def skills() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:12]:
        knows = present("savoir", s.person)
        for action in SKILLS:
            base, fr = form(action, "base"), infinitive(action, s)
            yield f"{s.en} can {base} .", f"{s.fr} {knows} {fr} ."
            yield f"{s.en} can't {base} .", f"{s.fr} ne {knows} pas {fr} ."
            if s in SIX[1:]:
                yield f"can {s.en} {base} ?", f"{invert(knows, s)} {fr} ?"
        for action in LANGUAGES:
            yield from told(s, action, "present", no="present")
            if s in SIX[1:]:
                yield question(s, action, "present")
            yield from told(s, action, "would like to")


@pattern(260)
def short_modals() -> Pairs:
    usual = "leave stay sleep eat drink rest wait speak listen pay work win".split()
    for s in SIX + NAMES + RELATIVES[:8]:
        for verb in [*usual, "get up", "hurry"]:
            action = act(verb)
            for tense in MODALS:
                if tense in ("can", "hope to", "could") and verb in ("hurry", "get up"):
                    continue
                no = tense if tense in ("can", "want to", "should") else ""
                yield from told(s, action, tense, no)
                if s in SIX[1:] and tense in ("can", "want to", "must", "have to"):
                    yield question(s, action, tense)


@pattern(200)
def modals_with_objects() -> Pairs:
    unsaid = {  # the verbs that are not said with one of these
        "can": "study learn speak".split(),
        "could": ["speak"],
        "must": "swim play watch".split(),
    }
    for s in SIX + NAMES[::3] + RELATIVES[:6]:
        for action in PASTIMES + ERRANDS:
            verb = action.verb.en
            for tense in MODALS:
                if verb in unsaid.get(tense, []):
                    continue
                if tense in ("can", "could") and action in SKILLS:
                    continue
                if tense == "hope to" and verb not in "visit buy sell go".split():
                    continue
                no = tense if tense in ("can", "want to") else ""
                yield from told(s, action, tense, no)
                if s in SIX[1:] and tense in ("can", "want to"):
                    yield question(s, action, tense)


@pattern(50)
def one_word_orders() -> Pairs:
    unfit = """lose, hesitate, understand, fall, start, finish, forget, lie, cheat, travel,
        cry, dream, have fun, fall asleep"""
    for action in but_not(unfit, SIMPLE):
        if not action.verb.fr.startswith("se "):
            yield f"{action.verb.en} .", f"{imperative(action.verb.fr, 1)} !"
            yield f"{action.verb.en} !", f"{imperative(action.verb.fr, 1)} !"
    yield "go !", "va !"
    for name in words.MEN[:3] + words.WOMEN[3:]:
        yield f"{name} ?", f"{name} ?"


TOLD = """sing dance work sleep run walk swim eat drink read write speak listen wait
    leave stay come smile laugh cry shout hesitate lie cheat answer drive pay""".split()


@pattern(280)
def orders() -> Pairs:
    calls = [
        ("", "", 1),
        (" , please", " , s'il te plaît", 1),
        (" , children", " , les enfants", 4),
        (" , sir", " , monsieur", 4),
        (" , madam", " , madame", 4),
        (" , my friends", " , mes amis", 4),
    ]
    calls += [(f" , {name}", f" , {name}", 1) for name in words.MEN[:3] + words.WOMEN[-3:]]
    for call, fr_call, person in calls:
        for verb in TOLD:
            fr = imperative(words.VERBS[verb].fr, person)
            if verb not in ("lie", "cheat", "hesitate", "cry", "shout") and call:
                yield f"{verb}{call} .", f"{fr}{fr_call} ."
            if verb not in ("pay", "listen", "answer", "smile", "dance", "come"):
                yield f"don't {verb}{call} .", f"ne {fr} pas{fr_call} ."
        for verb, en, adverb in MANNERS:
            fr = imperative(words.VERBS[verb].fr, person)
            if adverb in ("lentement", "vite", "tôt"):
                yield f"{verb} {en}{call} .", f"{fr} {adverb}{fr_call} ."
            if adverb in ("trop", "trop vite", "tard", "en retard"):
                yield f"don't {verb} {en}{call} .", f"ne {fr} pas {adverb}{fr_call} ."
        for action in but_not("swim, play, paint, go to bed, get up", TASKS + PASTIMES):
            if action.en == "a present":
                continue
            order = form(action, "base")
            fr = imperative(action.verb.fr, person)
            yield f"{order}{call} .", f"{fr} {action.fr}{fr_call} ."
            if action in TASKS[:4]:
                yield f"don't {order}{call} .", f"ne {fr} pas {action.no_fr}{fr_call} ."
    reflexive = table("""
        hurry up | dépêche-toi dépêchez-vous; get up | lève-toi levez-vous;
        wake up | réveille-toi réveillez-vous; sit down | assieds-toi asseyez-vous;
        have fun | amuse-toi amusez-vous; get dressed | habille-toi habillez-vous
    """)
    for call, fr_call, person in calls:
        for verb, fr in reflexive:
            yield f"{verb}{call} .", f"{fr.split()[person == 4]}{fr_call} ."


@pattern(130)
def lets() -> Pairs:
    unfit = """lose, fall, lie, cheat, forget, cry, shout, hesitate, understand, hurry,
        arrive, dream, sell, win, laugh, smile, answer"""
    for action in but_not(unfit, SIMPLE + PASTIMES + ERRANDS + MEALS):
        if action.verb.fr.startswith("se "):
            continue
        base, fr = form(action, "base"), imperative(action.verb.fr, 3)
        yield f"let's {base} .", f"{fr} {action.fr} ."
        if action in PASTIMES[10:] or action in SIMPLE:
            yield f"let's not {base} .", f"ne {fr} pas {action.no_fr} ."
        if action in PASTIMES:
            yield f"let's {base} together .", f"{fr} {action.fr} ensemble ."


@pattern(200)
def manners() -> Pairs:
    for s in ANYONE:
        for verb, en, fr in MANNERS:
            action = act(verb, en, fr)
            yield from told(s, action, "present", no="present")
            mid, last = (fr, "") if fr in MIDDLE else ("", fr)
            if not unclear(s, action, "past"):
                past = french(s, act(verb, "", last), "past", mid=mid)
                yield f"{english(s, action, 'past')} .", f"{past} ."
            if fr in ("bien", "beaucoup", "trop"):
                past = french(s, act(verb, "", last), "past", "pas", mid=mid)
                yield f"{english(s, action, 'past', True)} .", f"{past} ."
            if s in (YOU, HE, SHE, THEY):
                yield question(s, action, "present")
                if fr == "bien":
                    line = f"did {s.en} {verb} {en} ?"
                    yield line, f"est-ce que {french(s, act(verb), 'past', mid=fr)} ?"


@pattern(260)
def habits() -> Pairs:
    turn = cycle(ALWAYS)
    adverbs = cycle(entries("often souvent, always toujours, sometimes parfois"))
    for s in ANYONE:
        for action in HABITS if s in SIX else but_not("go to bed, get up", HABITS):
            yield from told(s, action, "present", end=next(turn))
            often, fr = next(adverbs)
            en = f"{s.en} {often} {form(action, third(s))}"
            yield f"{en} .", f"{french(s, action, 'present', mid=fr)} ."
            en = f"{s.en} never {form(action, third(s), True)}"
            yield f"{en} .", f"{french(s, action, 'present', 'jamais')} ."
            line = f"{english(s, action, 'present', True)} anymore ."
            yield line, f"{french(s, action, 'present', 'plus')} ."


@pattern(200)
def habit_statements() -> Pairs:
    for s in ANYONE:
        for action in HABITS:
            for tense in ("present", "progressive", "past"):
                if tense == "progressive" and action.verb.en in ("go to bed", "get up"):
                    continue
                yes = "" if unclear(s, action, tense) else tense
                yield from told(s, action, yes, no=tense)


@pattern(260)
def what_happened() -> Pairs:
    turn = cycle(YESTERDAY)
    for s in ANYONE:
        for action in ERRANDS + MISHAPS + SEEN + PASTIMES:
            if not unclear(s, action, "past"):
                yield from told(s, action, "past")
                yield from told(s, action, "past", end=next(turn))
            if action in ERRANDS + SEEN:
                yield from told(s, action, "", no="past")


@pattern(130)
def what_will_happen() -> Pairs:
    turn = cycle(TOMORROW)
    for s in ANYONE:
        for action in ERRANDS + PASTIMES:
            for tense in ("future", "near"):
                yield from told(s, action, tense, end=next(turn))
                yield from told(s, action, "", no=tense)


@pattern(200)
def yes_or_no() -> Pairs:
    for s in [YOU, HE, SHE, THEY, *NAMES, *OTHERS_KIN]:
        for action in but_not("go to bed, get up", HABITS):
            yield question(s, action, "present")
        for action in SIMPLE:
            yield question(s, action, "past")
        for action in ERRANDS:
            yield question(s, action, "past")
            yield question(s, action, "near")
            if s in SIX:
                yield question(s, action, "future")
        for action in MISHAPS:
            yield question(s, action, "past")


def asking(w: Pair, s: Subject, action: Action, tense: str, end: Pair = ("", "")) -> Pair:
    """What, where, when, how or why somebody does or did it."""
    return linked(w, question(s, action, tense, end))


@pattern(260)
def are_you_doing() -> Pairs:
    here = table("here | ici; at home | à la maison; at school | à l'école")
    now = ("now", "maintenant")
    for s in SIX[1:4]:
        for verb in "sleep work eat cook read leave cry".split():
            action = act(verb)
            quiet = verb not in ("leave", "cry")
            for end in [("", ""), now, *(here if quiet else TOMORROW[:2])]:
                if verb != "cry" or not end[0].startswith("to"):
                    yield question(s, action, "progressive", end)
            for w in [("why", "pourquoi"), ("where", "où")][: 1 + quiet]:
                yield asking(w, s, action, "progressive")
                yield asking(w, s, action, "progressive", now)
            if verb in ("eat", "read", "cook"):
                yield asking(("what", "que"), s, action, "progressive")
    ends = table("""
         | ; here | ici; now | maintenant; today | aujourd'hui; tonight | ce soir;
        tomorrow | demain
    """)
    for s in SIX[1:]:
        do, go = (inverted(s, act(verb), "progressive") for verb in ("do", "go"))
        for end, fr in ends:
            yield f"what {be(s)} {s.en} doing {end} ?", f"que {do} {fr} ?"
            if end != "here":
                yield f"where {be(s)} {s.en} going {end} ?", f"où {go} {fr} ?"
        for when, fr in TOMORROW[:4]:
            yield f"what {be(s)} {s.en} going to do {when} ?", f"que {go} faire {fr} ?"


@pattern(240)
def w_questions() -> Pairs:
    what, where, when, how, why = table("""
        what | que; where | où; when | quand; how | comment; why | pourquoi
    """)
    ways = {
        where: "work live sing eat",
        when: "leave eat work travel",
        how: "travel",
        why: "cry work laugh leave hesitate",
    }
    for s in [YOU, HE, SHE, THEY, *NAMES, *OTHERS_KIN]:
        for w, verbs_ in ways.items():
            for verb in verbs_.split():
                yield asking(w, s, act(verb), "present")
                if verb != "live":
                    yield asking(w, s, act(verb), "past")
        for verb in "eat drink read want see choose".split():
            if verb not in ("choose", "see"):
                yield asking(what, s, act(verb), "present")
            if verb != "want":
                yield asking(what, s, act(verb), "past")
                yield asking(what, s, act(verb), "past", YESTERDAY[0])
        for verb in ("buy", "lose", "find", "do", "say", "forget", "break"):
            yield asking(what, s, act(verb), "past")
            if verb not in ("say", "do"):
                w, noun = (where, "key") if verb in ("lose", "find") else (why, "lamp")
                yield asking(w, s, act(verb, np("the", NOUN[noun])), "past")
        for action in ERRANDS[::3] + doing("hear", SEEN[::4]):
            yield asking(why, s, action, "past")
            yield asking(when, s, action, "past")


@pattern(220)
def who_questions() -> Pairs:
    whoever = Subject("who", "qui", 2)
    usual = "sing, dance, work, cook, drive, lie, cheat, pay, win"
    for action in SIMPLE + HABITS + ERRANDS + MISHAPS:
        bedtime = action.verb.en in ("go to bed", "get up")
        if action.verb.en != "go to bed" and action in HABITS + doing(usual, SIMPLE):
            yield stop(both(whoever, action, "present"), "?")
        yield stop(both(whoever, action, "past"), "?")
        if action in STILL + HABITS and not bedtime:
            fr = french(whoever, action, "present")
            yield f"who's {form(action, 'ing')} ?", f"{fr} ?"
        if action in ERRANDS + PASTIMES and not bedtime:
            yield stop(both(whoever, action, "want to"), "?")
    for s in NAMES:
        yield fill("who is {} ? | qui est {} ?", s)
    for noun in words.PEOPLE:
        yield fill("who is {} ? | qui est {} ?", the(noun, "this"))


OBJECTS = [
    ("me", "me", (False, False)),
    ("you", "te", (False, False)),
    ("him", "le", (False, False)),
    ("her", "la", (True, False)),
    ("us", "nous", (False, True)),
    ("them", "les", (False, True)),
]


def may_act_on(s: Subject, pronoun: str) -> bool:
    """Leave out i see me and the like."""
    return (s.en, pronoun) not in table("i | me; i | us; you | you; we | us; we | me")


@pattern(330)
def object_pronouns() -> Pairs:
    for s in SIX + NAMES + PAIRS + RELATIVES[:6]:
        for pronoun, clitic, thing in OBJECTS:
            if not may_act_on(s, pronoun):
                continue
            for verb in "see know love understand hear help invite phone wait".split():
                link = "for " if verb == "wait" else ""
                bare_action = loved() if verb == "love" else act(verb)
                action = bare_action._replace(en=link + pronoun, no_en=link + pronoun)
                lasting = verb in ("know", "love", "understand", "hear")
                for tense in ["present"] if lasting else ["present", "past", "future"]:
                    for no in ("", "pas"):
                        en = english(s, action, tense, bool(no))
                        fr = french(s, bare_action, tense, no, clitic=clitic, thing=thing)
                        yield stop((en, fr))
                if verb in ("see", "help", "invite", "phone"):
                    for tense in ("want to", "can", "must"):
                        fr = french(s, bare_action, tense, clitic=clitic)
                        yield stop((english(s, action, tense), fr))
                if s in (YOU, HE, SHE) and pronoun != "you":
                    if lasting:
                        fr = french(s, bare_action, "present", clitic=clitic)
                        do = "does" if s.third else "do"
                        yield f"{do} {s.en} {verb} {pronoun} ?", f"est-ce que {fr} ?"
                    elif verb in ("help", "see"):
                        fr = inverted(s, bare_action, "can", clitic=clitic)
                        yield f"can {s.en} {verb} {pronoun} ?", f"{fr} ?"


@pattern(130)
def speaking_to() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        for pronoun, clitic in TO_WHOM:
            for verb in ("speak", "write") if may_act_on(s, pronoun) else ():
                action = act(verb, f"to {pronoun}")
                for tense in ("present", "past", "future"):
                    for no in ("", "pas"):
                        fr = french(s, act(verb), tense, no, clitic=clitic)
                        yield stop((english(s, action, tense, bool(no)), fr))


@pattern(110)
def orders_with_pronouns() -> Pairs:
    forms = {"me": "moi", "him": "le", "her": "la", "us": "nous", "them": "les"}
    friends = [(f", {name}", f", {name}") for name in words.MEN[:3] + words.WOMEN[:3]]
    friends += [("", ""), (", please", ", s'il te plaît")]
    others = [(tail, fr) for _, tail, fr in POLITE if tail]
    others += [(", my friends", ", mes amis")]
    for en, fr in forms.items():
        for verb in ["help", "phone"] + ["invite", "wait"] * (fr == "moi"):
            order = f"{verb} {'for ' * (verb == 'wait')}{en}"
            for person, calls in ((1, friends), (4, others)):
                french_order = imperative(words.VERBS[verb].fr, person)
                clitic = "me" if fr == "moi" else fr
                for call, fr_call in calls:
                    yield f"{order} {call} .", f"{french_order}-{fr} {fr_call} ."
                    if verb == "help":
                        line = f"don't {order} {call} ."
                        yield line, f"ne {clitic} {french_order} pas {fr_call} ."


@pattern(110)
def reflexives() -> Pairs:
    uses = table("""
        get up | early | tôt | late | tard; wake up | early | tôt | late | tard;
        go to bed | early | tôt | late | tard;
        rest | at home | à la maison | in the garden | dans le jardin;
        have fun | at school | à l'école | together | ensemble;
        get dressed | slowly | lentement | in the bedroom | dans la chambre;
        fall asleep | late | tard | on the bus | dans le bus
    """)
    for s in ANYONE:
        for verb, *ends in uses:
            tenses = "present, past, near" + ", must" * (verb != "fall asleep")
            for end in (ends[:2], ends[2:]):
                if end[0] != "together" or s.several:
                    yield from told(s, act(verb), tenses, no="present, past", end=end)


@pattern(60)
def names() -> Pairs:
    lines = table("""
        my name is {0} . | je m'appelle {0} .; {1} name is {0} . | {1} s'appelle {0} .;
        is your name {0} ? | est-ce que tu t'appelles {0} ?;
        my {2}'s name is {0} . | {2} s'appelle {0} .;
        this is my friend {0} . | voici {3} {0} .;
        i'm with my friend {0} . | je suis avec {3} {0} .;
        my friend {0} lives here . | {3} {0} habite ici .;
        do you know {0} ? | est-ce que tu connais {0} ?;
        i don't know {0} . | je ne connais pas {0} .
    """)
    for s in NAMES:
        his = ("her", "elle") if s.feminine else ("his", "il")
        kin = ("sister", "ma sœur") if s.feminine else ("brother", "mon frère")
        friend = "", f"mon ami{'e' * s.feminine}"
        yield from said(lines, s, his, kin, friend)
    yield from table("""
        what's your name ? | comment t'appelles-tu ?;
        what's your name , sir ? | comment vous appelez-vous , monsieur ?;
        what's his name ? | comment s'appelle-t-il ?;
        what's her name ? | comment s'appelle-t-elle ?
    """)


@pattern(200)
def polite_doing() -> Pairs:
    asked = table("""
        where do {} live {} ? | où est-ce que {} habitez {} ?;
        where do {} work {} ? | où est-ce que {} travaillez {} ?;
        where are {} going {} ? | où allez-{} {} ?;
        what are {} doing {} ? | que faites-{} {} ?;
        can {} help me {} ? | pouvez-{} m'aider {} ?;
        could {} help us {} ? | pourriez-{} nous aider {} ?
    """)
    for s, *tails in POLITE:
        for action in but_not("get up, go to bed", PASTIMES + ERRANDS[::2] + MEALS[::2]):
            yield question(s, action, "past" if action in ERRANDS else "present", tails)
            yield question(s, action, "want to", tails)
        for verb in "sing dance sleep work understand wait drive eat speak leave".split():
            yield question(s, act(verb), "past", tails)
            if verb in ("wait", "eat", "leave", "speak"):
                yield question(s, act(verb), "can", tails)
                yield question(s, act(verb), "want to", tails)
            if verb in ("leave", "work", "wait", "sleep"):
                yield question(s, act(verb), "progressive", tails)
        yield from said(asked, s, tails)
        if tails[0]:
            text = "is this your house {} ? | est-ce que c'est votre maison {} ?"
            yield fill(text, tails)
    for noun in words.THINGS[:12]:
        for _, *tails in POLITE[:3]:
            text = "is this your {} {} ? | est-ce que c'est votre {} {} ?"
            yield fill(text, noun, tails)
            yield fill("where's your {} {} ? | où est votre {} {} ?", noun, tails)
        en = f"where are your {noun.en_plural} , children ?"
        yield en, f"où sont vos {noun.fr_plural} , les enfants ?"


# --- Patterns: two verbs --------------------------------------------------------------


@pattern(110)
def starting_and_stopping() -> Pairs:
    for s in ANYONE:
        has = present("avoir", s.person)
        for action in but_not("leave, wait", STILL):
            ing, inf = form(action, "ing"), infinitive(action, s)
            yield f"{s.en} stopped {ing} .", f"{s.fr} {has} arrêté de {inf} ."
            yield f"{s.en} started {ing} .", f"{s.fr} {has} commencé à {inf} ."
            if s == I:
                yield f"stop {ing} !", f"arrête de {inf} !"
                yield f"stop {ing} , children !", f"arrêtez de {inf} , les enfants !"


def perfect(s: Subject) -> str:
    """Subject and auxiliary of the English perfect: i've, she has."""
    return f"{s.en} has" if s.third else short(s, "have")


@pattern(110)
def has_just() -> Pairs:
    done = """arrive, leave, eat, finish, wake up, call, win, lose, find, buy, sell, get up,
        fall asleep, pay"""
    for s in ANYONE:
        comes = present("venir", s.person)
        for action in doing(done, SIMPLE + MISHAPS + ERRANDS[::3]):
            line = f"{perfect(s)} just {form(action, 'participle')} ."
            yield line, f"{s.fr} {comes} de {infinitive(action, s)} ."


@pattern(150)
def already_and_not_yet() -> Pairs:
    tasks = """eat, drink, pay, leave, arrive, finish, start, win, answer, buy, visit, sell,
        read, write, clean, prepare, repair, get up, get dressed"""
    for s in ANYONE:
        has = "has" if s.third else "have"
        for action in doing(tasks, SIMPLE + ERRANDS[::2] + PASTIMES[::4]):
            if action.en in ("early", "late"):
                continue
            done = form(action, "participle")
            fr = french(s, action, "past", mid="déjà")
            yield f"{perfect(s)} already {done} .", f"{fr} ."
            en = f"{s.en} {has}n't {form(action, 'participle', True)} yet ."
            yield en, f"{french(s, action, 'past', 'pas encore')} ."
            if s in SIX[1:]:
                en = f"{has} {s.en} already {done} ?"
                yield en, f"{inverted(s, action, 'past', mid='déjà')} ?"


@pattern(40)
def since() -> Pairs:
    lengths = table("years | ans; months | mois; days | jours; hours | heures")
    since_when = table("""
        been living here | habiter ici | years months;
        been working here | travailler ici | years months days;
        been waiting | attendre | hours days; been sleeping | dormir | hours;
        been ill | être malade | days;
        been learning french | apprendre le français | years months
    """)
    for s in ANYONE:
        for n, deux in words.NUMBERS:
            for unit, durée in lengths:
                for en, fr, units in since_when:
                    if unit in units.split():
                        verb, _, rest = fr.partition(" ")
                        if verb == "être":
                            rest = fits(s, PERSONAL["ill"])
                        line = f"{perfect(s)} {en} for {n} {unit} ."
                        fr = f"{s.fr} {present(verb, s.person)} {rest}"
                        yield line, f"{fr} depuis {deux} {durée} ."


@pattern(90)
def while_i_was() -> Pairs:
    arrives, phones = act("arrive"), act("phone")
    events = [(I, arrives), (YOU, arrives), (SHE, phones), (NAMES[7], arrives)]
    events += [(NAMES[0], phones), (WE, arrives)]
    for s in [s for s in ANYONE if s not in PAIRS[1:]]:
        for action in but_not("leave, lie", STILL) + PASTIMES[:18]:
            for other, then in events:
                if other != s:
                    one, two_ = both(s, action, "was doing"), both(other, then, "past")
                    yield stop(linked(one, ("when", "quand"), two_))


@pattern(50)
def if_it_rains() -> Pairs:
    conditions = table("""
        if it rains | s'il pleut; if it's cold | s'il fait froid; if it snows | s'il neige;
        if it's hot | s'il fait chaud
    """)
    indoors = [
        action
        for action in doing("stay, watch, listen, read, eat, play", PASTIMES)
        if action.verb.en != "play" or action.en in ("cards", "chess")
    ]
    for condition in conditions:
        for s in ANYONE:
            for action in doing("swim", PASTIMES) if "hot" in condition[0] else indoors:
                plan = both(s, action, "future")
                yield stop(linked(condition, (",", ","), plan))
                if s not in (HE, SHE):
                    yield stop(linked(plan, condition))
    for s in SIX:
        for verb in ("come", "win", "leave", "stay"):
            for other, mood in [(I, "happy"), (WE, "happy"), (SHE, "sad"), (HE, "angry")]:
                if other != s and (verb != "leave") == (mood == "happy"):
                    sure = is_so(other, fits(other, PERSONAL[mood]), "", "future")
                    will = f"{short(other, 'will')} be {mood}"
                    if_so = linked(("if", "si"), both(s, act(verb), "present"))
                    yield stop(linked(if_so, (",", ","), (will, sure)))


DREAMS = [act("buy", np("a", noun)) for noun in these("car house castle boat")]
DREAMS += [
    act("buy", np("a", NOUN["house"], words.BEFORE[en])) for en in ("big", "beautiful")
]
DREAMS += acts("""
    live | near the sea | près de la mer; live | in a castle | dans un château;
    work | less | moins; travel | a lot | beaucoup; play | football | au football
""")


@pattern(60)
def if_i_were_rich() -> Pairs:
    for s in SIX:
        for en in ("rich", "young"):
            so = is_so(s, fits(s, PERSONAL[en]), "", "imperfect")
            condition = f"if {s.en} were {en}", f"si {so}"
            for action in DREAMS if en == "rich" else DREAMS[-2:]:
                dream = both(s, action, "would")
                yield stop(linked(condition, (",", ","), dream))
                yield stop(linked(dream, condition))


@pattern(150)
def when_i_was_young() -> Pairs:
    for s in SIX:
        for adjective in (PERSONAL["young"], words.BEFORE["small"]):
            once = linked(("when", "quand"), is_(s, adjective, past=True))
            for action in but_not("go to bed, get up, write, drink", PASTIMES + MEALS):
                yield stop(linked(once, (",", ","), both(s, action, "used to")))
    for s in ANYONE:
        for action in HABITS:
            yield from told(s, action, "used to")


MISSED = [act(verb) for verb in ("come", "eat", "sing")]
MISSED += [act("go", "to school", "à l'école"), act("play", "football", "au football")]


def again(s: Subject) -> Subject:
    """The pronoun for somebody named before."""
    return SHE if s.feminine else HE if s.third else s


@pattern(130)
def because() -> Pairs:
    results = table("""
        tired | sleep rest; ill | sleep rest; sad | cry; happy | sing smile laugh dance;
        late | run hurry; angry | shout; hungry | eat; thirsty | drink; busy | work
    """)
    since_that = ("because", "parce que")
    for s in [*SIX, *NAMES, *RELATIVES[:10]]:
        for state, verbs_ in results:
            what, verb = PERSONAL.get(state), "être"
            if not what:
                what, verb = (state, dict(NEEDS)[state]), "avoir"
            cause, was = (is_(again(s), what, past, verb=verb) for past in (False, True))
            for action in map(act, verbs_.split()):
                yield stop(linked(both(s, action, "progressive"), since_that, cause))
                yield stop(linked(both(s, action, "past"), since_that, was))
            if state in ("ill", "tired", "late", "sad", "busy"):
                for action in MISSED:
                    yield stop(linked(both(s, action, "past", no=True), since_that, was))


@pattern(150)
def that_clauses() -> Pairs:
    knowing = table("""
        i know | je sais | .; i think | je crois | .; we know | nous savons | .;
        she thinks | elle croit | .; he says | il dit | .; i hope | j'espère | .;
        marie says | marie dit | .; paul thinks | paul croit | .;
        do you think | est-ce que tu crois | ?; you know | tu sais | .
    """)
    thought = "hungry right wrong cold afraid lucky".split()
    needs = [need for need in NEEDS if need[0] in thought]
    for en, fr, mark in knowing:
        hoped = en == "i hope"
        clauses = []
        for s in [*SIX, *NAMES[1:6], *NAMES[7:], *RELATIVES[:8]]:
            if (s == I and en.startswith("i ")) or (s == YOU and en.startswith("you")):
                continue
            for need in needs:
                if need[0] == "right" or not hoped:
                    clauses.append(is_(s, need, verb="avoir"))
            moods = "tired happy late ill ready sad clever shy kind"
            for mood in ("happy ready" if hoped else moods).split():
                clauses.append(is_(s, PERSONAL[mood]))
            clauses.append(both(s, act("come"), "future", end=TOMORROW[0]))
            clauses.append(both(s, act("win"), "future"))
            clauses.append(both(s, act("leave"), "future", end=TOMORROW[0]))
            if not hoped:
                clauses += [both(s, action, "past") for action in ERRANDS[:20:3]]
                clauses += [both(s, action, "present") for action in LANGUAGES[-3:]]
                clauses += [both(s, action, "past") for action in MISHAPS[:6:2]]
        for clause in clauses:
            yield stop(linked((f"{en} that", f"{fr} que"), clause), mark)
    for s in SIX[1:]:
        for need in needs:
            why = is_(s, need, verb="avoir")
            yield fill("i don't know why {} . | je ne sais pas pourquoi {} .", why)
    for s in [*SIX[1:], *NAMES]:
        for verb in ("live", "work"):
            where = both(s, act(verb), "present")
            yield fill("i don't know where {} . | je ne sais pas où {} .", where)
            if s != YOU:
                yield fill("do you know where {} ? | est-ce que tu sais où {} ?", where)


@pattern(100)
def who_clauses() -> Pairs:
    elders = "father mother uncle aunt grandfather grandmother neighbour".split()
    deeds = but_not("leave, lie, wait", STILL) + PASTIMES[:12]
    habits_ = table("""
        lives here | habite ici; works here | travaille ici;
        speaks french | parle français; sings well | chante bien
    """)
    called = {False: ("paul", "luc"), True: ("marie", "alice")}
    known = table("""
        i know {} . | je connais {} .; do you know {} ? | est-ce que tu connais {} ?
    """)
    met = table("""
        i know a {} who {} . | je connais {} qui {} .;
        we met a {} who {} . | nous avons rencontré {} qui {} .
    """)
    for noun in these("boy man child girl woman"):
        s, young = the(noun), noun.en in ("boy", "girl", "child")
        unlikely = ["son", "daughter"] + ["friend"] * (noun.en == "child")
        kin = [k for k in words.FAMILY if k.feminine == noun.feminine]
        kin = [k for k in kin if young != (k.en in elders) and k.en not in unlikely]
        for action in deeds:
            fait = f"{s.fr} qui {present(action.verb.fr, 2)} {action.fr}"
            does = f"{s.en} who is {form(action, 'ing')}", fait
            for relative in kin:
                yield fill("{} is {} . | {} est {} .", does, the(relative, "my"))
            for who in called[noun.feminine] if noun.en != "child" else ():
                yield fill("{0} is called {1} . | {0} s'appelle {1} .", does, (who, who))
            yield from said(known, does)
        for habit in habits_ if noun.en != "child" else []:
            yield from said(met, (noun.en, np("a", noun).fr), habit)
    bought = table("""
        i like {0} that {1} bought . | j'aime {0} que {1} acheté{2} .;
        i found {0} that {1} lost . | j'ai trouvé {0} que {1} perdu{2} .;
        where's {0} that {1} bought ? | où est {0} que {1} acheté{2} ?
    """)
    for noun in words.THINGS + words.CLOTHES:
        e = "", "e" * noun.feminine
        for s in (I, YOU, SHE, NAMES[0], NAMES[6]):
            buyer = s.en, f"{s.fr} {present('avoir', s.person)}"
            lines = bought if s != I else bought[::2]
            yield from said(lines, the(noun), buyer, e)


@pattern(60)
def lost_and_found() -> Pairs:
    lines = table("""
        {0} lost {2} but {1} found it . | {0} perdu {2} mais {1} retrouvé{4} .;
        {0} bought {3} but {1} lost it . | {0} acheté {3} mais {1} perdu{4} .
    """)
    for s in [*SIX, *NAMES]:
        ai = present("avoir", s.person)
        first = s.en, f"{s.fr} {ai}"
        then = again(s).en, f"{again(s).fr} le {ai}"
        for noun in words.THINGS + words.CLOTHES:
            mine, a = np(own(s), noun), np("a", noun)
            yield from said(lines, first, then, mine, a, ("", "e" * noun.feminine))


@pattern(150)
def before_and_without() -> Pairs:
    before = table("""
        eat | leave; read | sleep; pay | leave; drink | run; wait | answer; rest | work;
        eat | work; listen | answer
    """)
    without = table("""
        leave | pay; leave | eat; answer | hesitate; eat | speak; wait | speak;
        listen | answer; leave | answer; sleep | dream; win | cheat
    """)
    for s in [*SIX, *NAMES]:
        for verb, goal in before:
            goal = form(act(goal), "ing"), infinitive(act(goal), s)
            end = fill("before {} | avant de {}", goal)
            past = "" if unclear(s, act(verb), "past") else "past"
            yield from told(s, act(verb), f"present, {past}, future, near", end=end)
        for verb, lacking in without:
            lacking = form(act(lacking), "ing"), infinitive(act(lacking), s)
            end = fill("without {} | sans {}", lacking)
            yield from told(s, act(verb), "past, future", end=end)


@pattern(60)
def in_order_to() -> Pairs:
    bought = [("any", noun, None, True) for noun in words.FRUIT]
    bought += [("any", noun, None, False) for noun in words.FOOD]
    trips = [
        ("market", "buy", bought),
        ("bakery", "buy", [("any", NOUN["bread"]), ("any", NOUN["cake"], None, True)]),
        ("library", "read", [("any", noun, None, True) for noun in these("book novel")]),
    ]
    for s in [*SIX, *NAMES, *RELATIVES[:8]]:
        for place, verb, goods in trips:
            for good in goods:
                purpose = act(verb, np(*good))
                to = fill("to {} | à {}", the(NOUN[place]))
                why = f"to {form(purpose, 'base')}", f"pour {infinitive(purpose)}"
                yield from told(s, act("go"), "progressive, past", end=linked(to, why))
        for goal in ("rest", "sleep", "work"):
            end = f"at home to {goal}", f"à la maison pour {infinitive(act(goal), s)}"
            yield from told(s, act("stay"), "past", end=end)


@pattern(80)
def with_somebody() -> Pairs:
    shared = doing("play, go, watch, walk, swim, listen, eat, run", PASTIMES)
    tenses = "present, progressive, past, near, future"
    for s in [*SIX, *NAMES]:
        for noun in words.FAMILY:
            phrase = np(own(s), noun)
            end = fill("with {} | avec {}", phrase)
            for action in shared:
                yield from told(s, action, tenses, end=end)
            for verb in ("help", "phone", "love", "see", "wait"):
                if verb == "love":
                    yield from told(s, loved(phrase), "present")
                    continue
                action = act(verb, phrase, link="for" * (verb == "wait"))
                yield from told(s, action, "past, near, must, want to")


@pattern(90)
def nothing_and_nobody() -> Pairs:
    for s in ANYONE[6:]:
        has, ne = present("avoir", s.person), f"{s.fr} ne"
        do = "does" if s.third else "do"
        for verb in "see say eat drink buy find do hear understand".split():
            fr = words.VERBS[verb].fr
            yield f"{s.en} didn't {verb} anything .", f"{ne} {has} rien {participle(fr)} ."
            if verb in ("see", "say", "eat", "hear", "do"):
                line = f"{s.en} {do}n't {verb} anything ."
                yield line, f"{ne} {present(fr, s.person)} rien ."
        for verb in "see help invite hear know".split():
            fr = words.VERBS[verb].fr
            if verb != "know":
                line = f"{s.en} didn't {verb} anyone ."
                yield line, f"{ne} {has} {participle(fr)} personne ."
            line = f"{s.en} {do}n't {verb} anyone ."
            yield line, f"{ne} {present(fr, s.person)} personne ."
    nobody = Subject("nobody", "personne ne", 2)
    everyone = Subject("everyone", "tout le monde", 2)
    common = "sing, work, laugh, cheat, cry, dance, sleep, eat, understand, wait, pay, win"
    for action in doing(f"{common}, answer", SIMPLE):
        for tense in ("past", "present", "future"):
            yield from told(nobody, action, tense)
            yield from told(everyone, action, tense)
    for en in "tired ready happy calm late busy sad".split():
        yield stop(is_(everyone, PERSONAL[en]))
        yield stop(is_(nobody, PERSONAL[en]))
        yield is_asked(everyone, PERSONAL[en])


@pattern(30)
def seen_in_places() -> Pairs:
    sights = table("""
        bird | in the tree | dans l'arbre; horse | near the river | près de la rivière;
        cow | near the road | près de la route; wolf | in the forest | dans la forêt;
        duck | on the lake | sur le lac; mouse | in the kitchen | dans la cuisine;
        dog | in the street | dans la rue; cat | on the roof | sur le toit;
        boat | on the river | sur la rivière; rabbit | in the garden | dans le jardin;
        sheep | on the mountain | sur la montagne; monkey | in the tree | dans l'arbre
    """)
    for s in [*SIX, *NAMES, *RELATIVES[:6]]:
        for en, *place in sights:
            yield from told(s, act("see", np("a", NOUN[en])), "past", end=place)
            for n in words.NUMBERS[:3]:
                yield from told(s, act("see", *so_many(n, NOUN[en])), "past", end=place)


@pattern(160)
def two_things_at_once() -> Pairs:
    people = [(HE, SHE), (SHE, HE), (I, YOU), (WE, THEY)]
    people[3:3] = [(NAMES[0], NAMES[6]), (NAMES[7], NAMES[2])]
    verbs_ = table("""
        sing | dance; work | sleep; cook | read; speak | listen; write | read;
        laugh | cry; cook | work; swim | run
    """)
    for a, b in people:
        for x, y in verbs_:
            for first, second in [(x, y), (y, x)]:
                for tense in ("progressive", "present", "past"):
                    if tense == "present" and x == "laugh":
                        continue
                    one, other = both(a, act(first), tense), both(b, act(second), tense)
                    for link in LINKS:
                        yield stop(linked(one, link, other))
    traits = table("""
        tired | happy; rich | sad; young | serious; poor | happy;
        old | strong; shy | funny; ill | calm; clever | lazy; kind | shy;
        rich | generous
    """)
    for s in [*SIX, *NAMES]:
        for en, but in traits:
            one, two = PERSONAL[en], PERSONAL[but]
            so = f"{en} but {but}", f"{fits(s, one)} mais {fits(s, two)}"
            yield stop(is_(s, so))
            yield stop(linked(is_(s, one), ("but", "mais"), is_(again(s), two)))


# --- Patterns: dense sentences, in which four words and more vary -----------------------

Pick = Callable[[Sequence], Any]
DENSE: set[str] = set()  # the names of these patterns


def dense(limit: int) -> Callable:
    """Register a pattern that makes one sentence at a time, of words picked at random."""

    def register(function: Callable[[Pick], Pair]) -> Callable[[Pick], Pair]:
        def pairs() -> Pairs:
            rng = random.Random(function.__name__)
            for _ in range(8 * limit):
                yield function(rng.choice)

        DENSE.add(function.__name__)
        PATTERNS[function.__name__] = (limit, pairs)
        return function

    return register


ADJECTIVES = words.QUALITIES | words.TRAITS | words.COLOURS | words.BEFORE
LOOKS: dict[str, list[Adjective]] = {}  # what a thing, an animal or somebody may look like
for adjectives_, nouns_ in table("""
    red blue green yellow black white grey brown | coat hat jumper shirt skirt jacket scarf
    cap glove sock bag umbrella cup bicycle car notebook box shoe boot dress;
    pink purple | jumper dress skirt scarf umbrella notebook shirt cap bag sock;
    red blue green black white | pen pencil ball guitar phone lamp plate;
    black white brown grey | chair table bed sofa armchair cupboard door;
    red blue yellow green | chair armchair boat lorry bus motorbike tie;
    old new | coat hat jacket bag umbrella car bicycle shoe boot phone camera watch guitar
    computer chair table bed sofa lamp map lorry motorbike book;
    old | mirror clock key boat newspaper; round | table mirror clock;
    small big | bag box umbrella table bed cupboard mirror plate lamp;
    small | book notebook chair clock boat ball key cake onion;
    long short | dress skirt coat letter poem story; french italian | book novel film;
    pretty | dress skirt scarf lamp cup; beautiful | dress watch guitar horse bird poem;
    black white grey | cat dog horse mouse rabbit goat duck; grey | wolf elephant;
    brown | dog horse rabbit cow goat hen; black white | cow bird hen sheep; pink | pig;
    yellow green blue red | bird; green | turtle; old | cat dog horse turtle lion elephant;
    small | cat dog bird monkey pig turtle goat; big | dog horse lion elephant turtle wolf;
    red green yellow | apple; green yellow | pear; red | tomato cherry onion; sad | poem;
    yellow | banana; big small | town park island lake forest river market; small | village;
    big old | house garden kitchen school church hotel theatre station bridge castle;
    small | house garden kitchen bedroom office bakery bank cinema museum pharmacy shop;
    small | restaurant; big | bedroom office library hospital tree; old | tree village;
    new | school hotel station bridge museum hospital bank library stadium; old | museum;
    beautiful | house garden tree church beach bridge town island; quiet | beach village;
    good italian french expensive | restaurant; interesting | book novel story;
    hot cold | milk coffee tea soup; fresh | bread fish; french | cheese wine;
    red white | wine; cold | water beer lemonade meat;
    young old | doctor teacher baker man woman king queen neighbour painter;
    young | student; little | boy girl; famous | painter
"""):
    for word in nouns_.split():
        LOOKS.setdefault(word, []).extend(ADJECTIVES[en] for en in adjectives_.split())


def described(pick: Pick, kind: str, noun: str, plural: bool = False) -> Phrase:
    """A noun with an adjective that suits it."""
    return np(kind, NOUN[noun], pick(LOOKS.get(noun, [None])), plural)


def perhaps(pick: Pick, kind: str, noun: str, plural: bool = False) -> Phrase:
    """A noun with or without an adjective."""
    return pick([described(pick, kind, noun, plural), np(kind, NOUN[noun], None, plural)])


def tinted(pick: Pick, kind: str, noun: str) -> Pair:
    """A noun between two French adjectives: une petite boîte rouge."""
    first, last = (
        pick([a for a in LOOKS[noun] if (a in words.BEFORE.values()) == before])
        for before in (True, False)
    )
    fr = f"{np(kind, NOUN[noun], first).fr} {agree(last, NOUN[noun].feminine)}"
    return f"{kind} {first.en} {last.en} {noun}", fr


def counted(
    pick: Pick, noun: str, adjective: Adjective | None = None, most: int = 5
) -> Pair:
    """Two things or more."""
    phrase = np("my", NOUN[noun], adjective, True)
    n, deux = pick(words.NUMBERS[: most - 1])
    return f"{n}{phrase.en.removeprefix('my')}", f"{deux}{phrase.fr.removeprefix('mes')}"


def two(pick: Pick, text: str) -> list[str]:
    """Two different words."""
    first = pick(text.split())
    return [first, pick([word for word in text.split() if word != first])]


def spot(pick: Pick, spots: str, place: Sequence) -> Pair:
    """One of the prepositions, and a place."""
    where = pick(spots.split())
    return f"{where} {place[0]}", f"{SPOTS[where]} {place[1]}"


def at(pick: Pick, spots: str, places: str, look: Callable[..., Phrase] = perhaps) -> Pair:
    """One of the prepositions, and one of the places."""
    return spot(pick, spots, look(pick, "the", pick(places.split())))


def kin(pick: Pick, kind: str, of: str = "") -> Phrase:
    """A relative."""
    return np(kind, NOUN[pick((of or KIN).split())])


def another(pick: Pick, s: Subject) -> Subject:
    """Somebody else, by name."""
    return pick([name for name in NAMES if name != s])


FOLKS = [*NAMES, *NAMES, HE, SHE, *RELATIVES[::3]]
KIN = "father mother brother sister uncle aunt grandfather grandmother"
SCENES = table("""
    book bag scarf umbrella phone notebook pen pencil newspaper camera | on under |
    table chair bed sofa armchair; hat jacket cap jumper shirt | on | chair bed sofa;
    key pen watch camera phone | in | box bag cupboard; lamp | on near | table;
    shoe boot sock glove | under near | table bed sofa cupboard armchair;
    chair table armchair lamp clock mirror | in | kitchen bedroom office library;
    car lorry bicycle motorbike | behind near | house school church station hotel;
    house hotel castle church school | near | lake river bridge park station forest;
    boat | on near | lake river; ball dog cat | behind near | door tree house
""")
PAIRED = "shoe boot sock glove"
LOSABLE = "umbrella scarf hat bag notebook phone pen jacket cap watch camera book key"
OWNABLE = """bag scarf umbrella phone notebook car bicycle hat shoe boot jacket camera watch
    cap jumper shirt book glove house coat""".split()


@dense(105)
def things_are_somewhere(pick: Pick) -> Pair:
    things, spots, places = pick(SCENES)
    noun, several = pick(things.split()), things.startswith(PAIRED)
    kind = pick(["the", "my", "his", "her"] if noun in OWNABLE else ["the"])
    where = at(pick, spots, places)
    return stop(is_(subject(described(pick, kind, noun, several)), where))


@dense(60)
def several_things_are_somewhere(pick: Pick) -> Pair:
    things, spots, places = pick(SCENES[:1] + SCENES[2:4] + SCENES[5:])
    noun = pick(things.split())
    where = at(pick, spots, places)
    several = counted(pick, noun, pick(LOOKS[noun]), 3)
    return fill("there are {} {} . | il y a {} {} .", several, where)


@dense(45)
def somebody_s_thing_is_somewhere(pick: Pick) -> Pair:
    things, spots, places = pick(SCENES[:2] + SCENES[6:7])
    thing = described(pick, "the", pick([n for n in things.split() if n in OWNABLE]))
    where = at(pick, spots, places)
    mine = (thing.en.removeprefix("the "), thing.fr)
    return fill("{0}'s {1} is {2} . | {1} de {0} est {2} .", pick(NAMES), mine, where)


TINTED = "box bag umbrella bicycle car coat dress hat jacket guitar dog cat horse bird boat"


@dense(130)
def two_adjectives(pick: Pick) -> Pair:
    noun = pick(TINTED.split())
    thing = tinted(pick, "a", noun)
    if noun in "dog cat horse":
        site = pick(["tree", "car", "house"] if noun != "horse" else ["tree", "house"])
        spots = "near under" if site != "house" else "near behind"
        where = spot(pick, spots, np("the", NOUN[site]))
        sleeping = fill("{} is sleeping {} . | {} dort {} .", thing, where)
        return pick([sleeping, fill("there's {} {} . | il y a {} {} .", thing, where)])
    s = pick([I, WE, *FOLKS])
    if noun == "dress":
        return fill("{} is wearing {} . | {} porte {} .", pick([*NAMES[6:], SHE]), thing)
    seen = noun in "bird boat car"
    verb, tense = pick([
        ("see", "past") if seen else ("lose", "past"), ("buy", "past"), ("have", "present"),
        ("want", "present"), ("find", "past") if noun != "car" else ("sell", "past")
    ])  # fmt: skip
    return stop(both(s, act(verb, *thing), tense))


RESTING = table("""
    cat | sleep | on under | table chair bed sofa armchair; dog rabbit | sleep | under |
    table bed tree; cat dog | sleep | near | door window bed; dog cat rabbit | run | in |
    garden park; bird | sing | in near | tree garden; horse cow goat sheep | sleep | under
    near | tree; horse sheep cow goat | eat | near | river lake forest castle; duck | swim |
    in | lake river; dog horse | run | in near | forest; elephant lion | sleep | under |
    tree; elephant horse cow | drink | near | river lake; monkey | laugh cry | in | tree
""")


@dense(80)
def animals_at_rest(pick: Pick) -> Pair:
    animals, verbs_, spots, places = pick(RESTING)
    animal, place = pick(animals.split()), pick(places.split())
    where = spot(pick, spots, pick([perhaps, described])(pick, "the", place))
    if pick([1, 1, 2]) == 1:
        s = subject(described(pick, pick(["the", "a"]), animal))
    else:
        s = Subject(*counted(pick, animal, pick(LOOKS[animal])), 5, False, True)
    tense = pick(["progressive", "progressive", "present", "past"])
    return stop(both(s, act(pick(verbs_.split())), tense, end=where))


FODDER = table("""
    rabbit horse goat | carrot apple; pig | apple carrot; monkey elephant | banana orange;
    cat | fish chicken; dog | meat ham; mouse | cheese bread; lion wolf | meat;
    duck hen bird | bread
""")


def fodder(pick: Pick) -> tuple[str, Phrase]:
    """An animal and what it likes."""
    animals, foods = pick(FODDER)
    food = NOUN[pick(foods.split())]
    return pick(animals.split()), np("a" if food in words.FRUIT else "any", food)


@dense(45)
def animals_eat(pick: Pick) -> Pair:
    animal, food = fodder(pick)
    kind = pick(["the", "a", "my"] if animal in "cat dog" else ["the", "a"])
    s = subject(described(pick, kind, animal))
    places = "house door" if animal in "cat dog hen" else "tree river house lake"
    where = spot(pick, "near", np("the", NOUN[pick(places.split())]))
    if animal in "rabbit cat dog mouse":
        where = fill("in {} | dans {}", np("the", NOUN[pick(["garden", "kitchen"])]))
    tense = "progressive" if kind == "a" else pick(["progressive", "present"])
    return stop(both(s, act("eat", food), tense, end=where))


@dense(60)
def feeding(pick: Pick) -> Pair:
    animal, food = fodder(pick)
    s = pick([*NAMES, HE, SHE, I, WE, the(NOUN[pick(["girl", "boy", "woman", "man"])])])
    tense = pick(["progressive", "present", "past", "near"])
    phrase = perhaps(pick, "the", animal)
    return stop(both(s, act("give", food), tense, end=fill("to {} | à {}", phrase)))


@dense(85)
def clothes(pick: Pick) -> Pair:
    s = pick(FOLKS)
    top = "coat jacket shirt jumper" + " dress skirt" * 2 * s.feminine
    first, second = pick(top.split()), pick("hat cap scarf shoe boot sock glove".split())
    several = second in PAIRED
    one = described(pick, "a", first)
    other = described(pick, "any" if several else "a", second, several)
    if pick([0, 0, 0, 0, 1]):
        other = (f"{second}s", f"des {NOUN[second].fr_plural}")
        other = other if several else np("a", NOUN[second])
    wears = both(s, act("wear"), pick(["progressive", "present"]))
    return fill("{} {} and {} . | {} {} et {} .", wears, one, other)


@dense(75)
def fruit(pick: Pick) -> Pair:
    one, other = two(pick, "apple pear tomato onion lemon egg orange banana carrot cake")
    looks = [pick([pick(LOOKS.get(noun, [None])), None]) for noun in (one, other)]
    ones, others = counted(pick, one, looks[0]), counted(pick, other, looks[1])
    goods = fill("{} and {} | {} et {}", ones, others)
    s = pick([I, WE, *FOLKS])
    verb, tense = pick([("buy", "past"), ("want", "present"), ("buy", "near")])
    if {one, other} <= {noun.en for noun in EATEN} and not any(looks):
        verb, tense = "eat", "past"
    return stop(both(s, act(verb, *goods), tense))


@dense(75)
def animals_owned_and_seen(pick: Pick) -> Pair:
    verb, animals = pick([
        ("have", "cat dog rabbit turtle bird"), ("have", "horse cow goat hen duck pig"),
        ("see", "horse cow goat hen duck pig"), ("draw", "lion elephant turtle bird horse"),
        ("see", "lion elephant wolf monkey bird"), ("want", "cat dog rabbit bird turtle")
    ])  # fmt: skip
    one, other = two(pick, animals)
    first = pick([described(pick, "a", one), counted(pick, one), np("a", NOUN[one])])
    second = pick([described(pick, "a", other), counted(pick, other, pick(LOOKS[other]))])
    if pick([0, 0, 1]):
        second = counted(pick, other)
    s = pick([I, WE, *FOLKS])
    tense = "past" if verb == "see" else "progressive" if verb == "draw" else "present"
    what = fill("{} and {} | {} et {}", first, second)
    return stop(both(s, act(verb, *what), tense))


SIGHTS = table("""
    wolf | in near | forest; bird rabbit horse | in | forest park; duck boat | on | lake
    river; monkey bird cat | in | tree; dog cat car bicycle | in | street garden;
    cow horse sheep goat | near | river forest village castle; lion elephant | near |
    river lake; mouse cat | in | kitchen house; lorry bus motorbike | in | street village
""")


@dense(55)
def sights(pick: Pick) -> Pair:
    things, where, places = pick(SIGHTS)
    noun = pick(things.split())
    thing = pick([described(pick, "a", noun), counted(pick, noun, pick(LOOKS[noun]), 3)])
    place = np("the", NOUN[pick(places.split())])
    if where == "in" and place.en == "the street":
        end = ("in the street", "dans la rue")
    else:
        end = spot(pick, where, place)
    s = pick([I, WE, *FOLKS])
    return stop(both(s, act("see", *thing[:2]), "past", end=end))


PRESENTS = "book watch hat scarf guitar pen umbrella phone cat bicycle bag ball dog lamp"


@dense(90)
def giving_to_people(pick: Pick) -> Pair:
    s = pick([*NAMES, *NAMES, HE, SHE, I])
    noun = pick(PRESENTS.split())
    verb = pick(
        ["give", "sell", "show", "lend"] if noun not in "cat dog" else ["give", "show"]
    )
    kind = own(s) if verb != "give" else pick([own(s), "a", "a"])
    receiver = pick([kin(pick, own(s)), another(pick, s)])
    if verb == "sell":
        receiver = another(pick, s)
    tense = pick(["past", "past", "future" if verb != "show" else "past"])
    end = fill("to {} | à {}", receiver)
    return stop(both(s, act(verb, perhaps(pick, kind, noun)), tense, end=end))


@dense(65)
def trips(pick: Pick) -> Pair:
    s = pick([I, WE, *FOLKS])
    tense = pick(["future", "past", "near"])
    place, fr = pick([(en.replace("in ", "to "), fr) for en, fr in WHERE])
    other = pick([kin(pick, own(s)), *[name for name in NAMES if name != s][:4]])
    when = pick((YESTERDAY if tense == "past" else TOMORROW)[:3] + YESTERDAY[-7:])
    means = pick(
        [("by train", "en train"), ("by plane", "en avion"), fill("with {}|avec {}", other)]
    )
    if place.split()[1] in FAR:
        means = fill("with {}|avec {}", other)
    return stop(both(s, act("go"), tense, end=linked((place, fr), means, when)))


FAR = "japan china canada brazil"
DOING = table("""
    read | book novel newspaper letter poem | in | garden kitchen park library bedroom;
    read write | letter poem story | near | river lake station;
    write | letter poem story | in | garden kitchen bedroom library office;
    drink | milk coffee tea lemonade beer | in | garden kitchen park office;
    eat | bread cheese cake apple sandwich | in | garden kitchen park office;
    eat | soup salad meat | in | garden kitchen;
    paint | chair table door lamp | in | garden house kitchen;
    repair | car bicycle | in behind | garden house;
    repair | chair clock guitar lamp | in | garden kitchen office bedroom;
    draw | horse bird cat lion elephant boat | in | garden kitchen bedroom park
""")


@dense(90)
def doing_something_somewhere(pick: Pick) -> Pair:
    verbs_, things, spots, places = pick(DOING)
    verb = pick(verbs_.split())
    noun, place = pick(things.split()), pick(places.split())
    s = pick([I, WE, *FOLKS])
    mass = NOUN[noun] in words.FOOD + words.DRINKS
    kind = "any" if mass else own(s) if verb in ("paint", "repair") else "a"
    thing = pick([perhaps, described])(pick, kind, noun)
    where = spot(pick, spots, perhaps(pick, "the", place))
    tense = pick(["progressive", "past"])
    return stop(both(s, act(verb, thing), tense, end=where))


@dense(50)
def what_one_takes(pick: Pick) -> Pair:
    s = pick([I, WE, *FOLKS])
    verb, foods = pick([("drink", "milk coffee tea"), ("eat", "bread soup cheese fish")])
    food = described(pick, "any", pick(foods.split()))
    return stop(both(s, act(verb, food), "present", end=pick(ALWAYS[:6])))


PERSONS = "doctor teacher baker man woman king queen neighbour painter student boy girl"


def somebody(pick: Pick, persons: str = PERSONS) -> Subject:
    """The young doctor, the old king."""
    return subject(described(pick, "the", pick(persons.split())))


@dense(55)
def two_people(pick: Pick) -> Pair:
    one, other = (somebody(pick, persons) for persons in two(pick, PERSONS))
    both_ = Subject(
        f"{one.en} and {other.en}", f"{one.fr} et {other.fr}", 5,
        one.feminine and other.feminine, True
    )  # fmt: skip
    if pick([True, False]):
        states = "tired happy ready busy surprised worried ill kind clever funny"
        state = PERSONAL[pick(states.split())]
        return stop(is_(both_, state, past=pick([True, False])))
    action = act(pick("sing dance work sleep laugh run swim eat cry smile".split()))
    return stop(both(both_, action, pick(["progressive", "past", "future"])))


OPPOSITES = table("""
    small big | house garden kitchen bedroom office; small big | school church castle hotel;
    clean dirty | kitchen bedroom office; clean dirty | shirt jacket coat dress skirt;
    clean dirty broken | glass cup plate bottle; open closed | shop bank museum library
    bakery pharmacy; open closed | door window; empty full broken | bottle glass cup;
    empty full | fridge cupboard; empty full | box bag; empty full | bus train; hot cold |
    tea coffee milk soup; fast slow | car bicycle train bus boat; easy difficult |
    exercise lesson; long short sad | letter story poem; interesting funny sad | film book
    story; heavy light | bag box; heavy light | table chair; old modern | church school
    station hotel bridge museum; comfortable old expensive | bed sofa armchair chair;
    expensive old | car phone watch camera computer guitar; red blue green yellow
    black white grey brown | coat hat jumper shirt jacket scarf cap bag umbrella; red blue
    green yellow black white grey | car bicycle lorry motorbike; white black grey | cat
    dog rabbit horse; small old | cat dog
""")


@dense(65)
def two_things_differ(pick: Pick) -> Pair:
    states, things = pick(OPPOSITES)
    pairs_ = [("the", "the"), ("my", "your"), ("his", "her"), ("my", "my")]
    kinds = pick(pairs_ if things.split()[0] in OWNABLE else pairs_[:1])
    clauses = []
    for noun, state, of in zip(two(pick, things), two(pick, states), kinds):
        clauses.append(is_(the(NOUN[noun], of), ADJECTIVES[state]))
    return fill("{} {} {} . | {} {} {} .", clauses[0], pick(LINKS), clauses[1])


LINKS = [("and", "et"), ("but", "mais")]
CONTRASTS = table("""
    tall small; rich poor; serious funny; shy brave; lazy active; calm nervous; happy sad;
    kind jealous; clever lazy; old young; tired ill; strong thin; patient nervous;
    generous jealous; polite shy; curious serious; proud worried; busy free
""")
GENERATIONS = ["father mother uncle aunt", "brother sister", "uncle aunt"]


@dense(60)
def two_people_differ(pick: Pick) -> Pair:
    one, other = two(pick, pick(GENERATIONS))
    kind, states = pick(["my", "my", "your", "his", "her"]), pick(CONTRASTS)[0]
    subjects = [the(NOUN[noun], kind) for noun in (one, other)]
    if pick([0, 0, 1]):
        subjects = [pick(NAMES[:6]), pick(NAMES[6:])]
    first, second = (
        is_(s, (PERSONAL | words.BEFORE)[state])
        for s, state in zip(subjects, two(pick, states))
    )
    return fill("{} {} {} . | {} {} {} .", first, pick(LINKS), second)


@dense(35)
def between(pick: Pick) -> Pair:
    sites = (
        "bank church school station museum park hotel river market library bakery pharmacy"
    )
    x, y = two(pick, sites)
    one, other = np("the", NOUN[x]), np("the", NOUN[y])
    site = pick([word for word in sites.split() if word not in (x, y, "river", "park")])
    place = pick([np("the", NOUN[site]), np(pick(["my", "our", "his"]), NOUN["house"])])
    return fill("{} is between {} and {} . | {} est entre {} et {} .", place, one, other)


@dense(60)
def relatives_of_somebody(pick: Pick) -> Pair:
    name, relative = pick(NAMES), kin(pick, "the", KIN + " son daughter")
    s = Subject(
        relative.en.replace("the ", f"{name.en}'s "), f"{relative.fr} de {name.fr}", 2,
        relative.feminine
    )  # fmt: skip
    verb, places = pick([
        ("work", "bakery school bank museum library university hospital university"),
        ("live", "house village town castle")
    ])  # fmt: skip
    place = described(pick, "a", pick(places.split()))
    tense = pick(["present", "present", "used to"])
    in_ = fill("in {} | dans {}", place)
    return stop(both(s, act(verb), tense, end=in_))


@dense(45)
def where_people_live(pick: Pick) -> Pair:
    s = pick(FOLKS)
    home = fill("in {} | dans {}", described(pick, "a", pick(["house", "village", "town"])))
    sites = "river lake station park church forest"
    end = spot(pick, "near", np("the", NOUN[pick(sites.split())]))
    if "house" not in home[0]:
        end = spot(pick, "near", np("the", NOUN[pick(["lake", "river", "forest"])]))
    if pick([0, 0, 1]):
        end = pick(WHERE[:10])
    if "house" in home[0] and pick([0, 0, 1]):
        bought = described(pick, "a", "house")
        return stop(both(s, act("buy", bought), "past", end=end))
    return stop(both(s, act("live"), "present", end=linked(home, end)))


@dense(65)
def two_of_my_things(pick: Pick) -> Pair:
    one, other = two(pick, LOSABLE)
    verb, kinds, tense = pick([
        ("forget", "own", "past"), ("lose", "own", "past"), ("want", "a", "present"),
        ("buy", "a", "past"), ("prefer", "the", "present")
    ])  # fmt: skip
    s = pick([I, HE, SHE, *NAMES])
    kind = own(s) if kinds == "own" else kinds
    if verb == "prefer":
        one, other = two(pick, "scarf hat jacket cap coat jumper shirt")
    first = described(pick, kind, one)
    second = pick([perhaps, described])(pick, kind, other)
    if verb == "prefer":
        return stop(both(s, act(verb, first), tense, end=fill("to {} | à {}", second)))
    what = fill("{} and {} | {} et {}", first, second)
    return stop(both(s, act(verb, *what), tense))


@dense(45)
def bring_me_two_things(pick: Pick) -> Pair:
    things = "pen pencil notebook bag umbrella box cup scarf hat plate book key"
    one, other = two(pick, things)
    asks = pick(
        table("""
        give me | donne-moi; bring me | apporte-moi; show me | montre-moi;
        give him | donne-lui; he took | il a pris; i'm looking for | je cherche;
        i'll take | je prendrai; we're looking for | nous cherchons
    """)
    )
    kind = "my" if "looking" in asks[0] else "the"
    first, second = described(pick, kind, one), described(pick, kind, other)
    return fill("{} {} and {} . | {} {} et {} .", asks, first, second)


TASTES = [
    "tea coffee milk wine beer lemonade water", "cheese ham fish chicken rice meat soup",
    "apple pear orange banana cherry strawberry tomato", "cat dog horse rabbit bird cow"
]  # fmt: skip


@dense(55)
def tastes_differ(pick: Pick) -> Pair:
    group = pick(TASTES)
    plural = group in TASTES[2:]
    one, other = (np("all", NOUN[noun], None, plural) for noun in two(pick, group))
    a = pick([*NAMES, I, HE, *RELATIVES[:4]])
    b = SHE if a == HE else another(pick, a)
    verb, contrary = pick(
        [("like", "hate"), ("like", "prefer"), ("hate", "like"), ("love", "hate")]
    )
    first = both(a, act(verb, one.en, one.fr), "present")
    second = both(b, act(contrary, other.en, other.fr), "present")
    return stop(linked(first, ("but", "mais"), second))


@dense(65)
def two_lives(pick: Pick) -> Pair:
    a = pick([*NAMES, *RELATIVES[:6], I, HE])
    b = SHE if a == HE else another(pick, a)
    verbs_ = [pick(["live", "work", "study"]), pick(["live", "work", "study"])]
    ends = [pick(WHERE), pick(WHERE)]
    if pick([0, 1]) or ends[0] == ends[1]:
        verbs_ = ["speak", "speak"]
        ends = [
            tuple(words.LANGUAGES[i])
            for i in pick([(0, 1), (2, 3), (4, 0), (1, 5), (6, 2), (3, 7), (7, 4), (5, 6)])
        ]
    clauses = [
        both(s, act(verb), "present", end=end) for s, verb, end in zip((a, b), verbs_, ends)
    ]
    return fill("{} {} {} . | {} {} {} .", clauses[0], pick(LINKS), clauses[1])


HOUSEWORK = "clean, repair, cut, prepare, paint, do, make, open, close, phone"
CHORES = doing(HOUSEWORK, ERRANDS + PASTIMES)
OTHER_TASKS = [BY_VERB[verb] for verb in "cook work sleep read write rest".split()]


@dense(80)
def sharing_the_work(pick: Pick) -> Pair:
    a, b = pick([*NAMES[:6], HE, I]), pick([*NAMES[6:], SHE])
    if pick([0, 1]) and a != I:
        a, b = b, a
    one = pick(CHORES)
    other = pick([action for action in CHORES + OTHER_TASKS if action.verb != one.verb])
    tense = pick(["progressive", "past", "future", "future"])
    return stop(linked(both(a, one, tense), ("and", "et"), both(b, other, tense)))


GAMES = doing("play, watch, walk, swim, run, learn, study", PASTIMES)


@dense(65)
def together_on_a_day(pick: Pick) -> Pair:
    s = pick([*NAMES, I, HE, SHE])
    other = pick([kin(pick, own(s)), another(pick, s)])
    tense = pick(["present", "past", "future"])
    when = {"present": MONDAYS, "past": YESTERDAY, "future": TOMORROW}[tense]
    end = linked(fill("with {} | avec {}", other), pick(when))
    return stop(both(s, pick(GAMES), tense, end=end))


MONDAYS = [*ALWAYS[1:5], *((f"on {en}s", f"le {fr}") for en, fr in words.DAYS)]


@dense(40)
def departures(pick: Pick) -> Pair:
    vehicle, (city, ville) = pick(["train", "bus", "plane"]), pick(words.CITIES)
    hour, heures = pick(HOURS)
    verb, link, de = pick([("leave", "to", "pour"), ("arrive", "from", "de")])
    phrase = np("the", NOUN[vehicle])
    s = Subject(f"{phrase.en} {link} {city}", f"{phrase.fr} {de} {ville}", 2)
    end = linked((f"at {hour}", f"à {heures}"), pick([*YESTERDAY[-7:], TOMORROW[0]]))
    return stop(both(s, act(verb), pick(["present", "future"]), end=end))


@dense(25)
def two_ages(pick: Pick) -> Pair:
    one, other = two(pick, "brother sister son daughter")
    (x, six), (y, sept) = (pick(ages_) for ages_ in (AGES[:7], AGES[7:13]))
    a, b = np("my", NOUN[one]), np("my", NOUN[other])
    return fill(
        "{} is {} and {} is {} . | {} a {} ans et {} {} .", a, (x, six), b, (y, sept)
    )


@dense(75)
def how_somebody_does_it(pick: Pick) -> Pair:
    verb, en, fr = pick(MANNERS)
    grown = verb in ("wait", "drive", "drink")
    s = somebody(pick, "doctor baker man woman" if grown else PERSONS)
    return stop(both(s, act(verb, en, fr), "present"))


@dense(110)
def things_of_somebody_are(pick: Pick) -> Pair:
    things, states = pick(
        table("""
        car bicycle motorbike lorry | slow fast expensive dirty; shirt jacket coat dress |
        dirty clean wet expensive; shoe boot glove sock | wet dirty expensive small;
        bag box | heavy empty full; watch phone camera computer | expensive broken useful;
        dog cat horse | sad beautiful ill quiet; house garden bedroom kitchen office | clean
        quiet small; chair bed sofa armchair | comfortable expensive dirty
    """)
    )
    noun = pick(things.split())
    several = noun in PAIRED
    thing = described(pick, pick(["my", "your", "his", "her", "our"]), noun, several)
    states_ = [state for state in states.split() if state not in thing.en.split()]
    adjective = (ADJECTIVES | PERSONAL)[pick(states_)]
    graded = adjective.en not in UNGRADED
    degree, fr = pick([("very", "très"), ("too", "trop")]) if graded else ("", "")
    if adjective.en in ("ill", "useful", "sad", "beautiful", "clean") and degree == "too":
        degree, fr = "very", "très"
    return stop(is_(subject(thing), adjective, adverb=(degree, fr)))


@dense(65)
def losing_and_finding(pick: Pick) -> Pair:
    s = pick([I, WE, *FOLKS])
    noun = pick(LOSABLE.split())
    verb, kind = pick([("lose", own(s)), ("forget", own(s)), ("find", "a")])
    place = pick(
        table("""
        in the park | dans le parc; on the bus | dans le bus; on the beach | sur la plage;
        at the station | à la gare; in the street | dans la rue; at school | à l'école;
        at the museum | au musée; at the restaurant | au restaurant; on the train | dans le
        train; at the market | au marché; at the library | à la bibliothèque
    """)
        + WHERE[-7:]
    )
    thing = perhaps(pick, kind, noun)
    return stop(both(s, act(verb, thing), "past", end=place))


@dense(115)
def what_happened_when(pick: Pick) -> Pair:
    s = pick([I, WE, *FOLKS])
    verb, nouns_ = pick([
        ("find", LOSABLE),
        ("lose", LOSABLE),
        ("buy", "car bicycle coat dress hat scarf umbrella jacket lamp table armchair bed"),
        ("sell", "car bicycle motorbike boat house guitar camera computer"),
        ("repair", "car bicycle motorbike chair clock lamp"), ("wear", "hat coat jacket"),
        ("see", "bird horse wolf boat car rabbit")
    ])  # fmt: skip
    kind = own(s) if verb in ("lose", "sell", "repair") else "a"
    thing = described(pick, kind, pick(nouns_.split()))
    when = pick([YESTERDAY[0], *(YESTERDAY if verb != "wear" else YESTERDAY[-7:])])
    return stop(both(s, act(verb, thing), "past", end=when))


@dense(105)
def jobs_of_relatives(pick: Pick) -> Pair:
    relative = kin(pick, "the", "father mother brother sister uncle aunt friend")
    en, *job = pick([row for row in words.JOBS if row[1] != row[2]])
    name, trait = pick(NAMES), pick("young old good famous lazy clever good".split())
    noun = Noun(en, job[relative.feminine], relative.feminine, "", "")
    what = np("a", noun, ADJECTIVES[trait])
    mine = relative.en.removeprefix("the "), relative.fr
    return fill("{0}'s {1} is {2} . | {1} de {0} est {2} .", name, mine, what)


@dense(115)
def where_people_do_it(pick: Pick) -> Pair:
    verbs_, spots, places = pick(
        table("""
        work | in | bakery bank museum restaurant library hospital pharmacy shop school;
        wait | near | station bank school park museum hotel; read sing | in | garden park;
        sleep | in | bedroom hotel house; eat | in | restaurant garden hotel;
        walk run | near | lake river castle forest bridge; live | near | lake river bridge
        station school church castle forest; swim | in | lake river
    """)
    )
    verb = pick(verbs_.split())
    where = at(pick, spots, places, described)
    tense = pick(["present"] if verb in ("live", "work") else ["progressive", "past"])
    return stop(both(pick(FOLKS), act(verb), tense, end=where))


# --- Patterns: small talk ---------------------------------------------------------------

SMALL_TALK = table("""
    hello . | bonjour .; thanks . | merci .; thank you . | merci .;
    thank you , sir . | merci , monsieur .; thank you , madam . | merci , madame .;
    thank you , doctor . | merci , docteur .; no , thank you . | non , merci .;
    yes , thank you . | oui , merci .; yes . | oui .; no . | non .;
    yes , please . | oui , s'il te plaît .; yes , sir . | oui , monsieur .;
    no , sir . | non , monsieur .; yes , madam . | oui , madame .;
    no , madam . | non , madame .; of course . | bien sûr .; good idea ! | bonne idée !;
    see you tomorrow ! | à demain !; see you soon ! | à bientôt !;
    see you later ! | à plus tard !; see you tonight ! | à ce soir !;
    good evening . | bonsoir .; good night . | bonne nuit .;
    how are you ? | comment vas-tu ?; how are you , sir ? | comment allez-vous , monsieur ?;
    how are you , madam ? | comment allez-vous , madame ?;
    how are you , children ? | comment allez-vous , les enfants ?;
    i'm fine . | je vais bien .; i'm fine , thank you . | je vais bien , merci .;
    he's fine . | il va bien .; she's fine . | elle va bien .;
    we're fine . | nous allons bien .; they're fine . | ils vont bien .;
    i'm coming . | j'arrive .; i don't know . | je ne sais pas .; i know . | je sais .;
    we know . | nous savons .; he knows . | il sait .; she knows . | elle sait .;
    they know . | ils savent .; you know . | tu sais .; who knows ? | qui sait ?;
    who is it ? | qui est-ce ?; what is it ? | qu'est-ce que c'est ?;
    what's this ? | qu'est-ce que c'est ?; why ? | pourquoi ?; why not ? | pourquoi pas ?;
    who ? | qui ?; when ? | quand ?; where ? | où ?; how ? | comment ?;
    me too . | moi aussi .; you too . | toi aussi .; him too . | lui aussi .;
    i think so . | je crois .; i hope so . | je l'espère .; here i am . | me voici .;
    here he is . | le voici .; here she is . | la voici .; here they are . | les voici .;
    happy birthday ! | bon anniversaire !; be careful ! | sois prudent !;
    be calm . | sois calme .; be polite . | sois poli .; be patient . | sois patient .;
    be quiet , children . | soyez calmes , les enfants .;
    be patient , sir . | soyez patient , monsieur .;
    be polite , children . | soyez polis , les enfants .;
    be careful , children . | soyez prudents , les enfants .;
    don't be afraid . | n'aie pas peur .; don't be late . | ne sois pas en retard .;
    don't be sad . | ne sois pas triste .; don't be shy . | ne sois pas timide .;
    don't be late , children . | ne soyez pas en retard , les enfants .;
    don't be sad , my friends . | ne soyez pas tristes , mes amis .;
    come here . | viens ici .; come in . | entre .; go home . | rentre à la maison .;
    let's go . | allons-y .; not now . | pas maintenant .; not today . | pas aujourd'hui .;
    not yet . | pas encore .; come here , please . | viens ici , s'il te plaît .;
    come quickly . | viens vite .
""")


SAID = entries(
    """hello bonjour, good_evening bonsoir, good_night bonne_nuit, thank_you merci,
    happy_birthday bon_anniversaire, see_you_tomorrow à_demain, see_you_soon à_bientôt,
    see_you_later à_plus_tard, come_here viens_ici, come_in entre, of_course bien_sûr,
    good_idea bonne_idée, let's_go allons-y"""
)
ASKED = entries(
    """how_are_you comment_vas-tu, what_are_you_doing que_fais-tu, why pourquoi,
    what_is_it qu'est-ce_que_c'est, who_is_it qui_est-ce, where_are_you où_es-tu"""
)


@pattern(400)
def small_talk() -> Pairs:
    yield from SMALL_TALK
    for s in NAMES:
        for greeting in SAID:
            yield fill("{} , {} ! | {} , {} !", greeting, s)
        for en in ("careful", "patient", "serious", "polite", "honest", "brave"):
            trait = en, fits(s, words.TRAITS[en])
            yield fill("be {} , {} . | sois {} , {} .", trait, s)
            yield fill("don't be afraid , {} . | n'aie pas peur , {} .", s)
        for asked in ASKED:
            yield fill("{} , {} ? | {} , {} ?", asked, s)
