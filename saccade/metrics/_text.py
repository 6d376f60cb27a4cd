"""How metrics of our own read text before they compare it."""

import unicodedata
from collections.abc import Sequence


def tidy(text: str, *, lowercase: bool) -> str:
    """Return the text in composed form (NFC) without white space at its ends.

    >>> tidy(" Cafe\u0301 ", lowercase=True) == "caf\u00e9"
    True
    """
    return unicodedata.normalize("NFC", text.lower() if lowercase else text).strip()


def is_right(hypothesis: str, references: Sequence[str], *, lowercase: bool) -> bool:
    """Tell whether the hypothesis is one of the references, letter for letter."""
    wanted = {tidy(reference, lowercase=lowercase) for reference in references}
    return tidy(hypothesis, lowercase=lowercase) in wanted


def case(*, lowercase: bool) -> str:
    """Name the treatment of case as a signature does."""
    return "case:lc" if lowercase else "case:mixed"
