"""How METEOR reads text before it aligns: its own parting of words, dots and apostrophes."""

import re
from collections.abc import Mapping

_LETTER = "A-Za-zŠŽšžŸÀ-ÖØ-öø-ž"
_SIGN = "0-9" + _LETTER
_DOT = "\ue000"  # stands for one of several dots in a row while single dots are looked at
_RULES = [
    (re.compile(pattern, re.ASCII), instead)
    for pattern, instead in [
        (rf"([^{_SIGN}\s.'`,\-‘’])", r" \1 "),
        (r"([^0-9]),([^0-9])", r"\1 , \2"),
        (r"([0-9]),([^0-9])", r"\1 , \2"),
        (r"([^0-9]),([0-9])", r"\1 , \2"),
        (r"[`‘’]", "'"),
        (r"[“”]|''", ' " '),
        (r"–|--", "-"),
        (rf"([{_SIGN}.])-([{_SIGN}])", r"\1 \2"),
        (rf"([^{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (rf"([^{_LETTER}0-9])'([{_LETTER}])", r"\1 ' \2"),
        (rf"([{_LETTER}])'([^{_LETTER}])", r"\1 ' \2"),
        (rf"([{_LETTER}])'([{_LETTER}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    ]
]


def normalised(text: str, prefixes: Mapping[str, bool]) -> list[str]:
    """Part an English text into words and signs in lower case, as METEOR 1.5 does with `-norm`.

    prefixes: words that keep their dot; True if only before a number.

    >>> normalised("The U.S.-based man's T-shirt, 1,000 ... of them.", {})
    ['the', 'us', 'based', 'man', "'s", 't', 'shirt', ',', '1,000', '...', 'of', 'them', '.']
    """
    line = f" {text} "
    first, *others = _RULES
    line = first[0].sub(first[1], line)
    line = re.sub(r"\.{2,}", lambda dots: f" {_DOT * len(dots[0])} ", line)
    for pattern, instead in others:
        line = pattern.sub(instead, line)
    words = re.split(r"[ \t\n\r\f]+", line.strip(" \t\n\r\f"))
    parted = [
        part
        for n, word in enumerate(words)
        for part in _parted(word, words[n + 1] if n + 1 < len(words) else "", prefixes)
    ]
    return " ".join(parted).replace(_DOT, ".").lower().split()


def _parted(word: str, following: str, prefixes: Mapping[str, bool]) -> list[str]:
    """Part a word from its last dot, unless it is an abbreviation."""
    if len(word) < 2 or not word.endswith("."):
        return [word]
    rest = word[:-1]
    if "." in rest and re.search(f"[{_LETTER}]", rest):
        return [word.replace(".", "")]  # U.S. is US
    kept = prefixes.get(rest) is False or re.match("[a-z]", following)
    if kept or (prefixes.get(rest) and re.match("[0-9]", following)):
        return [word]
    return [rest, "."]
