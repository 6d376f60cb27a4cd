"""Vectors that stand in many places: what a matrix makes of one of them is found once.

    x[n] = rows[places[n]]      W x[n] + b = (W rows + b)[places[n]]

    dW = sum_n dy[n] x[n]' = sum_p (sum of dy[n] where places[n] = p) rows[p]'

In a batch of 64 pairs of Multi30k a symbol stands in two or three places, so an LSTM that reads
embeddings has less than half of the products to find. Dropout takes other numbers from each place,
but few: `lost.py` takes away what those would have added.

`look_up` remembers how what it returns came about; whoever multiplies by it asks `Rows.of`, and
whoever does not know of it finds a tensor like any other. What any operation makes of that tensor
is not marked, since it may tell the places apart.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.kernels.matmul import multiply
from saccade.kernels.outer import outer
from saccade.layers.dropout import Drawn, Dropout
from saccade.layers.lost import WIDEST, Lists

_MARK = "_saccade_alike"
_PRICE = 2.5  # of a number that is lost, in numbers that are multiplied together with many others


class _Origin(NamedTuple):
    """Symbols `[B, T]`, where their vectors stand, and how chance took from these."""

    table: Callable[[Tensor], Tensor]
    ids: Tensor
    drawn: Drawn | None


class Rows(NamedTuple):
    """Rows `[P, X]`, which of them stands at each of N places, and what they have lost there.

    Without places there is one for each, in order; without lists nothing is lost.
    """

    rows: Tensor
    places: Tensor | None = None
    lists: Lists | None = None

    @classmethod
    def of(cls, x: Tensor, *, time_first: bool = False) -> "Rows":
        """Return the rows of `x [B, T, X]`, those of a sentence together, or those of a time."""
        shared = _shared(x, time_first=time_first)
        return shared or cls((x.transpose(0, 1) if time_first else x).flatten(0, 1))


def look_up(table: Callable[[Tensor], Tensor], ids: Tensor, dropout: Dropout) -> Tensor:
    """Look up `ids [B, T]` in a table and drop: `[B, T, X]`, which knows how it came about.

    >>> x = look_up(torch.nn.Embedding(9, 2), torch.tensor([[7, 3, 7]]), Dropout(0.0))
    >>> rows, places, _ = Rows.of(x)
    >>> list(rows.shape), places.tolist()
    ([2, 2], [1, 0, 1])
    """
    x, drawn = dropout.drop(table(ids))
    learns = dropout.training and torch.is_grad_enabled()
    if learns and (drawn is not None or not dropout.drops):
        setattr(x, _MARK, _Origin(table, ids, drawn))
    return x


def products(x: Rows, W: Tensor, b: Tensor) -> Tensor:
    """Return `W x + b` of every place, `[N, Y]`, without a gradient."""
    each = multiply(x.rows, W, b)  # [P, Y]
    if x.lists is not None:
        return x.lists.products(each, W)
    return each if x.places is None else each.index_select(0, x.places)


def gradients(x: Rows, W: Tensor, d_y: Tensor, d_W: Tensor) -> tuple[Tensor, Tensor]:
    """Go back from `d_y [N, Y]`: write `d_W [Y, X]`; return the gradients of rows and of `b`."""
    rows, places, lists = x
    if lists is not None:
        each, d_rows = lists.gradients(len(rows), W, d_y, d_W)
        outer(each, rows, d_W, adds=True)
        return d_rows.addmm_(each, W), each.sum(dim=0)
    if places is not None:
        d_y = d_y.new_zeros(len(rows), d_y.shape[1]).index_add_(0, places, d_y)
    outer(d_y, rows, d_W)
    return multiply(d_y, W.T), d_y.sum(dim=0)


def _shared(x: Tensor, *, time_first: bool) -> Rows | None:
    """Return the rows that `x [B, T, X]` was made of, if finding products of these costs less."""
    origin: _Origin | None = getattr(x, _MARK, None)
    if origin is None:
        return None
    table, ids, drawn = origin
    symbols, places, counts = ids.unique(return_inverse=True, return_counts=True)  # type: ignore[no-untyped-call]
    n, p = ids.numel(), drawn.p if drawn else 0.0
    listed = n - int((counts == 1).sum())
    if n - len(symbols) <= _PRICE * p * listed or x.shape[2] > WIDEST:
        return None
    order = torch.arange(n).view_as(ids)
    if time_first:
        places, order = places.T, order.T
    rows, places = table(symbols), places.flatten()
    if drawn is None:
        return Rows(rows, places)
    mask, lists = Lists.of(rows.detach(), places, counts, order.flatten(), drawn)
    return Rows(rows * mask, places, lists)
