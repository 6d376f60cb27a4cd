"""How a phrase-based search covered a source: the phrases, their order, and its stacks."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.words import clean, label, pad, shorten, widest

_GAP, _PAD, _LINE = 10.0, 8.0, 24.0
_LEFT, _CELL, _REACH = 20.0, 16.0, 260.0
_LONGEST = 24  # columns of a phrase in a terminal
_FATES = (("kept", 0), ("dropped", 1), ("recombined", 2), ("skipped", 5))  # and their colours


@dataclass(frozen=True, slots=True)
class PhraseStep:
    """One step of a derivation: source words from `first` up to `end`, and what they became."""

    first: int
    end: int
    written: str


@dataclass(frozen=True, slots=True)
class StackRow:
    """What became of the hypotheses that cover so many words.

    kept: followed.  dropped: made, but too far behind the best, or too many.  recombined: the same
    as a better one from there on.  skipped: too far behind to be made at all.
    """

    kept: int
    dropped: int
    recombined: int
    skipped: int


def to_svg(
    source: Sequence[str],
    phrases: Sequence[PhraseStep],
    stacks: Sequence[StackRow],
    *,
    title: str = "",
) -> str:
    """Draw source phrases above what was written of them, coverage step by step, and the stacks."""
    _check("phrases.to_svg", source, phrases)
    body = [svg.text(_LEFT, 30, title, kind="title")] if title else []
    top = 52.0 if title else 24.0
    drawn, wide, y = _segments(source, phrases, top)
    body += drawn
    drawn, reach, y = _coverage(source, phrases, y + 34)
    body += drawn
    wide = max(wide, reach)
    drawn, reach, y = _stacks(stacks, y + 34)
    body += drawn
    name = title or f"{len(phrases)} phrases for {len(source)} words"
    return svg.document(max(wide, reach) + _LEFT, y + 16, "".join(body), name=name)


def to_terminal(
    source: Sequence[str],
    phrases: Sequence[PhraseStep],
    stacks: Sequence[StackRow],
    *,
    width: int = 100,
) -> str:
    """List the phrases as they were written, what was covered behind each, and the stacks.

    >>> told = [StackRow(1, 0, 0, 0), StackRow(2, 1, 0, 4), StackRow(2, 0, 3, 0)]
    >>> print(to_terminal(["ein", "Hund"], [PhraseStep(0, 2, "a dog")], told), end="")
    covered  source    written
    ██       ein Hund  a dog
    <BLANKLINE>
    words  kept  dropped  recombined  skipped
        0     1        0           0        0
        1     2        1           0        4
        2     2        0           3        0
    """
    _check("phrases.to_terminal", source, phrases)
    covered, rows = [False] * len(source), []
    for one in phrases:
        covered[one.first : one.end] = [True] * (one.end - one.first)
        rows.append(
            (
                "".join("█" if there else "·" for there in covered),
                shorten(_said(" ".join(source[one.first : one.end])), _LONGEST),
                shorten(_said(one.written), _LONGEST),
            )
        )
    heads = ("covered", "source", "written")
    sizes = [widest(column) for column in zip(heads, *rows, strict=True)]
    lines = [
        "  ".join(pad(cell, size) for cell, size in zip(row, sizes, strict=True)).rstrip()
        for row in (heads, *rows)
    ]
    names = ("words", *(name for name, _ in _FATES))
    lines += ["", "  ".join(names)]
    for n, held in enumerate(stacks):
        cells = (n, held.kept, held.dropped, held.recombined, held.skipped)
        lines.append("  ".join(f"{c:>{len(h)}}" for c, h in zip(cells, names, strict=True)))
    return "".join(f"{shorten(line, width)}\n" for line in lines)


def _check(where: str, source: Sequence[str], phrases: Sequence[PhraseStep]) -> None:
    if not phrases or any(not 0 <= p.first < p.end <= len(source) for p in phrases):
        raise ShapeError(
            f"{where}: {len(phrases)} phrases for {len(source)} words; expected one or more,"
            " each of words that are there."
        )


def _said(words: str) -> str:
    """Write words as text, without the marks that pieces begin with; a sign for nothing."""
    return clean(words.replace("▁", "")) or label("")


def _segments(
    source: Sequence[str], phrases: Sequence[PhraseStep], top: float
) -> tuple[list[str], float, float]:
    """Draw bands from every source phrase to what it became; return also how far they reach."""
    places = sorted(range(len(phrases)), key=lambda n: phrases[n].first)
    above = [_said(" ".join(source[p.first : p.end])) for p in phrases]
    below = [_said(p.written) for p in phrases]
    tops, right = _row(above, places)
    bottoms, other = _row(below, range(len(phrases)))
    drawn, bottom = list[str](), top + 90
    for n in range(len(phrases)):
        (a, b), (c, d), colour = tops[n], bottoms[n], n % svg.N_COLOURS
        corners = ((a, top + _LINE), (b, top + _LINE), (d, bottom), (c, bottom))
        points = " ".join(f"{svg.number(x)},{svg.number(y)}" for x, y in corners)
        drawn.append(f'<polygon class="f{colour}" fill-opacity="0.25" points="{points}"/>')
        for (left, end), y, words in (((a, b), top, above[n]), ((c, d), bottom, below[n])):
            drawn.append(_box(left, y, end - left, _LINE, colour, 0.45))
            drawn.append(svg.text((left + end) / 2, y + 16.5, words, anchor="middle"))
    return drawn, max(right, other), bottom + _LINE


def _row(
    words: Sequence[str], order: Sequence[int]
) -> tuple[dict[int, tuple[float, float]], float]:
    """Lay boxes out from left to right; return where each stands, and where the last ends."""
    found, x = dict[int, tuple[float, float]](), _LEFT
    for n in order:
        end = x + svg.pixels(words[n]) + 2 * _PAD
        found[n] = (x, end)
        x = end + _GAP
    return found, x - _GAP


def _coverage(
    source: Sequence[str], phrases: Sequence[PhraseStep], top: float
) -> tuple[list[str], float, float]:
    """Draw a row of cells for each step: which words are covered, and by which phrase."""
    drawn = [svg.text(_LEFT, top - 8, "covered, step by step", kind="small")]
    owner = dict[int, int]()
    for n, one in enumerate(phrases):
        owner |= dict.fromkeys(range(one.first, one.end), n)
        for place in range(len(source)):
            x, y = _LEFT + place * _CELL, top + n * _CELL
            if place in owner:
                shade = 0.8 if owner[place] == n else 0.35
                drawn.append(_box(x, y, _CELL - 2, _CELL - 2, owner[place], shade))
            else:
                drawn.append(
                    f'<rect class="rule" fill="none" x="{svg.number(x)}" y="{svg.number(y)}"'
                    f' width="{svg.number(_CELL - 2)}" height="{svg.number(_CELL - 2)}" rx="2"/>'
                )
    return drawn, _LEFT + len(source) * _CELL, top + len(phrases) * _CELL


def _stacks(stacks: Sequence[StackRow], top: float) -> tuple[list[str], float, float]:
    """Draw what became of the hypotheses of every stack, in shares of the largest."""
    drawn, x = [svg.text(_LEFT, top - 8, "stacks, by words covered", kind="small")], _LEFT + 160.0
    for name, colour in _FATES:
        drawn.append(_box(x, top - 15, 10, 8, colour, 0.7))
        drawn.append(svg.text(x + 14, top - 8, name, kind="small"))
        x += svg.pixels(name) + 26
    most = max((s.kept + s.dropped + s.recombined + s.skipped for s in stacks), default=1) or 1
    for n, one in enumerate(stacks):
        y, left = top + n * _CELL, _LEFT + 30
        drawn.append(svg.text(_LEFT + 20, y + 11, str(n), anchor="end", kind="small"))
        counts = (one.kept, one.dropped, one.recombined, one.skipped)
        for count, (name, colour) in zip(counts, _FATES, strict=True):
            wide = count / most * _REACH
            if count:
                drawn.append(_box(left, y, max(wide, 1), _CELL - 3, colour, 0.7, f"{count} {name}"))
            left += max(wide, 1) if count else 0
        drawn.append(svg.text(left + 6, y + 11, str(sum(counts)), kind="small"))
    return drawn, max(x, _LEFT + 30 + _REACH + 60), top + len(stacks) * _CELL


def _box(
    x: float, y: float, wide: float, high: float, colour: int, shade: float, tip: str = ""
) -> str:
    """Draw a rounded rectangle of a series' colour."""
    size = f'width="{svg.number(wide)}" height="{svg.number(high)}"'
    told = svg.tip(tip) if tip else ""
    return (
        f'<rect class="f{colour % svg.N_COLOURS}" fill-opacity="{shade}" x="{svg.number(x)}"'
        f' y="{svg.number(y)}" {size} rx="3">{told}</rect>'
    )
