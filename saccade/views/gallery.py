"""The best and the worst outputs of a model, with where it looked, on one page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from saccade.views import svg
from saccade.views.page import Section, facts, page, pairs, paragraph, table


@dataclass(frozen=True, slots=True)
class GalleryItem:
    """One output; strings are plain text, but `picture`, an SVG document.

    rank: from 1, best first.  sources: what was read, by name; what the picture shows may be left
    out.
    """

    rank: int
    score: float
    sources: Mapping[str, str]
    output: str
    references: Sequence[str]
    picture: str = ""


@dataclass(frozen=True, slots=True)
class GalleryRow:
    """How spread attention was for words of one kind: the means over `count` of them.

    entropy: in bits.  share: of the weight, in the five heaviest places.  words: the most frequent.
    """

    kind: str
    count: int
    entropy: float
    share: float
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Gallery:
    """All that the page shows."""

    name: str
    metric: str
    summary: Mapping[str, str]
    best: Sequence[GalleryItem]
    worst: Sequence[GalleryItem]
    words: Sequence[GalleryRow] = ()


HEADERS = ("words", "count", "entropy, bits", "share of five places", "most frequent")


def to_html(gallery: Gallery) -> str:
    """Return the gallery as the text of one HTML file; what is empty is left out."""
    sections = [
        Section("Summary", [facts(gallery.summary)] if gallery.summary else []),
        Section("Best", [_item(gallery.metric, one) for one in gallery.best]),
        Section("Worst", [_item(gallery.metric, one) for one in gallery.worst]),
        Section("How widely it looked for which words", _words(gallery.words)),
    ]
    return page(gallery.name, [section for section in sections if section.fragments])


def cells(row: GalleryRow) -> list[str]:
    """Return a row of the table of words, under HEADERS."""
    return [
        row.kind,
        f"{row.count:,}",
        f"{row.entropy:.2f}",
        f"{row.share:.1%}",
        ", ".join(row.words),
    ]


def _item(metric: str, one: GalleryItem) -> str:
    rows = {**one.sources, "Output": one.output}
    n = len(one.references)
    rows |= {
        f"Reference {i}" if n > 1 else "Reference": text
        for i, text in enumerate(one.references, start=1)
    }
    rows[metric] = f"{one.score:.2f}"
    drawn = svg.scroller(one.picture) if one.picture else ""
    return f"<h3>Number {one.rank:,}</h3>{pairs(rows)}{drawn}"


def _words(rows: Sequence[GalleryRow]) -> list[str]:
    if not rows:
        return []
    said = (
        "Means over the words of all outputs looked at. Less entropy, and a larger share of the"
        " weight in the five heaviest places, is a narrower look. Nouns and function words are"
        " those of two short English lists."
    )
    return [paragraph(said, note=True), table(list(HEADERS), [cells(row) for row in rows])]
