"""Links between the words of two texts, for a whole corpus, and how two directions become one."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import DataError
from saccade.kernels.aligner import PairLengths, symmetrised

Array = NDArray[Any]
Grid = NDArray[np.bool_]
Links = NDArray[np.int32]  # rows of pair, source place, target place; sorted, no two alike

RULES = ("intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and")
_NEAR = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
_MOST_CELLS = 4_000_000  # of the pairs that are grown at once without kernels
_LARGEST = 100_000_000  # cells of one pair


def sorted_links(links: Array) -> Links:
    """Put links into order, each once.

    >>> sorted_links(np.array([[1, 0, 0], [0, 2, 1], [1, 0, 0]])).tolist()
    [[0, 2, 1], [1, 0, 0]]
    """
    rows = np.asarray(links, np.int32).reshape(-1, 3)
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    fresh = np.ones(len(rows), bool)
    fresh[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[fresh]


def from_places(places: Array, target_lengths: Array) -> Links:
    """Turn the source place of every target word of a corpus, -1 for none, into links.

    >>> from_places(np.array([1, -1, 0]), np.array([2, 1])).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    lengths = np.asarray(target_lengths, np.int64)
    pairs = np.repeat(np.arange(len(lengths)), lengths)
    own = np.arange(len(places)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    linked = np.asarray(places) >= 0
    return sorted_links(np.stack([pairs[linked], places[linked], own[linked]], axis=1))


def turned(links: Links) -> Links:
    """Exchange source and target."""
    return sorted_links(links[:, [0, 2, 1]])


def symmetrise(
    forward: Links,
    backward: Links,
    rule: str,
    source_lengths: ArrayLike,
    target_lengths: ArrayLike,
) -> Links:
    """Make one alignment of two: `forward` of p(target | source), `backward` of the reverse.

        intersection          links of both
        union                 links of one
        grow-diag             the intersection, and links of the union beside a chosen one, across a
                              corner too, while one of their two words has no link; until no more
        grow-diag-final       and links of one, first of forward, with a word that has no link
        grow-diag-final-and   likewise, if neither word has one

    Och & Ney 2003, section 3.3; Koehn, Och & Marcu 2003. A link that is added counts at once. Links
    are visited by target place and then source place.

    Args:
        forward: links of one direction, rows (pair, source place, target place), sorted.
        backward: links of the other, written the same way round.
        rule: one of `RULES`.
        source_lengths: words of each source.
        target_lengths: words of each target.
    """
    if rule not in RULES:
        raise DataError(
            f"symmetrise: there is no rule {rule!r}; expected one of {', '.join(RULES)}."
        )
    shapes = PairLengths(np.asarray(source_lengths, np.int64), np.asarray(target_lengths, np.int64))
    for name, links in (("forward", forward), ("backward", backward)):
        check_links(links, shapes.sources, shapes.targets, f"symmetrise: {name}")
    largest = int((shapes.sources * shapes.targets).max(initial=0))
    if largest > _LARGEST:
        raise DataError(
            f"symmetrise: a pair has {largest:,} pairs of words; expected at most {_LARGEST:,}."
            " Leave out pairs that are so long."
        )
    found = symmetrised(forward, backward, RULES.index(rule), shapes)
    return _plain(forward, backward, rule, shapes) if found is None else found


def check_links(links: Links, source_lengths: Array, target_lengths: Array, where: str) -> None:
    """Refuse links that are not in order, or between words that are not there."""
    if links.ndim != 2 or links.shape[1] != 3:
        raise DataError(f"{where}: links have the shape {links.shape}; expected [n, 3].")
    if not len(links):
        return
    pair, source, target = links.T.astype(np.int64)
    inside = (links >= 0).all(axis=1) & (pair < len(source_lengths))
    if inside.all():
        inside = (source < source_lengths[pair]) & (target < target_lengths[pair])
    if not inside.all():
        first = links[np.flatnonzero(~inside)[0]].tolist()
        raise DataError(
            f"{where}: the link {first[1]}-{first[2]} of pair {first[0]} is out of range; expected"
            " places of words, from 0."
        )
    if not np.array_equal(sorted_links(links), links):
        raise DataError(f"{where}: links are not sorted; expected each once, in order.")


def _plain(forward: Links, backward: Links, rule: str, shapes: PairLengths) -> Links:
    """Do as `links.c` does, for many pairs at a time."""
    found = [np.zeros((0, 3), np.int32)]
    for first, end in _runs(shapes):
        some = PairLengths(shapes.sources[first:end], shapes.targets[first:end])
        grids = [_grid(links, first, end, some) for links in (forward, backward)]
        chosen = _choose(grids[0], grids[1], rule)  # [B, T, S]
        pair, target, source = np.nonzero(chosen)
        found.append(sorted_links(np.stack([pair + first, source, target], axis=1)))
    return np.concatenate(found)


def _runs(shapes: PairLengths) -> Iterator[tuple[int, int]]:
    """Yield runs of pairs whose grids, padded, are not too large."""
    first, wide, high = 0, 1, 1
    for pair, (s, t) in enumerate(
        zip(shapes.sources.tolist(), shapes.targets.tolist(), strict=True)
    ):
        if pair > first and (pair + 1 - first) * max(wide, s) * max(high, t) > _MOST_CELLS:
            yield first, pair
            first, wide, high = pair, 1, 1
        wide, high = max(wide, s), max(high, t)
    if len(shapes.sources):
        yield first, len(shapes.sources)


def _grid(links: Links, first: int, end: int, shapes: PairLengths) -> Grid:
    begin, stop = np.searchsorted(links[:, 0], [first, end])
    here = links[begin:stop]
    size = (end - first, int(shapes.targets.max(initial=0)), int(shapes.sources.max(initial=0)))
    grid = np.zeros(size, bool)
    grid[here[:, 0] - first, here[:, 2], here[:, 1]] = True
    return grid


def _choose(forward: Grid, backward: Grid, rule: str) -> Grid:
    union, chosen = forward | backward, forward & backward
    if rule in RULES[:2]:
        return union if rule == "union" else chosen
    taken = tuple(np.asarray(chosen.any(axis=side)) for side in (2, 1))  # words with a link
    _grow(chosen, union, taken)
    for grid in (forward, backward) if "final" in rule else ():
        for t, s in np.ndindex(grid.shape[1:]):
            words = (taken[0][:, t], taken[1][:, s])
            held = words[0] | words[1] if rule == RULES[-1] else words[0] & words[1]
            _add(grid[:, t, s] & ~held, (chosen[:, t, s], *words))
    return chosen


def _grow(
    chosen: Grid,
    union: Grid,
    taken: tuple[Grid, ...],
) -> None:
    """Add links beside chosen ones until there are no more."""
    _, high, wide = union.shape
    grown = True
    while grown:
        grown = False
        for t, s in np.ndindex(high, wide):
            for a, b in ((t + down, s + right) for down, right in _NEAR):
                if 0 <= a < high and 0 <= b < wide:
                    words = (taken[0][:, a], taken[1][:, b])
                    fresh = chosen[:, t, s] & union[:, a, b] & ~(words[0] & words[1])
                    grown |= _add(fresh, (chosen[:, a, b], *words))


def _add(fresh: Grid, held: tuple[Grid, ...]) -> bool:
    """Mark links, and their words; tell whether a link is new."""
    grown = bool((fresh & ~held[0]).any())
    for one in held:
        np.logical_or(one, fresh, out=one)
    return grown
