"""Several sources of one prediction: each drawn by its own view, all below each other."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from saccade.views.drawing import AttentionMap, Drawing, draw_attention, stacked


@dataclass(frozen=True, slots=True)
class SourceOver:
    """What a view needs of a source: its module in `views`, the shape of its places, and itself."""

    view: str
    grid: tuple[int, ...]
    raw: Any


def draw_sources(
    one: AttentionMap, over: Mapping[str, SourceOver], spans: Mapping[str, tuple[int, int]]
) -> Drawing:
    """Cut a map `[T, S]` into those of its sources and draw each.

    Args:
        one: over the places of all sources.
        over: the sources by name.
        spans: the columns of each, from the first up to the second number.
    """
    strips = {
        name: draw_attention(
            over[name].view,
            replace(
                one,
                weights=one.weights[:, start:end],
                source=one.source[start:end],
                grid=over[name].grid,
                raw=over[name].raw,
                title="",
            ),
        )
        for name, (start, end) in spans.items()
    }
    return stacked(one.title, strips, said=one.said)


def named_texts(written: Mapping[str, str]) -> str:
    """Put the texts of several sources in one line, each behind its name.

    >>> named_texts({"story": "a b", "question": "c"}), named_texts({"source": "a"})
    ('story: a b  question: c', 'a')
    """
    if len(written) == 1:
        return next(iter(written.values()))
    return "  ".join(f"{name}: {text}" for name, text in written.items())
