"""How work on captions reads text before it compares: lower case, words, no punctuation."""

import re
from typing import Literal

from saccade.metrics._text import tidy

Reading = Literal["captions", "none"]


def words(text: str, reading: Reading = "captions") -> list[str]:
    """Part a text into words.

    captions: in lower case and without punctuation, as pycocoevalcap has them.  none: what white
    space parts, in NFC.
    """
    if reading == "none":
        return tidy(text, lowercase=False).split()
    return [word for word in tidy(text, lowercase=True).split() if re.search(r"\w", word)]


def reading(name: Reading) -> str:
    """Name the reading as a signature does."""
    return "case:lc|tok:captions" if name == "captions" else "case:mixed|norm:nfc|tok:none"
