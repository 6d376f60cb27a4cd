"""METEOR's alignment of an output with a reference: words and phrases that say the same.

Banerjee & Lavie 2005 (W05-0909), section 2; Denkowski & Lavie 2014 (W14-3348), sections 2 and 3.
Of all ways to pair words and phrases, each used once, the one is sought that covers most words, has
the fewest chunks, and moves words least. A chunk is a run of pairs that are next to each other on
both sides. The search is the beam search of METEOR 1.5, forty wide, from left to right through the
reference, with that program's roundings: a pair that is not exact counts half its words, rounded
down, and distance is summed over the pairs tried before. So ties are broken as there.
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from saccade.metrics._meteor_tables import Tables
from saccade.metrics._paraphrases import Paraphrases, fingerprint
from saccade.metrics._stems import stem

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

_BEAM = 40
_RANK = itemgetter(0, 1, 2)


class Match(NamedTuple):
    """A pair of phrases: where each begins and how many words it has, and why it is one.

    places, own_places: the places of the reference and of the output as bits.  worth: the words
    covered on both sides; half, rounded down, unless they are equal.  distance: how far it moves.
    """

    module: int
    start: int
    length: int
    own_start: int
    own_length: int
    places: int
    own_places: int
    worth: int
    distance: int


def _match(module: int, start: int, length: int, own_start: int, own_length: int) -> Match:
    worth = 2 if module == EXACT else own_length // 2 + length // 2
    places, own_places = ((1 << length) - 1) << start, ((1 << own_length) - 1) << own_start
    distance = abs(start - own_start)
    return Match(module, start, length, own_start, own_length, places, own_places, worth, distance)


class _Chosen(NamedTuple):
    """Matches chosen so far, the last first."""

    match: Match
    before: "_Chosen | None"


class _Path(NamedTuple):
    """An alignment up to some place; the first three say how good it is, less is better.

    end: the place behind the last match in the output, -1 if a gap came since.  following: the
    place of the reference to go on at.  own_used, used: places as bits.
    """

    unworth: int
    chunks: int
    distance: int
    end: int
    following: int
    own_used: int
    used: int
    chosen: _Chosen | None


def align(own: Sequence[str], wanted: Sequence[str], tables: Tables | None) -> list[Match]:
    """Return the matches of the best alignment, in the order of the reference.

    Without tables only equal words and equal stems match.
    """
    candidates = _candidates(own, wanted, tables)
    fixed = _certain(candidates, len(own), len(wanted))
    own_used = sum(match.own_places for match in fixed.values())
    used = sum(match.places for match in fixed.values())
    paths = [_Path(0, 0, 0, -1, 0, own_used, used, None)]
    for current, matches in enumerate(candidates):
        paths.sort(key=_RANK)
        paths = [
            following
            for path in paths[:_BEAM]
            for following in _followed(path, current, matches, fixed)
        ]
    paths.sort(key=_RANK)
    closed = [path._replace(chunks=path.chunks + (path.end != -1)) for path in paths[:_BEAM]]
    chosen, found = min(closed, key=_RANK).chosen, []
    while chosen is not None:
        found.append(chosen.match)
        chosen = chosen.before
    return found[::-1]


def chunks_of(matches: Sequence[Match]) -> int:
    """Count the runs of matches that are next to each other in both texts."""
    ends = [(-1, -1), *((m.start + m.length, m.own_start + m.own_length) for m in matches)]
    starts = [(m.start, m.own_start) for m in matches]
    return sum(start != end for start, end in zip(starts, ends, strict=False))


def _followed(
    path: _Path, current: int, matches: Sequence[Match], fixed: dict[int, Match]
) -> list[_Path]:
    """Return the ways to go on at a place of the reference."""
    if path.used >> current & 1:
        if current < path.following:
            return [path]
        match = fixed[current]
        return [_extended(path, match, path.distance + match.distance)]
    found, distance = [], path.distance
    for match in matches:
        if match.own_places & path.own_used or match.places & path.used:
            continue
        found.append(_extended(path, match, distance))
        distance += match.distance
    _, _, _, end, following, own_used, used, chosen = path
    chunks = path.chunks + (end != -1)
    found.append(_Path(path.unworth, chunks, distance, -1, following + 1, own_used, used, chosen))
    return found


def _extended(path: _Path, match: Match, distance: int) -> _Path:
    """Add a match to a path; `distance` is that of the new path."""
    return _Path(
        path.unworth - match.worth,
        path.chunks + (path.end not in (-1, match.own_start)),
        distance,
        match.own_start + match.own_length,
        match.start + match.length,
        path.own_used | match.own_places,
        path.used | match.places,
        _Chosen(match, path.chosen),
    )


def _certain(
    candidates: Sequence[Sequence[Match]], own_length: int, length: int
) -> dict[int, Match]:
    """Return matches that no other competes with, by their place in the reference."""
    own_cover, cover = [0] * own_length, [0] * length
    for matches in candidates:
        for match in matches:
            for i in range(match.length):
                cover[match.start + i] += 1
            for i in range(match.own_length):
                own_cover[match.own_start + i] += 1
    found = {}
    for start, matches in enumerate(candidates):
        if len(matches) == 1:
            (match,) = matches
            sides = (
                cover[start : start + match.length],
                own_cover[match.own_start : match.own_start + match.own_length],
            )
            if all(count == 1 for side in sides for count in side):
                found[start] = match
    return found


def _candidates(
    own: Sequence[str], wanted: Sequence[str], tables: Tables | None
) -> list[list[Match]]:
    """Return all pairs that could match, for each place of the reference where they begin."""
    found: list[list[Match]] = [[] for _ in wanted]
    same = list(own) == list(wanted)
    for i, word in enumerate(wanted):
        found[i] += [_match(EXACT, i, 1, j, 1) for j, other in enumerate(own) if other == word]
    if same:
        return found
    stems = [stem(word) for word in own]
    for i, word in enumerate(wanted):
        root = stem(word)
        found[i] += [
            _match(STEM, i, 1, j, 1)
            for j, other in enumerate(own)
            if stems[j] == root and other != word
        ]
    if tables is None:
        return found
    sets = [tables.synonyms.of(word) for word in own]
    for i, word in enumerate(wanted):
        names = tables.synonyms.of(word)
        found[i] += [
            _match(SYNONYM, i, 1, j, 1)
            for j, other in enumerate(own)
            if other != word and not names.isdisjoint(sets[j])
        ]
    for match in _rephrased(own, wanted, tables.paraphrases):
        found[match.start].append(match)
    return found


def _rephrased(own: Sequence[str], wanted: Sequence[str], table: Paraphrases) -> list[Match]:
    """Find phrases of the reference whose paraphrase is in the output, and the reverse."""
    ours, theirs = (_phrases(tuple(side), table.longest) for side in (own, wanted))
    found = []
    for (i, length), mark in _flat(theirs):
        for j, own_length in _among(table.of(mark), ours):
            found.append(_match(PARAPHRASE, i, length, j, own_length))
    for (j, own_length), mark in _flat(ours):
        for i, length in _among(table.of(mark), theirs):
            found.append(_match(PARAPHRASE, i, length, j, own_length))
    return found


_Span = tuple[int, int]  # first word, number of words


@lru_cache(maxsize=64)
def _phrases(words: tuple[str, ...], longest: int) -> dict[int, list[_Span]]:
    """Return where each phrase of a text is, by its fingerprint."""
    found: dict[int, list[_Span]] = {}
    for start in range(len(words)):
        for stop in range(start + 1, min(start + longest, len(words)) + 1):
            mark = fingerprint(" ".join(words[start:stop]))
            found.setdefault(mark, []).append((start, stop - start))
    return found


def _flat(phrases: dict[int, list[_Span]]) -> list[tuple[_Span, int]]:
    return sorted((span, mark) for mark, spans in phrases.items() for span in spans)


def _among(places: dict[int, int], phrases: dict[int, list[_Span]]) -> list[_Span]:
    """Return the spans of paraphrases that a text has, in the order of the table."""
    if not places:
        return []
    marks = sorted(places.keys() & phrases.keys(), key=places.__getitem__)
    return [span for mark in marks for span in phrases[mark]]
