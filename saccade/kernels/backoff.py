"""A back-off table, and walking it in C: along lines of labels, or in the prefix beam of CTC.

Every n-gram of a model is a node of one tree: the root is node 0, the symbol w alone is node 1 + w,
and the n-grams follow by their length, each length in the order of parent and symbol. So one sorted
array of keys, `parent * V + symbol`, finds every child; nodes that may be a context come first.
"""

import ctypes
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.kernels import library, structures

ROOT = 0
_DEPTH = 12  # symbols of the longest n-gram


class BackoffTable(NamedTuple):
    """The nodes of a back-off model, M in all, C of which may be contexts.

    keys: `[M]` int64, `parent * V + symbol`, ascending; -1 of the root.  suffixes: `[M]` int32, the
    longest node that is the same without its first symbols.  begins: `[C + 1]` int32, the first
    child of each context.  scores: `[M]` float32, of the last symbol behind the others.
    backoffs: `[C]` float32, log of what is left for symbols that are no children.
    """

    keys: Tensor
    suffixes: Tensor
    begins: Tensor
    scores: Tensor
    backoffs: Tensor


class FusedTable(NamedTuple):
    """A table with a say in a search.

    ids: `[V]` int64, what the table calls each symbol.  weight: of its log-probabilities.
    paid: `[V]` float32, added for every symbol.  start: the context before the first symbol.
    """

    table: BackoffTable
    ids: Tensor
    weight: float
    paid: Tensor
    start: int


def walk_of(fused: FusedTable) -> structures.BackoffWalk | None:
    """Lay a table out for the kernels; None if they cannot read it. `fused` must be kept."""
    table = fused.table
    if not library.fits(table.scores, table.backoffs, fused.paid):
        return None
    places = (table.keys, fused.ids, table.suffixes, table.begins, table.scores, table.backoffs)
    rises = max(float(table.backoffs.max()), 0.0) * _DEPTH  # of what is left, if that is above 1
    most = fused.weight * rises + max(float(fused.paid.max()), 0.0)
    size = int(table.begins[1]) - 1
    return structures.BackoffWalk(
        *(one.data_ptr() for one in (*places, fused.paid)),
        *(size, len(table.backoffs), fused.start, fused.weight, most),
    )


def gains_along(fused: FusedTable, labels: Tensor, lengths: Tensor, end: int) -> Tensor | None:
    """Return what a table adds to labels `[N, L]` and to END behind them: `[N, L + 1]`.

    None without kernels. What the shaper `Fusion` adds, to rounding.
    """
    kernels, walk = library.found().kernels, walk_of(fused)
    if kernels is None or walk is None:
        return None
    labels, lengths = labels.contiguous(), lengths.contiguous()
    gains = torch.zeros(labels.shape[0], labels.shape[1] + 1)
    where = (one.data_ptr() for one in (labels, lengths, gains))
    sizes = (*labels.shape, end)
    kernels.backoff_lines(structures.BackoffLinesCall(*sizes, ctypes.addressof(walk), *where))
    return gains
