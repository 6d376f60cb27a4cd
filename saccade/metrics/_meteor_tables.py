"""What METEOR knows of English: function words, abbreviations, synonyms and paraphrases.

None of it is part of this package. It is read from `meteor-1.5.jar` and `data/paraphrase-en.gz`,
which the package pycocoevalcap brings along, or which lie in the folder $SACCADE_METEOR. A jar is a
zip file; nothing in it is run. SACCADE_METEOR=off is as if there were none.
"""

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from saccade.errors import DataError
from saccade.metrics._paraphrases import Paraphrases, paraphrases

SWITCH = "SACCADE_METEOR"

_JAR, _TABLE = "meteor-1.5.jar", Path("data") / "paraphrase-en.gz"
_LARGEST = 64 << 20  # bytes of one file in the jar; the largest has 4 MB
_ENDINGS = (  # WordNet's morphology: nouns, verbs, adjectives
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
    *(("men", "man"), ("ies", "y"), ("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


class Synonyms:
    """WordNet's sets of synonyms: of a word, and of the base form of a word."""

    def __init__(self, sets: Mapping[str, str], bases: Mapping[str, list[str]]) -> None:
        self._sets, self._bases = sets, bases
        self._known: dict[str, frozenset[str]] = {}

    def of(self, word: str) -> frozenset[str]:
        """Return the names of the sets that a word is in, in this form or as its base."""
        found = self._known.get(word)
        if found is None:
            bases = self._bases.get(word) or [self._base(word)]
            names = (name for form in (word, *bases) for name in self._sets.get(form, "").split())
            found = self._known[word] = frozenset(names)
        return found

    def _base(self, word: str) -> str:
        """Return the first form without an ending that is a word; "" if none is."""
        if len(word) <= 2 or word.endswith("ss"):
            return word
        cut = (
            word.removesuffix(ending) + base for ending, base in _ENDINGS if word.endswith(ending)
        )
        return next((form for form in cut if form in self._sets), "")


@dataclass(frozen=True, slots=True)
class Tables:
    """All that is read.  prefixes: what keeps its dot; True if only before a number."""

    function_words: frozenset[str]
    prefixes: Mapping[str, bool]
    synonyms: Synonyms
    paraphrases: Paraphrases


def folder() -> Path | None:
    """Return where the jar and the table of paraphrases are; None if they are not here."""
    named = os.environ.get(SWITCH)
    if named == "off":
        return None
    if named:
        places = [Path(named)]
    else:
        spec = find_spec("pycocoevalcap")
        found = spec.submodule_search_locations if spec else None
        places = [Path(place) / "meteor" for place in found or ()]
    return next((p for p in places if (p / _JAR).exists() and (p / _TABLE).exists()), None)


@lru_cache(maxsize=2)
def tables(place: Path) -> Tables:
    """Read all tables of a folder; the first time, the paraphrases take some seconds."""
    try:
        with zipfile.ZipFile(place / _JAR) as jar:
            words = _lines(jar, "function/english.words")
            prefixes = [line.split() for line in _lines(jar, "nonbreaking/english.prefixes")]
            exceptions = _lines(jar, "synonym/english.exceptions")
            sets = _lines(jar, "synonym/english.synsets")
        table = paraphrases(place / _TABLE)
    except (OSError, KeyError, zipfile.BadZipFile, EOFError) as error:
        raise DataError(
            f"METEOR: {place} cannot be read ({error}); expected {_JAR} and {_TABLE} of METEOR 1.5."
            f" Install pycocoevalcap again, or set {SWITCH}=off to do without."
        ) from error
    bases: dict[str, list[str]] = {}
    for base, forms in zip(exceptions[::2], exceptions[1::2], strict=True):
        for form in forms.split():
            bases.setdefault(form, []).append(base)
    return Tables(
        frozenset(words),
        {line[0]: "#NUMERIC_ONLY#" in line[1:] for line in prefixes if line and line[0][0] != "#"},
        Synonyms(dict(zip(sets[::2], sets[1::2], strict=True)), bases),
        table,
    )


def _lines(jar: zipfile.ZipFile, name: str) -> list[str]:
    if jar.getinfo(name).file_size > _LARGEST:
        raise DataError(f"{jar.filename}: {name} is larger than {_LARGEST} bytes; is it METEOR's?")
    return jar.read(name).decode("utf-8").splitlines()
