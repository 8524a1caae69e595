"""The word lists of the phrasebook: English and French nouns, adjectives and verbs.

An entry is `english french`; an underscore stands for a space, a slash precedes a form
that no rule gives (`mouse/mice souris`, `white blanc/blanche`). What the lists leave out
matters as much as what they hold: only what people eat is in FOOD, only what they read
is in READING, so that the patterns of `make_phrasebook.py` can combine freely.
"""

import re
from typing import NamedTuple


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
    invariable: bool


class Verb(NamedTuple):
    en: str
    past: str
    participle: str
    fr: str


def entries(table: str) -> list[list[str]]:
    """The words of each entry of a comma-separated table, underscores made spaces."""
    rows = (entry.split() for entry in table.split(",") if entry.strip())
    return [[word.replace("_", " ") for word in row] for row in rows]


# --- How a form is made when the list gives none ------------------------------------


def english_s(word: str) -> str:
    """The plural of an English noun, or the third person of a verb."""
    if re.search(r"(s|x|z|ch|sh|[^aeiou]o)$", word) and word not in ("photo", "piano"):
        return word + "es"
    return re.sub(r"([^aeiou])y$", r"\1ie", word) + "s"


def french_s(word: str) -> str:
    """The plural of a French noun or masculine adjective."""
    if word[-1] in "sx":
        return word
    if word.endswith("al"):
        return word[:-2] + "aux"
    return word + ("x" if word.endswith("eau") else "s")


def french_e(word: str) -> str:
    """The feminine of a French adjective."""
    for ending, feminine in (
        ("e", "e"),
        ("eux", "euse"),
        ("if", "ive"),
        ("er", "ère"),
        ("ien", "ienne"),
        ("on", "onne"),
        ("el", "elle"),
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + feminine
    return word + "e"


def english_past(word: str) -> str:
    """The past of a regular English verb."""
    if word in DOUBLED:
        return word + word[-1] + "ed"
    return re.sub(r"([^aeiou])y$", r"\1ie", word.removesuffix("e")) + (
        "d" if re.search(r"[^aeiou]y$", word) else "ed"
    )


def english_ing(word: str) -> str:
    """The -ing form of an English verb."""
    if word in DOUBLED:
        return word + word[-1] + "ing"
    return ING.get(word) or re.sub(r"(?<=[^e])e$", "", word) + "ing"


DOUBLED = set("run swim win cut get forget travel".split())
ING = {"lie": "lying", "be": "being"}


def nouns(m: str = "", f: str = "") -> list[Noun]:
    """Parse a table of masculine and a table of feminine nouns."""
    found = []
    for feminine, table in ((False, m), (True, f)):
        for en, fr in entries(table):
            en, _, en_plural = en.partition("/")
            fr, _, fr_plural = fr.partition("/")
            found.append(
                Noun(
                    en, fr, feminine, en_plural or english_s(en), fr_plural or french_s(fr)
                )
            )
    return found


def adjectives(table: str) -> dict[str, Adjective]:
    """Parse a table of adjectives; a final `!` marks one that never changes."""
    found = {}
    for en, fr in entries(table):
        invariable = fr.endswith("!")
        fr, _, feminine = fr.rstrip("!").partition("/")
        found[en] = Adjective(en, fr, feminine or french_e(fr), invariable)
    return found


def verbs(table: str) -> dict[str, Verb]:
    """Parse `english french` and `english past participle french`."""
    found = {}
    for row in entries(table):
        en, *irregular, fr = row
        past, participle = irregular or [english_past(en)] * 2
        found[en] = Verb(en, past, participle, fr)
    return found


# --- People ---------------------------------------------------------------------------

MEN = "paul marc luc thomas pierre louis".split()
WOMEN = "marie julie sophie claire alice emma".split()

FAMILY = nouns(
    m="""father père, brother frère, son fils, uncle oncle,
    grandfather grand-père/grands-pères, neighbour voisin, friend ami""",
    f="""mother mère, sister sœur, daughter fille, aunt tante,
    grandmother grand-mère/grands-mères""",
)
PEOPLE = nouns(
    m="""boy garçon, man/men homme, child/children enfant, teacher professeur,
    doctor médecin, student étudiant, baker boulanger, king roi, neighbour voisin""",
    f="girl fille, woman/women femme, queen reine",
)
JOBS = [
    tuple(row)
    for row in entries(
        """nurse infirmier infirmière, baker boulanger boulangère,
        singer chanteur chanteuse, student étudiant étudiante, cook cuisinier cuisinière,
        lawyer avocat avocate, teacher professeur professeure, dentist dentiste dentiste,
        doctor médecin médecin, journalist journaliste journaliste,
        artist artiste artiste, dancer danseur danseuse, musician musicien musicienne,
        painter peintre peintre, farmer agriculteur agricultrice"""
    )
]

# --- Things ---------------------------------------------------------------------------

FOOD = nouns(  # what is eaten as a mass: du pain, de la soupe
    m="""bread pain, cheese fromage, rice riz, fish poisson, chicken poulet,
    chocolate chocolat, honey miel, ham jambon, butter beurre""",
    f="meat viande, soup soupe, salad salade, jam confiture",
)
FRUIT = nouns(  # what is eaten by the piece: une pomme, des pommes
    m="""egg œuf, cake gâteau, lemon citron, onion oignon, biscuit biscuit,
    sandwich sandwich, mushroom champignon""",
    f="""apple pomme, orange orange, banana banane, pear poire, tomato tomate,
    carrot carotte, strawberry fraise, cherry cerise, pancake crêpe""",
)
DRINKS = nouns(
    m="milk lait, coffee café, tea thé, wine vin",
    f="water eau, beer bière, lemonade limonade",
)
ANIMALS = nouns(
    m="""cat chat, dog chien, horse cheval, bird oiseau, rabbit lapin, sheep/sheep mouton,
    pig cochon, duck canard, wolf/wolves loup, monkey singe, elephant éléphant,
    lion lion""",
    f="cow vache, mouse/mice souris, hen poule, goat chèvre, turtle tortue",
)
PETS = [noun for noun in ANIMALS if noun.en in ("cat", "dog", "rabbit", "bird", "turtle")]
READING = nouns(
    m="book livre, newspaper journal, poem poème, novel roman",
    f="letter lettre, magazine revue, story histoire",
)
THINGS = nouns(  # what one may buy, lose, find and look for
    m="""book livre, pen stylo, pencil crayon, bag sac, phone téléphone,
    computer ordinateur, umbrella parapluie, ball ballon, hat chapeau, notebook cahier,
    bicycle vélo, camera appareil_photo/appareils_photo""",
    f="watch montre, key clé, guitar guitare, map carte, scarf écharpe, cap casquette",
)
TABLEWARE = nouns(
    m="glass verre",
    f="bottle bouteille, cup tasse, plate assiette",
)
OTHERS = nouns(
    m="""fridge frigo, film film, exercise exercice, painter peintre, ticket billet""",
    f="lesson leçon, door porte, window fenêtre, song chanson, box boîte, photo photo",
)
CLOTHES = nouns(
    m="coat manteau, hat chapeau, jumper pull",
    f="""shirt chemise, dress robe, skirt jupe, jacket veste, scarf écharpe, tie cravate,
    cap casquette""",
)
SHOES = nouns(m="glove gant", f="shoe chaussure, sock chaussette, boot botte")
VEHICLES = nouns(
    m="train train, boat bateau, plane avion, bus bus, lorry camion, bicycle vélo",
    f="car voiture, motorbike moto",
)
FURNITURE = nouns(
    m="bed lit, sofa canapé, mirror miroir, armchair fauteuil, cupboard placard",
    f="table table, chair chaise, lamp lampe, clock horloge",
)
BUILDINGS = nouns(
    m="""castle château, hotel hôtel, museum musée, theatre théâtre, hospital hôpital,
    restaurant restaurant, shop magasin, bridge pont, building immeuble""",
    f="""house maison, church église, school école, station gare, bank banque,
    bakery boulangerie""",
)
ROOMS = nouns(m="garden jardin, office bureau", f="kitchen cuisine, bedroom chambre")
PLACES = nouns(  # where one goes: à l'école, au marché
    m="""market marché, museum musée, park parc, cinema cinéma, theatre théâtre,
    restaurant restaurant, hotel hôtel, hospital hôpital, airport aéroport,
    stadium stade""",
    f="""station gare, bank banque, library bibliothèque, beach plage, bakery boulangerie,
    pharmacy pharmacie, church église, university université""",
)
NATURE = nouns(
    m="lake lac, village village, tree arbre, bridge pont",
    f="river rivière, mountain montagne, forest forêt, town ville, island île, street rue",
)
BODY = nouns(
    m="foot/feet pied, back dos, stomach ventre, arm bras, knee genou/genoux",
    f="head tête, throat gorge, leg jambe, hand main, ear oreille",
)

# --- The world ------------------------------------------------------------------------

COUNTRIES = entries(
    """france en_france, italy en_italie, spain en_espagne, germany en_allemagne,
    england en_angleterre, china en_chine, japan au_japon, canada au_canada,
    portugal au_portugal, brazil au_brésil"""
)
CITIES = entries(
    """paris paris, london londres, rome rome, madrid madrid, berlin berlin, lyon lyon,
    nice nice"""
)
NATIONAL = """french français, english anglais, spanish espagnol, italian italien,
    german allemand, chinese chinois, japanese japonais, portuguese portugais"""
LANGUAGES = entries(NATIONAL)
NUMBERS = entries(
    """two deux, three trois, four quatre, five cinq, six six, seven sept, eight huit,
    nine neuf, ten dix, eleven onze, twelve douze"""
)
DAYS = entries(
    """monday lundi, tuesday mardi, wednesday mercredi, thursday jeudi, friday vendredi,
    saturday samedi, sunday dimanche"""
)
SUBJECTS = nouns(m="sport sport", f="music musique")

# --- Adjectives -----------------------------------------------------------------------

TRAITS = adjectives(  # what people are
    """kind gentil/gentille, clever intelligent, lazy paresseux, serious sérieux,
    polite poli, shy timide, funny drôle, brave courageux, patient patient, proud fier,
    famous célèbre, sporty sportif, active actif, honest honnête, curious curieux,
    jealous jaloux/jalouse, generous généreux, rich riche, poor pauvre, young jeune,
    old vieux/vieille, tall grand, strong fort, thin mince, careful prudent,
    beautiful beau/belle, crazy fou/folle"""
)
STATES = adjectives(  # how people are just now
    """calm calme, happy heureux, tired fatigué, sad triste, ill malade, ready prêt,
    busy occupé, alone seul, free libre, sure sûr, worried inquiet/inquiète,
    surprised surpris, disappointed déçu, lost perdu, nervous nerveux, angry en_colère!,
    late en_retard!, married marié"""
)
COLOURS = adjectives(
    """red rouge, blue bleu, green vert, yellow jaune, black noir, white blanc/blanche,
    grey gris, brown marron!, pink rose, purple violet/violette"""
)
BEFORE = adjectives(  # these stand before their noun
    """big grand, small petit, beautiful beau/belle, new nouveau/nouvelle,
    old vieux/vieille, young jeune, little petit, pretty joli, good bon, bad mauvais,
    long long/longue"""
)
LIAISON = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
QUALITIES = adjectives(  # what things are; these stand after their noun
    """expensive cher, heavy lourd, light léger, easy facile, difficult difficile,
    interesting intéressant, clean propre, dirty sale, broken cassé, open ouvert,
    closed fermé, empty vide, full plein, round rond, modern moderne,
    comfortable confortable, cold froid, hot chaud, fresh frais/fraîche, dry sec/sèche,
    useful utile, delicious délicieux, wet mouillé, fast rapide, slow lent,
    quiet tranquille, dangerous dangereux, short court, sad triste,
    famous célèbre, french français, italian italien, funny drôle"""
)
NATIONALITIES = adjectives(NATIONAL)

# --- Verbs ----------------------------------------------------------------------------

VERBS = verbs(
    """sing sang sung chanter, dance danser, work travailler, sleep slept slept dormir,
    run ran run courir, walk marcher, swim swam swum nager, cry pleurer, laugh rire,
    smile sourire, eat ate eaten manger, drink drank drunk boire, read read read lire,
    write wrote written écrire, cook cuisiner, travel voyager, play jouer,
    speak spoke spoken parler, wait attendre, listen écouter, leave left left partir,
    arrive arriver, come came come venir, go went gone aller, stay rester,
    fall fell fallen tomber, study étudier, win won won gagner, lose lost lost perdre,
    dream rêver, shout crier, understand understood understood comprendre, help aider,
    pay paid paid payer, forget forgot forgotten oublier, start commencer, finish finir,
    cheat tricher, lie mentir, hesitate hésiter, answer répondre,
    buy bought bought acheter, sell sold sold vendre, find found found trouver,
    break broke broken casser, open ouvrir, close fermer, clean nettoyer, repair réparer,
    visit visiter, watch regarder, take took taken prendre,
    learn learnt learnt apprendre, see saw seen voir, know knew known connaître,
    like aimer, love adorer, hate détester, want vouloir, choose chose chosen choisir,
    bring brought brought apporter, give gave given donner, show montrer,
    draw drew drawn dessiner, paint peindre, drive drove driven conduire, invite inviter,
    phone appeler, wear wore worn porter, lend lent lent prêter, live habiter,
    prefer préférer, have had had avoir, do did done faire, make made made faire,
    return rentrer, hear heard heard entendre, say said said dire,
    prepare préparer, cut cut cut couper,
    be was been être, rest se_reposer, hurry se_dépêcher, get_up got_up got_up se_lever,
    wake_up woke_up woken_up se_réveiller,
    get_dressed got_dressed got_dressed se_habiller, have_fun had_fun had_fun se_amuser,
    fall_asleep fell_asleep fallen_asleep se_endormir,
    go_to_bed went_to_bed gone_to_bed se_coucher"""
)

# Six present forms | participle | stem of the future, where it is not the infinitive
# | stem of the imperfect, where it is not that of the first person plural.
IRREGULAR = {
    "être": "suis es est sommes êtes sont | été | ser | ét",
    "avoir": "ai as a avons avez ont | eu | aur",
    "aller": "vais vas va allons allez vont | allé | ir",
    "faire": "fais fais fait faisons faites font | fait | fer",
    "dire": "dis dis dit disons dites disent | dit",
    "venir": "viens viens vient venons venez viennent | venu | viendr",
    "pouvoir": "peux peux peut pouvons pouvez peuvent | pu | pourr",
    "vouloir": "veux veux veut voulons voulez veulent | voulu | voudr",
    "devoir": "dois dois doit devons devez doivent | dû | devr",
    "savoir": "sais sais sait savons savez savent | su | saur",
    "voir": "vois vois voit voyons voyez voient | vu | verr",
    "boire": "bois bois boit buvons buvez boivent | bu",
    "lire": "lis lis lit lisons lisez lisent | lu",
    "écrire": "écris écris écrit écrivons écrivez écrivent | écrit",
    "prendre": "prends prends prend prenons prenez prennent | pris",
    "connaître": "connais connais connaît connaissons connaissez connaissent | connu",
    "dormir": "dors dors dort dormons dormez dorment | dormi",
    "partir": "pars pars part partons partez partent | parti",
    "mentir": "mens mens ment mentons mentez mentent | menti",
    "courir": "cours cours court courons courez courent | couru | courr",
    "ouvrir": "ouvre ouvres ouvre ouvrons ouvrez ouvrent | ouvert",
    "rire": "ris ris rit rions riez rient | ri",
    "conduire": "conduis conduis conduit conduisons conduisez conduisent | conduit",
    "peindre": "peins peins peint peignons peignez peignent | peint",
    "perdre": "perds perds perd perdons perdez perdent | perdu",
    "attendre": "attends attends attend attendons attendez attendent | attendu",
    "entendre": "entends entends entend entendons entendez entendent | entendu",
    "répondre": "réponds réponds répond répondons répondez répondent | répondu",
    "vendre": "vends vends vend vendons vendez vendent | vendu",
}
# Verbs that take the forms of another with something put before: ap-prendre.
COMPOUNDS = [("ap", "prendre"), ("com", "prendre"), ("sou", "rire"), ("en", "dormir")]
WITH_ETRE = "aller venir partir arriver rester tomber rentrer".split()
