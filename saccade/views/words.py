"""Words as they may be shown: without control characters, escaped, and measured in columns.

Every view passes what a model or a user wrote through this file before it reaches a page or a
terminal, so no word can close a tag, move a cursor or turn the writing direction of its line.
"""

import html
import unicodedata
from collections.abc import Iterable, Sequence

_BIDI = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKS = frozenset("\n\t\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
_VISIBLE = str.maketrans(" \u00a0\u3000\n\u2028\u2029\t", "␣␣␣⏎⏎⏎⇥")


def clean(text: str, *, breaks: bool = False) -> str:
    r"""Drop what XML forbids or a terminal obeys; keep line breaks and tabs only if asked.

    >>> clean("a\x1b[1mb\x00")
    'a[1mb'
    >>> clean("one\ntwo"), clean("one\ntwo", breaks=True)
    ('one two', 'one\ntwo')
    """
    if breaks:
        return "".join(c for c in text if c in "\n\t" or _harmless(c))
    return "".join(" " if c in _BREAKS else c for c in text if c in _BREAKS or _harmless(c))


def escape(text: str, *, breaks: bool = False) -> str:
    """Clean and escape for the text or a quoted attribute of XML and HTML.

    >>> escape("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return html.escape(clean(text, breaks=breaks), quote=True)


def label(word: str) -> str:
    r"""Return a word as an axis shows it: white space made visible, nothing shown as `∅`.

    The mark `▁` that a tokenizer puts where a word begins is not shown.

    >>> label("two words"), label("\n"), label(""), label("▁cat")
    ('two␣words', '⏎', '∅', 'cat')
    """
    shown = clean(clean(word, breaks=True).translate(_VISIBLE))
    if len(shown) > 1:
        shown = shown.removeprefix("▁")
    if shown and not columns(shown):
        return "◌" + shown  # a mark needs something to stand on
    return shown or "∅"


def sentence(words: Sequence[str]) -> str:
    """Join pieces for reading: characters closely, words with spaces.

    Pieces that mark where a word begins are joined at those marks.

    >>> sentence(["a", " ", "b"]), sentence(["the", "cat"]), sentence(["▁the", "▁ca", "t", "."])
    ('a b', 'the cat', 'the cat.')
    """
    if any(word.startswith("▁") for word in words):
        return "".join(words).replace("▁", " ").strip()
    return ("" if all(len(word) <= 1 for word in words) else " ").join(words)


def columns(text: str) -> int:
    """Count terminal columns: two for wide East Asian characters, none for combining marks.

    >>> columns("été"), columns("日本"), columns("e\u0301")
    (3, 4, 1)
    """
    return sum(_column(c) for c in text)


def clusters(text: str) -> list[str]:
    """Split into characters, each with the marks that stand on it.

    >>> clusters("ae\u0301b") == ["a", "e\u0301", "b"]
    True
    """
    found: list[str] = []
    for c in text:
        if _column(c) == 0 and found:
            found[-1] += c
        elif _column(c) > 0:
            found.append(c)
    return found


def shorten(text: str, width: int) -> str:
    """Cut to at most `width` columns, the last of them `…` if anything was cut.

    >>> shorten("attention", 6), shorten("日本語", 4), shorten("cat", 6)
    ('atten…', '日…', 'cat')
    """
    if columns(text) <= width:
        return text
    kept, used = [], 1
    for cluster in clusters(text):
        used += columns(cluster)
        if used > width:
            break
        kept.append(cluster)
    return "".join(kept) + "…"


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Shorten or fill with spaces to exactly `width` columns, `right` meaning flush right."""
    cut = shorten(text, width)
    space = " " * (width - columns(cut))
    return space + cut if right else cut + space


def widest(words: Iterable[str]) -> int:
    """Return the columns of the widest word, 0 if there is none."""
    return max((columns(word) for word in words), default=0)


def _harmless(c: str) -> bool:
    """Tell whether XML allows the character and a terminal merely prints it."""
    if c in _BIDI or unicodedata.category(c) in {"Cc", "Cs"}:
        return False
    return ord(c) & 0xFFFE != 0xFFFE  # the two non-characters at the end of every plane


def _column(c: str) -> int:
    if unicodedata.category(c) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(c) in {"W", "F"} else 1
