"""Phrase pairs are those of the definition: none of their links leads out."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.models._phrases import aligned, extract
from saccade.models.base import LaidSide
from saccade.tokenizers._vocabulary import UNK

Links = list[tuple[int, int]]
Sentence = tuple[int, int, Links]
Row = tuple[int, int, int, int]


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """Draw a pair of sentences: how many words each has, and links."""
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cell = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    return n, m, sorted(draw(st.sets(cell, max_size=7)))


def by_definition(n: int, m: int, links: Links, longest: int) -> dict[Row, str]:
    """List the pairs of spans that hold a link and lead nowhere else, and how each follows."""
    found = {}
    sizes = range(1, longest + 1)
    spans = [(i, a) for i in range(n) for a in sizes if i + a <= n]
    for i, a in spans:
        for j, b in ((j, b) for j in range(m) for b in sizes if j + b <= m):
            inside = [i <= s < i + a and j <= t < j + b for s, t in links]
            crossing = [(i <= s < i + a) != (j <= t < j + b) for s, t in links]
            if any(inside) and not any(crossing):
                found[i, a, j, b] = turn(i, a, j, links)
    return found


def turn(i: int, a: int, j: int, links: Links) -> str:
    if (j == 0 and i == 0) or (i > 0 and (i - 1, j - 1) in links):
        return "monotone"
    return "swapped" if (i + a, j - 1) in links else "apart"


def extracted(pairs: list[Sentence], longest: int, values: int = 5) -> dict[Row, str]:
    sides = [
        LaidSide(np.full(sum(p[:2][k] for p in pairs), values), np.array([p[:2][k] for p in pairs]))
        for k in (0, 1)
    ]
    links = [(p, s, t) for p, (_, _, some) in enumerate(pairs) for s, t in some]
    rows = np.array(links, np.int32).reshape(-1, 3)
    got = extract(aligned(sides[0], sides[1], rows), longest)
    spans = list(zip(*(one.tolist() for one in got[:4]), strict=True))
    assert len(set(spans)) == len(spans)
    turns = np.where(got.monotone, "monotone", np.where(got.swapped, "swapped", "apart"))
    return dict(zip(spans, turns.tolist(), strict=True))


@settings(max_examples=150, deadline=None)
@given(pairs=st.lists(sentences(), min_size=1, max_size=3), longest=st.integers(1, 7))
def test_all_consistent_pairs_are_found_and_no_others(pairs: list[Sentence], longest: int) -> None:
    wanted, first, begin = dict[Row, str](), 0, 0
    for n, m, links in pairs:
        for (i, a, j, b), how in by_definition(n, m, links, longest).items():
            wanted[i + first, a, j + begin, b] = how
        first, begin = first + n, begin + m
    assert extracted(pairs, longest) == wanted


def test_spans_with_unknown_words_are_left_out() -> None:
    pair = (2, 2, [(0, 0), (1, 1)])
    assert extracted([pair], 3) != {}
    assert extracted([pair], 3, values=UNK) == {}


def test_nothing_is_found_in_nothing() -> None:
    assert extracted([(3, 2, [])], 7) == {}
