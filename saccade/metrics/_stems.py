"""Stems of English words: Porter's second algorithm, as Snowball had it before version 3.

METEOR's stem matcher uses it. It is written here because later versions of the algorithm stem some
words otherwise, and a figure must not depend on which version is installed.
"""

import re
from functools import lru_cache

_VOWELS = "aeiouy"
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")


def _table(text: str) -> dict[str, str]:
    """Read `ending:other`, parted by white space."""
    return dict(pair.split(":") for pair in text.split())


_WHOLE = _table(  # words with a stem of their own
    "skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli"
    " only:onli singly:singl sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias"
    " andes:andes"
)
_KEPT = frozenset(
    ["inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"]
)
_STEP_2 = _table(  # longer endings first
    "ization:ize ational:ate fulness:ful ousness:ous iveness:ive tional:tion biliti:ble lessli:less"
    " entli:ent ation:ate alism:al aliti:al ousli:ous iviti:ive fulli:ful enci:ence anci:ance"
    " abli:able izer:ize ator:ate alli:al bli:ble ogi:og li:"
)
_STEP_3 = _table("ational:ate tional:tion alize:al icate:ic iciti:ic ative: ical:ic ness: ful:")
_STEP_4 = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous"),
    *("ive", "ize", "ion", "al", "er", "ic"),
)
_REGION = re.compile("[aeiouy][^aeiouy]")


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> [stem(word) for word in ("running", "ponies", "generously", "relational")]
    ['run', 'poni', 'generous', 'relat']
    """
    if len(word) <= 2:
        return word
    word = word.removeprefix("'")
    if word in _WHOLE:
        return _WHOLE[word]
    word = re.sub(r"^y|(?<=[aeiouy])y", "Y", word)
    first, second = _regions(word)
    word = re.sub("(?:'s'|'s|')$", "", word)
    word = _plural(word)
    if word in _KEPT:
        return word
    word = _past(word, first)
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, first, second)
    word = _replaced(word, _STEP_3, first, second)
    return _ending(word, first, second).replace("Y", "y")


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 begin: after the first consonant behind a vowel, and again."""
    if known := re.match("gener|commun|arsen", word):
        first = known.end()
    else:
        found = _REGION.search(word)
        first = found.end() if found else len(word)
    again = _REGION.search(word, first)
    return first, again.end() if again else len(word)


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _past(word: str, first: int) -> str:
    """Step 1b."""
    for tail in ("eedly", "ingly", "edly", "eed", "ing", "ed"):
        if not word.endswith(tail):
            continue
        rest = word[: -len(tail)]
        if tail in ("eedly", "eed"):
            return rest + "ee" if len(rest) >= first else word
        if not _has_vowel(rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if rest.endswith(_DOUBLES):
            return rest[:-1]
        return rest + "e" if first >= len(rest) and _is_short(rest) else rest
    return word


def _replaced(word: str, tails: dict[str, str], first: int, second: int) -> str:
    """Steps 2 and 3: replace the longest ending of a list if it lies in R1."""
    tail = next((tail for tail in tails if word.endswith(tail)), None)
    if tail is None:
        return word
    rest = word[: -len(tail)]
    fits = len(rest) >= (second if tail == "ative" else first)
    if tail == "ogi":
        fits = fits and rest.endswith("l")
    elif tail == "li":
        fits = fits and rest.endswith(tuple("cdeghkmnrt"))
    return rest + tails[tail] if fits else word


def _ending(word: str, first: int, second: int) -> str:
    """Steps 4 and 5."""
    tail = next((tail for tail in _STEP_4 if word.endswith(tail)), None)
    if tail is not None:
        rest = word[: -len(tail)]
        if len(rest) >= second and (tail != "ion" or rest.endswith(("s", "t"))):
            word = rest
    rest = word[:-1]
    if word.endswith("e") and (len(rest) >= second or (len(rest) >= first and not _is_short(rest))):
        return rest
    if word.endswith("ll") and len(rest) >= second:
        return rest
    return word


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _is_short(text: str) -> bool:
    """Tell whether a text ends with a short syllable, as in `bed`, `shed`, `ow`."""
    if len(text) == 2:
        return text[0] in _VOWELS and text[1] not in _VOWELS
    return (
        len(text) > 2
        and text[-3] not in _VOWELS
        and text[-2] in _VOWELS
        and text[-1] not in _VOWELS + "wxY"
    )
