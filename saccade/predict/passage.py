"""Texts of several lines and sentences: what a model reads at once, and how outputs are joined.

A model that learned from sentences is given one at a time, and one that learned from words or dates
a line at a time. White space between them, blank lines too, stands between the outputs as it was.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from unicodedata import combining

from saccade.guards.profile import Profile
from saccade.nouns import Raw
from saccade.predict.predictor import Predictor
from saccade.predict.sentences import ENDS, WIDE_ENDS, spans

_LINE = re.compile(r"[^\r\n\v\f\x85\u2028\u2029]+")
_SOFT = re.compile(
    r"[,;:،؛、，；：]\s|[、，；：]|\s[-–—]\s"
)  # where a long sentence is cut at best
_MOST_ENDS = 1.5  # a line, of text whose lines are single sentences
_SHARE = 0.5  # of lines that end as a sentence does


class ReadingUnit(StrEnum):
    """What a model reads at once."""

    sentences = "sentences"
    lines = "lines"
    none = "none"


@dataclass(frozen=True, slots=True)
class Passage:
    r"""A text in parts that are predicted one by one.

    gaps: the white space before each part and, last, behind all of them.

    >>> passage = cut("Hi. Go!\n\nYes. ", ReadingUnit.sentences)
    >>> passage.parts, passage.gaps
    (('Hi.', 'Go!', 'Yes.'), ('', ' ', '\n\n', ' '))
    >>> passage.join(["Salut.", "Va !", "Oui."])
    'Salut. Va !\n\nOui. '
    """

    parts: tuple[Raw, ...]
    gaps: tuple[str, ...]

    def join(self, outputs: Sequence[str]) -> str:
        """Put the outputs of all parts where the parts stood."""
        rows = zip(self.gaps, [*outputs, ""], strict=True)
        return "".join(gap + text for gap, text in rows)


def whole(text: Raw) -> Passage:
    """Return a text, or several sources by name, as the only part, white space and all."""
    return Passage((text,), ("", ""))


def cut(
    text: str, unit: ReadingUnit, size: Callable[[str], int] = len, most: int | None = None
) -> Passage:
    """Cut a text into what a model reads at once; a blank text has no parts, but a gap.

    Args:
        text: any text.
        unit: where to cut.
        size: measures a sentence, in characters or in pieces.
        most: the size over which a sentence is cut, behind a comma if there is one in its second
            half, else at a space, else anywhere but inside a number; None is never.
    """
    if unit is ReadingUnit.none and text.strip():
        return whole(text)
    places: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        base, body = line.start(), line[0]
        within = spans(body) if unit is ReadingUnit.sentences else [_bare(body)]
        places += [(base + start, base + end) for start, end in within if start < end]
    if most is not None and unit is ReadingUnit.sentences:
        places = [piece for start, end in places for piece in _short(text, start, end, size, most)]
    edges = [0, *(edge for place in places for edge in place), len(text)]
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return Passage(tuple(text[start:end] for start, end in places), tuple(gaps))


def unit_of(predictor: Predictor) -> ReadingUnit:
    """Say what a model reads at once, by what it learned from; a task's name does not matter.

    none       it reads no text (pictures, numbers), several sources, or nothing at all (a language
               model goes on from a text), or its pieces hold line feeds
    lines      its output is a label (the tokenizer `line`), its source has turns of a dialogue, or
               nobody knows what was usual in training
    sentences  at least half of its training lines end as sentences do, and they have at most 1.5
               ends a line; otherwise lines
    """
    vocabulary, target = predictor.source.vocabulary, predictor.target.vocabulary
    if vocabulary is None or not predictor.model.reads or len(predictor.sources) > 1:
        return ReadingUnit.none
    if any("\n" in piece for piece in vocabulary.spellings):
        return ReadingUnit.none
    if vocabulary.reading.separator or (target is not None and target.whole_lines):
        return ReadingUnit.lines
    return ReadingUnit.sentences if reads_sentences(predictor.profile) else ReadingUnit.lines


def reads_sentences(profile: Profile | None) -> bool:
    """Tell by its trigrams whether training text had one sentence a line.

    A line stands between spaces when it is counted. An end mark with a space behind it gives `x. `;
    inside a line it gives `. x` as well. So the difference counts lines that end with a mark:

        share of lines = (n(x. ) - n(. x)) / lines >= 1/2      ends a line = n(x. ) / lines <= 3/2

    Measured: the share is 0.95 to 1 in translations and reviews, 0.07 in dates, 0 in words; lines
    of films, often of several sentences, have 1.7 ends.
    """
    if profile is None or not profile.n_lines:
        return False
    marks = ENDS + WIDE_ENDS
    ends = sum(n for gram, n in profile.trigrams.items() if gram[1] in marks and gram[2] == " ")
    inside = sum(n for gram, n in profile.trigrams.items() if gram[0] in marks and gram[1] == " ")
    lines = profile.n_lines
    return ends - inside >= _SHARE * lines and ends <= _MOST_ENDS * lines


def _bare(line: str) -> tuple[int, int]:
    return len(line) - len(line.lstrip()), len(line.rstrip())


def _short(
    text: str, start: int, end: int, size: Callable[[str], int], most: int
) -> list[tuple[int, int]]:
    """Cut a sentence that is too long, again and again, from its beginning."""
    found = []
    while (n := size(text[start:end])) > most:
        room = max((end - start) * most // n, 1)
        place = start + _break(text[start:end], room)
        while room > 1 and size(text[start:place]) > most:
            room = room * 9 // 10
            place = start + _break(text[start:end], room)
        found.append((start, start + len(text[start:place].rstrip())))
        start = place + len(text[place:end]) - len(text[place:end].lstrip())
    return [*found, (start, end)] if start < end else found


def _break(sentence: str, room: int) -> int:
    """Return where to cut, `room` characters from the beginning at most; behind a long number."""
    head = sentence[: room + 1]
    soft = [found.end() for found in _SOFT.finditer(head) if room // 2 < found.end() <= room]
    if soft:
        return soft[-1]
    space = max((i for i, c in enumerate(head) if c.isspace() and i), default=0)
    if space:
        return space
    back = next((i for i in range(room, 0, -1) if _may_cut(sentence, i)), 0)
    return back or next(i for i in range(room, len(sentence) + 1) if _may_cut(sentence, i))


def _may_cut(text: str, place: int) -> bool:
    """Tell whether neither a number nor a letter with its marks is cut at a place."""
    around = text[place - 1 : place + 1]
    numeral = all(c.isdigit() or c in ".,'" for c in around) and any(c.isdigit() for c in around)
    return len(around) < 2 or not (numeral or combining(around[1]))
