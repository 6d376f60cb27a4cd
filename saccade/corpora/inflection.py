"""An artificial language with vowel harmony: lemmas and features to inflected forms."""

from collections.abc import Iterator
from itertools import product

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split
from saccade.errors import RecipeError

_HELD_OUT = 1000
_LARGEST = 1_000_000
_BACK, _FRONT = "aıou", "eiöü"  # place by place: unrounded low and high, rounded low and high
_ROUND = "ouöü"
_ONSETS = "bcdfghklmnprsştvyz"
_CODAS = (*"klmnprsştzç", "lk", "nt", "rp", "rk", "rt")
_SOFT = {"k": "ğ", "p": "b", "t": "d", "ç": "c"}  # at the end of a noun, before a vowel
_VOICELESS = "çfhkpsşt"

_CASES = {"NOM": "", "ACC": "+I", "DAT": "+E", "GEN": "+In", "LOC": "DE", "ABL": "DEn"}
_OWNERS = {"": "", "PSS1S": "+Im", "PSS2S": "+In", "PSS1P": "+ImIz"}
_TENSES = {"PRS": "+Iyor", "PST": "DI", "FUT": "+EcEk", "COND": "sE"}
_PERSONS = {"1;SG": "+Im", "2;SG": "sIn", "3;SG": "", "1;PL": "+Iz", "2;PL": "sInIz", "3;PL": "lEr"}


class Inflection(Corpus):
    r"""Lemmas with features, and the forms they ask for: regular suffixes that fit their stem.

        kitap \t N;PL;ACC  ->  kitapları        gözük \t N;SG;DAT  ->  gözüğe

    A made-up language after the pattern of Turkish. A suffix takes its vowels from the last one of
    the stem: E is e or a, I is i, ı, ü or u. D is t behind a voiceless consonant, else d. Before a
    vowel, a noun of two syllables or more makes its last k, p, t or ç soft; behind a vowel, I gives
    way if more follows it, and y comes between otherwise. Verbs end in -mEk, which is taken off.
    Forms of one lemma are in one split.
    """

    def __init__(self, *, seed: int = 1, size: int = 8000) -> None:
        if not 1 <= size <= _LARGEST:
            raise RecipeError(
                f"inflection.size: found {size}; expected 1 to {_LARGEST} training pairs;"
                " give a number between them."
            )
        self._seed, self._size = seed, size

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (lemma, tab, features; form) pairs of the split."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        seen: set[str] = set()
        while len(seen) < wanted:
            stem = _stem(dice)
            noun = dice.chance(0.5)
            features, suffixes = dice.pick(_NOUN if noun else _VERB)
            lemma = stem if noun else attach(stem, "mEk")
            source = f"{lemma}\t{features}"
            if source not in seen and split_of(lemma) == split:
                seen.add(source)
                yield source, inflect(stem, suffixes, soft=noun)


def inflect(stem: str, suffixes: tuple[str, ...], *, soft: bool) -> str:
    """Put suffixes behind a stem, one after the other; `soft` lets its end turn soft.

    >>> inflect("kitap", ("lEr", "+I"), soft=True), inflect("kitap", ("+I",), soft=True)
    ('kitapları', 'kitabı')
    >>> inflect("gül", ("DI", "+Im"), soft=False), inflect("oku", ("+EcEk",), soft=False)
    ('güldüm', 'okuyacak')
    """
    for suffix in suffixes:
        stem = attach(stem, suffix, soft=soft)
    return stem


def attach(stem: str, suffix: str, *, soft: bool = False) -> str:
    """Put one suffix behind a stem, its letters fitted to it."""
    if not suffix:
        return stem
    letters = suffix.removeprefix("+")
    if suffix.startswith("+") and letters[0] in "EI":
        if stem[-1] in _BACK + _FRONT:
            gives_way = letters[0] == "I" and len(letters) > 1
            stem, letters = (stem, letters[1:]) if gives_way else (stem + "y", letters)
        elif soft and _is_long(stem):
            stem = stem[:-1] + _SOFT.get(stem[-1], stem[-1])
    for letter in letters:
        stem += _fitted(stem, letter)
    return stem


def _fitted(stem: str, letter: str) -> str:
    last = next(letter for letter in reversed(stem) if letter in _BACK + _FRONT)
    back, rounded = last in _BACK, last in _ROUND
    if letter == "E":
        return "a" if back else "e"
    if letter == "I":
        return ("u" if rounded else "ı") if back else ("ü" if rounded else "i")
    if letter == "D":
        return "t" if stem[-1] in _VOICELESS else "d"
    return letter


def _is_long(stem: str) -> bool:
    return sum(letter in _BACK + _FRONT for letter in stem) > 1


def _stem(dice: Dice) -> str:
    """Draw one to three syllables whose vowels agree."""
    vowels = dice.pick((_BACK, _FRONT))
    n = dice.weighted([(20, 1), (60, 2), (20, 3)])
    stem = "".join(dice.pick(_ONSETS) + dice.pick(vowels) for _ in range(n))
    return stem + (dice.pick(_CODAS) if n == 1 or dice.chance(0.75) else "")


def _noun(number: str, owner: str, case: str) -> tuple[str, tuple[str, ...]]:
    features = ";".join(part for part in ("N", number, owner, case) if part)
    return features, ("lEr" if number == "PL" else "", _OWNERS[owner], _CASES[case])


_NOUN = [_noun(*row) for row in product(("SG", "PL"), _OWNERS, _CASES)]
_VERB = [
    (f"V;{tense};{person}", (_TENSES[tense], _PERSONS[person]))
    for tense, person in product(_TENSES, _PERSONS)
]
