"""Covering sentences by phrases in C: the stacks of a phrase-based search. None without kernels."""

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import library, structures
from saccade.kernels.backoff import FusedTable, walk_of

Array = NDArray[Any]
FURTHEST = 48  # words that a jump may pass: what is covered beyond the first gap is held in 64 bits
LONGEST = 12  # words of a phrase


class PhraseOptions(NamedTuple):
    """What the spans of B sentences may be written as: N options, sentence by sentence.

    Those of a sentence are in the order of their first word, then of their end; every word has one
    of its own. What is weighted is added up as it is.

    lengths: `[B]`, source words.  firsts: `[B + 1]`, the first option of each sentence.  spans:
    `[N, 2]`, first word and end.  begins: `[N + 1]`, the first of the `words [P]` of each; an
    option may have none.  scores: `[N]`, weighted, of all that does not depend on other phrases.
    guesses: `[N]`, weighted, of the language model for the words by themselves.  turns: `[N, 3]`,
    weighted, for following the phrase before: on its right, on its left, elsewhere.  jumps:
    `[D + 1]`, weighted, for passing so many words; further jumps are not made.  features: `[N, F]`,
    what `scores` and `turns` were made of, as it is.  language: the language model with its weight.
    """

    lengths: Array
    firsts: Array
    spans: Array
    begins: Array
    words: Array
    scores: Array
    guesses: Array
    turns: Array
    jumps: Array
    features: Array
    language: FusedTable

    def target(self, option: int) -> list[int]:
        """Return the words of an option."""
        found: list[int] = self.words[self.begins[option] : self.begins[option + 1]].tolist()
        return found


class StackLimits(NamedTuple):
    """What is kept: hypotheses of a stack, their distance from its best, and how many paths."""

    width: int
    threshold: float
    n_best: int


class StackCount(NamedTuple):
    """What became of the hypotheses that cover so many words."""

    made: int  # with a coverage, an end and a context that no other had
    recombined: int  # with those of another
    skipped: int  # too far behind to be looked at
    kept: int  # and followed


class Covered(NamedTuple):
    """What was found for a sentence.

    paths: options in the order in which they are written, best first.  scores: of each, weighted.
    stacks: one for each number of covered words, 0 first.  finished: False if no hypothesis within
    the limit covers all words; the path is then the best of those that cover most.
    """

    paths: list[list[int]]
    scores: list[float]
    stacks: list[StackCount]
    finished: bool


def cover(
    options: PhraseOptions, limits: Array, end: int, kept: StackLimits
) -> list[Covered] | None:
    """Cover every sentence; what `search/_stacks.py` finds.

    Args:
        options: of B sentences.
        limits: `[B]`, the most words that are written.
        end: the id of END.
        kept: what to keep.
    """
    kernels, walk = library.found().kernels, walk_of(options.language)
    if kernels is None or walk is None:
        return None
    rows, longest = len(options.lengths), int(options.lengths.max(initial=0))
    paths = np.zeros((rows, kept.n_best, max(longest, 1)), np.int64)
    sizes = np.full((rows, kept.n_best), -1, np.int64)
    scores = np.zeros((rows, kept.n_best))
    stacks = np.zeros((rows, longest + 1, len(StackCount._fields)), np.int64)
    finished = np.zeros(rows, np.int64)
    held = [*_arrays(options), np.ascontiguousarray(limits, np.int64)]
    held += [paths, sizes, scores, stacks, finished]
    call = structures.StackCall(
        *(rows, longest, len(options.jumps) - 1, kept.width, kept.n_best, end),
        *(kept.threshold, ctypes.addressof(walk)),
        *(one.ctypes.data for one in held),
    )
    if kernels.stack_cover(call):  # there was not memory enough
        return None
    return [
        Covered(
            [path[:n].tolist() for path, n in zip(paths[b], sizes[b], strict=True) if n >= 0],
            scores[b][sizes[b] >= 0].tolist(),
            [StackCount(*one) for one in stacks[b, : options.lengths[b] + 1].tolist()],
            bool(finished[b]),
        )
        for b in range(rows)
    ]


class Followed(NamedTuple):
    """What was found along a text of T words.

    values: `[T + 1, V]`, of each next word the best score of a derivation that has written all
    before it; -inf where there is none.  path: options that write the text and cover the source,
    best of all; if none do, those that write most of it.
    """

    values: Array
    path: list[int]


def follow(
    options: PhraseOptions, row: int, text: Sequence[int], end: int, width: int
) -> Followed | None:
    """Write a text by the phrases of one sentence; what `search/_forced.py` finds."""
    kernels, walk = library.found().kernels, walk_of(options.language)
    if kernels is None or walk is None:
        return None
    held, size = _arrays(options), len(options.language.ids)
    longest = int(options.lengths[row])
    shared = structures.StackCall(
        *(len(options.lengths), longest, len(options.jumps) - 1, width, 1, end),
        *(0.0, ctypes.addressof(walk)),
        *(one.ctypes.data for one in held),
    )
    words, values = np.array(text, np.int64), np.full((len(text) + 1, size), -np.inf)
    path, n_path = np.zeros(longest + 1, np.int64), np.zeros(1, np.int64)
    places = (one.ctypes.data for one in (words, values, path, n_path))
    call = structures.FollowCall(ctypes.addressof(shared), row, len(text), size, *places)
    if kernels.stack_follow(call):
        return None
    return Followed(values, path[: n_path[0]].tolist())


def _arrays(options: PhraseOptions) -> list[Array]:
    """Return the arrays of options as the kernels read them."""
    whole = [options.lengths, options.firsts, options.spans, options.begins, options.words]
    real = [options.scores, options.guesses, options.turns, options.jumps]
    held = [np.ascontiguousarray(one, np.int64) for one in whole]
    return held + [np.ascontiguousarray(one, np.float64) for one in real]
