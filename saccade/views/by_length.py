"""Score by the length of the source: where a model without attention falls behind.

Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), figure 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from saccade.errors import ShapeError
from saccade.views import svg
from saccade.views.ticks import drawable, round_step, short, ticks
from saccade.views.words import clean, pad, shorten, widest

_WIDE, _HIGH = 480.0, 220.0  # pixels inside the axes
_LEFT, _BELOW = 64.0, 66.0
_NARROWEST = 30


@dataclass(frozen=True, slots=True)
class Bucket:
    """Sentences of `first` to `last` symbols: how many, their score, its 95 % interval."""

    first: int
    last: int
    n_sentences: int
    score: float
    low: float
    high: float

    @property
    def name(self) -> str:
        """What an axis calls it.

        >>> Bucket(5, 9, 3, 1.0, 0.5, 1.5).name
        '5–9'
        """
        return str(self.first) if self.first == self.last else f"{self.first}–{self.last}"


def lengths_of(sources: Sequence[Any]) -> tuple[list[int], str]:
    """Return the length of every source, and what is counted.

    Words of text, which models may cut differently; characters where all texts have as many words,
    as single words do; places of arrays.

    >>> lengths_of(["a b", "c"]), lengths_of(["cat", "horse"])
    (([2, 1], 'words'), ([3, 5], 'characters'))
    """
    if not all(isinstance(source, str) for source in sources):
        return [len(source) for source in sources], "places"
    words = [len(source.split()) for source in sources]
    if len(set(words)) > 1:
        return words, "words"
    return [len(source) for source in sources], "characters"


def buckets_of(lengths: Sequence[int], *, n_buckets: int = 6) -> list[tuple[int, int, list[int]]]:
    """Group sentences by length: (first length, last length, which sentences), empty ones left out.

    Groups have a round width, and the last takes all that is longer than all but 2 % of them.

    >>> buckets_of([1, 2, 3, 8, 9], n_buckets=2)
    [(1, 5, [0, 1, 2]), (6, 10, [3, 4])]
    """
    if not lengths:
        return []
    ordered = sorted(lengths)
    common = ordered[min(int(len(ordered) * 0.98), len(ordered) - 1)]
    low = ordered[0]
    step = max(int(round_step(common - low + 1, n_buckets)), 1)
    start = (low - 1) // step * step + 1
    last = max(-(-(common - start + 1) // step) - 1, 0)
    groups: dict[int, list[int]] = {}
    for i, length in enumerate(lengths):
        groups.setdefault(min((length - start) // step, last), []).append(i)
    found = []
    for place, members in sorted(groups.items()):
        longest = max(lengths[i] for i in members)
        end = start + (place + 1) * step - 1
        found.append((start + place * step, max(end, longest), members))
    return found


def to_svg(buckets: Sequence[Bucket], *, metric: str, title: str = "") -> str:
    """Draw a point for each bucket with its 95 % interval, and how many sentences it stands for."""
    above = 66.0 if title else 38.0
    drawn = [b for b in buckets if all(map(drawable, (b.score, b.low, b.high)))]
    marks = ticks(
        min((min(b.low, b.score) for b in drawn), default=0.0),
        max((max(b.high, b.score) for b in drawn), default=1.0),
        5,
    )
    body = [svg.text(20, 30, title, kind="title")] if title else []
    body.append(svg.text(20, above - 16, metric, kind="small"))
    low, high = marks[0], marks[-1]
    for i, mark in enumerate(marks):
        y = above + (high - mark) / (high - low) * _HIGH
        ends = f'x1="{svg.number(_LEFT)}" x2="{svg.number(_LEFT + _WIDE)}"'
        at, look = svg.number(y), "rule" if i else "axis"
        body.append(f'<line class="{look}" {ends} y1="{at}" y2="{at}"/>')
        body.append(svg.text(_LEFT - 8, y + 4, short(mark), anchor="end", kind="small"))
    step = _WIDE / max(len(buckets), 1)
    bottom = above + _HIGH
    steps: list[str] = []
    for i, bucket in enumerate(buckets):
        x = _LEFT + (i + 0.5) * step
        body.append(svg.text(x, bottom + 17, bucket.name, anchor="middle", kind="small"))
        count = f"{bucket.n_sentences:,}"
        body.append(svg.text(x, bottom + 33, count, anchor="middle", kind="small"))
        if bucket in drawn:
            heights = [
                above + (high - value) / (high - low) * _HIGH
                for value in (bucket.low, bucket.score, bucket.high)
            ]
            body.append(_point(x, heights, bucket, metric))
            steps.append(f"{'L' if steps else 'M'}{svg.number(x)} {svg.number(heights[1])}")
    if steps:
        body.append(f'<path class="line s0" stroke-opacity="0.6" d="{"".join(steps)}"/>')
    said = "source length in symbols, and sentences of that length"
    body.append(svg.text(_LEFT + _WIDE / 2, bottom + 53, said, anchor="middle", kind="small"))
    width = max(_LEFT + _WIDE + 20, svg.pixels(title) * 1.2 + 40)
    return svg.document(width, bottom + _BELOW, "".join(body), name=title or f"{metric} by length")


def to_terminal(buckets: Sequence[Bucket], *, metric: str, width: int = 80) -> str:
    """Write a line for each bucket: its score as a bar, in figures, and its interval.

    >>> print(to_terminal([Bucket(1, 5, 10, 40.0, 35.0, 44.5)], metric="BLEU", width=40), end="")
    length   n BLEU
       1–5  10 ███████ 40.00, 35.00 to 44.50
    """
    if width < _NARROWEST:
        raise ShapeError(
            f"by_length.to_terminal: width is {width} columns; at least {_NARROWEST} are needed; "
            "pass a larger width."
        )
    names, counts = [b.name for b in buckets], [f"{b.n_sentences:,}" for b in buckets]
    figures = [f"{b.score:.2f}, {b.low:.2f} to {b.high:.2f}" for b in buckets]
    margin, column = max(widest(names), 6), max(widest(counts), 3)
    room = max(width - margin - column - 3 - widest(figures), 1)
    top = max((b.score for b in buckets if drawable(b.score)), default=0.0)
    lines = [f"{pad('length', margin, right=True)} {pad('n', column, right=True)} {clean(metric)}"]
    for bucket, name, count, figure in zip(buckets, names, counts, figures, strict=True):
        part = bucket.score / top if top > 0 and drawable(bucket.score) else 0.0
        bar = pad("█" * round(min(max(part, 0.0), 1.0) * room), room)
        lines.append(
            f"{pad(name, margin, right=True)} {pad(count, column, right=True)} {bar} {figure}"
        )
    return "".join(f"{shorten(line, width)}\n" for line in lines)


def _point(x: float, heights: Sequence[float], bucket: Bucket, metric: str) -> str:
    low, middle, high = map(svg.number, heights)
    at = svg.number(x)
    tip = svg.tip(
        f"{bucket.name}: {metric} {bucket.score:.2f}, {bucket.low:.2f} to {bucket.high:.2f}, "
        f"{bucket.n_sentences} sentences"
    )
    data = f'data-first="{bucket.first}" data-last="{bucket.last}" data-value="{bucket.score:.4g}"'
    whisker = (
        f'<line class="s0" stroke-width="2" stroke-opacity="0.5" x1="{at}" x2="{at}" '
        f'y1="{low}" y2="{high}"/>'
    )
    return whisker + f'<circle class="f0" {data} cx="{at}" cy="{middle}" r="5">{tip}</circle>'
