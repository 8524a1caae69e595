"""Everyday English and its French: what visitors type, as training data of the translator.

    python -m tools.book.everyday      prints all pairs, to be read

Pairs come from a small grammar, templates with lists of words, and from sentences written
by hand. Tokens and conventions are those of the phrasebook (d2lmini/data/README.md): "you"
is `tu`; "i", "you", "we" and "they" are masculine; questions with "do" take `est-ce que`;
the simple past is the passé composé. French is spelt without elision and contraction, `je
ai` and `de le`, until `french` makes them in the finished sentence.
"""

import random
import re
from pathlib import Path
from typing import NamedTuple

SEED, PER_TEMPLATE = 0, 800

# --- spelling ------------------------------------------------------------------------

VOWEL = r"(?!(?:oui|huit|onze)(?!\S))[aeiouyàâéèêîôœh]"  # every h of the lists is mute
ELISION = re.compile(
    rf"(?<!\S)(je|me|te|se|le|la|ne|de|que|ce|puisque|lorsque) (?={VOWEL})"
)
CONTRACTIONS = {"de le": "du", "de les": "des", "à le": "au", "à les": "aux"}


def french(text):
    """Elide and contract: `je ai` is j'ai, `si il` is s'il, `de le` is du."""
    text = re.sub(r"(?<!\S)si (?=ils?(?!\S))", "s'", " ".join(text.split()))
    text = ELISION.sub(lambda match: match[1][:-1] + "'", text)
    return re.sub(r"(?<!\S)(?:de|à) les?(?!\S)", lambda m: CONTRACTIONS[m[0]], text)


def english(text):
    """Write `an` for `a` before the sound of a vowel."""
    text = " ".join(text.split())
    return re.sub(r"(?<!\S)a (?=[aeiou]|hour|honest)(?!uni|use|one)", "an ", text)


def vowel(word):
    return re.match(VOWEL, word) is not None


# --- words ---------------------------------------------------------------------------


class Noun(NamedTuple):
    en: str
    fr: str
    feminine: bool
    en_plural: str
    fr_plural: str


class Adjective(NamedTuple):
    en: str
    fr: str
    fr_feminine: str
    before: bool  # its noun, in French
    plural: bool  # whether it takes an s


def english_s(word):
    if re.search(r"(s|x|ch|sh|o)$", word):
        return word + "es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", word) + "s"


def french_s(word):
    if re.search(r"[sxz]$", word):
        return word
    return (
        word + "x"
        if re.search(r"(eau|eu)$", word)
        else re.sub(r"al$", "au", word) + ("x" if word.endswith("al") else "s")
    )


def entries(table):
    return [row.split() for row in table.replace("\n", " ").split(",")]


def table(text):
    """Rows between semicolons, of cells between bars; a cell may be empty."""
    return [
        tuple(" ".join(cell.split()) for cell in row.split("|")) for row in text.split(";")
    ]


def nouns(m="", f=""):
    """Tables of masculine and feminine nouns: `english[/plural] french[/plural]`."""
    found = []
    for feminine, table in ((False, m), (True, f)):
        for en, fr in entries(table) if table else ():
            en, _, ens = en.replace("_", " ").partition("/")
            fr, _, frs = fr.replace("_", " ").partition("/")
            found.append(Noun(en, fr, feminine, ens or english_s(en), frs or french_s(fr)))
    return found


FEMININE = {"er": "ère", "eux": "euse", "if": "ive", "en": "enne", "el": "elle", "e": "e"}


def adjectives(table, before=False):
    """A table `english french[/feminine]`; a final `!` marks one that never changes."""
    found = []
    for en, fr in entries(table):
        plural, fr = not fr.endswith("!"), fr.rstrip("!").replace("_", " ")
        fr, _, feminine = fr.partition("/")
        end = next((end for end in FEMININE if fr.endswith(end)), None)
        regular = fr.removesuffix(end) + FEMININE[end] if end else fr + "e"
        feminine = feminine or (regular if plural else fr)
        found.append(Adjective(en.replace("_", " "), fr, feminine, before, plural))
    return found


ONE = "father mother dad mum mom husband wife grandfather grandmother".split()
FAMILY = nouns(
    m="""father père, brother frère, son fils, uncle oncle, dad papa, husband mari,
    grandfather grand-père/grands-pères, cousin cousin, friend ami""",
    f="""mother mère, sister sœur, daughter fille, aunt tante, mum maman, mom maman,
    wife/wives femme, grandmother grand-mère/grands-mères""",
)
PARENTS = [noun for noun in FAMILY if noun.en in ONE]  # of whom one has one
PEOPLE = nouns(
    m="""boy garçon, man/men homme, child/children enfant, teacher professeur, baby bébé,
    doctor médecin, student étudiant, king roi, neighbour voisin, policeman/policemen
    policier""",
    f="girl fille, woman/women femme, queen reine, nurse infirmière, princess princesse",
)
JOBS = entries(
    """nurse infirmier infirmière, singer chanteur chanteuse, student étudiant étudiante,
    lawyer avocat avocate, teacher professeur professeure, doctor médecin médecin,
    engineer ingénieur ingénieure, musician musicien musicienne, dancer danseur danseuse,
    programmer programmeur programmeuse, scientist scientifique scientifique"""
)
PETS = nouns(
    m="cat chat, dog chien, rabbit lapin, bird oiseau, horse cheval",
    f="mouse/mice souris, turtle tortue",
)
ANIMALS = PETS + nouns(
    m="""lion lion, wolf/wolves loup, monkey singe, elephant éléphant, pig cochon, tiger
    tigre, animal animal,
    duck canard, fish/fish poisson, bear ours/ours, fox renard, snake serpent""",
    f="cow vache, hen poule, goat chèvre, spider araignée, frog grenouille, bee abeille",
)
FOOD = nouns(
    m="""bread pain, cheese fromage, rice riz, fish poisson, chicken poulet, honey miel,
    chocolate chocolat, ham jambon, butter beurre, sugar sucre, salt sel""",
    f="meat viande, soup soupe, salad salade, jam confiture, pizza pizza",
)
FRUIT = nouns(
    m="""egg œuf, cake gâteau, sandwich sandwich, mushroom champignon, biscuit biscuit,
    vegetable légume""",
    f="""apple pomme, orange orange, banana banane, tomato tomate, strawberry fraise,
    carrot carotte, potato pomme_de_terre/pommes_de_terre""",
)
DRINKS = nouns(
    m="milk lait, coffee café, tea thé, wine vin, juice jus",
    f="water eau, beer bière, lemonade limonade",
)
READING = nouns(
    m="book livre, newspaper journal, poem poème, novel roman, message message",
    f="letter lettre, story histoire",
)
THINGS = nouns(
    m="""book livre, pen stylo, bag sac, phone téléphone, computer ordinateur, ticket
    billet,
    umbrella parapluie, ball ballon, hat chapeau, bicycle vélo, bike vélo, game jeu,
    gift cadeau, knife/knives couteau, passport passeport, wallet portefeuille, robot
    robot, laptop ordinateur_portable/ordinateurs_portables, notebook cahier""",
    f="""watch montre, key clé, guitar guitare, map carte, car voiture, camera caméra,
    picture photo, box boîte, flower fleur""",
)
CLOTHES = nouns(
    m="coat manteau, hat chapeau, jumper pull, sweater pull, t-shirt t-shirt",
    f="shirt chemise, dress robe, skirt jupe, jacket veste, scarf écharpe",
)
SHOES = nouns(m="glove gant", f="shoe chaussure, sock chaussette, boot botte")
VEHICLES = nouns(
    m="train train, boat bateau, plane avion, bus bus, bicycle vélo, bike vélo, taxi taxi",
    f="car voiture",
)
FURNITURE = nouns(
    m="bed lit, sofa canapé, mirror miroir, desk bureau, armchair fauteuil",
    f="table table, chair chaise, lamp lampe, clock horloge",
)
SURFACES = nouns(
    m="bed lit, sofa canapé, roof toit, wall mur",
    f="table table, chair chaise, box boîte",
)
BUILDINGS = nouns(
    m="""castle château, hotel hôtel, museum musée, hospital hôpital, restaurant restaurant,
    shop magasin, bridge pont""",
    f="house maison, church église, school école, station gare, bank banque, tower tour",
)
ROOMS = nouns(
    m="garden jardin, office bureau, park parc",
    f="""kitchen cuisine, bedroom chambre, house maison, street rue, car voiture,
    forest forêt, water eau, room pièce""",
)
PLACES = nouns(
    m="""market marché, museum musée, park parc, cinema cinéma, theatre théâtre, zoo zoo,
    restaurant restaurant, hotel hôtel, airport aéroport, supermarket supermarché""",
    f="""station gare, bank banque, library bibliothèque, beach plage, bakery boulangerie,
    pharmacy pharmacie, church église, university université, party fête, sea mer""",
)
NEAR = nouns(
    m="lake lac, park parc, bridge pont, airport aéroport",
    f="""river rivière, beach plage, station gare, church église, school école, sea mer,
    mountain montagne, forest forêt""",
)
WORLD = nouns(
    m="world monde, sun soleil, sky ciel",
    f="moon lune, sea mer, music musique, life vie",
)
IDEAS = nouns(
    m="""film film, movie film, problem problème, word mot, country pays/pays, name nom,
    exercise exercice, job travail/travaux, dinner dîner, model modèle""",
    f="""question question, idea idée, answer réponse, story histoire, song chanson,
    city ville, town ville, sentence phrase, lesson leçon, machine machine""",
)
BODY = nouns(
    m="foot/feet pied, back dos, stomach ventre, arm bras",
    f="head tête, throat gorge, leg jambe, hand main",
)
SUBJECTS = nouns(
    m="football football, sport sport, tennis tennis, chocolate chocolat, cinema cinéma",
    f="music musique, history histoire, pizza pizza, art_history histoire_de_l'art",
)[:-1]
MEN = "paul marc luc thomas pierre louis tom john peter david max".split()
WOMEN = "marie julie sophie claire alice emma anna mary sarah lisa laura".split()
LANGUAGES = entries(
    """french français, english anglais, spanish espagnol, italian italien, german allemand,
    chinese chinois, japanese japonais, russian russe, arabic arabe"""
)
COUNTRIES = entries(
    """france en_france, italy en_italie, spain en_espagne, germany en_allemagne, china
    en_chine,
    england en_angleterre, india en_inde, japan au_japon, canada au_canada, europe
    en_europe,
    america en_amérique, paris à_paris, london à_londres, rome à_rome, berlin à_berlin,
    africa en_afrique, new_york à_new_york"""
)
NUMBERS = entries(
    """two deux, three trois, four quatre, five cinq, six six, seven sept, eight huit,
    nine neuf, ten dix"""
)
AGES = NUMBERS + entries(
    "twelve douze, sixteen seize, twenty vingt, thirty trente, forty quarante"
)
DAYS = entries(
    """monday lundi, tuesday mardi, wednesday mercredi, thursday jeudi, friday vendredi,
    saturday samedi, sunday dimanche"""
)
TRAITS = adjectives(
    """kind gentil/gentille, nice gentil/gentille, clever intelligent, smart intelligent,
    lazy paresseux, serious sérieux, shy timide, funny drôle, brave courageux, rich riche,
    famous célèbre, honest honnête, curious curieux, young jeune, old vieux/vieille,
    tall grand, strong fort, beautiful beau/belle, crazy fou/folle, polite poli,
    stupid stupide, dangerous dangereux, small petit, big grand"""
)
STATES = adjectives(
    """calm calme, happy heureux, tired fatigué, sad triste, ill malade, sick malade,
    ready prêt,
    busy occupé, alone seul, free libre, sure sûr, worried inquiet/inquiète, lost perdu,
    surprised surpris, nervous nerveux, angry en_colère!, late en_retard!, married marié,
    here ici!, here là!"""
)[:-2]
COLOURS = adjectives(
    """red rouge, blue bleu, green vert, yellow jaune, black noir, white blanc/blanche,
    grey gris, brown marron!, pink rose, orange orange!"""
)
BEFORE = adjectives(
    """big grand, small petit, little petit, beautiful beau/belle, new nouveau/nouvelle,
    old vieux/vieille, good bon/bonne, bad mauvais, pretty joli""",
    before=True,
)
QUALITIES = adjectives(
    """expensive cher, heavy lourd, easy facile, difficult difficile, hard difficile,
    interesting intéressant, clean propre, dirty sale, broken cassé, open ouvert,
    empty vide, full plein, comfortable confortable, cold froid, hot chaud, useful utile,
    delicious délicieux, fast rapide, slow lent, dangerous dangereux, important important,
    boring ennuyeux, great génial, strange étrange, different différent, magnificent
    magnifique,
    possible possible, funny drôle, sad triste, long long/longue, short court"""
)
Q = {adjective.en: adjective for adjective in QUALITIES}
ABSTRACT = "important interesting difficult strange long magnificent different sad".split()
LIAISON = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
FEELINGS = entries(
    """hungry faim, thirsty soif, cold froid, hot chaud, sleepy sommeil, afraid peur,
    right raison"""
)

# --- noun phrases --------------------------------------------------------------------

OWN = {
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}


def agree(adjective, feminine, plural=False):
    form = adjective.fr_feminine if feminine else adjective.fr
    return french_s(form) if plural and adjective.plural else form


class Phrase(NamedTuple):
    """A noun phrase; `no` is its French after a negation."""

    en: str
    fr: str
    no: str
    feminine: bool
    plural: bool


def np(kind, noun, adjective=None, plural=False):
    """The kinds: a, the, this, the possessives, `some` (some bread), `any` (bare in
    English: i eat bread), `all` (i like cats).
    """
    en, fr = (noun.en_plural, noun.fr_plural) if plural else (noun.en, noun.fr)
    before = False
    if adjective:
        en, form = f"{adjective.en} {en}", agree(adjective, noun.feminine, plural)
        before = adjective.before
        if before and not plural and not noun.feminine and vowel(fr):
            form = LIAISON.get(form, form)
        fr = f"{form} {fr}" if before else f"{fr} {form}"
    which = 2 if plural else int(noun.feminine)
    masculine = which == 1 and vowel(fr)  # mon amie
    if kind in OWN:
        article = OWN[kind][0 if masculine else which]
    elif kind == "this":
        article = "cet" if which == 0 and vowel(fr) else ("ce", "cette", "ces")[which]
    elif kind == "a":
        article = ("un", "une", "des")[which]
    else:
        article = ("le", "la", "les")[which]
        if kind in ("some", "any"):
            article = "de" if before and plural else f"de {article}"
    no = f"de {fr}" if kind in ("a", "some", "any") else f"{article} {fr}"
    word = "these" if kind == "this" and plural else kind
    word = "" if kind in ("any", "all") or (kind == "a" and plural) else word
    return Phrase(f"{word} {en}", f"{article} {fr}", no, noun.feminine, plural)


# --- verbs ---------------------------------------------------------------------------

IRREGULAR = {  # six forms of the present, the participle
    "être": "suis es est sommes êtes sont été",
    "avoir": "ai as a avons avez ont eu",
    "aller": "vais vas va allons allez vont allé",
    "faire": "fais fais fait faisons faites font fait",
    "dire": "dis dis dit disons dites disent dit",
    "venir": "viens viens vient venons venez viennent venu",
    "pouvoir": "peux peux peut pouvons pouvez peuvent pu",
    "vouloir": "veux veux veut voulons voulez veulent voulu",
    "devoir": "dois dois doit devons devez doivent dû",
    "savoir": "sais sais sait savons savez savent su",
    "voir": "vois vois voit voyons voyez voient vu",
    "croire": "crois crois croit croyons croyez croient cru",
    "boire": "bois bois boit buvons buvez boivent bu",
    "lire": "lis lis lit lisons lisez lisent lu",
    "écrire": "écris écris écrit écrivons écrivez écrivent écrit",
    "prendre": "prends prends prend prenons prenez prennent pris",
    "apprendre": "apprends apprends apprend apprenons apprenez apprennent appris",
    "comprendre": "comprends comprends comprend comprenons comprenez comprennent compris",
    "connaître": "connais connais connaît connaissons connaissez connaissent connu",
    "dormir": "dors dors dort dormons dormez dorment dormi",
    "partir": "pars pars part partons partez partent parti",
    "courir": "cours cours court courons courez courent couru",
    "ouvrir": "ouvre ouvres ouvre ouvrons ouvrez ouvrent ouvert",
    "rire": "ris ris rit rions riez rient ri",
    "conduire": "conduis conduis conduit conduisons conduisez conduisent conduit",
    "traduire": "traduis traduis traduit traduisons traduisez traduisent traduit",
    "perdre": "perds perds perd perdons perdez perdent perdu",
    "attendre": "attends attends attend attendons attendez attendent attendu",
    "entendre": "entends entends entend entendons entendez entendent entendu",
    "poursuivre": "poursuis poursuis poursuit poursuivons poursuivez poursuivent poursuivi",
    "suivre": "suis suis suit suivons suivez suivent suivi",
    "construire": "construis construis construit construisons construisez construisent "
    "construit",
    "finir": "finis finis finit finissons finissez finissent fini",
    "choisir": "choisis choisis choisit choisissons choisissez choisissent choisi",
    "mourir": "meurs meurs meurt mourons mourez meurent mort",
    "envoyer": "envoie envoies envoie envoyons envoyez envoient envoyé",
    "nettoyer": "nettoie nettoies nettoie nettoyons nettoyez nettoient nettoyé",
    "acheter": "achète achètes achète achetons achetez achètent acheté",
    "préférer": "préfère préfères préfère préférons préférez préfèrent préféré",
    "espérer": "espère espères espère espérons espérez espèrent espéré",
    "appeler": "appelle appelles appelle appelons appelez appellent appelé",
    "essayer": "essaie essaies essaie essayons essayez essaient essayé",
    "manger": "mange manges mange mangeons mangez mangent mangé",
    "nager": "nage nages nage nageons nagez nagent nagé",
    "voyager": "voyage voyages voyage voyageons voyagez voyagent voyagé",
    "changer": "change changes change changeons changez changent changé",
    "commencer": "commence commences commence commençons commencez commencent commencé",
}
WITH_ETRE = {"aller", "venir", "partir", "arriver", "rester", "tomber", "rentrer", "mourir"}


class Verb(NamedTuple):
    en: str
    past: str
    fr: str

    @property
    def third(self):
        return "has" if self.en == "have" else english_s(self.en)

    @property
    def ing(self):
        doubled = {"run", "swim", "win", "travel"}
        if self.en in doubled:
            return f"{self.en}{self.en[-1]}ing"
        if self.en in ("die", "lie"):
            return self.en[:-2] + "ying"
        return re.sub(r"(?<=[^e])e$", "", self.en) + "ing"

    def present(self, person):
        if self.fr in IRREGULAR:
            return IRREGULAR[self.fr].split()[person]
        return self.fr[:-2] + ("e", "es", "e", "ons", "ez", "ent")[person]

    @property
    def participle(self):
        return IRREGULAR[self.fr].split()[6] if self.fr in IRREGULAR else self.fr[:-2] + "é"


def verbs(table):
    """A table `english [past] french`."""
    found = {}
    for en, *past, fr in entries(table):
        regular = re.sub(r"([^aeiou])y$", r"\1ie", en.removesuffix("e")) + (
            "d" if re.search(r"[^aeiou]y$", en) else "ed"
        )
        found[en] = Verb(en, past[0] if past else regular, fr)
    return found


V = verbs(
    """sing sang chanter, dance danser, work travailler, sleep slept dormir, run ran courir,
    walk marcher, swim swam nager, cry pleurer, laugh rire, eat ate manger, jump sauter,
    drink drank boire, read read lire, write wrote écrire, cook cuisiner, travel travelled
    voyager,
    play jouer, speak spoke parler, talk parler, wait attendre, leave left partir,
    arrive arriver, come came venir, go went aller, stay rester, fall fell tomber,
    study étudier, win won gagner, lose lost perdre, dream rêver, shout crier, die mourir,
    understand understood comprendre, help aider, start commencer, finish finir,
    buy bought acheter, find found trouver, break broke casser, open ouvrir, close fermer,
    clean nettoyer, visit visiter, watch regarder, take took prendre, fly flew voler,
    learn learned apprendre, see saw voir, know knew connaître, like aimer, love aimer,
    hate détester, want vouloir, choose chose choisir, bring brought apporter,
    give gave donner, show montrer, drive drove conduire, invite inviter, call appeler,
    live habiter, prefer préférer, have had avoir, make made faire, hear heard entendre,
    think thought penser, touch toucher, chase poursuivre, catch caught attraper,
    follow suivre, build built construire, meet met rencontrer, use utiliser,
    carry porter, wash laver, send sent envoyer, kiss embrasser, translate traduire,
    explain expliquer, change changer, push pousser, smile sourire, look regarder,
    believe croire, try essayer, sell sold vendre, teach taught enseigner, need avoir,
    cross traverser"""
)
IRREGULAR["sourire"] = "souris souris sourit sourions souriez sourient souri"
IRREGULAR["vendre"] = "vends vends vend vendons vendez vendent vendu"


class Subject(NamedTuple):
    en: str
    fr: str
    person: int  # 0 for je to 5 for ils
    feminine: bool = False

    @property
    def plural(self):
        return self.person > 2


I, YOU, HE, SHE, WE, THEY = SIX = [  # noqa: E741
    Subject("i", "je", 0),
    Subject("you", "tu", 1),
    Subject("he", "il", 2),
    Subject("she", "elle", 2, True),
    Subject("we", "nous", 3),
    Subject("they", "ils", 5),
]


def named(name):
    return Subject(name, name, 2, name in WOMEN)


OBJECTS = entries("me me, you te, him le, her la, us nous, them les")
CONTRACTED = {"am": "'m", "is": "'s", "are": "'re", "have": "'ve", "will": "'ll"}


class Action(NamedTuple):
    """A verb with what completes it; `no` is the French after a negation."""

    verb: Verb
    en: str = ""
    fr: str = ""
    no: str = ""


def be(subject, past=False):
    if past:
        return "was" if subject.person in (0, 2) else "were"
    return ("am", "are", "is", "are", "are", "are")[subject.person]


def does(subject):
    return "does" if subject.person == 2 else "do"


def short(subject, word):
    return f"{subject.en}{CONTRACTED[word]}" if subject in SIX else f"{subject.en} {word}"


def past_fr(subject, action, no=False):
    """The passé composé: elle est venue, il n'a pas vu."""
    verb = action.verb
    helper = Verb("", "", "être" if verb.fr in WITH_ETRE else "avoir").present(
        subject.person
    )
    form = verb.participle
    if verb.fr in WITH_ETRE:
        form += "e" * subject.feminine + "s" * subject.plural
    if no:
        return f"{subject.fr} ne {helper} pas {form} {action.no}"
    return f"{subject.fr} {helper} {form} {action.fr}"


def clause(subject, action, tense, no=False):
    """A statement in both languages."""
    s, verb = subject, action.verb
    if tense == "progressive" and verb.en in STATIVE:
        tense = "present"
    third = s.person == 2
    do = "does" if third else "do"
    if tense == "past":
        en = f"{s.en} didn't {verb.en}" if no else f"{s.en} {verb.past}"
        return f"{en} {action.en}", past_fr(s, action, no)
    if tense == "progressive":
        start = short(s, be(s))
        if no:
            start = "i'm not" if s.person == 0 else f"{s.en} {be(s)}n't"
        en = f"{start} {verb.ing}"
    elif tense == "present":
        en = (
            f"{s.en} {do}n't {verb.en}"
            if no
            else f"{s.en} {verb.third if third else verb.en}"
        )
    else:  # a French verb before the infinitive
        words, fr = MODALS[tense]
        helper = fr.split()[s.person] if " " in fr else Verb("", "", fr).present(s.person)
        if tense == "going to":
            start = short(s, be(s))
            if no:
                start = "i'm not" if s.person == 0 else f"{s.en} {be(s)}n't"
            en = f"{start} going to {verb.en}"
        elif tense in ("can", "must", "should", "would like to"):
            negated = {"can": "can't", "must": "mustn't", "should": "shouldn't"}
            word = negated[tense] if no else tense
            word = f"{s.en} {word}"
            if tense == "would like to" and s in SIX and not no:
                word = f"{s.en}'d like to"
            en = f"{word} {verb.en}"
        else:
            head, _, tail = words.partition(" ")
            third_head = {"want": "wants", "have": "has", "like": "likes", "love": "loves"}
            head = third_head[head] if third and not no else head
            en = (
                f"{s.en} {do}n't {head} {tail} {verb.en}"
                if no
                else f"{s.en} {head} {tail} {verb.en}"
            )
        rest = action.no if no else action.fr
        fr = f"{s.fr} {'ne' if no else ''} {helper} {'pas' if no else ''} {verb.fr} {rest}"
        return f"{en} {action.en}", fr
    form = verb.present(s.person)
    fr = f"{s.fr} ne {form} pas {action.no}" if no else f"{s.fr} {form} {action.fr}"
    return f"{en} {action.en}", fr


STATIVE = "see know hear understand need have like love hate want prefer believe".split()
MODALS = {
    "going to": ("going to", "aller"),
    "want to": ("want to", "vouloir"),
    "can": ("can", "pouvoir"),
    "must": ("must", "devoir"),
    "have to": ("have to", "devoir"),
    "should": ("should", "devrais devrais devrait devrions devriez devraient"),
    "would like to": (
        "would like to",
        "voudrais voudrais voudrait voudrions voudriez voudraient",
    ),
    "love to": ("love to", "adorer"),
    "like to": ("like to", "aimer"),
}

# --- sentences -----------------------------------------------------------------------

WAYS = nouns(
    m="bridge pont, lake lac, garden jardin",
    f="street rue, road route, river rivière, forest forêt, room pièce",
)
WIDE = adjectives(
    """wide large, dangerous dangereux, long long/longue, big grand, cold froid,
    busy fréquenté, dark sombre"""
)
FUTURE = {
    "go": "ir",
    "be": "ser",
    "eat": "manger",
    "see": "verr",
    "come": "viendr",
    "buy": "achèter",
}
FUTURE |= {
    "work": "travailler",
    "sleep": "dormir",
    "win": "gagner",
    "sing": "chanter",
    "dance": "danser",
}
FUTURE |= {"play": "jouer", "leave": "partir"}
THERE_IS, WHO_IS = ["there is", "there's"], ["who is", "who's"]
HOW_IS = ["how is", "how's"]
TIMES = table("""today | aujourd'hui; now | maintenant; every day | tous les jours""")
TIMES += table("""in the morning | le matin; in the evening | le soir; here | ici""")
LATER = table("tomorrow | demain; tonight | ce soir; today | aujourd'hui")
LATER += table("""next week | la semaine prochaine; next year | l'année prochaine""")
LATER += [(f"on {en}", fr) for en, fr in DAYS]
BEFORE_NOW = table("yesterday | hier; last week | la semaine dernière")
BEFORE_NOW += table(
    """this morning | ce matin; last night | hier soir; today | aujourd'hui"""
)
PREPOSITIONS = [("on", "sur"), ("under", "sous"), ("behind", "derrière")]
PREPOSITIONS += table("next to | à côté de; near | près de; in front of | devant")
PLACED = table("""at school | à l'école; at home | à la maison; at work | au travail""")
PLACED += [("outside", "dehors"), ("in bed", "au lit")]
PRONOUN = {
    (False, False): "il",
    (True, False): "elle",
    (False, True): "ils",
    (True, True): "elles",
}
ALONE = (
    "sing dance work sleep run walk swim cry laugh eat read write cook travel play".split()
)
ALONE += ["wait"]
ALONE += (
    "arrive come stay fall study win dream shout understand start finish jump smile".split()
)
ENGAGED = (
    "sing dance work sleep run walk swim eat read write cook play wait study jump".split()
)


class Sentences:
    """Random sentences, each method a template that returns English and French."""

    def __init__(self, rng):
        self.rng = rng
        self.of = rng.choice

    def chance(self, p):
        return self.rng.random() < p

    # parts

    def person(self, six=0.5):
        """Who does it."""
        kind = self.rng.random()
        if kind < six:
            return self.of(SIX)
        if kind < six + 0.15:
            if self.chance(0.5):
                return named(self.of(MEN))
            return named(self.of(WOMEN))
        return self.noun_subject()

    def noun_subject(self, animals=0.35):
        if self.chance(animals):
            noun, kind = self.of(ANIMALS), self.of(["the", "the", "my"])
        elif self.chance(0.5):
            noun, kind = self.of(PEOPLE), "the"
        else:
            noun, kind = self.of(FAMILY), self.of(["my", "my", "your", "his", "her"])
        plural = self.chance(0.2) and noun not in PARENTS
        adjective = (
            self.of(BEFORE + COLOURS) if self.chance(0.15) and noun in ANIMALS else None
        )
        return self.subject(np(kind, noun, adjective, plural))

    def subject(self, phrase):
        return Subject(phrase.en, phrase.fr, 5 if phrase.plural else 2, phrase.feminine)

    def third(self, subject):
        """The pronoun for a subject, as a subject: it for an animal or a thing."""
        fr = PRONOUN[subject.feminine, subject.plural]
        if subject in SIX:
            return subject
        if subject.plural:
            return Subject("they", fr, 5, subject.feminine)
        animals = {n.en for n in ANIMALS}
        words = subject.en.split()
        if any(word in animals for word in words):
            en = "it"
        else:
            en = "she" if subject.feminine else "he"
        return Subject(en, fr, 2, subject.feminine)

    def thing(self, kinds=("a", "the", "my", "your", "his", "her", "this"), adjective=0.3):
        group = self.of([THINGS, THINGS, CLOTHES, READING, FURNITURE])
        adjectives = COLOURS + BEFORE
        if group is READING:
            adjectives = BEFORE
        chosen = self.of(adjectives) if self.chance(adjective) else None
        return np(self.of(kinds), self.of(group), chosen)

    def meal(self):
        """Something to eat, as an object."""
        choice = self.rng.random()
        if choice < 0.4:
            return np(self.of(["any", "some", "the"]), self.of(FOOD))
        if choice < 0.7:
            return np(self.of(["a", "the", "this"]), self.of(FRUIT))
        return np(self.of(["any", "some", "the"]), self.of(FRUIT), plural=True)

    def place(self):
        """Where, in both languages."""
        choice = self.rng.random()
        if choice < 0.4:
            phrase = np(self.of(["the", "the", "my"]), self.of(ROOMS))
            return f"in {phrase.en}", f"dans {phrase.fr}"
        if choice < 0.55:
            return self.of(PLACED)
        if choice < 0.75:
            return self.on()
        phrase = np("the", self.of(NEAR))
        return f"near {phrase.en}", f"près de {phrase.fr}"

    def on(self):
        en, fr = self.of(PREPOSITIONS[:2] * 3 + PREPOSITIONS)
        adjective = self.of(COLOURS + BEFORE) if self.chance(0.15) else None
        phrase = np(self.of(["the", "the", "the", "a", "my"]), self.of(SURFACES), adjective)
        return f"{en} {phrase.en}", f"{fr} {phrase.fr}"

    def to(self):
        """Where to: to the beach, à la plage."""
        if self.chance(0.2):
            en, fr = self.of(COUNTRIES)
            return f"to {en.replace('_', ' ')}", fr.replace("_", " ")
        if self.chance(0.15):
            return self.of([("home", "à la maison"), ("to school", "à l'école")])
        phrase = np("the", self.of(PLACES))
        return f"to {phrase.en}", f"à {phrase.fr}"

    def obj(self, verb, phrase):
        return Action(V[verb], phrase.en, phrase.fr, phrase.no)

    def action(self):
        """Any verb that takes an object, or none."""
        choice = self.rng.random()
        if choice < 0.28:
            return Action(V[self.of(ALONE)])
        if choice < 0.40:
            return self.obj("eat", self.meal())
        if choice < 0.47:
            return self.obj("drink", np(self.of(["any", "some", "the"]), self.of(DRINKS)))
        if choice < 0.54:
            verb = self.of(["read", "write", "send"])
            return self.obj(verb, np(self.of(["a", "the"]), self.of(READING)))
        if choice < 0.58:
            return Action(V["watch"], "television", "la télévision", "la télévision")
        if choice < 0.62:
            en, fr = self.of(LANGUAGES[:6])
            verb = self.of(["speak", "learn", "understand"])
            article = "" if verb == "speak" else "le "
            return Action(V[verb], en, article + fr, article + fr)
        if choice < 0.66:
            en, fr = self.of(
                table(
                    """football | au football; the piano | du piano; tennis | au tennis; the
                guitar | de la guitare; chess | aux échecs"""
                )
            )
            return Action(V["play"], en, fr, fr)
        if choice < 0.72:
            en, fr = self.to()
            return Action(V["go"], en, fr, fr)
        if choice < 0.84:
            verb = self.of(
                "see find buy lose take want choose break sell use touch carry".split()
            )
            return self.obj(verb, self.thing())
        if choice < 0.93:
            verb = self.of("see help follow call invite know visit meet hear".split())
            who = np(self.of(["my", "your", "his", "her"]), self.of(FAMILY))
            return self.obj(verb, who)
        verb = self.of("chase catch see follow touch".split())
        return self.obj(verb, np(self.of(["the", "a"]), self.of(ANIMALS)))

    def quality(self, phrase):
        """An adjective in agreement with a phrase for a thing."""
        adjective = self.of(QUALITIES)
        return adjective.en, agree(adjective, phrase.feminine, phrase.plural)

    def state(self, subject):
        """How somebody is: the English after be, the French predicate and its verb."""
        if self.chance(0.4):
            en, fr = self.of(FEELINGS)
            return en, fr, "avoir"
        adjective = self.of(STATES + STATES + TRAITS)
        return adjective.en, agree(adjective, subject.feminine, subject.plural), "être"

    def is_(self, subject, state, past=False, no=False):
        en, fr, verb = state
        if past:
            stem = {"être": "ét", "avoir": "av"}[verb]
            form = stem + ("ais", "ais", "ait", "ions", "iez", "aient")[subject.person]
            start = f"{subject.en} {be(subject, True)}" + "n't" * no
        else:
            form = Verb("", "", verb).present(subject.person)
            start = short(subject, be(subject))
            if subject.en == "it":
                start = self.of(["it's", "it is"])
            if no:
                start = (
                    "i'm not" if subject.person == 0 else f"{subject.en} {be(subject)}n't"
                )
        if no:
            fr = f"ne {form} pas {fr}"
        else:
            fr = f"{form} {fr}"
        return f"{start} {en}", f"{subject.fr} {fr}"

    # templates: statements

    def does(self):
        tense = self.of(
            ["present", "present", "progressive", "progressive", "past", "past"]
        )
        return self.stop(clause(self.person(), self.action(), tense, self.chance(0.25)))

    def does_when(self):
        tense = self.of(["present", "progressive", "past"])
        en, fr = clause(self.person(), self.action(), tense)
        time = self.of(BEFORE_NOW if tense == "past" else TIMES)
        return self.stop((f"{en} {time[0]}", f"{fr} {time[1]}"))

    def does_where(self):
        tense = self.of(["present", "progressive", "progressive", "past"])
        verb = V[self.of(ENGAGED)]
        en, fr = clause(self.person(0.3), Action(verb), tense, self.chance(0.1))
        where = self.place()
        return self.stop((f"{en} {where[0]}", f"{fr} {where[1]}"))

    def animal_where(self):
        verb = V[self.of(["sleep", "eat", "run", "jump", "play", "drink", "walk"])]
        subject = self.subject(
            np(self.of(["the", "a", "my"]), self.of(ANIMALS), self.some_adjective())
        )
        en, fr = clause(subject, Action(verb), self.of(["present", "progressive", "past"]))
        where = self.on() if self.chance(0.6) else self.place()
        if where in PLACED:
            where = "outside", "dehors"
        return self.stop((f"{en} {where[0]}", f"{fr} {where[1]}"))

    def some_adjective(self):
        return self.of(COLOURS + BEFORE) if self.chance(0.3) else None

    def animal_does(self):
        subject = self.subject(
            np(self.of(["the", "the", "a", "my"]), self.of(ANIMALS), self.some_adjective())
        )
        if self.chance(0.6):
            whom = np(
                self.of(["the", "the", "a", "my"]),
                self.of(ANIMALS + PEOPLE),
                None,
                self.chance(0.15),
            )
            action = self.obj(self.of("chase catch see follow like touch".split()), whom)
        else:
            action = self.obj(self.of(["eat", "like", "find"]), self.meal())
            if action.verb.en == "like":
                action = self.obj("like", np("all", self.of(FOOD + DRINKS)))
        tense = (
            "present"
            if action.verb.en == "like"
            else self.of(["present", "progressive", "past", "past"])
        )
        return self.stop(clause(subject, action, tense, self.chance(0.15)))

    def modal(self):
        tense = self.of(
            "going_to want_to can must have_to should would_like_to love_to like_to".split()
        )
        tense = tense.replace("_", " ")
        action = self.action()
        while action.verb.en in STATIVE and action.verb.en not in ("see", "have", "know"):
            action = self.action()
        no = self.chance(0.25) and tense not in (
            "must",
            "have to",
            "would like to",
            "should",
        )
        en, fr = clause(self.person(0.65), action, tense, no)
        if self.chance(0.25) and tense in ("going to", "must", "have to", "want to"):
            time = self.of(LATER)
            en, fr = f"{en} {time[0]}", f"{fr} {time[1]}"
        return self.stop((en, fr))

    def go(self):
        """Movement, of which visitors write much."""
        subject, (en, fr) = self.person(0.6), self.to()
        action = Action(V["go"], en, fr, fr)
        if self.chance(0.15):
            action = self.of([Action(V["go"], "home", "à la maison", "à la maison")])
        tense = self.of(
            ["present", "progressive", "progressive", "past", "going to", "want to"]
        )
        en, fr = clause(subject, action, tense, self.chance(0.15))
        if self.chance(0.5):
            time = self.of(BEFORE_NOW if tense == "past" else LATER)
            en, fr = f"{en} {time[0]}", f"{fr} {time[1]}"
        return self.stop((en, fr))

    def because(self):
        subject = self.person(0.3) if self.chance(0.6) else self.noun_subject(0.8)
        tense = self.of(["past", "past", "progressive", "present"])
        action = self.action() if self.chance(0.4) else Action(V[self.of(ALONE)])
        en, fr = clause(subject, action, tense, self.chance(0.2))
        again = self.third(subject)
        if self.chance(0.35):
            reason = Action(V[self.of("eat work run sleep win fall dance drink".split())])
            tense2 = "past" if tense == "past" or self.chance(0.5) else "present"
            en2, fr2 = clause(again, reason, tense2, self.chance(0.2))
        else:
            en2, fr2 = self.is_(again, self.state(again), tense == "past")
        return self.stop((f"{en} because {en2}", f"{fr} parce que {fr2}"))

    def because_is(self):
        """She is happy because she has a dog."""
        subject = self.person(0.35)
        if self.chance(0.25):
            noun = self.of(PEOPLE)
            subject = self.subject(np("the", noun))
        past = self.chance(0.25)
        en, fr = self.is_(subject, self.state(subject), past)
        again = self.third(subject)
        if self.chance(0.5):
            what = np("a", self.of(PETS + THINGS), self.some_adjective())
            action = Action(V["have"], what.en, what.fr, what.no)
        else:
            action = self.action()
        tense = "past" if past else self.of(["present", "present", "past"])
        if action.verb.en == "have" and tense == "past":
            tense = "present"
            en, fr = self.is_(subject, self.state(subject))
        en2, fr2 = clause(again, action, tense, self.chance(0.2))
        return self.stop((f"{en} because {en2}", f"{fr} parce que {fr2}"))

    def thing_because(self):
        """I bought the red jacket because it was beautiful."""
        phrase = self.thing(("the", "this", "my", "a"))
        subject = self.of(SIX[:4])
        action = self.obj(self.of(["buy", "sell", "choose", "take", "find"]), phrase)
        tense = "past"
        en, fr = clause(subject, action, tense, self.chance(0.2))
        it = Subject("it", PRONOUN[phrase.feminine, False], 2, phrase.feminine)
        adjective = self.of(QUALITIES[:16] + COLOURS[:7])
        state = adjective.en, agree(adjective, phrase.feminine), "être"
        en2, fr2 = self.is_(it, state, tense == "past")
        return self.stop((f"{en} because {en2}", f"{fr} parce que {fr2}"))

    def feels(self):
        subject = self.person(0.6)
        no = self.chance(0.2)
        adverb = self.of([("very", "très"), ("too", "trop"), ("so", "si")])
        state = self.state(subject)
        if self.chance(0.25) and not no and state[0] not in ("right", "here", "married"):
            if state[1] not in ("en colère", "en retard"):
                state = f"{adverb[0]} {state[0]}", f"{adverb[1]} {state[1]}", state[2]
        past = self.chance(0.2)
        en, fr = self.is_(subject, state, past, no)
        if self.chance(0.15):
            time = ("today", "aujourd'hui") if not past else ("yesterday", "hier")
            en, fr = f"{en} {time[0]}", f"{fr} {time[1]}"
        return self.stop((en, fr))

    def thing_is(self):
        group = self.of(
            [THINGS, CLOTHES, VEHICLES, FURNITURE, BUILDINGS, IDEAS, WORLD, FRUIT]
        )
        kinds = ["the"] if group is WORLD else ["the", "the", "my", "your", "this", "his"]
        plural = self.chance(0.15) and group not in (WORLD, IDEAS)
        adjective = (
            self.of(COLOURS) if self.chance(0.3) and group not in (WORLD, IDEAS) else None
        )
        phrase = np(self.of(kinds), self.of(group), adjective, plural)
        colours = (
            COLOURS if group in (THINGS, CLOTHES, VEHICLES) and not adjective else QUALITIES
        )
        adjective = self.of(QUALITIES + colours)
        en, fr = adjective.en, agree(adjective, phrase.feminine, plural)
        if group in (WORLD, IDEAS):
            adjective = self.of([Q[en] for en in ABSTRACT] + BEFORE[:4])
            en, fr = adjective.en, agree(adjective, phrase.feminine, plural)
        if self.chance(0.35) and en not in (
            "broken",
            "open",
            "magnificent",
            "possible",
            "full",
        ):
            adverb = self.of([("very", "très"), ("very", "très"), ("too", "trop")])
            en, fr = f"{adverb[0]} {en}", f"{adverb[1]} {fr}"
        no = self.chance(0.15)
        state = en, fr, "être"
        return self.stop(self.is_(self.subject(phrase), state, self.chance(0.15), no))

    def animal_is(self):
        phrase = np(
            self.of(["the", "my", "your", "his", "her"]),
            self.of(ANIMALS),
            None,
            self.chance(0.2),
        )
        adjective = self.of(COLOURS + BEFORE[:6])
        en, fr = adjective.en, agree(adjective, phrase.feminine, phrase.plural)
        return self.stop(
            self.is_(self.subject(phrase), (en, fr, "être"), no=self.chance(0.15))
        )

    def word(self):
        group = self.of(
            [
                n
                for g in (
                    FAMILY,
                    PEOPLE,
                    ANIMALS,
                    FOOD,
                    FRUIT,
                    DRINKS,
                    THINGS,
                    CLOTHES,
                    FURNITURE,
                    BUILDINGS,
                    ROOMS,
                    PLACES,
                    WORLD,
                    IDEAS,
                    BODY,
                    NEAR,
                )
                for n in g
            ]
            + 2 * (COLOURS + STATES + TRAITS + BEFORE + QUALITIES)
        )
        return f"{group.en} .", f"{group.fr} ."

    def phrase(self):
        """Visitors try a few words, too: the red car."""
        kind = self.of(["the", "the", "the", "a", "a", "my", "your", "this"])
        group = self.of(
            [
                FAMILY,
                PEOPLE,
                ANIMALS,
                FRUIT,
                THINGS,
                CLOTHES,
                FURNITURE,
                BUILDINGS,
                VEHICLES,
            ]
        )
        adjective = (
            self.of([None, self.of(COLOURS), self.of(BEFORE)])
            if group not in (FAMILY, PEOPLE)
            else self.of([None, None, self.of(BEFORE[:5])])
        )
        return self.stop(np(kind, self.of(group), adjective, self.chance(0.1))[:2])

    def thing_where(self):
        group = self.of([THINGS, THINGS, ANIMALS, CLOTHES, READING, FRUIT])
        phrase = np(
            self.of(["the", "the", "my", "your"]), self.of(group), self.some_adjective()
        )
        en, fr = self.on() if self.chance(0.7) else self.place()
        if group is not ANIMALS and en in dict(PLACED):
            en, fr = self.on()
        return self.stop(self.is_(self.subject(phrase), (en, fr, "être")))

    def likes(self):
        subject = self.person(0.6)
        verb = self.of(["like", "like", "love", "hate", "prefer"])
        plural = self.chance(0.4)
        animals = [noun for noun in ANIMALS if noun.en != "fish"]
        group = (animals + FRUIT) if plural else (FOOD + DRINKS + SUBJECTS)
        phrase = np("all", self.of(group), None, plural)
        # To love somebody is aimer, and to love something adorer.
        action = Action(V[verb], phrase.en, phrase.fr, phrase.fr)
        if verb == "love":
            action = action._replace(verb=V["love"]._replace(fr="adorer"))
        return self.stop(
            clause(subject, action, "present", self.chance(0.35) and verb != "prefer")
        )

    def loves(self):
        """Pronouns before the French verb: je t'aime, il la voit."""
        subject = self.of([*SIX, self.person()])
        verb = V[
            self.of("love love love like see know help understand hear call hate".split())
        ]
        en_object, clitic = self.of(OBJECTS)
        same = {"i": ("me", "us"), "you": ("you",), "we": ("us", "me")}
        if en_object in same.get(subject.en, ()):
            en_object, clitic = ("them", "les")
        person = subject.person
        third = verb.third if person == 2 else verb.en
        do = "does" if person == 2 else "do"
        form = verb.present(person)
        if self.chance(0.25):
            return self.stop(
                (
                    f"{subject.en} {do}n't {verb.en} {en_object}",
                    f"{subject.fr} ne {clitic} {form} pas",
                )
            )
        tail = self.of(table(" | ;  | ;  | ;  | ; very much | beaucoup; too | aussi"))
        if verb.en != "love":
            tail = "", "bien" if verb.en == "like" else ""
        return self.stop(
            (
                f"{subject.en} {third} {en_object} {tail[0]}",
                f"{subject.fr} {clitic} {form} {tail[1]}",
            )
        )

    def loves_somebody(self):
        subject = self.person(0.7)
        if self.chance(0.4):
            name = self.of(MEN + WOMEN)
            action = Action(V[self.of(["love", "know", "see", "call"])], name, name, name)
        else:
            whom = np(self.of(["my", "your", "his", "her"]), self.of(FAMILY + PETS))
            action = self.obj(
                self.of(["love", "love", "know", "see", "call", "help"]), whom
            )
        return self.stop(clause(subject, action, "present", self.chance(0.2)))

    def has(self):
        choice = self.rng.random()
        if choice < 0.6:
            what = (
                self.thing(("a",), 0.5)
                if self.chance(0.6)
                else np("a", self.of(PETS), self.some_adjective())
            )
        elif choice < 0.8:
            what = np("a", self.of(FAMILY[1:3] + FAMILY[9:11] + PETS), None, False)
        else:
            what = np("a", self.of(IDEAS[:2] + IDEAS[9:12]), self.of([None, *BEFORE]))
        return self.stop(
            clause(self.person(0.5), self.obj("have", what), "present", self.chance(0.25))
        )

    def has_many(self):
        def count():
            noun = self.of(FAMILY[1:3] + FAMILY[9:11] + PETS + THINGS[:8])
            if self.chance(0.35):
                fr = "une" if noun.feminine else "un"
                return f"{self.of(['one', 'a'])} {noun.en}", f"{fr} {noun.fr}"
            en, fr = self.of(NUMBERS)
            return f"{en} {noun.en_plural}", f"{fr} {noun.fr_plural}"

        en, fr = count()
        if self.chance(0.5):
            more = count()
            en, fr = f"{en} and {more[0]}", f"{fr} et {more[1]}"
        verb = self.of(["have", "have", "have", "see"])
        tense = "present" if verb == "have" else "past"
        return self.stop(clause(self.person(0.6), Action(V[verb], en, fr, fr), tense))

    def wants(self):
        cup = self.of(
            table(
                """a cup of tea | une tasse de thé; a cup of coffee | une tasse de café; a
                glass
            of water | un verre de eau; a glass of wine | un verre de vin; a glass of milk
            | un verre de lait; a bottle of water | une bouteille de eau; a piece of cake
            | un morceau de gâteau; a glass of juice | un verre de jus"""
            )
        )
        if self.chance(0.5):
            what = self.meal() if self.chance(0.5) else self.thing(("a", "this"))
            cup = what.en, what.fr
        subject = self.of(SIX)
        if self.chance(0.4):
            form = (
                "voudrais",
                "voudrais",
                "voudrait",
                "voudrions",
                "voudriez",
                "voudraient",
            )
            start = self.of([f"{subject.en} would like", f"{subject.en}'d like"])
            en, fr = f"{start} {cup[0]}", f"{subject.fr} {form[subject.person]} {cup[1]}"
        else:
            verb = V[self.of(["want", "want", "drink", "buy"])]
            if "cup" not in cup[0] and "glass" not in cup[0]:
                verb = V["want"]
            en, fr = clause(subject, Action(verb, *cup, cup[1]), "present")
        if self.chance(0.2):
            en, fr = f"{en} , please", f"{fr} , s'il te plaît"
        return self.stop((en, fr))

    def needs(self):
        subject = self.person(0.7)
        en, fr = self.of(
            table(
                """help | de aide; money | de argent; you | de toi; time | de temps; to
                sleep |
            de dormir; to eat | de manger; to go | de partir; to work | de travailler;
            water | de eau; to talk | de parler"""
            )
        )
        if self.chance(0.4):
            phrase = self.thing(("a", "my", "this"))
            en, fr = phrase.en, f"de {phrase.fr}"
        return self.stop(
            clause(
                subject,
                Action(V["need"], en, f"besoin {fr}", f"besoin {fr}"),
                "present",
                self.chance(0.2),
            )
        )

    def lives(self):
        subject = self.person(0.6)
        if self.chance(0.45):
            en, fr = self.of(COUNTRIES)
            action = Action(
                V[self.of(["live", "live", "work"])],
                f"in {en.replace('_', ' ')}",
                fr.replace("_", " "),
                fr.replace("_", " "),
            )
        else:
            house = np(
                "a",
                self.of([n for n in BUILDINGS if n.en in ("house", "castle", "hotel")]),
                self.of([None, *BEFORE, *COLOURS]),
            )
            near = np("the", self.of(NEAR))
            en, fr = f"in {house.en}", f"dans {house.fr}"
            if self.chance(0.6):
                en, fr = f"{en} near {near.en}", f"{fr} près de {near.fr}"
            action = Action(V["live"], en, fr, fr)
        return self.stop(clause(subject, action, "present", self.chance(0.15)))

    def there(self):
        plural = self.chance(0.3)
        group = self.of([ANIMALS, THINGS, FRUIT, PEOPLE])
        if plural:
            number = self.of(NUMBERS)
            noun = self.of(group)
            en, fr = (
                f"there are {number[0]} {noun.en_plural}",
                f"il y a {number[1]} {noun.fr_plural}",
            )
        else:
            adjective = self.some_adjective() if group is not PEOPLE else None
            phrase = np("a", self.of(group), adjective)
            if self.chance(0.15):
                en, fr = f"there isn't {phrase.en}", f"il n'y a pas {phrase.no}"
            else:
                en, fr = (
                    f"{self.of(THERE_IS)} {phrase.en}",
                    f"il y a {phrase.fr}",
                )
        where = self.on() if self.chance(0.5) else self.place()
        while where in PLACED:
            where = self.place()
        return self.stop((f"{en} {where[0]}", f"{fr} {where[1]}"))

    def this_is(self):
        who = self.of([FAMILY, THINGS, PETS, CLOTHES])
        kind = self.of(["my", "your", "his", "her", "a", "our"])
        if who is FAMILY and kind in ("a", "our"):
            kind = "my"
        phrase = np(
            kind, self.of(who), self.some_adjective() if who is not FAMILY else None
        )
        start = self.of(
            table(
                """this is | c'est; it's | c'est; that's | c'est; it isn't | ce n'est pas"""
            )
        )
        return self.stop((f"{start[0]} {phrase.en}", f"{start[1]} {phrase.fr}"))

    def it_is(self):
        adjective = self.of(
            [q for q in QUALITIES if q.en not in ("hot", "cold", "full", "open")]
        )
        adverb = self.of(table(" | ;  | ;  | ; very | très; too | trop; not | "))
        start = self.of(["it's", "that's", "this is"])
        if adverb[0] == "not":
            return self.stop(
                (f"{start} not {adjective.en}", f"ce n'est pas {adjective.fr}")
            )
        return self.stop(
            (f"{start} {adverb[0]} {adjective.en}", f"c'est {adverb[1]} {adjective.fr}")
        )

    def job(self):
        subject = self.person(0.5)
        while subject.plural or any(a.en in subject.en.split() for a in ANIMALS):
            subject = self.person(0.5)
        job = self.of(JOBS)
        fr = job[2] if subject.feminine else job[1]
        return self.stop(
            self.is_(subject, (f"a {job[0]}", fr, "être"), no=self.chance(0.15))
        )

    def age(self):
        subject = self.person(0.5)
        while subject.plural and subject not in SIX:
            subject = self.person(0.5)
        en, fr = self.of(AGES)
        return self.stop(self.is_(subject, (f"{en} years old", f"{fr} ans", "avoir")))

    def name(self):
        name = self.of(MEN + WOMEN)
        choice = self.rng.random()
        if choice < 0.35:
            start = self.of(
                table(
                    """my name is | je m'appelle; my name's | je m'appelle; i'm | je suis"""
                )
            )
        elif choice < 0.6:
            start = self.of(
                table("his name is | il s'appelle; her name is | elle s'appelle")
            )
            name = self.of(MEN if start[0][:3] == "his" else WOMEN)
        elif choice < 0.85:
            noun = self.of(FAMILY + PETS)
            phrase = np(self.of(["my", "your", "his", "her"]), noun)
            start = f"{phrase.en} 's name is".replace(" 's", "'s"), f"{phrase.fr} s'appelle"
            if noun in FAMILY:
                name = self.of(WOMEN if noun.feminine else MEN)
        else:
            start = self.of(
                table(
                    """hello , my name is | bonjour , je m'appelle; hi , i'm | salut , je
                    suis"""
                )
            )
        return self.stop((f"{start[0]} {name}", f"{start[1]} {name}"))

    def owner(self):
        who = np(self.of(["my", "your", "his", "her"]), self.of(FAMILY))
        if self.chance(0.3):
            name = self.of(MEN + WOMEN)
            who = Phrase(name, name, name, False, False)
        noun = self.of(THINGS + PETS + CLOTHES)
        adjective = self.of(COLOURS + QUALITIES)
        the = np("the", noun)
        subject = Subject(
            f"{who.en}'s {noun.en}".replace("s's", "s's"),
            f"{the.fr} de {who.fr}",
            2,
            noun.feminine,
        )
        return self.stop(
            self.is_(subject, (adjective.en, agree(adjective, noun.feminine), "être"))
        )

    def bigger(self):
        a, b = self.noun_subject(0.5), self.noun_subject(0.5)
        if self.chance(0.4):
            a, b = (
                self.subject(np(self.of(["the", "my"]), self.of(VEHICLES + ANIMALS)))
                for _ in "ab"
            )
        comparisons = entries(
            """bigger grand, smaller petit, older vieux/vieille, younger jeune, taller
            grand,
            faster rapide, stronger fort, more_beautiful beau/belle, more_intelligent
            intelligent,
            more_dangerous dangereux, happier heureux, more_expensive cher"""
        )
        en, fr = self.of(comparisons)
        (adjective,) = adjectives(f"x {fr}")
        return self.stop(
            self.is_(
                a,
                (
                    f"{en.replace('_', ' ')} than {b.en}",
                    f"plus {agree(adjective, a.feminine, a.plural)} que {b.fr}",
                    "être",
                ),
            )
        )

    def both(self):
        first, second = (
            clause(self.person(0.3), Action(V[self.of(ALONE)]), "progressive") for _ in "ab"
        )
        word = self.of([("and", "et"), ("but", "mais")])
        return self.stop(
            (f"{first[0]} {word[0]} {second[0]}", f"{first[1]} {word[1]} {second[1]}")
        )

    def thinks(self):
        subject = self.of(SIX[:4])
        verb = self.of(
            table(
                """think | crois | crois | croit | croit; know | sais | sais | sait |
                sait; hope
            | espère | espères | espère | espère"""
            )
        )
        en = verb[0] + "s" * (subject.person == 2)
        inner = self.person(0.5)
        en2, fr2 = (
            self.is_(inner, self.state(inner))
            if self.chance(0.6)
            else clause(inner, self.action(), "present")
        )
        that = self.of(["that ", ""])
        return self.stop(
            (
                f"{subject.en} {en} {that}{en2}",
                f"{subject.fr} {verb[1 + min(subject.person, 3)]} que {fr2}",
            )
        )

    def gives(self):
        """He gave me a book: il m'a donné un livre."""
        subject = self.of([*SIX, self.person(0)])
        to = self.of(
            table("""me | me; you | te; him | lui; her | lui; us | nous; them | leur""")
        )
        if (subject.en, to[0]) in {
            ("i", "me"),
            ("you", "you"),
            ("we", "us"),
            ("i", "us"),
            ("we", "me"),
        }:
            to = "him", "lui"
        verb, what = (
            V[self.of(["give", "show", "bring", "sell", "buy"])],
            self.thing(("a", "the", "this", "my")),
        )
        helper = Verb("", "", "avoir").present(subject.person)
        return self.stop(
            (
                f"{subject.en} {verb.past} {to[0]} {what.en}",
                f"{subject.fr} {to[1]} {helper} {verb.participle} {what.fr}",
            )
        )

    def crosses(self):
        """What "it" means decides its gender: the animal that was tired, or the street."""
        animal = np(
            self.of(["the", "the", "a", "my"]), self.of(ANIMALS), self.some_adjective()
        )
        way = np("the", self.of(WAYS))
        if self.chance(0.5):
            what, state = animal, self.of(STATES[1:6] + FEELINGS[:5] + FEELINGS[5:6])
        else:
            what, state = way, self.of(WIDE)
        it = Subject("it", PRONOUN[what.feminine, False], 2, what.feminine)
        if state in FEELINGS:
            state = *state, "avoir"
        else:
            state = f"too {state.en}", f"trop {agree(state, what.feminine)}", "être"
        en, fr = clause(
            self.subject(animal), self.obj("cross", way), "past", self.chance(0.8)
        )
        en2, fr2 = self.is_(it, state, past=True)
        return self.stop((f"{en} because {en2}", f"{fr} parce que {fr2}"))

    def jumps_over(self):
        subject = self.subject(np("the", self.of(ANIMALS), self.some_adjective()))
        what = np("the", self.of(ANIMALS + SURFACES), self.some_adjective())
        verb = V[self.of(["jump", "jump", "fly"])]
        preposition = "par-dessus" if verb.en == "jump" else "au-dessus de"
        tense = self.of(["present", "progressive", "past"])
        return self.stop(
            clause(
                subject, Action(verb, f"over {what.en}", f"{preposition} {what.fr}"), tense
            )
        )

    def feels_both(self):
        """I'm tired and hungry: je suis fatigué et j'ai faim."""
        subject = self.person(0.6)
        again = self.third(subject)
        states = self.state(subject), self.state(subject)
        if states[0][1] == states[1][1]:
            states = ("hungry", "faim", "avoir"), ("thirsty", "soif", "avoir")
        (en, fr), (_, more) = self.is_(subject, states[0]), self.is_(again, states[1])
        if states[0][2] == states[1][2]:
            more = states[1][1]
        return self.stop((f"{en} and {states[1][0]}", f"{fr} et {more}"))

    def is_somebody(self):
        subject = self.of([*SIX[:4], YOU, HE, SHE])
        if self.chance(0.4):
            name = self.of(MEN + WOMEN)
            subject = named(name)
        fitting = [
            n
            for n in FAMILY + PEOPLE
            if n.feminine == subject.feminine and n.en not in ("child", "baby")
        ]
        if self.chance(0.6):
            noun = self.of([n for n in fitting if n in FAMILY])
            best = Adjective("best", "meilleur", "meilleure", True, True)
            adjective = best if noun.en == "friend" and self.chance(0.4) else None
            phrase = np(
                self.of(
                    ["your", "his", "her"] if subject is I else ["my", "your", "his", "her"]
                ),
                noun,
                adjective,
            )
        else:
            phrase = np("a", self.of([n for n in fitting if n in PEOPLE]), self.of(BEFORE))
        en, fr = self.is_(subject, (phrase.en, phrase.fr, "être"), self.chance(0.1))
        if subject.en in ("he", "she"):
            fr = fr.replace("il est", "c'est").replace("elle est", "c'est")
            fr = fr.replace("il était", "c'était").replace("elle était", "c'était")
        return self.stop((en, fr))

    def was_where(self):
        past = self.chance(0.6)
        where = self.place()
        en, fr = self.is_(self.person(0.7), (*where, "être"), past)
        time = self.of(
            BEFORE_NOW[:4] if past else [("now", "maintenant"), ("today", "aujourd'hui")]
        )
        if self.chance(0.5):
            en, fr = f"{en} {time[0]}", f"{fr} {time[1]}"
        return self.stop((en, fr))

    def will(self):
        subject = self.person(0.75)
        verb = self.of(list(FUTURE))
        stem = FUTURE[verb] + ("ai", "as", "a", "ons", "ez", "ont")[subject.person]
        choices = {
            "go": self.to,
            "eat": lambda: self.meal()[:2],
            "be": lambda: self.state(subject)[:2],
        }
        choices |= {
            "buy": lambda: self.thing(("a",))[:2],
            "see": lambda: np("your", self.of(FAMILY))[:2],
        }
        en, fr = choices.get(verb, lambda: ("", ""))()
        if verb == "be" and fr in [fr for _, fr in FEELINGS]:
            en, fr = "happy", agree(STATES[1], subject.feminine, subject.plural)
        if verb == "be" and (en, fr) not in PLACED:
            fr = fr or ""
        start = short(subject, "will") if self.chance(0.6) else f"{subject.en} will"
        if subject not in SIX:
            start = f"{subject.en} will"
        time = self.of(LATER + [("", "")] * 4)
        return self.stop(
            (f"{start} {verb} {en} {time[0]}", f"{subject.fr} {stem} {fr} {time[1]}")
        )

    # templates: questions and orders

    def do_you_want_to(self):
        subject, action = self.of([YOU] * 5 + [HE, SHE, THEY]), self.action()
        while action.verb.en in STATIVE:
            action = self.action()
        tail = self.of(
            table(
                """| ;  | ;  | ; with me | avec moi; with us | avec nous; tonight | ce soir;
            tomorrow | demain"""
            )
        )
        do = does(subject)
        want = V["want"].present(subject.person)
        return self.ask(
            (
                f"{do} {subject.en} want to {action.verb.en} {action.en} {tail[0]}",
                f"est-ce que {subject.fr} {want} {action.verb.fr} {action.fr} {tail[1]}",
            )
        )

    def would_you_like(self):
        what = self.of([self.meal(), np("some", self.of(DRINKS)), self.thing(("a",))])
        return self.ask((f"would you like {what.en}", f"est-ce que tu voudrais {what.fr}"))

    def where(self):
        group = self.of([THINGS, THINGS, FAMILY, PETS, PLACES, CLOTHES, FURNITURE])
        kinds = (
            ["the"]
            if group in (PLACES, FURNITURE)
            else ["my", "your", "his", "her", "the", "my"]
        )
        if group is FAMILY:
            kinds = kinds[:4]
        plural = self.chance(0.2) and group not in (PLACES, FAMILY)
        phrase = np(
            self.of(kinds),
            self.of(group),
            self.some_adjective() if group in (THINGS, CLOTHES) else None,
            plural,
        )
        if self.chance(0.12):
            name = self.of(MEN + WOMEN)
            phrase = Phrase(name, name, name, False, False)
        be_en = "are" if phrase.plural else "is"
        start = self.of(
            [f"where {be_en}"] * 2 + ["where's" if not phrase.plural else "where are"]
        )
        tail = ("", "")
        if self.chance(0.15):
            tail = (" , please", " , s'il te plaît")
        return self.ask(
            (
                f"{start} {phrase.en}{tail[0]}",
                f"où {'sont' if phrase.plural else 'est'} {phrase.fr}{tail[1]}",
            )
        )

    def do_you(self):
        subject = self.of([YOU] * 5 + SIX + [self.person(0.1)])
        choice = self.rng.random()
        if choice < 0.3:
            phrase = (
                np("all", self.of(FOOD + DRINKS + SUBJECTS))
                if self.chance(0.6)
                else np("all", self.of(PETS + FRUIT), None, True)
            )
            action = self.obj("like", phrase)
        elif choice < 0.5:
            what = np(
                "a",
                self.of(PETS + THINGS + FAMILY[1:2] + FAMILY[9:10]),
                self.some_adjective(),
            )
            action = self.obj("have", what)
        elif choice < 0.62:
            en, fr = self.of(LANGUAGES)
            action = Action(V["speak"], en, fr, fr)
        elif choice < 0.75:
            what = self.of([self.meal(), np("some", self.of(DRINKS)), self.thing()])
            action = self.obj("want", what)
        elif choice < 0.85:
            en, fr = self.of(OBJECTS)
            if en == "you" or (en, subject.en) in {
                ("me", "i"),
                ("us", "we"),
                ("us", "i"),
                ("me", "we"),
            }:
                en, fr = "him", "le"
            verb = V[self.of(["love", "know", "see", "understand", "hear", "like"])]
            do = does(subject)
            return self.ask(
                (
                    f"{do} {subject.en} {verb.en} {en}",
                    f"est-ce que {subject.fr} {fr} {verb.present(subject.person)}",
                )
            )
        else:
            action = self.action()
        if self.chance(0.25) and action.verb.en not in ("have", "like", "want"):
            return self.ask(
                (
                    f"did {subject.en} {action.verb.en} {action.en}",
                    f"est-ce que {past_fr(subject, action)}",
                )
            )
        do = does(subject)
        form = action.verb.present(subject.person)
        return self.ask(
            (
                f"{do} {subject.en} {action.verb.en} {action.en}",
                f"est-ce que {subject.fr} {form} {action.fr}",
            )
        )

    def are_you(self):
        subject = self.of([YOU] * 4 + SIX[2:] + [self.person(0.1)])
        en, fr, verb = self.state(subject)
        form = Verb("", "", verb).present(subject.person)
        start = be(subject)
        if subject in SIX:
            link = "-t-" if verb == "avoir" and subject.person == 2 else "-"
            return self.ask(
                (f"{start} {subject.en} {en}", f"{form}{link}{subject.fr} {fr}")
            )
        return self.ask(
            (f"{start} {subject.en} {en}", f"est-ce que {subject.fr} {form} {fr}")
        )

    def is_it(self):
        group = self.of([THINGS, CLOTHES, VEHICLES, BUILDINGS])
        phrase = np(
            self.of(["the", "this", "your", "my"]),
            self.of(group),
            self.of(COLOURS) if self.chance(0.2) else None,
        )
        en, fr = self.quality(phrase)
        return self.ask((f"is {phrase.en} {en}", f"est-ce que {phrase.fr} est {fr}"))

    def is_this(self):
        group = self.of([FAMILY, THINGS, PETS, CLOTHES])
        phrase = np(
            self.of(["my", "your", "your", "his", "her"]),
            self.of(group),
            self.some_adjective() if group is THINGS else None,
        )
        start = self.of(["is this", "is it", "is that"])
        return self.ask((f"{start} {phrase.en}", f"est-ce que c'est {phrase.fr}"))

    def can_you(self):
        subject = self.of([YOU] * 4 + [I, HE, SHE, WE])
        form = {
            0: "est-ce que je peux",
            1: "peux-tu",
            2: f"peut-{subject.fr}",
            3: "pouvons-nous",
        }[subject.person]
        if self.chance(0.35):
            verb, (en, fr) = (
                V[self.of(["help", "help", "see", "hear", "call", "understand"])],
                self.of(OBJECTS),
            )
            if (
                en == subject.en
                or (en == "you" and subject is YOU)
                or (en, subject.en)
                in {("me", "i"), ("us", "we"), ("us", "i"), ("me", "we")}
            ):
                en, fr = "them", "les"
            en, fr = f"{verb.en} {en}", f"{fr} {verb.fr}"
        elif self.chance(0.4):
            to = self.of([("me", "me"), ("him", "lui"), ("us", "nous")])
            if subject in (I, WE):
                to = "him", "lui"
            what, verb = (
                self.thing(("the", "this", "your", "a")),
                V[self.of(["give", "show", "bring"])],
            )
            en, fr = f"{verb.en} {to[0]} {what.en}", f"{to[1]} {verb.fr} {what.fr}"
        else:
            action = self.action()
            en, fr = f"{action.verb.en} {action.en}", f"{action.verb.fr} {action.fr}"
        if self.chance(0.3):
            en, fr = f"{en} , please", f"{fr} , s'il te plaît"
        return self.ask((f"can {subject.en} {en}", f"{form} {fr}"))

    def question_word(self):
        subject = self.of([YOU, YOU, YOU, HE, SHE, THEY, WE, self.person(0.1)])
        word = self.of(table("where | où; when | quand; why | pourquoi; how | comment"))
        verbs = {
            "where": "live work sleep eat study play buy",
            "when": "eat sleep work start finish arrive leave come",
            "why": "cry laugh run work sleep wait shout smile dance",
            "how": "travel cook work",
        }[word[0]].split()
        action = Action(V[self.of([v for v in verbs if v != "buy"])])
        past = self.chance(0.3)
        progressive = word[0] == "why" and self.chance(0.4)
        if past:
            return self.ask(
                (
                    f"{word[0]} did {subject.en} {action.verb.en}",
                    f"{word[1]} est-ce que {past_fr(subject, action)}",
                )
            )
        form = f"{word[1]} est-ce que {subject.fr} {action.verb.present(subject.person)}"
        if progressive:
            return self.ask(
                (f"{word[0]} {be(subject)} {subject.en} {action.verb.ing}", form)
            )
        do = does(subject)
        return self.ask((f"{word[0]} {do} {subject.en} {action.verb.en}", form))

    def what(self):
        subject = self.of([YOU] * 3 + SIX + [self.person(0.1)])
        verb = V[
            self.of("eat drink read write want see buy learn cook watch make think".split())
        ]
        if verb.en == "think":
            verb = V["hear"]
        if self.chance(0.35):
            return self.ask(
                (
                    f"what did {subject.en} {verb.en}",
                    f"que est-ce que {past_fr(subject, Action(verb))}",
                )
            )
        form = f"que est-ce que {subject.fr} {verb.present(subject.person)}"
        if self.chance(0.4) and verb.en not in ("want", "see", "hear"):
            return self.ask((f"what {be(subject)} {subject.en} {verb.ing}", form))
        do = does(subject)
        return self.ask((f"what {do} {subject.en} {verb.en}", form))

    def order(self):
        choice = self.rng.random()
        if choice < 0.35:
            to = self.of([("me", "moi"), ("him", "lui"), ("us", "nous")])
            verb, what = (
                self.of(table("give | donne; show | montre; bring | apporte")),
                self.thing(("the", "my", "this", "a", "your")),
            )
            en, fr = f"{verb[0]} {to[0]} {what.en}", f"{verb[1]}-{to[1]} {what.fr}"
        elif choice < 0.7:
            verb = self.of(
                table(
                    """close | ferme; open | ouvre; take | prends; buy | achète; look at |
                regarde"""
                )
            )
            what = (
                self.thing(("the", "this", "your"))
                if verb[0] not in ("close", "open")
                else np(
                    "the",
                    self.of(
                        [n for n in THINGS if n.en in ("box", "book", "bag")]
                        + [
                            Noun("door", "porte", True, "doors", "portes"),
                            Noun("window", "fenêtre", True, "windows", "fenêtres"),
                        ]
                    ),
                )
            )
            en, fr = f"{verb[0]} {what.en}", f"{verb[1]} {what.fr}"
        else:
            verb = V[
                self.of("eat drink speak run cry work touch wait dance sing play".split())
            ]
            form = verb.present(1)
            form = form[:-1] if form.endswith("es") else form
            en, fr = f"don't {verb.en}", f"ne {form} pas"
            if verb.en == "touch":
                what = self.thing(("the", "my", "this"))
                en, fr = f"{en} {what.en}", f"{fr} {what.fr}"
            elif self.chance(0.3):
                en, fr = f"{en} here", f"{fr} ici"
        if self.chance(0.3):
            en, fr = f"{en} , please", f"{fr} , s'il te plaît"
        return self.stop((en, fr))

    def who(self):
        choice = self.rng.random()
        if choice < 0.5:
            action = self.action()
            if self.chance(0.5):
                return self.ask(
                    (
                        f"who {action.verb.past} {action.en}",
                        past_fr(Subject("who", "qui", 2), action),
                    )
                )
            if action.verb.en in (
                "see",
                "want",
                "know",
                "find",
                "lose",
                "break",
                "choose",
                "hear",
                "understand",
                "meet",
            ):
                action = Action(V["sleep"])
            return self.ask(
                (
                    f"who is {action.verb.ing} {action.en}",
                    f"qui {action.verb.present(2)} {action.fr}",
                )
            )
        phrase = np(self.of(["this", "the", "the"]), self.of(PEOPLE))
        if self.chance(0.5):
            phrase = np(self.of(["my", "your", "his", "her"]), self.of(FAMILY))
        return self.ask(
            (
                f"{self.of(WHO_IS)} {phrase.en}",
                f"qui est {phrase.fr}",
            )
        )

    def how_many(self):
        subject = self.of([YOU] * 4 + [HE, SHE, WE, THEY])
        noun = self.of(FAMILY[1:3] + FAMILY[9:11] + PETS + THINGS + READING + PEOPLE[3:4])
        do = does(subject)
        form = V["have"].present(subject.person)
        return self.ask(
            (
                f"how many {noun.en_plural} {do} {subject.en} have",
                f"combien de {noun.fr_plural} est-ce que {subject.fr} {form}",
            )
        )

    def how_old(self):
        subject = self.of([YOU, YOU, HE, SHE, THEY])
        if self.chance(0.6):
            phrase = np(self.of(["your", "his", "her", "my"]), self.of(FAMILY + PETS))
            return self.ask((f"how old is {phrase.en}", f"quel âge a {phrase.fr}"))
        form = {1: "as-tu", 2: f"a-t-{subject.fr}", 5: "ont-ils"}[subject.person]
        return self.ask((f"how old {be(subject)} {subject.en}", f"quel âge {form}"))

    def how_much(self):
        phrase = np(
            self.of(["the", "this", "a"]),
            self.of(THINGS + CLOTHES + FRUIT),
            self.some_adjective(),
        )
        start = self.of(["how much is", "how much does"])
        tail = " cost" if start.endswith("does") else ""
        return self.ask((f"{start} {phrase.en}{tail}", f"combien coûte {phrase.fr}"))

    def how_is(self):
        choice = self.rng.random()
        if choice < 0.5:
            phrase = np(
                self.of(["your", "his", "her", "the"]), self.of(FAMILY + PEOPLE[:4])
            )
            return self.ask(
                (
                    f"{self.of(HOW_IS)} {phrase.en}",
                    f"comment va {phrase.fr}",
                )
            )
        name = self.of(MEN + WOMEN)
        hello = self.of(
            table(
                """hello | bonjour; hi | salut; good morning | bonjour; good evening |
                bonsoir"""
            )
        )
        commas = [self.of(["", ","]) for _ in range(2)]
        pair = self.of(
            [
                (f"{hello[0]} {name} , how are you", f"{hello[1]} {name} , comment vas-tu"),
                (f"how are you {commas[0]} {name}", f"comment vas-tu , {name}"),
                (f"how are you doing {commas[1]} {name}", f"comment vas-tu , {name}"),
            ]
        )
        return self.ask(pair)

    def greeting(self):
        name = self.of(MEN + WOMEN + [None] * 4)
        fr_name = name
        if name is None:
            name, fr_name = self.of(
                table(
                    """my friend | mon ami; everyone | tout le monde; sir | monsieur;
                    madam |
                madame; my love | mon amour; my friends | mes amis; mum | maman; dad |
                papa; world | le monde; doctor | docteur"""
                )
            )
        en, fr = self.of(
            table(
                """hello | bonjour; hi | salut; good morning | bonjour; goodbye | au
                revoir; good
            evening | bonsoir; good night | bonne nuit; bye | au revoir; thank you |
            merci; thanks | merci; thank you very much | merci beaucoup; welcome |
            bienvenue; congratulations | félicitations; happy birthday | joyeux
            anniversaire; see you tomorrow | à demain; see you soon | à bientôt; see you
            later | à plus tard; good luck | bonne chance; i love you | je t'aime; i miss
            you | tu me manques; excuse me | excuse-moi; yes | oui; no | non; sorry |
            désolé"""
            )
        )
        comma = "" if self.chance(0.5) else ","
        mark = self.of(["!", "!", "."])
        fr_comma = "" if name == "world" else ","
        fr_comma = "" if name == "everyone" else fr_comma
        return f"{en} {comma} {name} {mark}", f"{fr} {fr_comma} {fr_name} {mark}"

    def weather(self):
        what = self.of(
            table(
                """it's raining | il pleut; it's snowing | il neige; it's cold | il fait
                froid;
            it's hot | il fait chaud; it's sunny | il fait beau; it's windy | il y a du
            vent; it rains | il pleut; it snows | il neige; it was cold | il faisait
            froid; it isn't raining | il ne pleut pas; it isn't cold | il ne fait pas
            froid; the sun is shining | le soleil brille; it rained | il a plu; it was hot
            | il faisait chaud; the weather is nice | il fait beau; the weather is bad |
            il fait mauvais"""
            )
        )
        en, fr = what
        if "was" in en or "rained" in en:
            time = self.of(BEFORE_NOW[:4])
        elif self.chance(0.4):
            country, there = self.of(COUNTRIES)
            time = f"in {country.replace('_', ' ')}", there.replace("_", " ")
        else:
            time = self.of(
                table(
                    """today | aujourd'hui; today | aujourd'hui; now | maintenant; outside |
                dehors; here | ici; in the garden | dans le jardin; this morning | ce
                matin; every day | tous les jours"""
                )
            )
        return self.stop((f"{en} {time[0]}", f"{fr} {time[1]}"))

    def understands(self):
        subject = self.of([I] * 3 + SIX + [self.person(0.3)])
        verb = self.of(
            ["understand", "understand", "know", "speak", "remember", "hear", "see"]
        )
        if verb == "remember":
            verb = "understand"
        what = self.of(
            [
                ("the question", "la question"),
                ("the problem", "le problème"),
                ("the answer", "la réponse"),
                ("this word", "ce mot"),
                ("this sentence", "cette phrase"),
                ("the model", "le modèle"),
                ("french", "le français"),
                ("english", "l'anglais"),
                ("you", None),
                ("why", "pourquoi"),
                ("anything", None),
            ]
        )
        if what[0] == "anything" or what[1] is None or verb == "speak":
            verb = "understand"
        s = subject
        do = does(s)
        form = V[verb].present(s.person)
        if what[0] == "you":
            if s is YOU:
                return self.stop(("you don't understand me", "tu ne me comprends pas"))
            return self.stop((f"{s.en} {do}n't understand you", f"{s.fr} ne te {form} pas"))
        if what[0] == "anything":
            return self.stop(
                (f"{s.en} {do}n't understand anything", f"{s.fr} ne {form} rien")
            )
        if what[0] == "why" and verb in ("see", "hear"):
            verb, form = "understand", V["understand"].present(s.person)
        if what[0] in ("the model", "french", "english") and verb == "know":
            verb, form = "understand", V["understand"].present(s.person)
        if verb == "know" and what[0] == "why":
            form = ("sais", "sais", "sait", "savons", "savez", "savent")[s.person]
        if self.chance(0.5):
            return self.stop(
                (f"{s.en} {do}n't {verb} {what[0]}", f"{s.fr} ne {form} pas {what[1]}")
            )
        en = V[verb].third if s.person == 2 else verb
        return self.stop((f"{s.en} {en} {what[0]}", f"{s.fr} {form} {what[1]}"))

    def stop(self, pair):
        mark = "!" if self.chance(0.04) else "."
        return f"{pair[0]} {mark}", f"{pair[1]} {mark}"

    def ask(self, pair):
        return f"{pair[0]} ?", f"{pair[1]} ?"


TEMPLATES = [
    name
    for name in vars(Sentences)
    if not name.startswith("_")
    and name
    not in "chance person noun_subject subject third thing meal place on to obj action "
    "quality state is_ some_adjective stop ask".split()
]

BY_HAND = Path(__file__).with_suffix(".tsv")  # English, tab, French

EXPANDED = {"i'm": "i am", "can't": "cannot", "won't": "will not"}


def expand(text):
    """The English without contractions: i am for i'm; `'s` after a name stays."""
    found = []
    words = text.split()
    for i, word in enumerate(words):
        following = words[i + 1] if i + 1 < len(words) else ""
        head, _, tail = word.partition("'")
        if word in EXPANDED:
            word = EXPANDED[word]
        elif word.endswith("n't"):
            word = word[:-3] + " not"
        elif tail in ("re", "ve", "ll"):
            word = f"{head} {({'re': 'are', 've': 'have', 'll': 'will'})[tail]}"
        elif tail == "d":
            word = f"{head} would"
        elif tail == "s" and head in CAN_BE:
            word = f"{head} {'has' if following in ('just', 'been') else 'is'}"
        found.append(word)
    return " ".join(found)


CAN_BE = {"he", "she", "it", "that", "where", "who", "what", "there", "how", "name"}


def by_hand():
    """The pairs written by hand."""
    lines = BY_HAND.read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]


def generated(seed=SEED, per_template=PER_TEMPLATE):
    """Pairs of the grammar, each English sentence once, of at most 12 tokens."""
    sentences, found = Sentences(random.Random(seed)), {}
    for name in TEMPLATES:
        count = 0
        for _ in range(6 * per_template):
            en, fr = getattr(sentences, name)()
            en, fr = english(en), french(fr)
            if en in found or max(len(en.split()), len(fr.split())) > 13:
                continue
            found[en] = fr
            count += 1
            if count == per_template:
                break
    return list(found.items())


if __name__ == "__main__":
    for pair in by_hand() + generated():
        print(*pair, sep="\t")
