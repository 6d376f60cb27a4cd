"""What people call their columns: which two are a pair, and whether a row is a header."""

from collections.abc import Container, Sequence
from functools import cache

from babel import Locale

PAIRS = (
    ("source", "target"),
    ("src", "tgt"),
    ("src", "trg"),
    ("input", "output"),
    ("prompt", "completion"),
    ("prompt", "response"),
    ("question", "answer"),
    ("text", "label"),
    ("text", "summary"),
    ("document", "summary"),
    ("lemma", "form"),
    ("word", "pronunciation"),
)
"""Names of a source and its target, in the order in which they are looked for."""

SIDES = ("source", "target")
_COUNTING = ("id", "index", "no", "nr", "row", "#", "", "unnamed: 0")
_OTHERS = (
    *("features", "feats", "tags", "tag", "morphology", "inflection", "phonemes", "phones", "ipa"),
    *(
        "id",
        "index",
        "sentence",
        "context",
        "translation",
        "original",
        "corrected",
        "title",
        "lang",
    ),
    *("reference", "native", "latin", "misspelling", "correction", "date", "iso", "count", "split"),
)


def is_number_of_row(name: str) -> bool:
    """Tell whether a column is called as one that counts the rows.

    >>> is_number_of_row("ID"), is_number_of_row("French")
    (True, False)
    """
    return _key(name) in _COUNTING


def find_pair(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of the source and the target among `names`, if they are called so.

    >>> find_pair(["id", "Source", "Target"]), find_pair(["en", "fr"])
    ((1, 2), None)
    """
    keys = [_key(name) for name in names]
    for source, target in PAIRS:
        if source in keys and target in keys:
            return keys.index(source), keys.index(target)
    return None


def find_side(side: str, names: Sequence[str], taken: Container[int] = ()) -> int | None:
    """Return the place of a name that is usual for one side, if it is there and not taken.

    >>> find_side("target", ["question", "output"]), find_side("source", ["a", "src"], [1])
    (1, None)
    """
    keys = [_key(name) for name in names]
    usual = (pair[SIDES.index(side)] for pair in PAIRS)
    places = (keys.index(name) for name in usual if name in keys)
    return next((place for place in places if place not in taken), None)


def looks_like_header(row: Sequence[str]) -> bool:
    """Tell whether a first row names columns: two cells that are names of columns or languages.

    >>> looks_like_header(["English", "French"]), looks_like_header(["hello", "bonjour"])
    (True, False)
    """
    keys = [_key(cell) for cell in row]
    return len(set(keys)) == len(keys) and sum(key in _known() for key in keys) >= 2


@cache
def _known() -> frozenset[str]:
    languages = Locale("en").languages
    called = (_key(name) for name in [*languages, *languages.values()])
    return frozenset((*(name for pair in PAIRS for name in pair), *_OTHERS, *called))


def _key(name: str) -> str:
    return name.strip().casefold()
