"""Are words grounded? How spread attention is for nouns, for function words and for the others.

A model that looks where the things are should look more narrowly for a noun than for `of`. The two
word lists below are short, English and made by hand; what is in neither is an other word.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from saccade.attention.hard import PROBABILITY
from saccade.look import inspection
from saccade.predict.looker import Maps
from saccade.predict.prediction import Prediction
from saccade.views.cells import entropy, share_of_most
from saccade.views.gallery import GalleryRow

_FUNCTION_WORDS = """
a about above across after against all along also am among an and another any are around as at
away be because been before behind being below beneath beside between beyond both but by can
could did do does down during each either every for from had has have he her him his how i if in
inside into is it its just like many may me might more most much must my near next no nor not of
off on only onto or other our out outside over past several shall she should so some such than
that the their them then there these they this those through to together too toward towards under
until up upon us very was we were what when where which while who whose why will with within
without would you your
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""Articles, prepositions, conjunctions, pronouns, auxiliaries and the like."""

_NOUNS = """
adult air animal area arm arms baby back backpack bag ball balloon baseball basketball beach bed
bench bicycle bike biker bird board boat body book bottle box boy boys bridge building bus cake
camera cap car cat chair child children circle city cliff clothes coat collar costume couch
couple court cross crowd cup dirt dog dogs door dress edge face family fence field fire floor
flower flowers food football forest fountain friend friends frisbee game gear girl girls glasses
grass ground group guitar guy hair hand hands hat head helmet hill hockey horse house ice jacket
jeans kid kids lady lake leash leaves leg legs line man men microphone midair motorcycle mountain
mountains mouth mud night obstacle ocean outfit pants park path people person phone picture
player players playground pole pool puppy race railing ramp restaurant rider river road rock
rocks room rope sand shirt shirts shop shore shorts sidewalk sign skateboard skateboarder skier
sky slide snow snowboard snowboarder soccer square stairs stick stone store street suit sun
sunglasses surfboard surfer sweater swing table team tennis tent toddler tongue top toy track
trail train trampoline tree trees triangle trick tricks truck umbrella uniform wall water wave
waves window woman women woods worker yard
"""
NOUNS = frozenset(_NOUNS.split())
"""What captions of photographs name most often."""

_MOST = 500  # predictions that are looked at
_LEAST = 0.1  # share of function words in English
_SHOWN = 6  # words that a row names


def grounding(predictions: Sequence[Prediction]) -> list[GalleryRow]:
    """Measure attention by kinds of words, in up to 500 predictions evenly taken from all.

    Nothing is returned of models without attention, nor of text that is hardly English.
    """
    found: dict[str, list[tuple[str, float, float]]] = {}
    step = max(-(-len(predictions) // _MOST), 1)
    for one in predictions[::step]:
        for word, weights in attended(one):
            row = (word, entropy(weights), share_of_most(weights))
            found.setdefault(_kind(word), []).append(row)
    total = sum(map(len, found.values()))
    if len(found.get("function words", [])) < _LEAST * total or not total:
        return []
    kinds = [kind for kind in ("nouns", "function words", "other words") if kind in found]
    return [_row(kind, found[kind]) for kind in kinds]


def attended(prediction: Prediction) -> list[tuple[str, Maps]]:
    """Return the words of an output, each with its weights `[S]`.

    Of hard attention those it draws from, else the mean of all maps.
    """
    maps = prediction.attention_maps
    if not maps or not prediction.hypothesis.tokens:
        return []
    chosen = maps.get(PROBABILITY)
    one = inspection.attention(prediction) if chosen is None else chosen
    found = inspection.looked(prediction, {"": one}, whole=True)
    words = (word.strip(".,;:!?\"'()").lower() for word in found.target)
    return [pair for pair in zip(words, found.maps[""], strict=True) if pair[0]]


def _kind(word: str) -> str:
    if word in FUNCTION_WORDS:
        return "function words"
    return "nouns" if word in NOUNS else "other words"


def _row(kind: str, rows: Sequence[tuple[str, float, float]]) -> GalleryRow:
    usual = Counter(word for word, _, _ in rows).most_common(_SHOWN)
    spread, share = (float(np.mean([row[i] for row in rows])) for i in (1, 2))
    return GalleryRow(kind, len(rows), spread, share, tuple(word for word, _ in usual))
