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
    fits,
    form,
    french,
    imperative,
    imperfect,
    infinitive,
    invert,
    inverted,
    is_,
    is_so,
    linked,
    listed,
    loved,
    np,
    participle,
    present,
    question,
    short,
    short_not,
    stop,
    table,
    the,
    third,
    unclear,
)
from phrasebook_words import Adjective, Noun, entries

# --- What people do: lists of actions, for the patterns to draw from ------------------

SIMPLE = [
    act(verb)
    for verb in """sing dance work sleep run walk swim cry laugh smile eat drink read
    write cook travel speak wait listen leave pay cheat lie hesitate answer win lose
    understand forget dream shout drive start finish arrive fall rest hurry""".split()
] + [act(verb) for verb in ("get up", "wake up", "get dressed", "have fun", "fall asleep")]
BY_VERB = {action.verb.en: action for action in SIMPLE}
STILL = [  # what one is in the middle of: i'm eating, i was eating
    BY_VERB[verb]
    for verb in """sing dance work sleep run swim cry laugh smile eat drink read write cook
    wait listen leave lie dream drive get_dressed""".replace("_", " ").split()
    if verb in BY_VERB
]
NOUN = {
    noun.en: noun
    for table in vars(words).values()
    if isinstance(table, list)
    for noun in table
    if isinstance(noun, Noun)
}


def some(
    verb: str, nouns: list[Noun], plural: bool = False, kind: str = "any"
) -> list[Action]:
    return [act(verb, np(kind, noun, None, plural)) for noun in nouns]


PASTIMES = [
    act(*row)
    for row in table("""
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
]
EATEN = [noun for noun in words.FRUIT if noun.en not in ("lemon", "onion")]
MEALS = some("eat", words.FOOD) + some("drink", words.DRINKS)
MEALS += some("eat", EATEN, plural=True) + some("read", words.READING, plural=True)
MEALS += some("write", [NOUN["letter"], NOUN["poem"], NOUN["story"]], plural=True)
HABITS = PASTIMES + MEALS
ERRANDS = some("buy", words.THINGS + words.CLOTHES, kind="a")
ERRANDS += some("buy", words.FOOD + words.DRINKS[:2], kind="some")
ERRANDS += some("buy", words.FRUIT, True, "some")
ERRANDS += some("sell", words.VEHICLES[1:2] + words.VEHICLES[-2:], kind="the")
ERRANDS += some("repair", words.VEHICLES[-4:] + words.FURNITURE[-3:], kind="the")
ERRANDS += some("visit", [NOUN[en] for en in ("castle", "museum", "church")], kind="the")
ERRANDS += some(
    "write", [NOUN["letter"], NOUN["poem"], NOUN["story"], NOUN["book"]], kind="a"
)
ERRANDS += some("read", words.READING, kind="this")
ERRANDS += some("clean", [*words.ROOMS, NOUN["car"], NOUN["table"]], kind="the")
ERRANDS += some("draw", [*words.ANIMALS, NOUN["tree"], NOUN["house"]], kind="a")
ERRANDS += some("paint", [NOUN["chair"], NOUN["table"], NOUN["kitchen"]], kind="the")
ERRANDS += [
    act(*row)
    for row in table("""
        open | the door | la porte; open | the window | la fenêtre; close | the door | la
        porte; close | the window | la fenêtre; cut | the bread | le pain; make | a cake |
        un gâteau; take | a photo | une photo; choose | a present | un cadeau; bring | a
        present | un cadeau; phone | the doctor | le médecin; invite | the neighbours | les
        voisins; help | the neighbours | les voisins
    """)
]
MISHAPS = some("lose", words.THINGS, kind="a") + some("find", words.THINGS, kind="a")
MISHAPS += some(
    "break", [NOUN[en] for en in "plate cup bottle lamp chair".split()], kind="a"
)
MISHAPS += some(
    "forget", [NOUN[en] for en in "bag umbrella ticket key".split()], kind="the"
)
SEEN = some("see", words.ANIMALS, kind="a") + some(
    "hear", [NOUN["dog"], NOUN["cat"]], kind="the"
)

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
    for s in SIX * 3 + NAMES + CHILDREN:
        for en, adjective in PERSONAL.items():
            yield f"{short(s, be(s))} {en} .", f"{is_so(s, fits(s, adjective))} ."


@pattern(130)
def women_are() -> Pairs:
    shared = (
        "happy tired ready busy alone surprised lost worried late tall clever kind".split()
    )
    for s in [s for s in CHILDREN + PAIRS if s.feminine and s.en != "paul and marie"]:
        for en in shared:
            yield stop(is_(s, en, PERSONAL[en]))
            yield stop(is_(s, en, PERSONAL[en], past=True))


@pattern(110)
def somebody_is_not() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        for en, adjective in PERSONAL.items():
            yield f"{short_not(s)} {en} .", f"{is_so(s, fits(s, adjective), 'pas')} ."


@pattern(150)
def somebody_is_very() -> Pairs:
    degrees = [("very", "très"), ("too", "trop"), ("so", "si"), ("a little", "un peu")]
    for s in SIX + NAMES + RELATIVES[:12]:
        for en, adjective in GRADED.items():
            for degree, fr in degrees[: 2 if adjective.invariable else 3]:
                if degree == "very" or en in ("serious", "shy", "proud", "nervous", "lazy"):
                    line = f"{short(s, be(s))} {degree} {en} ."
                    yield line, f"{is_so(s, f'{fr} {fits(s, adjective)}')} ."


@pattern(110)
def somebody_is_always() -> Pairs:
    times = [("always", "toujours"), ("often", "souvent"), ("already", "déjà")]
    for s in SIX + NAMES:
        for en in "late tired calm busy happy ill ready alone angry".split():
            for when, fr in times:
                if (
                    (en != "ready")
                    if when != "already"
                    else en in ("late", "tired", "ready")
                ):
                    adjective = f"{fr} {fits(s, PERSONAL[en])}"
                    yield f"{short(s, be(s))} {when} {en} .", f"{is_so(s, adjective)} ."
            if en != "ready":
                line = f"{short(s, be(s))} never {en} ."
                yield line, f"{is_so(s, fits(s, PERSONAL[en]), 'jamais')} ."


@pattern(170)
def somebody_was() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:16] + CHILDREN:
        for en, adjective in MOODS.items():
            if en == "married":
                continue
            for when, quand in [("", ""), *YESTERDAY[:4]]:
                fr = is_so(s, f"{fits(s, adjective)} {quand}", "", "imperfect")
                yield f"{s.en} {be(s, True)} {en} {when} .", f"{fr} ."
                fr = is_so(s, f"{fits(s, adjective)} {quand}", "pas", "imperfect")
                yield f"{short_not(s, True)} {en} {when} .", f"{fr} ."


@pattern(150)
def is_somebody() -> Pairs:
    for s in SIX[1:]:
        for en, adjective in PERSONAL.items():
            fr = f"{invert(present('être', s.person), s)} {fits(s, adjective)}"
            yield f"{be(s)} {s.en} {en} ?", f"{fr} ?"
            if en in MOODS and en not in ("lost", "alone", "sure") and s != WE:
                yield f"why {be(s)} {s.en} {en} ?", f"pourquoi {fr} ?"
    for s in NAMES + RELATIVES:
        for en, adjective in MOODS.items():
            yield f"{be(s)} {s.en} {en} ?", f"est-ce que {is_so(s, fits(s, adjective))} ?"


@pattern(160)
def polite_being() -> Pairs:
    for s, tail, fr_tail in POLITE:
        for en, adjective in MOODS.items():
            so = fits(s, adjective)
            if en == "married" and "children" in tail:
                continue
            if en not in ("calm", "married", "sad"):
                yield f"are {s.en} {en} {tail} ?", f"êtes-vous {so} {fr_tail} ?"
            start = short(s, "are") if tail else "you two are"
            yield f"{start} {en} {tail} .", f"vous êtes {so} {fr_tail} ."


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
    (NOUN[noun], (words.QUALITIES | words.BEFORE)[adjective])
    for nouns_, adjectives_ in THING_IS
    for noun in nouns_.split()
    for adjective in adjectives_.split()
]


@pattern(240)
def something_is() -> Pairs:
    for noun, adjective in MATCHES:
        for kind in ("the", "this"):
            s = the(noun, kind)
            so = agree(adjective, s.feminine)
            yield f"{s.en} is {adjective.en} .", f"{is_so(s, so)} ."
            yield f"{s.en} isn't {adjective.en} .", f"{is_so(s, so, 'pas')} ."
            yield f"is {s.en} {adjective.en} ?", f"est-ce que {is_so(s, so)} ?"
            yield f"{s.en} is very {adjective.en} .", f"{is_so(s, 'très ' + so)} ."
        if noun.en not in "water milk bread meat cheese coffee tea soup".split():
            s = the(noun, plural=True)
            so = agree(adjective, s.feminine, True)
            yield f"{s.en} are {adjective.en} .", f"{is_so(s, so)} ."
            s = the(noun, "this", plural=True)
            yield f"{s.en} aren't {adjective.en} .", f"{is_so(s, so, 'pas')} ."


UNGRADED = ("broken", "empty", "full", "open", "closed")
COLOURED = (
    words.CLOTHES
    + words.SHOES
    + words.VEHICLES[-4:]
    + [NOUN[en] for en in "bag umbrella chair lamp door cup pencil armchair".split()]
)


@pattern(170)
def something_has_a_colour() -> Pairs:
    for noun in COLOURED:
        plural = noun in words.SHOES
        is_, isnt = ("are", "aren't") if plural else ("is", "isn't")
        for colour in words.COLOURS.values():
            for kind in ("the", "my", "your", "his", "her"):
                s = the(noun, kind, plural)
                so = agree(colour, s.feminine, plural)
                yield f"{s.en} {is_} {colour.en} .", f"{is_so(s, so)} ."
                yield f"{s.en} {isnt} {colour.en} .", f"{is_so(s, so, 'pas')} ."


@pattern(50)
def what_colour() -> Pairs:
    for noun in COLOURED:
        for kind in ("your", "his", "her", "their", "the"):
            if noun not in words.SHOES:
                fr = np(kind, noun).fr
                yield f"what colour is {kind} {noun.en} ?", f"de quelle couleur est {fr} ?"


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
                    phrase = np(kind, noun, colour)
                    mark = "?" if en.split()[0] in ("where", "do", "who") else "."
                    yield f"{en} {phrase.en} {mark}", f"{fr} {phrase.fr} {mark}"


@pattern(90)
def pairs_of_things() -> Pairs:
    for noun in words.SHOES:
        for colour in words.COLOURS.values():
            for (en, fr), kind in [
                (("i bought", "j'ai acheté"), "some"),
                (("she's wearing", "elle porte"), "any"),
                (("he has", "il a"), "any"),
                (("where are", "où sont"), "my"),
                (("where are", "où sont"), "your"),
                (("i like", "j'aime"), "this"),
                (("i lost", "j'ai perdu"), "my"),
            ]:
                phrase = np(kind, noun, colour, plural=True)
                mark = "?" if "where" in en else "."
                yield f"{en} {phrase.en} {mark}", f"{fr} {phrase.fr} {mark}"


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
    (NOUN[noun], (words.BEFORE | words.QUALITIES)[adjective])
    for adjective, nouns_ in EPITHETS
    for noun in nouns_.split()
]


@pattern(330)
def it_is_a() -> Pairs:
    for noun, adjective in NAMED:
        phrase = np("a", noun, adjective)
        yield f"it's {phrase.en} .", f"c'est {phrase.fr} ."
        yield f"that's {phrase.en} .", f"c'est {phrase.fr} ."
        yield f"it isn't {phrase.en} .", f"ce n'est pas {phrase.fr} ."
        yield f"is it {phrase.en} ?", f"est-ce que c'est {phrase.fr} ?"
        yield f"it was {phrase.en} .", f"c'était {phrase.fr} ."
        several = np("some", noun, adjective, plural=True)
        yield f"these are {several.en.removeprefix('some ')} .", f"ce sont {several.fr} ."


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
        for noun in nouns.split():
            for en, fr in frames:
                phrase = np("a", NOUN[noun], words.BEFORE[adjective])
                if en == "look at":
                    phrase = np("this", NOUN[noun], words.BEFORE[adjective])
                mark = "?" if en.startswith("do ") else "."
                yield f"{en} {phrase.en} {mark}", f"{fr} {phrase.fr} {mark}"


@pattern(100)
def what_a() -> Pairs:
    for noun, adjective in NAMED:
        if adjective.en in "big small empty famous french italian useful modern".split():
            continue
        which = ("quel", "quelle")[noun.feminine]
        yield f"what {np('a', noun, adjective).en} !", f"{which} {bare(noun, adjective)} !"


@pattern(400)
def described_things() -> Pairs:
    frames = table("""
        we saw | nous avons vu | house castle bird tree garden horse island church town
        museum village film bridge; she saw | elle a vu | house castle bird tree garden
        horse island church town museum village film bridge; there's | il y a | house castle
        bird tree garden horse island church town museum village film bridge restaurant
        hotel park beach school lake; they bought | ils ont acheté | house car computer
        phone watch umbrella coat bicycle guitar book dress bag camera; i bought | j'ai
        acheté | house car computer phone watch umbrella coat bicycle guitar book dress bag
        camera; she has | elle a | house car computer phone watch umbrella coat bicycle
        guitar book dress bag camera; i'd like | je voudrais | house car computer phone
        watch umbrella coat bicycle guitar book dress bag camera; we need | nous avons
        besoin de | car computer phone house lamp map bag; i know | je connais | restaurant
        hotel beach village; he lives in | il habite dans | house village building town; my
        uncle lives in | mon oncle habite dans | house village building town; she's reading
        | elle lit | book story newspaper letter poem; i'm looking for | je cherche |
        restaurant hotel book map
    """)
    for en, fr, fitting in frames:
        for noun, adjective in NAMED:
            if noun.en in fitting.split() and (adjective.en != "bad"):
                phrase = np("a", noun, adjective)
                yield f"{en} {phrase.en} .", f"{fr} {phrase.fr} ."


COMPARED = table("""
    taller | tall | people; younger | young | people; older | old | people;
    stronger | strong | people; richer | rich | people; more patient | patient | people;
    more serious | serious | people; lazier | lazy | people;
    more generous | generous | people
""")


@pattern(160)
def comparing_people() -> Pairs:
    subjects = [
        s
        for s in RELATIVES
        if s.en
        in ("my father", "my mother", "my uncle", "my aunt", "my brother", "my sister")
    ]
    children = [s for s in subjects if s.en in ("my brother", "my sister")]
    for more, en, _ in COMPARED:
        adjective = PERSONAL[en]
        for a in [HE, SHE, *NAMES, *subjects]:
            so = fits(a, adjective)
            for b in NAMES[::2] + subjects:
                if (a in subjects and b in NAMES) or a == b:
                    continue
                if a in subjects and (a in children) != (b in children):
                    continue
                start = short(a, "is")
                line = f"{start} {more} than {b.en} ."
                yield line, f"{is_so(a, f'plus {so} que {b.fr}')} ."
                if en != "young":
                    fr = is_so(a, f"aussi {so} que {b.fr}")
                    yield f"{start} as {en} as {b.en} .", f"{fr} ."
                if more.startswith("more"):
                    fr = is_so(a, f"moins {so} que {b.fr}")
                    yield f"{start} less {en} than {b.en} .", f"{fr} ."


@pattern(100)
def comparing_with_pronouns() -> Pairs:
    strong_forms = [
        ("me", "moi", I),
        ("you", "toi", YOU),
        ("him", "lui", HE),
        ("her", "elle", SHE),
    ]
    for more, en, _ in COMPARED:
        for a in [I, YOU, HE, SHE, *NAMES]:
            for b, fr, s in strong_forms:
                if a != s:
                    so = is_so(a, f"plus {fits(a, PERSONAL[en])} que {fr}")
                    yield f"{short(a, be(a))} {more} than {b} .", f"{so} ."


@pattern(40)
def superlatives() -> Pairs:
    best = table("tallest | tall; youngest | young; oldest | old; strongest | strong")
    groups = [("in the class", "de la classe"), ("in the family", "de la famille")]
    for s in [I, YOU, HE, SHE, *NAMES]:
        for most, en in best:
            for group, fr in groups:
                the_most = "la plus" if s.feminine else "le plus"
                so = is_so(s, f"{the_most} {fits(s, PERSONAL[en])} {fr}")
                yield f"{short(s, be(s))} the {most} {group} .", f"{so} ."


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
        for a in fitting.split():
            for b in fitting.split():
                speed = more in ("faster", "slower")
                if a != b and (not speed or fitting.index(a) < fitting.index(b)):
                    s, other = the(NOUN[a]), the(NOUN[b])
                    degree = "moins" if more == "cheaper" else "plus"
                    so = f"{degree} {agree(adjective, s.feminine)} que {other.fr}"
                    yield f"{s.en} is {more} than {other.en} .", f"{is_so(s, so)} ."


@pattern(80)
def the_best() -> Pairs:
    for noun in [
        NOUN[en] for en in "restaurant hotel school bakery museum beach song".split()
    ]:
        best = ("le meilleur", "la meilleure")[noun.feminine]
        better = ("meilleur", "meilleure")[noun.feminine]
        for place, fr in [("in the town", "de la ville"), ("in the world", "du monde")]:
            if noun.en != "song":
                yield f"it's the best {noun.en} {place} .", f"c'est {best} {noun.fr} {fr} ."
        yield f"this {noun.en} is better .", f"{np('this', noun).fr} est {better} ."
        line = f"which {noun.en} is the best ?"
        yield line, f"quel{'le' * noun.feminine} {noun.fr} est {best} ?"
        line = f"what is the best {noun.en} ?"
        yield line, f"quel{'le' * noun.feminine} est {best} {noun.fr} ?"
    for a in "coffee soup cake bread wine tea salad".split():
        for kind, other, fr in [("your", "mine", "mien"), ("my", "hers", "sien")]:
            s = the(NOUN[a], kind)
            better = "meilleure" if s.feminine else "meilleur"
            than = f"la {fr}ne" if s.feminine else f"le {fr}"
            yield f"{s.en} is better than {other} .", f"{s.fr} est {better} que {than} ."


# --- Patterns: jobs, origins, ages, states --------------------------------------------


@pattern(190)
def jobs() -> Pairs:
    kin = [s for s in RELATIVES if s.en.split()[1] not in ("neighbour", "friend", "son")]
    for en, masculine, feminine in words.JOBS:
        for s in [I, YOU, HE, SHE, *NAMES, *kin]:
            job = feminine if s.feminine else masculine
            yield f"{short(s, be(s))} a {en} .", f"{is_so(s, job)} ."
            yield f"{short_not(s)} a {en} .", f"{is_so(s, job, 'pas')} ."
            if s in (YOU, HE, SHE):
                fr = f"{invert(present('être', s.person), s)} {job}"
                yield f"{be(s)} {s.en} a {en} ?", f"{fr} ?"
            wants = "want" if s.person < 2 else "wants"
            line = f"{s.en} {wants} to be a {en} ."
            yield line, f"{s.fr} {present('vouloir', s.person)} être {job} ."
        yield f"are you a {en} , sir ?", f"êtes-vous {masculine} , monsieur ?"
        yield f"are you a {en} , madam ?", f"êtes-vous {feminine} , madame ?"
        yield f"my cousin paul is a {en} .", f"mon cousin paul est {masculine} ."
        yield f"my cousin marie is a {en} .", f"ma cousine marie est {feminine} ."
        yield f"my friend emma is a {en} .", f"mon amie emma est {feminine} ."


@pattern(70)
def nationalities() -> Pairs:
    for en, adjective in words.NATIONALITIES.items():
        for s in [*SIX, *NAMES[::3], *RELATIVES[::5], *PAIRS]:
            yield f"{short(s, be(s))} {en} .", f"{is_so(s, fits(s, adjective))} ."
            if s in SIX[1:]:
                fr = f"{invert(present('être', s.person), s)} {fits(s, adjective)}"
                yield f"{be(s)} {s.en} {en} ?", f"{fr} ?"


FROM = {en: re.sub("^en ", "de ", fr).replace("au ", "du ") for en, fr in words.COUNTRIES}


@pattern(90)
def origins() -> Pairs:
    for s in [*SIX, *NAMES[::2], *RELATIVES[::4], *PAIRS]:
        comes = "comes" if s.third else "come"
        for en, fr in [
            *FROM.items(),
            *((city, f"de {ville}") for city, ville in words.CITIES),
        ]:
            line = f"{s.en} {comes} from {en} ."
            yield line, f"{s.fr} {present('venir', s.person)} {fr} ."
    for en, fr in FROM.items():
        yield f"this wine comes from {en} .", f"ce vin vient {fr} ."
        yield f"these oranges come from {en} .", f"ces oranges viennent {fr} ."


WHERE = [(f"in {en}", fr) for en, fr in words.COUNTRIES]
WHERE += [(f"in {en}", f"à {fr}") for en, fr in words.CITIES]


@pattern(180)
def living_somewhere() -> Pairs:
    spots = [
        *WHERE,
        ("here", "ici"),
        ("in town", "en ville"),
        ("in the country", "à la campagne"),
    ]
    spots += [("near the sea", "près de la mer"), ("near the station", "près de la gare")]
    for s in ANYONE:
        for spot in spots:
            for verb in ("live", "work", "study"):
                if verb == "live" or spot[0].startswith("in "):
                    if verb == "study" and s not in SIX + NAMES:
                        continue
                    yield stop(both(s, act(verb), "present", end=spot))
                    yield stop(both(s, act(verb), "present", no=True, end=spot))
            yield stop(both(s, act("live"), "used to", end=spot))
            if spot in WHERE and s in SIX + NAMES:
                for verb, tense in (
                    ("travel", "past"),
                    ("go", "future"),
                    ("live", "want to"),
                ):
                    link = "to " if verb == "go" else "in "
                    place = (link + spot[0][3:], spot[1])
                    yield stop(both(s, act(verb), tense, end=place))


@pattern(60)
def have_you_ever_been() -> Pairs:
    for (en, _), spot in zip([*words.COUNTRIES, *words.CITIES], [fr for _, fr in WHERE]):
        for s in (YOU, HE, SHE, THEY):
            has = "has" if s.third else "have"
            done = agree_participle("allé", s.feminine, s.several)
            fr = f"{invert(present('être', s.person), s)} déjà {done} {spot}"
            yield f"{has} {s.en} ever been to {en} ?", f"{fr} ?"
            if s != YOU:
                en_short = "'s" if s.third else "'ve"
                fr = f"{s.fr} ne {present('être', s.person)} jamais {done} {spot}"
                yield f"{s.en}{en_short} never been to {en} .", f"{fr} ."
        yield f"i've never been to {en} .", f"je ne suis jamais allé {spot} ."


NEEDS = entries(
    """hungry faim, thirsty soif, cold froid, hot chaud, afraid peur, sleepy sommeil,
    right raison, wrong tort, lucky de_la_chance"""
)


@pattern(230)
def states_with_avoir() -> Pairs:
    for s in SIX + SIX + NAMES + PAIRS + RELATIVES[:20]:
        has, had = present("avoir", s.person), imperfect("avoir", s.person)
        for en, fr in NEEDS:
            no = fr.replace("de la", "de")
            yield f"{short(s, be(s))} {en} .", f"{s.fr} {has} {fr} ."
            yield f"{short_not(s)} {en} .", f"{s.fr} ne {has} pas {no} ."
            if en not in ("right", "wrong", "lucky"):
                yield f"{short(s, be(s))} very {en} .", f"{s.fr} {has} très {fr} ."
                yield f"{short(s, be(s))} always {en} .", f"{s.fr} {has} toujours {fr} ."
            yield f"{s.en} {be(s, True)} {en} .", f"{s.fr} {had} {fr} ."
            if s in SIX[1:]:
                yield f"{be(s)} {s.en} {en} ?", f"{invert(has, s)} {fr} ?"
            elif s in NAMES:
                yield f"is {s.en} {en} ?", f"est-ce que {s.fr} {has} {fr} ?"
    for s, tail, fr_tail in POLITE:
        for en, fr in NEEDS:
            start = short(s, "are") if tail else "you two are"
            yield f"are {s.en} {en} {tail} ?", f"avez-vous {fr} {fr_tail} ?"
            yield f"{start} {en} {tail} .", f"vous avez {fr} {fr_tail} ."


@pattern(70)
def afraid_of() -> Pairs:
    feared = [NOUN[en] for en in "dog wolf mouse horse lion cow".split()]
    for s in SIX + NAMES + RELATIVES[:8]:
        has = present("avoir", s.person)
        for noun in feared:
            en = f"afraid of {noun.en_plural}"
            yield f"{short(s, be(s))} {en} .", f"{s.fr} {has} peur des {noun.fr_plural} ."
            line = f"{short_not(s)} {en} ."
            yield line, f"{s.fr} ne {has} pas peur des {noun.fr_plural} ."
            if s in SIX[1:]:
                line = f"{be(s)} {s.en} {en} ?"
                yield line, f"{invert(has, s)} peur des {noun.fr_plural} ?"


@pattern(110)
def body() -> Pairs:
    owners = {"my": I, "your": YOU, "his": HE, "her": SHE}
    for noun in words.BODY:
        place = np("the", noun).fr
        for kind, s in owners.items():
            has = present("avoir", s.person)
            for when, quand in table(" | ; today | aujourd'hui; this morning | ce matin"):
                if when != "this morning":
                    en = f"{kind} {noun.en} hurts {when} ."
                    yield en, f"{s.fr} {has} mal à {place} {quand} ."
            yield f"{kind} {noun.en} still hurts .", f"{s.fr} {has} encore mal à {place} ."
            en = f"does {kind} {noun.en} hurt ?"
            yield en, f"est-ce que {s.fr} {has} mal à {place} ?"
            yield f"{kind} {noun.en} doesn't hurt .", f"{s.fr} ne {has} pas mal à {place} ."
            if kind != "your":
                en = f"{kind} {noun.en} doesn't hurt anymore ."
                yield en, f"{s.fr} ne {has} plus mal à {place} ."
        for title, titre in (("sir", "monsieur"), ("madam", "madame")):
            en = f"does your {noun.en} hurt , {title} ?"
            yield en, f"est-ce que vous avez mal à {place} , {titre} ?"


AGES = words.NUMBERS[1:] + entries(
    """thirteen treize, fifteen quinze, sixteen seize, twenty vingt, thirty trente,
    forty quarante"""
)


@pattern(110)
def ages() -> Pairs:
    for s in [I, YOU, HE, SHE, *NAMES, *RELATIVES[::3]]:
        elder = any(
            word in s.en for word in ("father", "mother", "uncle", "aunt", "neighbour")
        )
        for en, fr in AGES:
            if (elder and AGES.index([en, fr]) < len(AGES) - 2) or "grand" in s.en:
                continue
            years = f"{fr} ans"
            line = f"{short(s, be(s))} {en} years old ."
            yield line, f"{s.fr} {present('avoir', s.person)} {years} ."
            if s in (HE, SHE, *NAMES):
                yield f"{s.en} will be {en} tomorrow .", f"{s.fr} aura {years} demain ."
    for s in RELATIVES:
        yield f"how old is {s.en} ?", f"quel âge a {s.fr} ?"
    yield "how old are you ?", "quel âge as-tu ?"
    yield "how old is he ?", "quel âge a-t-il ?"
    yield "how old is she ?", "quel âge a-t-elle ?"
    yield "how old are you , children ?", "quel âge avez-vous , les enfants ?"


# --- Patterns: it is, there is, where, when -------------------------------------------


@pattern(110)
def it_is() -> Pairs:
    judged = (
        "easy difficult expensive interesting useful dangerous delicious funny sad long"
    )
    extra = [("true", "vrai"), ("important", "important"), ("possible", "possible")]
    extra += [("impossible", "impossible"), ("strange", "étrange"), ("far", "loin")]
    extra += [("perfect", "parfait"), ("beautiful", "beau"), ("good", "bon")]
    for en, fr in [
        *((en, (words.QUALITIES | words.BEFORE)[en].fr) for en in judged.split()),
        *extra,
    ]:
        yield f"it's {en} .", f"c'est {fr} ."
        yield f"that's {en} .", f"c'est {fr} ."
        yield f"it isn't {en} .", f"ce n'est pas {fr} ."
        yield f"that's not {en} .", f"ce n'est pas {fr} ."
        yield f"is it {en} ?", f"est-ce que c'est {fr} ?"
        yield f"it was {en} .", f"c'était {fr} ."
        if en not in ("true", "possible", "impossible", "perfect", "delicious"):
            yield f"it's too {en} .", f"c'est trop {fr} ."
            yield f"it's very {en} .", f"c'est très {fr} ."


@pattern(140)
def weather() -> Pairs:
    now = entries(
        """raining il_pleut, snowing il_neige, cold il_fait_froid, hot il_fait_chaud,
        sunny il_y_a_du_soleil, windy il_y_a_du_vent, dark il_fait_nuit"""
    )
    past = dict(
        table("""
            raining | il pleuvait; snowing | il neigeait; cold | il faisait froid; hot | il
            faisait chaud; sunny | il y avait du soleil; windy | il y avait du vent; dark |
            il faisait nuit
        """)
    )
    when = entries("today aujourd'hui, this_morning ce_matin, here ici, outside dehors")
    for en, fr in now:
        if en in ("raining", "snowing", "sunny", "windy"):
            yield f"it's {en} .", f"{fr} ."
            yield f"is it {en} ?", f"est-ce qu'{fr} ?"
        verb = "il y a" if fr.startswith("il y a") else " ".join(fr.split()[:2])
        always = fr.replace(verb, f"{verb} toujours")
        for time, quand in [*when, *WHERE]:
            if en != "dark" or time == "outside":
                yield f"it's {en} {time} .", f"{fr} {quand} ."
                yield f"is it {en} {time} ?", f"est-ce qu'{fr} {quand} ?"
                yield f"it's always {en} {time} .", f"{always} {quand} ."
                if (time, quand) in WHERE:
                    yield f"it was {en} {time} yesterday .", f"{past[en]} {quand} hier ."
        yield f"it was {en} last night .", f"{past[en]} hier soir ."
        yield f"it was {en} yesterday .", f"{past[en]} hier ."
    for en, fr in TOMORROW[:4]:
        yield f"it will rain {en} .", f"il pleuvra {fr} ."
        yield f"it's going to rain {en} .", f"il va pleuvoir {fr} ."
        yield f"it will snow {en} .", f"il neigera {fr} ."
        yield f"it won't rain {en} .", f"il ne pleuvra pas {fr} ."
    for en, fr in ALWAYS[-3:]:
        yield f"it often rains {en} .", f"il pleut souvent {fr} ."
        yield f"it never snows {en} .", f"il ne neige jamais {fr} ."


HOURS = [(en, f"{fr} heures") for en, fr in words.NUMBERS[:-1]] + [("one", "une heure")]


@pattern(150)
def clock() -> Pairs:
    yield "what time is it ?", "quelle heure est-il ?"
    yield "it's noon .", "il est midi ."
    yield "it's midnight .", "il est minuit ."
    leaving = "train bus plane boat".split()
    for hour, heure in HOURS:
        yield f"it's {hour} o'clock .", f"il est {heure} ."
        yield f"it's already {hour} o'clock .", f"il est déjà {heure} ."
        yield f"it's half past {hour} .", f"il est {heure} et demie ."
        yield f"it's almost {hour} o'clock .", f"il est presque {heure} ."
        yield f"it's not {hour} o'clock yet .", f"il n'est pas encore {heure} ."
        yield f"come at {hour} o'clock .", f"viens à {heure} ."
        for noun in leaving:
            s = the(NOUN[noun])
            yield f"{s.en} leaves at {hour} o'clock .", f"{s.fr} part à {heure} ."
            en = f"{s.en} leaves at half past {hour} ."
            yield en, f"{s.fr} part à {heure} et demie ."
            yield f"{s.en} arrives at {hour} o'clock .", f"{s.fr} arrive à {heure} ."
        for s in SIX + NAMES[::2]:
            for verb in ("get up", "go to bed", "leave", "finish", "start", "wake up"):
                late = hour in ("nine", "ten", "eleven")
                if (verb == "go to bed" and late) or hour in ("six", "seven", "eight"):
                    if verb != "finish" and (verb != "go to bed" or late):
                        end = (f"at {hour} o'clock", f"à {heure}")
                        yield stop(both(s, act(verb), "present", end=end))
                        yield stop(both(s, act(verb), "past", end=end))
            for verb, tense in [("eat", "future"), ("arrive", "future"), ("leave", "near")]:
                end = (f"at {hour} o'clock", f"à {heure}")
                yield stop(both(s, act(verb), tense, end=end))
    places = "shop bank museum library bakery pharmacy".split()
    for noun in places:
        s = the(NOUN[noun])
        for hour, heure in HOURS[5:10]:
            yield f"{s.en} opens at {hour} o'clock .", f"{s.fr} ouvre à {heure} ."
            yield f"{s.en} closes at {hour} o'clock .", f"{s.fr} ferme à {heure} ."
        yield f"when does {s.en} open ?", f"quand est-ce que {s.fr} ouvre ?"
        yield f"what time does {s.en} close ?", f"à quelle heure est-ce que {s.fr} ferme ?"
    for noun in leaving:
        s = the(NOUN[noun])
        yield f"what time does {s.en} leave ?", f"à quelle heure est-ce que {s.fr} part ?"
        yield f"when does {s.en} arrive ?", f"quand est-ce que {s.fr} arrive ?"


@pattern(60)
def dates() -> Pairs:
    for en, fr in words.DAYS:
        yield f"today is {en} .", f"aujourd'hui , c'est {fr} ."
        yield f"tomorrow is {en} .", f"demain , c'est {fr} ."
        yield f"is today {en} ?", f"est-ce que c'est {fr} aujourd'hui ?"
        yield f"see you on {en} !", f"à {fr} !"
        yield f"i'm free on {en} .", f"je suis libre {fr} ."
        yield f"i'm not free on {en} .", f"je ne suis pas libre {fr} ."
        yield f"are you free on {en} ?", f"es-tu libre {fr} ?"
        yield f"are you free on {en} , doctor ?", f"êtes-vous libre {fr} , docteur ?"
        yield f"i'll see you on {en} .", f"je te verrai {fr} ."
        yield f"the shop is closed on {en}s .", f"le magasin est fermé le {fr} ."
        yield f"my birthday is on {en} .", f"mon anniversaire est {fr} ."
        yield f"what are you doing on {en} ?", f"que fais-tu {fr} ?"
        yield f"what did you do on {en} ?", f"qu'est-ce que tu as fait {fr} ?"


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
    (NOUN[noun], f"{spot} the {place}", f"{SPOTS[spot]} {np('the', NOUN[place]).fr}")
    for spots, places, nouns_ in SITES
    for spot in (spot.replace("_", " ") for spot in spots.split())
    for place in places.split()
    for noun in nouns_.split()
]


@pattern(110)
def places_of_things() -> Pairs:
    for noun, en, fr in PLACED:
        for kind in ("the", "my", "your"):
            if kind == "the" or noun in words.THINGS:
                s = the(noun, kind)
                yield f"{s.en} is {en} .", f"{s.fr} est {fr} ."
                yield f"{s.en} isn't {en} .", f"{s.fr} n'est pas {fr} ."
        yield f"the {noun.en_plural} are {en} .", f"les {noun.fr_plural} sont {fr} ."
        yield f"is the {noun.en} {en} ?", f"est-ce que {np('the', noun).fr} est {fr} ?"
        a = np("a", noun)
        yield f"there's {a.en} {en} .", f"il y a {a.fr} {fr} ."
        yield f"is there {a.en} {en} ?", f"y a-t-il {a.fr} {fr} ?"
        yield f"there isn't {a.en} {en} .", f"il n'y a pas {a.no_fr} {fr} ."
        for n, deux in words.NUMBERS[:2]:
            line = f"there are {n} {noun.en_plural} {en} ."
            yield line, f"il y a {deux} {noun.fr_plural} {fr} ."


@pattern(110)
def where_is() -> Pairs:
    lost = words.THINGS + words.CLOTHES + words.PETS + [NOUN["car"], NOUN["school"]]
    for noun in lost:
        for kind in ("the", "my", "your"):
            s = the(noun, kind)
            yield f"where's {s.en} ?", f"où est {s.fr} ?"
        yield f"where are the {noun.en_plural} ?", f"où sont les {noun.fr_plural} ?"
    for s in NAMES + RELATIVES:
        yield f"where's {s.en} ?", f"où est {s.fr} ?"
    for s in SIX[1:]:
        yield f"where {be(s)} {s.en} ?", f"où {invert(present('être', s.person), s)} ?"
        en = f"where {be(s)} {s.en} now ?"
        yield en, f"où {invert(present('être', s.person), s)} maintenant ?"
        fr = invert(imperfect("être", s.person), s)
        yield f"where {be(s, True)} {s.en} yesterday ?", f"où {fr} hier ?"
    for noun in words.PLACES:
        s = the(noun)
        yield f"where's {s.en} , please ?", f"où est {s.fr} , s'il te plaît ?"
        en = f"where's {s.en} , please , sir ?"
        yield en, f"où est {s.fr} , s'il vous plaît , monsieur ?"
        en = f"excuse me , sir , where's {s.en} ?"
        yield en, f"excusez-moi , monsieur , où est {s.fr} ?"


@pattern(150)
def nearby() -> Pairs:
    sites = [noun for noun in words.PLACES if noun.en != "airport"] + words.BUILDINGS[6:7]
    for noun in sites:
        a = np("a", noun)
        yield f"is there {a.en} near here ?", f"y a-t-il {a.fr} près d'ici ?"
        yield f"there's {a.en} near here .", f"il y a {a.fr} près d'ici ."
        yield f"there isn't {a.en} near here .", f"il n'y a pas {a.no_fr} près d'ici ."
        en = f"is {np('the', noun).en} far from here ?"
        yield en, f"est-ce que {np('the', noun).fr} est loin d'ici ?"
        en = f"{np('the', noun).en} isn't far from here ."
        yield en, f"{np('the', noun).fr} n'est pas loin d'ici ."
        other = (
            words.PLACES[(words.PLACES.index(noun) + 5) % len(words.PLACES)]
            if noun in words.PLACES
            else sites[0]
        )
        en = f"{np('the', noun).en} is next to {np('the', other).en} ."
        yield en, f"{np('the', noun).fr} est à côté de {np('the', other).fr} ."


@pattern(120)
def going_places() -> Pairs:
    means = entries(
        """by_train en_train, by_car en_voiture, by_bus en_bus, by_plane en_avion,
        on_foot à_pied"""
    )
    for s in ANYONE:
        go = act("go")
        for noun in words.PLACES:
            to = (f"to {np('the', noun).en}", f"à {np('the', noun).fr}")
            yield stop(both(s, go, "progressive", end=to))
            yield stop(both(s, go, "past", end=to))
            yield stop(both(s, go, "past", no=True, end=to))
            for way, fr in means[-3:]:
                if s in SIX and (way == "on foot") == (noun.en != "airport"):
                    end = (f"{to[0]} {way}", f"{to[1]} {fr}")
                    yield stop(both(s, go, "progressive", end=end))
            if s in SIX[1:]:
                en = f"{be(s)} {s.en} going {to[0]} ?"
                yield en, f"{inverted(s, go, 'present')} {to[1]} ?"
        for (city, _), (_, fr) in zip([*words.COUNTRIES, *words.CITIES], WHERE):
            for way, moyen in means[:4]:
                end = (f"to {city} {way}", f"{fr} {moyen}")
                if city in ("japan", "china", "canada", "brazil"):
                    if way != "by plane":
                        continue
                yield stop(both(s, go, "past", end=end))
                yield stop(both(s, go, "progressive", end=end))


@pattern(60)
def coming_and_going() -> Pairs:
    for s in ANYONE:
        for when, fr in YESTERDAY:
            for verb in ("arrive", "leave"):
                yield stop(both(s, act(verb), "past", end=(when, fr)))
            yield stop(both(s, act("fall"), "past", end=("in the street", "dans la rue")))
        for when, fr in TOMORROW:
            yield stop(both(s, act("come"), "future", end=(when, fr)))
            yield stop(both(s, act("come"), "future", no=True, end=(when, fr)))


HOME = {0: "moi", 1: "toi", 2: "lui", 3: "nous", 5: "eux"}


@pattern(60)
def at_home() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        place = (
            "elles"
            if s.feminine and s.several
            else "elle"
            if s.feminine
            else HOME[s.person]
        )
        yield f"{short(s, be(s))} home .", f"{is_so(s, f'chez {place}')} ."
        yield f"{short_not(s)} home .", f"{is_so(s, f'chez {place}', 'pas')} ."
        en = f"{s.en} {be(s, True)} home yesterday ."
        yield en, f"{is_so(s, f'chez {place} hier', '', 'imperfect')} ."
        if s in SIX[1:]:
            en = f"{be(s)} {s.en} home ?"
            yield en, f"{invert(present('être', s.person), s)} chez {place} ?"


# --- Patterns: having, giving, liking -------------------------------------------------

OWNED = (
    words.PETS
    + words.THINGS
    + [NOUN["car"], NOUN["boat"], NOUN["garden"], NOUN["motorbike"]]
)


WISHED = [
    *words.PETS,
    *(NOUN[en] for en in "car boat garden motorbike bicycle guitar".split()),
]


@pattern(280)
def having() -> Pairs:
    for s in ANYONE:
        for noun in OWNED:
            have = act("have", np("a", noun))
            for no in (False, True):
                yield stop(both(s, have, "present", no))
            if noun in WISHED:
                yield stop(both(s, have, "want to"))
            if noun in [*words.PETS, NOUN["book"], NOUN["bag"]]:
                for n, deux in words.NUMBERS[:3]:
                    several = act(
                        "have", f"{n} {noun.en_plural}", f"{deux} {noun.fr_plural}"
                    )
                    yield stop(both(s, several, "present"))
            if s == YOU:
                a = np("a", noun)
                yield f"do you have {a.en} ?", f"est-ce que tu as {a.fr} ?"
                en = f"do you have {a.en} , sir ?"
                yield en, f"est-ce que vous avez {a.fr} , monsieur ?"
                yield f"who has {a.en} ?", f"qui a {a.fr} ?"
                yield f"i need {a.en} .", f"j'ai besoin de {a.fr} ."
                yield f"i don't need {a.en} .", f"je n'ai pas besoin de {a.fr} ."


@pattern(50)
def siblings() -> Pairs:
    for s in SIX + NAMES:
        have = "has" if s.third else "have"
        ai = present("avoir", s.person)
        for a, b in [("brother", "sister"), ("son", "daughter"), ("uncle", "aunt")]:
            one, two = NOUN[a], NOUN[b]
            for n, deux in words.NUMBERS[:3]:
                for m, un in [("a", ""), ("three", "trois")]:
                    if m == n:
                        continue
                    x = f"{m} {one.en if m == 'a' else one.en_plural}"
                    y = f"un {one.fr}" if m == "a" else f"{un} {one.fr_plural}"
                    en = f"{s.en} {have} {x} and {n} {two.en_plural} ."
                    yield en, f"{s.fr} {ai} {y} et {deux} {two.fr_plural} ."
            for noun in (one, two):
                only = f"{s.fr} ne {ai} que deux {noun.fr_plural} ."
                yield f"{s.en} only {have} two {noun.en_plural} .", only
                no = f"{s.fr} ne {ai} pas de {noun.fr} ."
                does = "doesn't" if s.third else "don't"
                yield f"{s.en} {does} have a {noun.en} .", no
                if s in SIX[1:]:
                    do = "does" if s.third else "do"
                    fr = f"combien de {noun.fr_plural} est-ce que {s.fr} {ai} ?"
                    yield f"how many {noun.en_plural} {do} {s.en} have ?", fr


@pattern(60)
def looks() -> Pairs:
    features = entries(
        """blue_eyes les_yeux_bleus, green_eyes les_yeux_verts, brown_eyes les_yeux_marron,
        long_hair les_cheveux_longs, short_hair les_cheveux_courts,
        black_hair les_cheveux_noirs, small_feet de_petits_pieds,
        big_ears de_grandes_oreilles, small_hands de_petites_mains"""
    )
    for s in [*SIX, *NAMES, *RELATIVES[::3], *PAIRS]:
        have = "has" if s.third else "have"
        for en, fr in features:
            yield f"{s.en} {have} {en} .", f"{s.fr} {present('avoir', s.person)} {fr} ."


@pattern(230)
def belonging() -> Pairs:
    kin = [noun for noun in words.FAMILY if noun.en not in ("neighbour",)]
    for kind in OWN:
        for noun in [
            *kin,
            *words.PETS,
            *words.THINGS,
            *words.CLOTHES,
            NOUN["car"],
            NOUN["house"],
        ]:
            phrase = np(kind, noun)
            yield f"this is {phrase.en} .", f"voici {phrase.fr} ."
            yield f"that's {phrase.en} .", f"c'est {phrase.fr} ."
            if noun not in kin:
                yield f"it isn't {phrase.en} .", f"ce n'est pas {phrase.fr} ."
                yield f"is it {phrase.en} ?", f"est-ce que c'est {phrase.fr} ?"
                several = np(kind, noun, None, True)
                yield f"these are {several.en} .", f"ce sont {several.fr} ."
    for name in words.MEN + words.WOMEN:
        for noun in words.THINGS + words.CLOTHES + [NOUN["car"], NOUN["house"]]:
            fr = f"{np('the', noun).fr} de {name}"
            yield f"it's {name}'s {noun.en} .", f"c'est {fr} ."
            yield f"where's {name}'s {noun.en} ?", f"où est {fr} ?"
            yield f"it isn't {name}'s {noun.en} .", f"ce n'est pas {fr} ."
        for noun in words.FAMILY[:10]:
            s = the(noun)
            for en in ("ill", "tall", "clever", "nice", "funny"):
                if en in PERSONAL:
                    line = f"{name}'s {noun.en} is {en} ."
                    yield line, f"{s.fr} de {name} est {fits(s, PERSONAL[en])} ."


@pattern(80)
def possessive_things_are() -> Pairs:
    degrees = {"too": "trop", "very": "très", "": ""}
    for kind in OWN:
        for en, nouns_ in table("""
            new | car watch coat phone house computer umbrella;
            old | school house car coat computer guitar; dirty | shirt coat jacket dress;
            too small | house office bedroom bed; very comfortable | bed sofa armchair
        """):
            degree, _, adjective = en.rpartition(" ")
            for noun in nouns_.split():
                s = the(NOUN[noun], kind)
                so = agree((words.QUALITIES | words.BEFORE)[adjective], s.feminine)
                yield (f"{s.en} is {en} .", (f"{is_so(s, f'{degrees[degree]} {so}')} ."))


def own(s: Subject) -> str:
    """The possessive of a subject."""
    pronouns = dict(zip("i you he she we they".split(), OWN))
    return pronouns.get(s.en, "her" if s.feminine else "his")


LIKED = [  # English and French, as things in general
    *(
        (np("all", n).en, np("the", n).fr)
        for n in words.FOOD + words.DRINKS + words.SUBJECTS
    ),
    *(
        (np("all", n, None, True).en, np("the", n, None, True).fr)
        for n in words.FRUIT + words.ANIMALS
    ),
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
            for en, fr in LIKED:
                action = act(verb, en.strip(), fr)
                yield stop(both(s, action, "present"))
                if verb == "like":
                    yield stop(both(s, action, "present", no=True))
                    if s in SIX[1:]:
                        yield question(s, action, "present")
            if s in SIX + NAMES and verb != "prefer":
                for action in PASTIMES:
                    if action.verb.en not in ("take", "wait", "return", "stay"):
                        en = f"{form(act(verb), third(s))} {form(action, 'ing')}"
                        likes = present(words.VERBS[verb].fr, s.person)
                        fr = f"{likes} {infinitive(action, s)}"
                        yield f"{s.en} {en} .", f"{s.fr} {fr} ."


@pattern(70)
def preferring() -> Pairs:
    contrasts = table("""
        tea | coffee; milk | wine; rice | bread; fish | meat; water | lemonade;
        music | sport; jam | honey; cheese | ham
    """)
    things = {n.en: n for n in words.FOOD + words.DRINKS + words.SUBJECTS}
    for s in ANYONE:
        for a, b in contrasts + [(b, a) for a, b in contrasts]:
            fr = f"{np('the', things[a]).fr} à {np('the', things[b]).fr}"
            yield stop(both(s, act("prefer"), "present", end=(f"{a} to {b}", fr)))
    en = "which do you prefer , tea or coffee ?"
    yield en, "qu'est-ce que tu préfères , le thé ou le café ?"


@pattern(60)
def which_one() -> Pairs:
    for noun in (
        words.CLOTHES + words.THINGS[:8] + [NOUN["film"], NOUN["car"], NOUN["restaurant"]]
    ):
        which = f"quel{'le' * noun.feminine} {noun.fr}"
        for verb in ("prefer", "want", "choose"):
            fr = present(words.VERBS[verb].fr, 1)
            if verb != "choose":
                yield f"which {noun.en} do you {verb} ?", f"{which} est-ce que tu {fr} ?"
        en = f"which {noun.en} did you choose ?"
        yield en, f"{which} est-ce que tu as choisi{'e' * noun.feminine} ?"


GIFTS = [
    NOUN[en] for en in "book watch hat scarf camera guitar pen umbrella phone cat".split()
]


@pattern(240)
def giving() -> Pairs:
    people = [
        ("me", "me", HE),
        ("you", "te", I),
        ("him", "lui", SHE),
        ("her", "lui", HE),
        ("us", "nous", SHE),
        ("them", "leur", WE),
    ]
    for pronoun, clitic, who in people:
        for s in [who, *NAMES[::4]] + [I] * (pronoun not in ("me", "you", "us")):
            for noun in GIFTS:
                for verb in ("give", "bring", "show", "sell", "buy"):
                    a = np("this" if verb == "show" else "a", noun)
                    for tense in ("past", "future"):
                        if tense == "future" and verb in ("sell", "show"):
                            continue
                        en = english(s, act(verb, f"{pronoun} {a.en}"), tense)
                        yield (
                            f"{en} .",
                            f"{french(s, act(verb, '', a.fr), tense, clitic=clitic)} .",
                        )
                en = english(s, act("give", f"{pronoun} a {noun.en}"), "past", True)
                fr = french(
                    s, act("give", "", f"de {noun.fr}"), "past", "pas", clitic=clitic
                )
                yield f"{en} .", f"{fr} ."
    for noun in GIFTS[:-1] + words.FRUIT[:4]:
        the_noun = np("the", noun)
        line = f"give me {the_noun.en} , please ."
        yield line, f"donne-moi {the_noun.fr} , s'il te plaît ."
        line = f"bring me {the_noun.en} , please ."
        yield line, f"apporte-moi {the_noun.fr} , s'il te plaît ."
        yield f"show me {the_noun.en} .", f"montre-moi {the_noun.fr} ."
        yield f"give him {the_noun.en} .", f"donne-lui {the_noun.fr} ."
        yield f"give us {the_noun.en} .", f"donne-nous {the_noun.fr} ."
        yield f"can you give me {the_noun.en} ?", f"peux-tu me donner {the_noun.fr} ?"
        line = f"give me {the_noun.en} , please , sir ."
        yield line, f"donnez-moi {the_noun.fr} , s'il vous plaît , monsieur ."


@pattern(90)
def would_like() -> Pairs:
    wished = [np("some", n) for n in words.FOOD + words.DRINKS]
    wished += [np("some", n, None, True) for n in words.FRUIT] + [
        np("a", n) for n in words.FRUIT
    ]
    for x in wished:
        yield f"i'd like {x.en} .", f"je voudrais {x.fr} ."
        yield f"i'd like {x.en} , please .", f"je voudrais {x.fr} , s'il te plaît ."
        en = f"i'd like {x.en} , please , madam ."
        yield en, f"je voudrais {x.fr} , s'il vous plaît , madame ."
        yield f"do you want {x.en} ?", f"est-ce que tu veux {x.fr} ?"
        en = f"do you want {x.en} , children ?"
        yield en, f"est-ce que vous voulez {x.fr} , les enfants ?"
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
            for en, fr in amounts:
                action = act(verb, f"{en} {noun.en}", f"{fr} {noun.fr}")
                for tense in ("present", "past"):
                    if en != "enough":
                        yield stop(both(s, action, tense))
        for noun in EATEN:
            for en, fr in many[:2]:
                action = act("eat", f"{en} {noun.en_plural}", f"{fr} {noun.fr_plural}")
                yield stop(both(s, action, "past"))
        for noun in words.THINGS[:2] + words.CLOTHES[3:5] + words.SHOES:
            for en, fr in many:
                action = act("have", f"{en} {noun.en_plural}", f"{fr} {noun.fr_plural}")
                yield stop(both(s, action, "present"))


@pattern(70)
def how_many() -> Pairs:
    for noun in words.FRUIT + words.THINGS[:6]:
        fr = f"combien de {noun.fr_plural} est-ce que tu"
        verb = ("eat", "mangé") if noun in words.FRUIT else ("buy", "acheté")
        done = agree_participle(verb[1], noun.feminine, True)
        yield f"how many {noun.en_plural} did you {verb[0]} ?", f"{fr} as {done} ?"
        yield f"how many {noun.en_plural} do you want ?", f"{fr} veux ?"
        en = f"how many {noun.en_plural} do you need ?"
        yield en, f"de combien de {noun.fr_plural} est-ce que tu as besoin ?"
    for noun in words.FOOD + words.DRINKS:
        en = f"how much {noun.en} do you want ?"
        yield en, f"combien de {noun.fr} est-ce que tu veux ?"
    for noun in words.THINGS + words.CLOTHES:
        for kind in ("this", "the"):
            s = the(noun, kind)
            yield f"how much is {s.en} ?", f"combien coûte {s.fr} ?"
    yield "how much is it ?", "combien ça coûte ?"


# --- Patterns: doing ------------------------------------------------------------------


FORESEEN = "come win sing eat sleep work wait stay leave drive pay understand".split()


@pattern(800)
def short_statements() -> Pairs:
    for s in SIX * 4 + NAMES[::3] + PAIRS:
        for action in SIMPLE:
            for tense in ("present", "past", "future"):
                verb = action.verb.en
                if tense == "present" and verb in ("arrive", "fall", "leave", "start"):
                    continue
                if (tense == "future" and verb not in FORESEEN) or (
                    verb == "read" and not s.third
                ):
                    continue
                yield stop(both(s, action, tense))


@pattern(230)
def short_negations() -> Pairs:
    for s in SIX + NAMES:
        for action in SIMPLE:
            for tense in ("present", "past", "future"):
                if tense != "future" or action.verb.en in FORESEEN:
                    yield stop(both(s, action, tense, no=True))


@pattern(200)
def short_progressives() -> Pairs:
    for s in SIX * 2 + NAMES + RELATIVES[:12] + FOLK:
        for action in STILL:
            yield stop(both(s, action, "progressive"))
            if s in SIX + NAMES:
                yield stop(both(s, action, "progressive", no=True))
                yield stop(both(s, action, "was doing"))


@pattern(110)
def near_future() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:10]:
        for action in SIMPLE:
            yield stop(both(s, action, "near"))
            for when in TOMORROW[:4]:
                if action.verb.en in "sing leave work win travel arrive start".split():
                    yield stop(both(s, action, "near", end=when))
                    yield stop(both(s, action, "near", no=True, end=when))


SKILLS = [BY_VERB[verb] for verb in "sing dance swim drive cook read write".split()]
SKILLS += [a for a in PASTIMES if a.verb.en == "play" and a.en != "football"]
SKILLS += [act("speak", en, fr) for en, fr in words.LANGUAGES]


@pattern(130)
def skills() -> Pairs:
    for s in SIX + NAMES + RELATIVES[:12]:
        for action in SKILLS:
            base, fr = form(action, "base"), infinitive(action, s)
            knows = present("savoir", s.person)
            if action.verb.en == "speak":
                yield stop(both(s, action, "present"))
                yield stop(both(s, action, "present", no=True))
                if s in SIX[1:]:
                    yield question(s, action, "present")
                en = f"{s.en} would like to speak {action.en} ."
                yield en, f"{french(s, action, 'would like to')} ."
                continue
            yield f"{s.en} can {base} .", f"{s.fr} {knows} {fr} ."
            yield f"{s.en} can't {base} .", f"{s.fr} ne {knows} pas {fr} ."
            if s in SIX[1:]:
                yield f"can {s.en} {base} ?", f"{invert(knows, s)} {fr} ?"


@pattern(260)
def short_modals() -> Pairs:
    usual = "leave stay sleep eat drink rest wait speak listen pay work win".split()
    for s in SIX + NAMES + RELATIVES[:8]:
        for verb in [*usual, "get up", "hurry"]:
            action = act(verb)
            for tense in MODALS:
                if tense in ("can", "hope to", "could") and verb in ("hurry", "get up"):
                    continue
                yield stop(both(s, action, tense))
                if tense in ("can", "want to", "should"):
                    yield stop(both(s, action, tense, no=True))
                if s in SIX and tense in ("can", "want to", "must", "have to") and s != I:
                    yield question(s, action, tense)


@pattern(200)
def modals_with_objects() -> Pairs:
    for s in SIX + SIX + NAMES[::3] + RELATIVES[:6]:
        for action in PASTIMES + ERRANDS:
            for tense in MODALS:
                if tense in ("can", "could") and (
                    action in SKILLS or action.verb.en == "speak"
                ):
                    continue
                if tense == "can" and action.verb.en in ("study", "learn"):
                    continue
                if tense == "must" and action.verb.en in ("swim", "play", "watch"):
                    continue
                if tense == "hope to" and action.verb.en not in "visit buy sell go".split():
                    continue
                yield stop(both(s, action, tense))
                if tense in ("want to", "can"):
                    yield stop(both(s, action, tense, no=True))
                if s in SIX[1:] and tense in ("can", "want to"):
                    yield question(s, action, tense)


@pattern(50)
def one_word_orders() -> Pairs:
    for action in SIMPLE:
        if action.verb.en in listed("""
            lose, hesitate, understand, fall, start, finish, forget, lie, cheat, travel,
            cry, dream, have fun, fall asleep
        """):
            continue
        if not action.verb.fr.startswith("se "):
            yield f"{action.verb.en} .", f"{imperative(action.verb.fr, 1)} !"
            yield f"{action.verb.en} !", f"{imperative(action.verb.fr, 1)} !"
    yield "go !", "va !"
    for name in words.MEN[:3] + words.WOMEN[3:]:
        yield f"{name} ?", f"{name} ?"


TOLD = [
    "sing dance work sleep run walk swim eat drink read write speak listen wait".split(),
    "leave stay come smile laugh cry shout hesitate lie cheat answer drive pay".split(),
]


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
        for verb in TOLD[0] + TOLD[1]:
            fr = words.VERBS[verb].fr
            if verb not in ("lie", "cheat", "hesitate", "cry", "shout") and call:
                yield f"{verb}{call} .", f"{imperative(fr, person)}{fr_call} ."
            if verb not in ("help", "pay", "listen", "answer", "smile", "dance", "come"):
                yield f"don't {verb}{call} .", f"ne {imperative(fr, person)} pas{fr_call} ."
        for verb, en, adverb in MANNERS:
            fr = words.VERBS[verb].fr
            if adverb in ("lentement", "vite", "tôt"):
                line = f"{verb} {en}{call} ."
                yield line, f"{imperative(fr, person)} {adverb}{fr_call} ."
            if adverb in ("trop", "trop vite", "tard", "en retard"):
                line = f"don't {verb} {en}{call} ."
                yield line, f"ne {imperative(fr, person)} pas {adverb}{fr_call} ."
        for action in ERRANDS[-12:] + PASTIMES:
            if action.verb.fr.startswith("se ") or action.verb.en in (
                "swim",
                "play",
                "paint",
            ):
                continue
            if "any " in action.en or action.en in ("a present", "cards"):
                continue
            order = form(action, "base")
            fr = imperative(action.verb.fr, person)
            yield f"{order}{call} .", f"{fr} {action.fr}{fr_call} ."
            if action in ERRANDS[-12:-8]:
                line = f"don't {order}{call} ."
                yield line, f"ne {fr} pas {action.no_fr or action.fr}{fr_call} ."
    for call, fr_call, person in calls:
        for verb, fr in table("""
            hurry up | dépêche-toi dépêchez-vous; get up | lève-toi levez-vous;
            wake up | réveille-toi réveillez-vous; sit down | assieds-toi asseyez-vous;
            have fun | amuse-toi amusez-vous; get dressed | habille-toi habillez-vous
        """):
            yield f"{verb}{call} .", f"{fr.split()[person == 4]}{fr_call} ."


@pattern(130)
def lets() -> Pairs:
    for action in SIMPLE + PASTIMES + ERRANDS + MEALS:
        if (
            action.verb.fr.startswith("se ")
            or action.verb.en
            in """
            lose fall lie cheat forget cry shout hesitate understand hurry arrive dream sell
            win laugh smile answer
        """.split()
        ):
            continue
        fr = imperative(action.verb.fr, 3)
        yield f"let's {form(action, 'base')} .", f"{fr} {action.fr} ."
        if action in PASTIMES[10:] or action in SIMPLE:
            en = f"let's not {form(action, 'base')} ."
            yield en, f"ne {fr} pas {action.no_fr or action.fr} ."
        if action in PASTIMES:
            yield f"let's {form(action, 'base')} together .", f"{fr} {action.fr} ensemble ."


@pattern(200)
def manners() -> Pairs:
    for s in ANYONE:
        for verb, en, fr in MANNERS:
            action = act(verb, en, fr)
            yield stop(both(s, action, "present"))
            yield stop(both(s, action, "present", no=True))
            mid, last = (fr, "") if fr in MIDDLE else ("", fr)
            past = french(s, act(verb, "", last), "past", mid=mid)
            if not unclear(s, action, "past"):
                yield f"{english(s, action, 'past')} .", f"{past} ."
            past = french(s, act(verb, "", last), "past", "pas", mid=mid)
            if fr in ("bien", "beaucoup", "trop"):
                yield f"{english(s, action, 'past', True)} .", f"{past} ."
            if s in (YOU, HE, SHE, THEY):
                yield question(s, action, "present")
                if fr == "bien":
                    line = f"did {s.en} {verb} {en} ?"
                    yield line, f"est-ce que {french(s, act(verb), 'past', mid=fr)} ?"


@pattern(260)
def habits() -> Pairs:
    turn = cycle(ALWAYS)
    adverbs = cycle(
        [("often", "souvent"), ("always", "toujours"), ("sometimes", "parfois")]
    )
    for s in ANYONE:
        for action in HABITS:
            if action.verb.en in ("go to bed", "get up") and s not in SIX:
                continue
            yield stop(both(s, action, "present", end=next(turn)))
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
                if not unclear(s, action, tense):
                    yield stop(both(s, action, tense))
                yield stop(both(s, action, tense, no=True))


@pattern(260)
def what_happened() -> Pairs:
    turn = cycle(YESTERDAY)
    for s in ANYONE:
        for action in ERRANDS + MISHAPS + SEEN + PASTIMES:
            if not unclear(s, action, "past"):
                yield stop(both(s, action, "past"))
                yield stop(both(s, action, "past", end=next(turn)))
            if action in ERRANDS + SEEN:
                yield stop(both(s, action, "past", no=True))


@pattern(130)
def what_will_happen() -> Pairs:
    turn = cycle(TOMORROW)
    for s in ANYONE:
        for action in ERRANDS + PASTIMES:
            for tense in ("future", "near"):
                yield stop(both(s, action, tense, end=next(turn)))
                yield stop(both(s, action, tense, no=True))


@pattern(200)
def yes_or_no() -> Pairs:
    for s in [YOU, HE, SHE, THEY] * 2 + NAMES + OTHERS_KIN:
        for action in HABITS:
            if action.verb.en not in ("go to bed", "get up"):
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


@pattern(260)
def are_you_doing() -> Pairs:
    for s in SIX[1:4]:
        for verb in "sleep work eat cook read leave cry".split():
            action = act(verb)
            fr, en = (
                inverted(s, action, "progressive"),
                f"{be(s)} {s.en} {form(action, 'ing')}",
            )
            here = [("here", "ici"), ("at home", "à la maison"), ("at school", "à l'école")]
            quiet = verb not in ("leave", "cry")
            for end in [
                ("", ""),
                ("now", "maintenant"),
                *(here if quiet else TOMORROW[:2]),
            ]:
                if verb != "cry" or not end[0].startswith("to"):
                    yield question(s, action, "progressive", end)
            yield f"why {en} ?", f"pourquoi {fr} ?"
            yield f"why {en} now ?", f"pourquoi {fr} maintenant ?"
            if quiet:
                yield f"where {en} ?", f"où {fr} ?"
                yield f"where {en} now ?", f"où {fr} maintenant ?"
            if verb in ("eat", "read", "cook"):
                yield f"what {en} ?", f"que {fr} ?"
    for s in SIX[1:]:
        do, go = (inverted(s, act(verb), "progressive") for verb in ("do", "go"))
        for end, fr in table("""
             | ; here | ici; now | maintenant; today | aujourd'hui; tonight | ce soir;
            tomorrow | demain
        """):
            yield f"what {be(s)} {s.en} doing {end} ?", f"que {do} {fr} ?"
            if end != "here":
                yield f"where {be(s)} {s.en} going {end} ?", f"où {go} {fr} ?"
        for when, fr in TOMORROW[:4]:
            yield f"what {be(s)} {s.en} going to do {when} ?", f"que {go} faire {fr} ?"


@pattern(240)
def w_questions() -> Pairs:
    for s in [YOU, YOU, HE, SHE, THEY, *NAMES, *OTHERS_KIN]:
        do = "does" if s.third else "do"
        asks = f"est-ce que {s.fr}"
        for en, fr in table("where | où; when | quand; how | comment; why | pourquoi"):
            verbs_ = {
                "where": "work live sing eat",
                "when": "leave eat work travel",
                "how": "work travel cook sing",
                "why": "cry work laugh leave hesitate",
            }[en]
            for verb in verbs_.split():
                action = act(verb)
                if (en, verb) not in [("how", "work"), ("how", "sing"), ("how", "cook")]:
                    line = f"{en} {do} {s.en} {verb} ?"
                    yield line, f"{fr} est-ce que {french(s, action, 'present')} ?"
                    past = french(s, action, "past")
                    if verb != "live":
                        yield f"{en} did {s.en} {verb} ?", f"{fr} est-ce que {past} ?"
        for verb in "eat drink read want see choose know".split():
            fr = words.VERBS[verb].fr
            if verb not in ("know", "choose", "see"):
                yield f"what {do} {s.en} {verb} ?", f"qu'{asks} {present(fr, s.person)} ?"
            if verb not in ("want", "know"):
                past = french(s, act(verb), "past")
                yield f"what did {s.en} {verb} ?", f"qu'est-ce que {past} ?"
                yield f"what did {s.en} {verb} yesterday ?", f"qu'est-ce que {past} hier ?"
        for verb in ("buy", "lose", "find", "do", "say", "forget", "break", "give"):
            past = french(s, act(verb), "past")
            if verb != "give":
                yield f"what did {s.en} {verb} ?", f"qu'est-ce que {past} ?"
                if verb not in ("say", "do"):
                    lost = verb in ("lose", "find")
                    why, what = ("where", "the key") if lost else ("why", "the lamp")
                    fr = f"{'où' if lost else 'pourquoi'} est-ce que {past}"
                    la = "la clé" if lost else "la lampe"
                    yield f"{why} did {s.en} {verb} {what} ?", f"{fr} {la} ?"
        for action in ERRANDS[::3] + SEEN[::4]:
            if action.verb.en != "see":
                for en, fr in [("why", "pourquoi"), ("when", "quand")]:
                    past = french(s, action, "past")
                    line = f"{en} did {s.en} {form(action, 'base')} ?"
                    yield line, f"{fr} est-ce que {past} ?"


@pattern(220)
def who_questions() -> Pairs:
    whoever = Subject("who", "qui", 2)
    for action in SIMPLE + HABITS + ERRANDS + MISHAPS:
        for tense in ("present", "past"):
            if (
                tense == "present"
                and action not in HABITS
                and action.verb.en
                not in "sing dance work cook drive lie cheat pay win".split()
            ):
                continue
            if action.verb.en not in ("go to bed",) or tense == "past":
                yield stop(both(whoever, action, tense), "?")
        if action in STILL + HABITS and action.verb.en not in ("get up", "go to bed"):
            en = f"who's {form(action, 'ing')}"
            yield f"{en} ?", f"{french(whoever, action, 'present')} ?"
        if action in ERRANDS + PASTIMES and action.verb.en not in ("get up", "go to bed"):
            line = f"who wants to {form(action, 'base')} ?"
            yield line, f"qui veut {infinitive(action)} ?"
    for s in words.MEN + words.WOMEN:
        yield f"who is {s} ?", f"qui est {s} ?"
    for s in FOLK:
        line = f"who is {s.en.replace('the', 'this', 1)} ?"
        yield line, f"qui est {np('this', words.PEOPLE[FOLK.index(s)]).fr} ?"


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
    for s in SIX + SIX + NAMES + PAIRS + RELATIVES[:6]:
        for pronoun, clitic, thing in OBJECTS:
            if not may_act_on(s, pronoun):
                continue
            for verb in "see know love understand hear help invite phone wait".split():
                link = "for " if verb == "wait" else ""
                bare_action = loved() if verb == "love" else act(verb)
                action = bare_action._replace(en=link + pronoun, no_en=link + pronoun)
                tenses = ["present", "past", "future"]
                if verb in ("know", "love", "understand", "hear"):
                    tenses = ["present"]
                for tense in tenses:
                    for no in (False, True):
                        fr = french(
                            s, bare_action, tense, "pas" * no, clitic=clitic, thing=thing
                        )
                        yield f"{english(s, action, tense, no)} .", f"{fr} ."
                if verb in ("see", "help", "invite", "phone"):
                    for tense in ("want to", "can", "must"):
                        fr = french(s, bare_action, tense, clitic=clitic)
                        yield f"{english(s, action, tense)} .", f"{fr} ."
                if s in (YOU, HE, SHE) and pronoun != "you":
                    do = "does" if s.third else "do"
                    fr = french(s, bare_action, "present", clitic=clitic)
                    if tenses == ["present"]:
                        yield f"{do} {s.en} {verb} {pronoun} ?", f"est-ce que {fr} ?"
                    elif verb in ("help", "see"):
                        fr = inverted(s, bare_action, "can", clitic=clitic)
                        yield f"can {s.en} {verb} {pronoun} ?", f"{fr} ?"


@pattern(130)
def speaking_to() -> Pairs:
    for s in SIX + NAMES + PAIRS:
        for (pronoun, _, _), indirect in zip(
            OBJECTS, ("me", "te", "lui", "lui", "nous", "leur")
        ):
            if not may_act_on(s, pronoun):
                continue
            for verb in ("speak", "write"):
                action = act(verb, f"to {pronoun}")
                for tense in ("present", "past", "future"):
                    for no in (False, True):
                        fr = french(s, act(verb), tense, "pas" * no, clitic=indirect)
                        yield f"{english(s, action, tense, no)} .", f"{fr} ."


@pattern(110)
def orders_with_pronouns() -> Pairs:
    forms = {"me": "moi", "him": "le", "her": "la", "us": "nous", "them": "les"}
    friends = [(f", {name}", f", {name}") for name in words.MEN[:3] + words.WOMEN[:3]]
    friends += [("", ""), (", please", ", s'il te plaît")]
    others = [(tail, fr) for _, tail, fr in POLITE if tail] + [
        (", my friends", ", mes amis")
    ]
    for en, fr in forms.items():
        for verb in (
            ("help", "phone") if fr != "moi" else ("help", "phone", "invite", "wait")
        ):
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
    for s in ANYONE:
        for verb, *ends in table("""
            get up | early | tôt | late | tard; wake up | early | tôt | late | tard;
            go to bed | early | tôt | late | tard;
            rest | at home | à la maison | in the garden | dans le jardin;
            have fun | at school | à l'école | together | ensemble;
            get dressed | slowly | lentement | in the bedroom | dans la chambre;
            fall asleep | late | tard | on the bus | dans le bus
        """):
            for end in (ends[:2], ends[2:]):
                if end[0] == "together" and not s.several:
                    continue
                for tense in ("present", "past", "near", "must"):
                    if tense == "must" and verb == "fall asleep":
                        continue
                    yield stop(both(s, act(verb), tense, end=end))
                yield stop(both(s, act(verb), "present", no=True, end=end))
                yield stop(both(s, act(verb), "past", no=True, end=end))


@pattern(60)
def names() -> Pairs:
    for name in words.MEN + words.WOMEN:
        he = "she" if name in words.WOMEN else "he"
        elle = "elle" if name in words.WOMEN else "il"
        kin = ("sister", "ma sœur") if he == "she" else ("brother", "mon frère")
        friend = "mon amie" if he == "she" else "mon ami"
        poss = "her" if he == "she" else "his"
        yield f"my name is {name} .", f"je m'appelle {name} ."
        yield f"{poss} name is {name} .", f"{elle} s'appelle {name} ."
        yield f"is your name {name} ?", f"est-ce que tu t'appelles {name} ?"
        yield f"my {kin[0]}'s name is {name} .", f"{kin[1]} s'appelle {name} ."
        yield f"this is my friend {name} .", f"voici {friend} {name} ."
        yield f"i'm with my friend {name} .", f"je suis avec {friend} {name} ."
        yield f"my friend {name} lives here .", f"{friend} {name} habite ici ."
        yield f"do you know {name} ?", f"est-ce que tu connais {name} ?"
        yield f"i don't know {name} .", f"je ne connais pas {name} ."
    yield "what's your name ?", "comment t'appelles-tu ?"
    yield "what's your name , sir ?", "comment vous appelez-vous , monsieur ?"
    yield "what's his name ?", "comment s'appelle-t-il ?"
    yield "what's her name ?", "comment s'appelle-t-elle ?"


@pattern(200)
def polite_doing() -> Pairs:
    for s, tail, fr_tail in POLITE:
        for action in PASTIMES + ERRANDS[::2] + MEALS[::2]:
            if action.verb.en in ("get up", "go to bed"):
                continue
            tenses = (
                ["present", "want to"] if action not in ERRANDS else ["past", "want to"]
            )
            for tense in tenses:
                yield question(s, action, tense, (tail, fr_tail))
        for verb in "sing dance sleep work understand wait drive eat speak leave".split():
            yield question(s, act(verb), "past", (tail, fr_tail))
            if verb in ("wait", "eat", "leave", "speak"):
                yield question(s, act(verb), "can", (tail, fr_tail))
                yield question(s, act(verb), "want to", (tail, fr_tail))
            if verb in ("leave", "work", "wait", "sleep"):
                yield question(s, act(verb), "progressive", (tail, fr_tail))
        yield f"where do {s.en} live {tail} ?", f"où est-ce que vous habitez {fr_tail} ?"
        yield f"where do {s.en} work {tail} ?", f"où est-ce que vous travaillez {fr_tail} ?"
        yield f"where are {s.en} going {tail} ?", f"où allez-vous {fr_tail} ?"
        yield f"what are {s.en} doing {tail} ?", f"que faites-vous {fr_tail} ?"
        yield f"can {s.en} help me {tail} ?", f"pouvez-vous m'aider {fr_tail} ?"
        yield f"could {s.en} help us {tail} ?", f"pourriez-vous nous aider {fr_tail} ?"
        if tail:
            en = f"is this your house {tail} ?"
            yield en, f"est-ce que c'est votre maison {fr_tail} ?"
    for noun in words.THINGS[:12]:
        for _, tail, fr_tail in POLITE[:3]:
            en = f"is this your {noun.en} {tail} ?"
            yield en, f"est-ce que c'est votre {noun.fr} {fr_tail} ?"
            yield f"where's your {noun.en} {tail} ?", f"où est votre {noun.fr} {fr_tail} ?"
        en = f"where are your {noun.en_plural} , children ?"
        yield en, f"où sont vos {noun.fr_plural} , les enfants ?"


# --- Patterns: two verbs --------------------------------------------------------------


@pattern(110)
def starting_and_stopping() -> Pairs:
    for s in ANYONE:
        for action in [
            a for a in STILL if a.verb.en not in ("leave", "get dressed", "wait")
        ]:
            ing, inf = form(action, "ing"), infinitive(action, s)
            has = present("avoir", s.person)
            yield f"{s.en} stopped {ing} .", f"{s.fr} {has} arrêté de {inf} ."
            yield f"{s.en} started {ing} .", f"{s.fr} {has} commencé à {inf} ."
            if s == I:
                yield f"stop {ing} !", f"arrête de {inf} !"
                yield f"stop {ing} , children !", f"arrêtez de {inf} , les enfants !"


@pattern(110)
def has_just() -> Pairs:
    for s in ANYONE:
        comes = present("venir", s.person)
        for action in [*SIMPLE, *MISHAPS, *ERRANDS[::3]]:
            if action.verb.en in listed("""
                arrive, leave, eat, finish, wake up, call, win, lose, find, buy, sell,
                get up, fall asleep, pay
            """):
                en = form(action, "participle")
                line = f"{short(s, 'have') if not s.third else s.en + ' has'} just {en} ."
                yield line, f"{s.fr} {comes} de {infinitive(action, s)} ."


@pattern(150)
def already_and_not_yet() -> Pairs:
    for s in ANYONE:
        has = "has" if s.third else "have"
        for action in [*SIMPLE, *ERRANDS[::2], *PASTIMES[::4]]:
            if action.en in ("early", "late") or action.verb.en not in listed("""
                eat, drink, pay, leave, arrive, finish, start, win, answer, buy, visit,
                sell, read, write, clean, prepare, repair, get up, get dressed
            """):
                continue
            done = form(action, "participle")
            start = short(s, "have") if not s.third else f"{s.en} has"
            yield f"{start} already {done} .", f"{french(s, action, 'past', mid='déjà')} ."
            en = f"{s.en} {has}n't {form(action, 'participle', True)} yet ."
            yield en, f"{french(s, action, 'past', 'pas encore')} ."
            if s in SIX[1:]:
                en = f"{has} {s.en} already {done} ?"
                yield en, f"{inverted(s, action, 'past', mid='déjà')} ?"


@pattern(40)
def since() -> Pairs:
    spans = [
        (f"for {n} {unit}", f"depuis {deux} {durée}")
        for n, deux in words.NUMBERS
        for unit, durée in table("years | ans; months | mois; days | jours; hours | heures")
    ]
    for s in ANYONE:
        have = f"{s.en} has" if s.third else short(s, "have")
        for span, depuis in spans:
            for en, fr, units in table("""
                been living here | habiter ici | years months;
                been working here | travailler ici | years months days;
                been waiting | attendre | hours days; been sleeping | dormir | hours;
                been ill | être malade | days;
                been learning french | apprendre le français | years months
            """):
                if span.split()[-1] in units.split():
                    verb, _, rest = fr.partition(" ")
                    if verb == "être":
                        rest = fits(s, PERSONAL["ill"])
                    line = f"{have} {en} {span} ."
                    yield line, f"{s.fr} {present(verb, s.person)} {rest} {depuis} ."


@pattern(90)
def while_i_was() -> Pairs:
    for s in ANYONE:
        for action in STILL + PASTIMES[:18]:
            if action.verb.en in ("leave", "lie", "get dressed", "cheat") or s in PAIRS[1:]:
                continue
            arrives, phones = act("arrive"), act("phone")
            others = [(I, arrives), (YOU, arrives), (SHE, phones), (NAMES[7], arrives)]
            for other, then in [*others, (NAMES[0], phones), (WE, arrives)]:
                if other.en == s.en:
                    continue
                one, two_ = both(s, action, "was doing"), both(other, then, "past")
                yield stop(linked(one, ("when", "quand"), two_))


@pattern(50)
def if_it_rains() -> Pairs:
    conditions = table("""
        if it rains | s'il pleut; if it's cold | s'il fait froid; if it snows | s'il neige;
        if it's hot | s'il fait chaud
    """)
    plans = [
        action
        for action in PASTIMES
        if action.verb.en in ("stay", "watch", "listen", "read", "eat", "swim")
        or action.en in ("cards", "chess")
    ]
    for en, fr in conditions:
        for s in ANYONE:
            for action in plans:
                if (action.verb.en == "swim") != ("hot" in en):
                    continue
                line = f"{en} , {english(s, action, 'future')} ."
                yield line, f"{fr} , {french(s, action, 'future')} ."
                if s not in (HE, SHE):
                    line = f"{english(s, action, 'future')} {en} ."
                    yield line, f"{french(s, action, 'future')} {fr} ."
    for s in SIX:
        for verb in ("come", "win", "leave", "stay"):
            for other, mood in [(I, "happy"), (WE, "happy"), (SHE, "sad"), (HE, "angry")]:
                if other != s and (verb in ("come", "win", "stay")) == (mood == "happy"):
                    sure = is_so(other, fits(other, PERSONAL[mood]), "", "future")
                    will = f"{short(other, 'will')} be {mood}"
                    if_so = linked(("if", "si"), both(s, act(verb), "present"))
                    yield stop(linked(if_so, (",", ","), (will, sure)))


DREAMS = [act("buy", np("a", NOUN[n])) for n in "car house castle boat".split()]
DREAMS += [
    act("buy", np("a", NOUN["house"], words.BEFORE[en])) for en in ("big", "beautiful")
]
DREAMS += [
    act("live", "near the sea", "près de la mer"),
    act("live", "in a castle", "dans un château"),
    act("work", "less", "moins"),
    act("travel", "a lot", "beaucoup"),
    act("play", "football", "au football"),
]


@pattern(60)
def if_i_were_rich() -> Pairs:
    for s in (I, YOU, HE, SHE, WE, THEY):
        for en, adjective in [("rich", PERSONAL["rich"]), ("young", PERSONAL["young"])]:
            for action in DREAMS if en == "rich" else DREAMS[-2:]:
                yield (
                    f"if {s.en} were {en} , {s.en} would {form(action, 'base')} .",
                    (
                        f"si {is_so(s, fits(s, adjective), '', 'imperfect')} , "
                        f"{french(s, action, 'conditional')} ."
                    ),
                )
                yield (
                    f"{s.en} would {form(action, 'base')} if {s.en} were {en} .",
                    (
                        f"{french(s, action, 'conditional')} si "
                        f"{is_so(s, fits(s, adjective), '', 'imperfect')} ."
                    ),
                )


@pattern(150)
def when_i_was_young() -> Pairs:
    for s in SIX:
        for adjective in (PERSONAL["young"], words.BEFORE["small"]):
            for action in PASTIMES + MEALS:
                if action.verb.en in ("go to bed", "get up", "write", "drink"):
                    continue
                once = linked(("when", "quand"), is_(s, adjective.en, adjective, past=True))
                yield stop(linked(once, (",", ","), both(s, action, "used to")))
    for s in ANYONE:
        for action in HABITS:
            yield stop(both(s, action, "used to"))


MISSED = [act(verb) for verb in ("come", "eat", "sing")]
MISSED += [act("go", "to school", "à l'école"), act("play", "football", "au football")]


@pattern(130)
def because() -> Pairs:
    results = table("""
        tired | sleep rest; ill | sleep rest; sad | cry; happy | sing smile laugh dance;
        late | run hurry; angry | shout; hungry | eat; thirsty | drink; busy | work
    """)
    since_that = ("because", "parce que")
    for s in [*SIX, *SIX, *NAMES, *RELATIVES[:10]]:
        other = SHE if s.feminine else HE if s.third else s
        for state, verbs_ in results:
            if state in PERSONAL:
                cause = is_(other, state, PERSONAL[state])
                was = is_(other, state, PERSONAL[state], past=True)
            else:
                fr = dict(NEEDS)[state]
                cause = (
                    f"{short(other, be(other))} {state}",
                    (f"{other.fr} {present('avoir', s.person)} {fr}"),
                )
                was = (
                    f"{other.en} {be(other, True)} {state}",
                    (f"{other.fr} {imperfect('avoir', s.person)} {fr}"),
                )
            for verb in verbs_.split():
                action = act(verb)
                yield stop(linked(both(s, action, "progressive"), since_that, cause))
                yield stop(linked(both(s, action, "past"), since_that, was))
            if state in ("ill", "tired", "late", "sad", "busy"):
                for action in MISSED:
                    yield stop(linked(both(s, action, "past", no=True), since_that, was))


@pattern(150)
def that_clauses() -> Pairs:
    knowing = table("""
        i know | je sais | ; i think | je crois | ; we know | nous savons | ;
        she thinks | elle croit | ; he says | il dit | ; i hope | j'espère | ;
        marie says | marie dit | ; paul thinks | paul croit | ;
        do you think | est-ce que tu crois | ?; you know | tu sais |
    """)
    needs = [
        (en, fr)
        for en, fr in NEEDS
        if en in ("hungry", "right", "wrong", "cold", "afraid", "lucky")
    ]
    for en, fr, mark in knowing:
        mark = mark or "."
        for s in [*SIX, *NAMES[1:6], *NAMES[7:], *RELATIVES[:8]]:
            start, debut = f"{en} that", f"{fr} que"
            if (s == I and en.startswith("i ")) or (s == YOU and en.startswith("you")):
                continue
            for state, besoin in needs:
                if en == "i hope" and state != "right":
                    continue
                line = f"{start} {short(s, be(s))} {state} {mark}"
                yield line, f"{debut} {s.fr} {present('avoir', s.person)} {besoin} {mark}"
            for mood in "tired happy late ill ready sad clever shy kind right".split():
                if mood not in PERSONAL or (
                    en == "i hope" and mood not in ("happy", "ready")
                ):
                    continue
                so = is_so(s, fits(s, PERSONAL[mood]))
                yield f"{start} {short(s, be(s))} {mood} {mark}", f"{debut} {so} {mark}"
            for verb in ("come", "win", "leave"):
                end = ("tomorrow", "demain") if verb != "win" else ("", "")
                fr_end = french(s, act(verb), "future")
                line = f"{start} {english(s, act(verb), 'future')} {end[0]} {mark}"
                yield line, f"{debut} {fr_end} {end[1]} {mark}"
            if en != "i hope":
                for action in ERRANDS[:20:3] + SKILLS[-3:] + MISHAPS[:6:2]:
                    tense = "past" if action not in SKILLS else "present"
                    line = f"{start} {english(s, action, tense)} {mark}"
                    yield line, f"{debut} {french(s, action, tense)} {mark}"
    for s in SIX[1:]:
        for state, fr in needs:
            has = present("avoir", s.person)
            line = f"i don't know why {short(s, be(s))} {state} ."
            yield line, f"je ne sais pas pourquoi {s.fr} {has} {fr} ."
    for s in [*SIX[1:], *NAMES]:
        for verb in ("live", "work"):
            fr = french(s, act(verb), "present")
            line = f"i don't know where {english(s, act(verb), 'present')} ."
            yield line, f"je ne sais pas où {fr} ."
            if s != YOU:
                line = f"do you know where {english(s, act(verb), 'present')} ?"
                yield line, f"est-ce que tu sais où {fr} ?"


@pattern(100)
def who_clauses() -> Pairs:
    doers = [
        noun for noun in words.PEOPLE if noun.en in ("boy", "girl", "man", "woman", "child")
    ]
    for noun in doers:
        s = the(noun)
        for action in [
            a for a in STILL if a.verb.en not in ("leave", "lie", "wait")
        ] + PASTIMES[:12]:
            does = f"{s.en} who is {form(action, 'ing')}"
            fait = (
                f"{s.fr} qui {present(action.verb.fr.removeprefix('se '), 2)} {action.fr}"
            )
            if action.verb.fr.startswith("se "):
                continue
            kin = [k for k in words.FAMILY if k.feminine == noun.feminine]
            young = noun.en in ("boy", "girl", "child")
            for relative in kin:
                elder = (
                    relative.en
                    in """
                    father mother uncle aunt grandfather grandmother neighbour
                """.split()
                )
                if young == elder:
                    continue
                if relative.en in ("son", "daughter") or (
                    noun.en == "child" and relative.en == "friend"
                ):
                    continue
                en = f"{does} is my {relative.en} ."
                yield en, f"{fait} est {np('my', relative).fr} ."
            name = {False: ("paul", "luc"), True: ("marie", "alice")}[noun.feminine]
            if noun.en != "child":
                for who in name:
                    yield f"{does} is called {who} .", f"{fait} s'appelle {who} ."
            yield f"i know {does} .", f"je connais {fait} ."
            yield f"do you know {does} ?", f"est-ce que tu connais {fait} ?"
        for where, fr in table("""
            lives here | habite ici; works here | travaille ici;
            speaks french | parle français; sings well | chante bien
        """):
            if noun.en != "child":
                en = f"i know a {noun.en} who {where} ."
                yield en, f"je connais {np('a', noun).fr} qui {fr} ."
                en = f"we met a {noun.en} who {where} ."
                yield en, f"nous avons rencontré {np('a', noun).fr} qui {fr} ."
    for noun in words.THINGS + words.CLOTHES:
        s = the(noun)
        e = "e" * noun.feminine
        for buyer, fr in [
            (I, "je"),
            (YOU, "tu"),
            (SHE, "elle"),
            (NAMES[0], "paul"),
            (NAMES[6], "marie"),
        ]:
            ai = present("avoir", buyer.person)
            en = f"i like {s.en} that {buyer.en} bought ."
            yield en, f"j'aime {s.fr} que {fr} {ai} acheté{e} ."
            if buyer != I:
                en = f"i found {s.en} that {buyer.en} lost ."
                yield en, f"j'ai trouvé {s.fr} que {fr} {ai} perdu{e} ."
            en = f"where's {s.en} that {buyer.en} bought ?"
            yield en, f"où est {s.fr} que {fr} {ai} acheté{e} ?"


@pattern(60)
def lost_and_found() -> Pairs:
    for s in [*SIX, *NAMES]:
        my = own(s)
        other = SHE if s.feminine else HE if s.third else s
        ai = present("avoir", s.person)
        for noun in words.THINGS + words.CLOTHES:
            phrase = np(my, noun)
            e = "e" * noun.feminine
            en = f"{s.en} lost {phrase.en} but {other.en} found it ."
            yield en, f"{s.fr} {ai} perdu {phrase.fr} mais {other.fr} le {ai} retrouvé{e} ."
            a = np("a", noun)
            en = f"{s.en} bought {a.en} but {other.en} lost it ."
            yield en, f"{s.fr} {ai} acheté {a.fr} mais {other.fr} le {ai} perdu{e} ."


@pattern(150)
def before_and_without() -> Pairs:
    for s in [*SIX, *SIX, *NAMES]:
        for verb, goal in table("""
            eat | leave; read | sleep; pay | leave; drink | run; wait | answer; rest | work;
            eat | work; listen | answer
        """):
            for tense in ("present", "past", "future", "near"):
                if unclear(s, act(verb), tense):
                    continue
                end = (
                    f"before {form(act(goal), 'ing')}",
                    f"avant de {infinitive(act(goal), s)}",
                )
                yield stop(both(s, act(verb), tense, end=end))
        for verb, lacking in table("""
            leave | pay; leave | eat; answer | hesitate; eat | speak; wait | speak;
            listen | answer; leave | answer; sleep | dream; win | cheat
        """):
            for tense in ("past", "future"):
                yield (
                    f"{english(s, act(verb), tense)} without {form(act(lacking), 'ing')} .",
                    f"{french(s, act(verb), tense)} sans {infinitive(act(lacking), s)} .",
                )


@pattern(60)
def in_order_to() -> Pairs:
    trips = [
        ("market", "buy", words.FRUIT + words.FOOD),
        ("bakery", "buy", [NOUN["bread"], NOUN["cake"]]),
        ("library", "read", words.READING[:1] + words.READING[3:4]),
    ]
    for s in [*SIX, *SIX, *NAMES, *RELATIVES[:8]]:
        for place, verb, goods in trips:
            at = np("the", NOUN[place])
            for noun in goods:
                plural = noun in words.FRUIT + words.READING or noun.en == "cake"
                purpose = act(verb, np("any", noun, None, plural))
                for tense in ("progressive", "past"):
                    goes = both(s, act("go"), tense, end=(f"to {at.en}", f"à {at.fr}"))
                    en = f"{goes[0]} to {form(purpose, 'base')} ."
                    yield en, f"{goes[1]} pour {infinitive(purpose)} ."
        for goal in ("rest", "sleep", "work"):
            stays = both(s, act("stay"), "past", end=("at home", "à la maison"))
            yield f"{stays[0]} to {goal} .", f"{stays[1]} pour {infinitive(act(goal), s)} ."


@pattern(80)
def with_somebody() -> Pairs:
    for s in [*SIX, *SIX, *NAMES]:
        my = own(s)
        for noun in words.FAMILY:
            phrase = np(my, noun)
            for action in PASTIMES:
                if action.verb.en not in "play go watch walk swim listen eat run".split():
                    continue
                end = (f"with {phrase.en}", f"avec {phrase.fr}")
                for tense in ("present", "progressive", "past", "near", "future"):
                    yield stop(both(s, action, tense, end=end))
            for verb in ("help", "phone", "love", "see", "wait"):
                link = "for" if verb == "wait" else ""
                action = loved(phrase) if verb == "love" else act(verb, phrase, link=link)
                for tense in (
                    ["present"] if verb == "love" else ["past", "near", "must", "want to"]
                ):
                    yield stop(both(s, action, tense))


@pattern(90)
def nothing_and_nobody() -> Pairs:
    for s in ANYONE[6:]:
        has, ne = present("avoir", s.person), f"{s.fr} ne"
        for verb in "see say eat drink buy find do hear understand".split():
            fr = words.VERBS[verb].fr
            done = participle(fr)
            yield f"{s.en} didn't {verb} anything .", f"{ne} {has} rien {done} ."
            if verb in ("see", "say", "eat", "hear", "do"):
                do = "does" if s.third else "do"
                line = f"{s.en} {do}n't {verb} anything ."
                yield line, f"{ne} {present(fr, s.person)} rien ."
        for verb in "see help invite hear know".split():
            fr = words.VERBS[verb].fr
            if verb != "know":
                line = f"{s.en} didn't {verb} anyone ."
                yield line, f"{ne} {has} {participle(fr)} personne ."
            do = "does" if s.third else "do"
            line = f"{s.en} {do}n't {verb} anyone ."
            yield line, f"{ne} {present(fr, s.person)} personne ."
    nobody, everyone = (
        Subject("nobody", "personne ne", 2),
        Subject("everyone", "tout le monde", 2),
    )
    for action in SIMPLE:
        for tense in ("past", "present", "future"):
            if (
                action.verb.en
                in """
                sing work laugh cheat cry dance sleep eat understand wait pay win answer
            """.split()
            ):
                line = f"{english(nobody, action, tense)} ."
                yield line, f"{french(nobody, action, tense)} ."
                line = f"{english(everyone, action, tense)} ."
                yield line, f"{french(everyone, action, tense)} ."
    for en in "tired ready happy calm late busy sad".split():
        yield f"everyone is {en} .", f"tout le monde est {PERSONAL[en].fr} ."
        yield f"nobody is {en} .", f"personne n'est {PERSONAL[en].fr} ."
        yield f"is everyone {en} ?", f"est-ce que tout le monde est {PERSONAL[en].fr} ?"


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
        for noun, en, fr in sights:
            for n, deux in [("a", ""), *words.NUMBERS[:3]]:
                thing = NOUN[noun]
                what = np("a", thing) if n == "a" else None
                action = (
                    act("see", what)
                    if what
                    else act("see", f"{n} {thing.en_plural}", f"{deux} {thing.fr_plural}")
                )
                yield stop(both(s, action, "past", end=(en, fr)))


@pattern(160)
def two_things_at_once() -> Pairs:
    for a, b in [
        (HE, SHE),
        (SHE, HE),
        (I, YOU),
        (NAMES[0], NAMES[6]),
        (NAMES[7], NAMES[2]),
        (WE, THEY),
    ]:
        for x, y in table("""
            sing | dance; work | sleep; cook | read; speak | listen; write | read;
            laugh | cry; cook | work; swim | run
        """):
            for first, second in [(x, y), (y, x)]:
                for tense in ("progressive", "present", "past"):
                    if tense == "present" and {first, second} == {"laugh", "cry"}:
                        continue
                    for link, fr in [("and", "et"), ("but", "mais")]:
                        one = both(a, act(first), tense)
                        other = both(b, act(second), tense)
                        yield stop(linked(one, (link, fr), other))
    for s in [*SIX, *NAMES]:
        other = SHE if s.feminine else HE if s.third else s
        for en, but in table("""
            tired | happy; rich | sad; young | serious; poor | happy;
            old | strong; shy | funny; ill | calm; clever | lazy; kind | shy;
            rich | generous
        """):
            one, two = PERSONAL[en], PERSONAL[but]
            line = f"{short(s, be(s))} {en} but {but} ."
            yield line, f"{is_so(s, f'{fits(s, one)} mais {fits(s, two)}')} ."
            yield stop(linked(is_(s, en, one), ("but", "mais"), is_(other, but, two)))


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


def fill(text: str, *slots: Sequence) -> Pair:
    """`en | fr` with the English and the French of the slots put in."""
    en, fr = text.split("|")
    return en.format(*(slot[0] for slot in slots)), fr.format(*(slot[1] for slot in slots))


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
    small | book notebook chair clock boat ball key knife cake onion;
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


def kin(pick: Pick, kind: str, of: str = "") -> Phrase:
    """A relative."""
    return np(kind, NOUN[pick((of or KIN).split())])


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
    where = spot(pick, spots, perhaps(pick, "the", pick(places.split())))
    text = "{} are {} . | {} sont {} ." if several else "{} is {} . | {} est {} ."
    return fill(text, described(pick, kind, noun, several), where)


@dense(60)
def several_things_are_somewhere(pick: Pick) -> Pair:
    things, spots, places = pick(SCENES[:1] + SCENES[2:4] + SCENES[5:])
    noun = pick(things.split())
    where = spot(pick, spots, perhaps(pick, "the", pick(places.split())))
    several = counted(pick, noun, pick(LOOKS[noun]), 3)
    return fill("there are {} {} . | il y a {} {} .", several, where)


@dense(45)
def somebody_s_thing_is_somewhere(pick: Pick) -> Pair:
    things, spots, places = pick(SCENES[:2] + SCENES[6:7])
    thing = described(pick, "the", pick([n for n in things.split() if n in OWNABLE]))
    where = spot(pick, spots, perhaps(pick, "the", pick(places.split())))
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
        phrase = described(pick, pick(["the", "a"]), animal)
        s = Subject(phrase.en, phrase.fr, 2, phrase.feminine)
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
    phrase = described(pick, kind, animal)
    s = Subject(phrase.en, phrase.fr, 2, phrase.feminine)
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
    goods = fill(
        "{} and {} | {} et {}", counted(pick, one, looks[0]), counted(pick, other, looks[1])
    )
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
    receiver = pick([kin(pick, own(s)), pick([name for name in NAMES if name != s])])
    if verb == "sell":
        receiver = pick([name for name in NAMES if name != s])
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
    phrase = described(pick, "the", pick(persons.split()))
    return Subject(phrase.en, phrase.fr, 2, phrase.feminine)


@dense(55)
def two_people(pick: Pick) -> Pair:
    one, other = (somebody(pick, persons) for persons in two(pick, PERSONS))
    both_ = Subject(
        f"{one.en} and {other.en}", f"{one.fr} et {other.fr}", 5,
        one.feminine and other.feminine, True
    )  # fmt: skip
    if pick([True, False]):
        state = pick(
            "tired happy ready busy surprised worried ill kind clever funny".split()
        )
        return stop(is_(both_, state, PERSONAL[state], past=pick([True, False])))
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
        s, adjective = the(NOUN[noun], of), ADJECTIVES[state]
        clauses.append((f"{s.en} is {state}", is_so(s, agree(adjective, s.feminine))))
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
        is_(s, state, (PERSONAL | words.BEFORE)[state])
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
    one, other = two(
        pick, "pen pencil notebook bag umbrella box cup scarf hat plate book key"
    )
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
    b = SHE if a == HE else pick([name for name in NAMES if name != a])
    verb, contrary = pick(
        [("like", "hate"), ("like", "prefer"), ("hate", "like"), ("love", "hate")]
    )
    first = both(a, act(verb, one.en, one.fr), "present")
    second = both(b, act(contrary, other.en, other.fr), "present")
    return stop(linked(first, ("but", "mais"), second))


@dense(65)
def two_lives(pick: Pick) -> Pair:
    a = pick([*NAMES, *RELATIVES[:6], I, HE])
    b = SHE if a == HE else pick([name for name in NAMES if name != a])
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


CHORES = [
    action for action in ERRANDS + PASTIMES
    if action.verb.en in ("clean", "repair", "cut", "prepare", "paint", "do", "make")
    or action.verb.en in ("open", "close", "phone")
]  # fmt: skip
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


GAMES = [
    a
    for a in PASTIMES
    if a.verb.en in ("play", "watch", "walk", "swim", "run", "learn", "study")
]


@dense(65)
def together_on_a_day(pick: Pick) -> Pair:
    s = pick([*NAMES, I, HE, SHE])
    other = pick([kin(pick, own(s)), pick([name for name in NAMES if name != s])])
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
    so = (
        f"{degree} {adjective.en}",
        f"{fr} {agree(adjective, NOUN[noun].feminine, several)}",
    )
    text = "{} are {} . | {} sont {} ." if several else "{} is {} . | {} est {} ."
    return fill(text, thing, so)


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
    where = spot(pick, spots, described(pick, "the", pick(places.split())))
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
    for name in words.MEN + words.WOMEN:
        for en, fr in SAID:
            yield f"{en} , {name} !", f"{fr} , {name} !"
        for en in ("careful", "patient", "serious", "polite", "honest", "brave"):
            adjective = agree(words.TRAITS[en], name in words.WOMEN)
            yield f"be {en} , {name} .", f"sois {adjective} , {name} ."
            yield f"don't be afraid , {name} .", f"n'aie pas peur , {name} ."
        for en, fr in ASKED:
            yield f"{en} , {name} ?", f"{fr} , {name} ?"
