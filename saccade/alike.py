"""Vectors that stand in many places: what a matrix makes of one of them is found once.

    x[n] = rows[places[n]]      W x[n] + b = (W rows + b)[places[n]]

    dW = sum_n dy[n] x[n]' = sum_p (sum of dy[n] where places[n] = p) rows[p]'

In a batch of 64 pairs of Multi30k a symbol stands in two or three places, so an LSTM that reads
embeddings has less than half of the products to find. `spread` says so of what it returns; whoever
multiplies by it asks `Rows.of`, and whoever does not know of it finds a tensor like any other. What
any operation makes of that tensor is not marked, since it may tell the places apart.
"""

from typing import NamedTuple

from torch import Tensor
from torch.nn.functional import embedding

from saccade.blocked import multiply

_MARK = "_saccade_alike"


class Rows(NamedTuple):
    """Rows `[P, X]`, and which of them stands at each of N places; None: one each, in order."""

    rows: Tensor
    places: Tensor | None

    @classmethod
    def of(cls, x: Tensor, *, time_first: bool = False) -> "Rows":
        """Return the rows of `x [B, T, X]`, those of a sentence one after the other, or of a time.

        >>> import torch
        >>> Rows.of(spread(torch.eye(2), torch.tensor([[0, 1, 0]]))).places.tolist()
        [0, 1, 0]
        """
        known: Rows | None = getattr(x, _MARK, None)
        if known is None or known.places is None:
            return cls((x.transpose(0, 1) if time_first else x).flatten(0, 1), None)
        places = known.places.T if time_first else known.places
        return cls(known.rows, places.flatten())


def spread(rows: Tensor, places: Tensor) -> Tensor:
    """Put `rows [P, X]` where `places [B, T]` says, `[B, T, X]`, and remember which they were."""
    x = embedding(places, rows)
    setattr(x, _MARK, Rows(rows, places))
    return x


def products(rows: Tensor, places: Tensor | None, W: Tensor, b: Tensor) -> Tensor:
    """Return `W x + b` of every place, `[N, Y]`, without a gradient."""
    each = multiply(rows, W, b)
    return each if places is None else each.index_select(0, places)


def added_up(each: Tensor, places: Tensor | None, n: int) -> Tensor:
    """Add up the gradients of places, `[N, Y]`, that are the same row's: `[P, Y]`."""
    return each if places is None else each.new_zeros(n, each.shape[1]).index_add_(0, places, each)
