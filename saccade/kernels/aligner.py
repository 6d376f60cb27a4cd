"""Word alignment in C: `aligner.c` and `links.c`. None without kernels."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import library
from saccade.kernels.alignment_structures import (
    AlignerCall,
    CellsCall,
    CooccurrenceCall,
    FertilityCall,
    SymmetriseCall,
)

Array = NDArray[Any]


class PairLengths(NamedTuple):
    """Pairs of sentences without their words: int64 `[n]` lengths of sources and of targets."""

    sources: Array
    targets: Array

    @property
    def longest(self) -> int:
        """Words of the longest source."""
        return int(self.sources.max(initial=0))


class Expected(NamedTuple):
    """What a pass expects of pairs; all float64, and added to by each pass.

    counts: `[N]`, how often each entry of the lexicon links two words.  likelihoods: `[n]`, log, of
    each pair.  distance: `[1]`, of links from the diagonal.  linked: of each target word, how
    likely it has a link.  jumps: `[2 R + 1]`, how often each jump is made.  origins:
    `[L + 1, L + 1]`, how often one is made in a source of S words from place i - 1.  best: int32,
    of each target word, the likeliest place or -1.
    """

    counts: Array
    likelihoods: Array
    distance: Array
    linked: Array
    jumps: Array
    origins: Array
    best: Array


class Given(NamedTuple):
    """What a pass goes by.

    cells: int32, for each pair `[T, S + 1]`, entries of `t` for the empty word and every source
    word.  t: float32 `[N]`, of target words given source words.  jumps: float64 `[2 R + 1]`.
    null: how likely a target word has no link; below 0 it is 1 / (S + 1).  tension: of the
    diagonal.
    """

    shapes: PairLengths
    cells: Array
    t: Array
    jumps: Array
    null: float
    tension: float


def empty(given: Given, entries: int, reach: int) -> Expected:
    """Return room for what a pass expects, all 0."""
    n, words = len(given.shapes.sources), int(given.shapes.targets.sum())
    wide = given.shapes.longest + 1
    return Expected(
        np.zeros(entries),
        np.zeros(n),
        np.zeros(1),
        np.zeros(words),
        np.zeros(2 * reach + 1),
        np.zeros((wide, wide)),
        np.full(words, -1, np.int32),
    )


def run_pass(given: Given, expected: Expected, *, jumping: bool) -> bool:
    """Add what is expected of pairs; False without kernels.

    Args:
        given: what to go by.
        expected: what is added to.
        jumping: whether the place of a word depends on that of the word before.
    """
    kernels = library.found().kernels
    if kernels is None:
        return False
    shapes, cells, t, jumps, null, tension = given
    held = [np.ascontiguousarray(one, np.int64) for one in shapes]
    held += [np.ascontiguousarray(cells, np.int32), np.ascontiguousarray(t, np.float32)]
    held += [np.ascontiguousarray(jumps, np.float64), *expected]
    sizes = (len(shapes.sources), len(jumps) // 2, expected.origins.shape[0] - 1)
    call = AlignerCall(*sizes, null, tension, *(one.ctypes.data for one in held))
    run: Callable[[AlignerCall], int] = kernels.aligner_hmm if jumping else kernels.aligner_mixture
    return run(call) == 0


class FertileGiven(NamedTuple):
    """What a pass of Model 3 goes by: as `Given`, and the words of all sources.

    fertilities: float32 `[n_source, 10]`, of each number of target words a source word has.
    spurious: how likely a word of the empty word follows another.
    """

    shapes: PairLengths
    words: Array
    cells: Array
    t: Array
    fertilities: Array
    spurious: float
    tension: float


class FertileExpected(NamedTuple):
    """What it expects; all float64, and added to by each pass.

    counts: as `t`.  fertilities: as those given.  linked: of each source word, how many target
    words it has.  distance: `[1]`, of links from the diagonal.  likelihoods: `[n]`, log, of the
    alignments that were counted.  best: int32, of each target word the place, or -1; from these
    places it climbs.
    """

    counts: Array
    fertilities: Array
    linked: Array
    distance: Array
    likelihoods: Array
    best: Array


def run_fertility(given: FertileGiven, expected: FertileExpected) -> bool:
    """Climb from the given places and add what is expected of pairs; False without kernels."""
    kernels = library.found().kernels
    if kernels is None:
        return False
    held = [np.ascontiguousarray(one, np.int64) for one in given.shapes]
    held += [np.ascontiguousarray(one, np.int32) for one in (given.words, given.cells)]
    held += [np.ascontiguousarray(one, np.float32) for one in (given.t, given.fertilities)]
    held += list(expected)
    numbers = (len(given.shapes.sources), given.spurious, given.tension)
    call = FertilityCall(*numbers, *(one.ctypes.data for one in held))
    return bool(kernels.aligner_fertility(call) == 0)


class Occurrences(NamedTuple):
    """Where words are.

    begins: int64 `[n_source + 1]`, of the pairs where each source word occurs.  pairs: int32, those
    pairs.  target_begins: int64 `[n + 1]`, of the target words of each pair.  targets: int32.
    """

    begins: Array
    pairs: Array
    target_begins: Array
    targets: Array


def count_beside(found: Occurrences) -> Array | None:
    """Return where the words beside each source word begin, `[n_source + 1]`, if written down."""
    rows = np.zeros(len(found.begins), np.int64)
    return rows if _beside(found, rows, None) else None


def words_beside(found: Occurrences, rows: Array) -> Array:
    """Return the different target words beside each source word, ascending, int32."""
    words = np.zeros(int(rows[-1]), np.int32)
    if not _beside(found, rows, words):
        raise MemoryError("there is not memory enough to write down which words occur together.")
    return words


def _beside(found: Occurrences, rows: Array, words: Array | None) -> bool:
    kernels = library.found().kernels
    if kernels is None:
        return False
    sizes = (len(found.begins) - 1, int(found.targets.max(initial=0)) + 1)
    where = (one.ctypes.data for one in (*found, rows))
    call = CooccurrenceCall(*sizes, *where, None if words is None else words.ctypes.data)
    return bool(kernels.cooccurrence(call) == 0)


def cells_of(
    sources: Array, targets: Array, shapes: PairLengths, rows: Array, symbols: Array
) -> Array | None:
    """Return the entries of a lexicon for every pair of words, -1 - row where there is none."""
    kernels = library.found().kernels
    if kernels is None:
        return None
    held = [np.ascontiguousarray(one, np.int32) for one in (sources, targets)]
    held += [np.ascontiguousarray(one, np.int64) for one in (*shapes, rows)]
    cells = np.zeros(int((held[3] * (held[2] + 1)).sum()), np.int32)
    held += [np.ascontiguousarray(symbols, np.int32), cells]
    sizes = (len(shapes.sources), len(rows) - 2)
    kernels.lexicon_cells(CellsCall(*sizes, *(one.ctypes.data for one in held)))
    return cells


def symmetrised(forward: Array, backward: Array, rule: int, shapes: PairLengths) -> Array | None:
    """Return the links that a rule chooses; see `models/_links.py`. None without kernels."""
    kernels = library.found().kernels
    if kernels is None:
        return None
    held = [np.ascontiguousarray(one, np.int64) for one in shapes]
    held += [np.ascontiguousarray(one, np.int32) for one in (forward, backward)]
    found = np.zeros((len(forward) + len(backward), 3), np.int32)
    cells = int((held[0] * held[1]).max(initial=0))
    sizes = (len(shapes.sources), len(forward), len(backward), rule, cells)
    where = (*(one.ctypes.data for one in held), found.ctypes.data)
    n: int = kernels.symmetrise(SymmetriseCall(*sizes, *where))
    return None if n < 0 else found[:n].copy()
