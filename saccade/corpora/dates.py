"""Dates as people write them in twenty-four locales, to ISO 8601: a task for character models.

The names of days and months and the order of the parts come from Babel's locale data (the Unicode
CLDR), so the pairs are the same wherever Babel has the same version. Only forms that can be
understood from the text alone are kept: the year has four digits, and a number stands for a month
only where dots (day first) or a leading year show the order.
"""

import datetime
import re
from collections.abc import Iterator

from babel.dates import format_date

from saccade.corpora._dice import Dice
from saccade.corpora._split import split_of
from saccade.corpora.base import Corpus, Split, check_size

_HELD_OUT = 1000
_FIRST = datetime.date(1950, 1, 1)
_DAYS = (datetime.date(2050, 1, 1) - _FIRST).days
_DOTTED = re.compile(r"\d{1,2}\. ?\d{1,2}\. ?\d{4}")
_YEAR_FIRST = re.compile(r"\d{4}-\d\d-\d\d|\d{4}\. ?\d\d\. ?\d\d\.")

_MONTH_FIRST = ("MMMM d, y", "MMM d, y", "MMMM d y", "EEE, MMM d, y", "EEEE, MMMM d, y")
_DAY_FIRST = ("d MMMM y", "d MMM y", "EEE d MMM y", "EEEE d MMMM y")
_DAY_DOT = ("d. MMMM y", "d. MMM y", "EEE d. MMM y", "EEEE, d. MMMM y", "dd.MM.y", "d.M.y")
_YEAR = ("y-MM-dd", "y. MMMM d.")
LOCALES = {
    "en_US": _MONTH_FIRST,
    **dict.fromkeys(("en_GB", "fr", "es", "it", "pt", "nl", "sv", "ca", "el", "tr"), _DAY_FIRST),
    **dict.fromkeys(("pl", "ro", "ru", "uk", "bg"), (*_DAY_FIRST, "dd.MM.y")),
    **dict.fromkeys(("de", "da", "nb", "fi", "cs", "sk", "et"), _DAY_DOT),
    "hu": _YEAR,
}
"""Each locale with the patterns tried beside its own full, long, medium and short ones."""


class Dates(Corpus):
    """Dates in many languages with their ISO 8601 form.

    Days from 1950 to 2049; the case is as the language has it, lower, or with capitals. Texts that
    differ in case alone are in the same split.
    """

    def __init__(self, *, seed: int = 1, size: int = 20000) -> None:
        check_size("dates", size)
        self._seed = seed
        self._size = size

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        """Yield distinct (date as written, ISO date) pairs of the split."""
        dice = Dice(self._seed)
        wanted = self._size if split == "train" else _HELD_OUT
        names = tuple(LOCALES)
        seen: set[str] = set()
        while len(seen) < wanted:
            locale = dice.pick(names)
            day = _FIRST + datetime.timedelta(dice.below(_DAYS))
            text = write(day, locale, dice.pick(patterns(locale)))
            text = dice.weighted([(60, text), (20, text.lower()), (20, _capitalised(text))])
            if text not in seen and understandable(text) and split_of(text) == split:
                seen.add(text)
                yield text, day.isoformat()


def patterns(locale: str) -> tuple[str, ...]:
    """List the patterns of a locale: its own four, and those of its table."""
    return ("full", "long", "medium", "short", *LOCALES[locale])


def write(day: datetime.date, locale: str, pattern: str) -> str:
    """Write a day as the locale does, with plain spaces.

    >>> write(datetime.date(2031, 3, 14), "fr", "full")
    'vendredi 14 mars 2031'
    """
    return " ".join(format_date(day, pattern, locale=locale).split())


def understandable(text: str) -> bool:
    """Tell whether the text alone says which day is meant.

    >>> [understandable(t) for t in ("14.03.2031", "2031-03-14", "03/04/2031", "14 mars 31")]
    [True, True, False, False]
    """
    if not re.search(r"(?<!\d)\d{4}(?!\d)", text, re.ASCII):
        return False
    month_named = re.search(r"[^\W\d_]{3}", text) is not None
    return month_named or bool(_DOTTED.fullmatch(text) or _YEAR_FIRST.fullmatch(text))


def _capitalised(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split())
