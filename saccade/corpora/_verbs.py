"""The verbs of the English-French grammar and how they are conjugated.

A row of the table is `english[/past] french`; verbs in -er, -ir and -re follow the models *fermer*,
*finir* and *vendre*, a stem after `~` is the one before a mute ending (*acheter~achèt*). Irregular
verbs add `je:il:nous:vous:ils participle future-stem`. `+être` takes être in the compound past,
`+state` takes the imperfect for the English past. Underscores stand for spaces.
"""

from dataclasses import dataclass

from saccade.corpora._lexicon import english_s

_FUTURE = ("ai", "a", "ons", "ez", "ont")
_IMPERFECT = ("ais", "ait", "ions", "iez", "aient")


@dataclass(frozen=True)
class Verb:
    """A verb in both languages; French forms by person: je, il, nous, vous, ils."""

    english: str
    english_s: str
    english_past: str
    infinitive: str
    present: tuple[str, ...]
    future: tuple[str, ...]
    imperfect: tuple[str, ...]
    participle: str
    etre: bool
    reflexive: bool
    state: bool


def _regular(infinitive: str, soft: str) -> tuple[list[str], str, str]:
    """Conjugate by the model of the ending: present, participle, stem of the future."""
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "ir":
        forms = [stem + end for end in ("is", "it", "issons", "issez", "issent")]
        return forms, stem + "i", infinitive
    if ending == "re":
        forms = [stem + end for end in ("s", "", "ons", "ez", "ent")]
        return forms, stem + "u", infinitive[:-1]
    mute = soft or stem
    nous = stem[:-1] + "ç" if stem.endswith("c") else stem + "e" if stem.endswith("g") else stem
    forms = [mute + "e", mute + "e", nous + "ons", stem + "ez", mute + "ent"]
    return forms, stem + "é", mute + "er"


def _english_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def parse(row: str) -> Verb:
    """Read one row of the table.

    >>> parse("buy/bought acheter~achèt").present
    ('achète', 'achète', 'achetons', 'achetez', 'achètent')
    """
    english, french, *rest = row.split()
    flags = [word for word in rest if word.startswith("+")]
    irregular = [word for word in rest if not word.startswith("+")]
    base, _, past = english.replace("_", " ").partition("/")
    head, space, tail = base.partition(" ")
    third = "has" if head == "have" else english_s(head)
    infinitive, _, soft = french.removeprefix("se_").partition("~")
    if irregular:
        present, participle, future = irregular[0].split(":"), irregular[1], irregular[2]
    else:
        present, participle, future = _regular(infinitive, soft)
    imperfect = "ét" if infinitive == "être" else present[2].removesuffix("ons")
    return Verb(
        english=base,
        english_s=third + space + tail,
        english_past=past or _english_past(head) + space + tail,
        infinitive=infinitive,
        present=tuple(present),
        future=tuple(future + end for end in _FUTURE),
        imperfect=tuple(imperfect + end for end in _IMPERFECT),
        participle=participle,
        etre="+être" in flags or french.startswith("se_"),
        reflexive=french.startswith("se_"),
        state="+state" in flags,
    )


_TRANSITIVE = {
    "person kin animal thing vehicle site": """
        see/saw voir vois:voit:voyons:voyez:voient vu verr
        look_at regarder
        find/found trouver
        draw/drew dessiner
        love adorer +state
        look_for chercher
        describe décrire décris:décrit:décrivons:décrivez:décrivent décrit décrir
        admire admirer
    """,
    "person kin": """
        meet/met rencontrer
        invite inviter
        help aider
        call appeler~appell
        thank remercier
        know/knew connaître connais:connaît:connaissons:connaissez:connaissent connu connaîtr +state
        listen_to écouter
        wait_for attendre
        greet saluer
        hear/heard entendre
        believe croire crois:croit:croyons:croyez:croient cru croir
        accompany accompagner
    """,
    "animal": """
        feed/fed nourrir
        follow suivre suis:suit:suivons:suivez:suivent suivi suivr
        caress caresser
        protect protéger protège:protège:protégeons:protégez:protègent protégé protéger
    """,
    "fruit food": """
        eat/ate manger
        cut/cut couper
        prepare préparer
        taste goûter
        order commander
        share partager
    """,
    "drink": """
        drink/drank boire bois:boit:buvons:buvez:boivent bu boir
        pour verser
        want vouloir veux:veut:voulons:voulez:veulent voulu voudr +state
    """,
    "text": """
        read/read lire lis:lit:lisons:lisez:lisent lu lir
        write/wrote écrire écris:écrit:écrivons:écrivez:écrivent écrit écrir
        finish finir
        translate traduire traduis:traduit:traduisons:traduisez:traduisent traduit traduir
        publish publier
    """,
    "clothes": """
        wear/wore porter
        wash laver
        try essayer~essai
    """,
    "thing furniture clothes": """
        buy/bought acheter~achèt
        sell/sold vendre
        take/took prendre prends:prend:prenons:prenez:prennent pris prendr
        lose/lost perdre
        break/broke casser
        repair réparer
        clean nettoyer~nettoi
        use utiliser
        throw/threw lancer
        keep/kept garder
        choose/chose choisir
        steal/stole voler
        paint peindre peins:peint:peignons:peignez:peignent peint peindr
        receive recevoir reçois:reçoit:recevons:recevez:reçoivent reçu recevr
        have/had avoir ai:a:avons:avez:ont eu aur +state
        hide/hid cacher
    """,
    "opening": """
        open ouvrir ouvre:ouvre:ouvrons:ouvrez:ouvrent ouvert ouvrir
        close fermer
    """,
    "vehicle": """
        drive/drove conduire conduis:conduit:conduisons:conduisez:conduisent conduit conduir
        park garer
        rent louer
    """,
    "site spot": """
        visit visiter
        cross traverser
        leave/left quitter
        discover découvrir découvre:découvre:découvrons:découvrez:découvrent découvert découvrir
        photograph photographier
    """,
}
_ACTIVITIES = """
    sleep/slept dormir dors:dort:dormons:dormez:dorment dormi dormir
    work travailler
    sing/sang chanter
    dance danser
    run/ran courir cours:court:courons:courez:courent couru courr
    walk marcher
    swim/swam nager
    play jouer
    talk parler
"""
_STAYING = """
    laugh rire ris:rit:rions:riez:rient ri rir
    cry pleurer
    smile sourire souris:sourit:sourions:souriez:sourient souri sourir
    wait attendre
    arrive arriver +être
    fall/fell tomber +être
    stay rester +être
    rest se_reposer
    have_fun/had_fun se_amuser
    go_for_a_walk/went_for_a_walk se_promener~promèn
    fall_asleep/fell_asleep se_endormir endors:endort:endormons:endormez:endorment endormi endormir
    stop/stopped se_arrêter
"""
_BARE = """
    leave/left partir pars:part:partons:partez:partent parti partir +être
    get_up/got_up se_lever~lèv
    wake_up/woke_up se_réveiller
    get_dressed/got_dressed se_habiller
    go_to_bed/went_to_bed se_coucher
    hurry se_dépêcher
    go_out/went_out sortir sors:sort:sortons:sortez:sortent sorti sortir +être
    come_back/came_back revenir reviens:revient:revenons:revenez:reviennent revenu reviendr +être
"""
_GIVING = """
    give/gave donner
    show montrer
    send/sent envoyer envoie:envoie:envoyons:envoyez:envoient envoyé enverr
    lend/lent prêter
    offer offrir offre:offre:offrons:offrez:offrent offert offrir
    promise promettre promets:promet:promettons:promettez:promettent promis promettr
"""
_ADDRESSING = """
    answer répondre
    phone téléphoner
    obey obéir
    speak_to/spoke_to parler
    smile_at sourire souris:sourit:sourions:souriez:sourient souri sourir
"""
_OTHERS = """
    be/was être suis:est:sommes:êtes:sont été ser +state
    have/had avoir ai:a:avons:avez:ont eu aur +state
    go/went aller vais:va:allons:allez:vont allé ir +être
    come/came venir viens:vient:venons:venez:viennent venu viendr +être
    want vouloir veux:veut:voulons:voulez:veulent voulu voudr +state
    can/could pouvoir peux:peut:pouvons:pouvez:peuvent pu pourr +state
    must/must devoir dois:doit:devons:devez:doivent dû devr +state
    live habiter +state
    say/said dire dis:dit:disons:dites:disent dit dir
    think/thought penser
    hope espérer espère:espère:espérons:espérez:espèrent espéré espérer
    put/put mettre mets:met:mettons:mettez:mettent mis mettr
"""


def _verbs(table: str) -> list[Verb]:
    return [parse(row) for row in table.splitlines() if row.strip()]


TRANSITIVE = {tuple(kinds.split()): _verbs(table) for kinds, table in _TRANSITIVE.items()}
"""Verbs with a direct object, by the kinds of nouns that may be it."""
ACTIVITIES = _verbs(_ACTIVITIES)
"""Intransitive verbs that can be done well, badly or slowly."""
STAYING = _verbs(_STAYING)
"""Other intransitive verbs that can be done somewhere."""
BARE = _verbs(_BARE)
"""Intransitive verbs that take no place or manner after them."""
GIVING = _verbs(_GIVING)
"""Verbs with a direct and an indirect object."""
ADDRESSING = _verbs(_ADDRESSING)
"""Verbs whose English direct object is indirect in French: *answers him*, *lui répond*."""
OTHERS = {verb.infinitive: verb for verb in _verbs(_OTHERS)}
