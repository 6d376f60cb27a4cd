"""The nouns, adjectives, names and small words of the English-French grammar, as tables.

A row of a table of nouns is `english[/plural] french[/plural] gender`; plurals that follow the rule
are not written. A row of a table of adjectives is `english masculine[/feminine[/before a vowel]]`
and, for those that can be compared, the English comparative. Underscores stand for spaces.
"""

from dataclasses import dataclass
from functools import cached_property

VOWELS = "aàâeéèêiîoôuûœh"  # every h of this lexicon is mute


@dataclass(frozen=True)
class Noun:
    """A noun in both languages, with its French gender."""

    english: str
    english_plural: str
    french: str
    french_plural: str
    feminine: bool
    kind: str


@dataclass(frozen=True)
class Adjective:
    """An adjective in both languages; `before` tells whether French puts it before the noun."""

    english: str
    masculine: str
    feminine: str
    before_vowel: str
    comparative: str
    before: bool

    @cached_property
    def forms(self) -> tuple[str, str, str, str]:
        """French forms by `2 * plural + feminine`."""
        return (self.masculine, self.feminine, plural(self.masculine), plural(self.feminine))


def plural(word: str) -> str:
    """Write the plural of a French noun or adjective that follows the rules.

    >>> [plural(word) for word in ("chat", "gâteau", "cheval", "gris")]
    ['chats', 'gâteaux', 'chevaux', 'gris']
    """
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("eau"):
        return word + "x"
    if word.endswith("al"):
        return word[:-1] + "ux"
    return word + "s"


def english_s(word: str) -> str:
    """Add the English ending -s, of plurals and of the third person.

    >>> [english_s(word) for word in ("book", "watch", "city", "boy", "go")]
    ['books', 'watches', 'cities', 'boys', 'goes']
    """
    if word.endswith(("s", "sh", "ch", "x", "o")):
        return word + "es"
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _feminine(word: str) -> str:
    if word.endswith("e"):
        return word
    if word.endswith("eux"):
        return word[:-1] + "se"
    if word.endswith("er"):
        return word[:-2] + "ère"
    return word + "e"


_NOUNS = {
    "person": """
        man/men homme m, woman/women femme f, boy garçon m, girl fille f, child/children enfant m
        teacher professeur m, doctor médecin m, student étudiant m, friend ami m
        neighbour voisin m, king roi m, queen reine f, baker boulanger m, farmer fermier m
        cook cuisinier m, soldier soldat m, painter peintre m, actress actrice f
        princess princesse f, nurse infirmière f, lawyer avocat m, tourist touriste m
        engineer ingénieur m, lady dame f, writer écrivain m, customer client m, musician musicien m
    """,
    "kin": """
        mother mère f, father père m, brother frère m, sister sœur f, uncle oncle m, aunt tante f
        grandmother grand-mère/grands-mères f, grandfather grand-père/grands-pères m, son fils m
        daughter fille f, cousin cousin m
    """,
    "animal": """
        dog chien m, cat chat m, bird oiseau m, horse cheval m, cow vache f, rabbit lapin m
        mouse/mice souris f, lion lion m, bear ours m, elephant éléphant m, wolf/wolves loup m
        tortoise tortue f, duck canard m, hen poule f, monkey singe m, bee abeille f
    """,
    "fruit": """
        apple pomme f, orange orange f, cake gâteau m, egg œuf m, pear poire f, banana banane f
        strawberry fraise f, carrot carotte f, tomato tomate f, lemon citron m, onion oignon m
    """,
    "food": """
        bread pain m, meat viande f, cheese fromage m, rice riz m, butter beurre m, salad salade f
        chocolate chocolat m, jam confiture f
    """,
    "drink": "water eau f, milk lait m, coffee café m, tea thé m, wine vin m, soup soupe f",
    "text": """
        book livre m, letter lettre f, newspaper journal m, poem poème m, story histoire f
        novel roman m, message message m
    """,
    "clothes": """
        hat chapeau m, dress robe f, shirt chemise f, coat manteau m, scarf/scarves écharpe f
        skirt jupe f, uniform uniforme m
    """,
    "thing": """
        key clé f, knife/knives couteau m, glass verre m, plate assiette f, bottle bouteille f
        cup tasse f, bag sac m, umbrella parapluie m, watch montre f, mirror miroir m
        photo/photos photo f, pencil crayon m, pen stylo m, ring bague f, flower fleur f
        gift cadeau m, toy jouet m
        ball balle f, guitar guitare f, violin violon m, map carte f, tool outil m, clock horloge f
        lamp lampe f, phone téléphone m, computer ordinateur m
    """,
    "furniture": "table table f, chair chaise f, bed lit m, desk bureau m, sofa/sofas canapé m",
    "opening": "door porte f, window fenêtre f, box boîte f, cupboard armoire f",
    "vehicle": """
        car voiture f, bicycle vélo m, boat bateau m, train train m, bus bus m, plane avion m
    """,
    "site": """
        house maison f, school école f, church église f, garden jardin m, park parc m
        market marché m, station gare f, hospital hôpital m, hotel hôtel m, library bibliothèque f
        museum musée m, restaurant restaurant m, shop magasin m, village village m, castle château m
        kitchen cuisine f, factory usine f, cinema cinéma m, theatre théâtre m, airport aéroport m
        university université f, farm ferme f
    """,
    "spot": """
        street rue f, city ville f, forest forêt f, beach plage f, river rivière f, lake lac m
        mountain montagne f, bridge pont m, island île f, field champ m
    """,
}
SINGLE = ("mother", "father")
"""Nouns that stay singular, because nobody has two."""
MASS = ("food", "drink")
"""Kinds of nouns that are poured or weighed, not counted."""

_BEFORE = {
    "any": """
        big grand bigger, small petit smaller, beautiful beau/belle/bel -
        old vieux/vieille/vieil older
    """,
    "animate": "young jeune younger, little petit -",
    "object": "new nouveau/nouvelle/nouvel newer, pretty joli prettier",
    "edible": "good bon/bonne -, bad mauvais -, excellent excellent -",
    "text": "long long/longue longer, good bon/bonne -, bad mauvais -, excellent excellent -",
}
_AFTER = {
    "any": "strange étrange -, magnificent magnifique -",
    "coloured": "white blanc/blanche -, black noir -, brown brun -, grey gris -",
    "animate": """
        happy heureux happier, sad triste sadder, tired fatigué -, intelligent intelligent -
        strong fort stronger, ill malade -, kind gentil/gentille kinder, shy timide -
        curious curieux -, brave courageux braver, lazy paresseux lazier, funny drôle funnier
        proud fier prouder, patient patient -, quiet calme quieter
    """,
    "person": """
        rich riche richer, poor pauvre poorer, famous célèbre -, polite poli -, honest honnête -
        serious sérieux -, elegant élégant -
    """,
    "object": """
        red rouge -, blue bleu -, green vert -, yellow jaune -, expensive cher -
        heavy lourd heavier, light léger/légère lighter, clean propre cleaner, dirty sale dirtier
        broken cassé -, useful utile -, round rond -, modern moderne -
    """,
    "site": """
        famous célèbre -, empty vide -, quiet calme quieter, dark sombre darker, modern moderne -
    """,
    "edible": "hot chaud hotter, cold froid colder, fresh frais/fraîche -, delicious délicieux -",
    "text": """
        interesting intéressant -, difficult difficile -, easy facile easier, important important -
        funny drôle funnier, sad triste sadder, boring ennuyeux -
    """,
}
_GROUPS = {
    "person": ("any", "animate", "person"),
    "kin": ("animate", "person"),
    "animal": ("any", "animate", "coloured"),
    "fruit": ("edible",),
    "food": ("edible",),
    "drink": ("edible",),
    "text": ("text",),
    "site": ("any", "site"),
    "spot": ("any", "site"),
    **dict.fromkeys(
        ("clothes", "thing", "furniture", "opening", "vehicle"), ("any", "object", "coloured")
    ),
}


def _rows(table: str) -> list[list[str]]:
    rows = table.replace("\n", ",").split(",")
    return [row.split() for row in rows if row.strip()]


def _noun(row: list[str], kind: str) -> Noun:
    english, french, gender = row
    one, _, many = english.partition("/")
    un, _, des = french.partition("/")
    return Noun(one, many or english_s(one), un, des or plural(un), gender == "f", kind)


def _adjective(row: list[str], *, before: bool) -> Adjective:
    english, french, comparative = row
    masculine, feminine, vowel = (*french.split("/"), "", "")[:3]
    more = f"more {english}" if comparative == "-" else comparative
    feminine = feminine or _feminine(masculine)
    return Adjective(english, masculine, feminine, vowel or masculine, more, before)


def _by_group(table: dict[str, str], *, before: bool) -> dict[str, list[Adjective]]:
    return {
        group: [_adjective(row, before=before) for row in _rows(rows)]
        for group, rows in table.items()
    }


def _by_kind(groups: dict[str, list[Adjective]]) -> dict[str, list[Adjective]]:
    """List for each kind of noun the adjectives that may stand with it, each once."""
    return {
        kind: list(dict.fromkeys(word for name in names for word in groups.get(name, [])))
        for kind, names in _GROUPS.items()
    }


NOUNS = {kind: [_noun(row, kind) for row in _rows(table)] for kind, table in _NOUNS.items()}
BEFORE = _by_kind(_by_group(_BEFORE, before=True))
AFTER = _by_kind(_by_group(_AFTER, before=False))

MEN = ["Paul", "Pierre", "Thomas", "Louis", "Marc", "Antoine", "Nicolas", "Simon"]
WOMEN = ["Marie", "Anne", "Sophie", "Claire", "Julie", "Alice", "Emma", "Louise"]

NUMBERS = [
    ("two", "deux"),
    ("three", "trois"),
    ("four", "quatre"),
    ("five", "cinq"),
    ("six", "six"),
    ("seven", "sept"),
    ("nine", "neuf"),
    ("ten", "dix"),
    ("twelve", "douze"),
    ("twenty", "vingt"),
]
FREQUENCIES = [("often", "souvent"), ("always", "toujours"), ("sometimes", "parfois")]
"""Before the verb in English, after the conjugated verb in French."""
DEGREES = [("well", "bien"), ("badly", "mal"), ("a lot", "beaucoup")]
"""At the end in English, after the conjugated verb in French."""
MANNERS = [
    ("slowly", "lentement"),
    ("quietly", "tranquillement"),
    ("with pleasure", "avec plaisir"),
]
"""At the end in both."""
FEELINGS = [("hungry", "faim"), ("thirsty", "soif"), ("cold", "froid"), ("right", "raison")]
"""English *to be*, French *avoir*."""
TIMES = {
    "present": [
        ("every day", "tous les jours"),
        ("in the morning", "le matin"),
        ("in the evening", "le soir"),
        ("on Sundays", "le dimanche"),
    ],
    "past": [
        ("yesterday", "hier"),
        ("last week", "la semaine dernière"),
        ("this morning", "ce matin"),
        ("last year", "l'année dernière"),
    ],
    "future": [
        ("tomorrow", "demain"),
        ("next week", "la semaine prochaine"),
        ("this evening", "ce soir"),
        ("next year", "l'année prochaine"),
    ],
}
PLACES = [
    ("Paris", "à Paris", "de Paris"),
    ("London", "à Londres", "de Londres"),
    ("Rome", "à Rome", "de Rome"),
    ("France", "en France", "de France"),
    ("Italy", "en Italie", "d'Italie"),
    ("Spain", "en Espagne", "d'Espagne"),
    ("Germany", "en Allemagne", "d'Allemagne"),
    ("Japan", "au Japon", "du Japon"),
    ("Canada", "au Canada", "du Canada"),
    ("the United States", "aux États-Unis", "des États-Unis"),
]
"""English name, French `in` or `to` it, French `from` it."""

PROFESSIONS = (
    ["doctor", "teacher", "baker", "lawyer", "engineer", "musician"],
    ["nurse", "actress"],
)
"""English nouns that a man's name and a woman's name may be said to be."""
