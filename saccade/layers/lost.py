"""What dropout takes from vectors that stand in many places, listed; products without it.

    x[n] = rows[places[n]], zero in lost[n]

    W x[n] = W rows[places[n]] - sum_{k in lost[n]} rows[places[n], k] W[:, k]

    dW = sum_p d[p] rows[p]' - sum_n sum_{k in lost[n]} rows[places[n], k] dy[n] e_k'
    d rows[p] = W' d[p] - sum_{n at p} sum_{k in lost[n]} (W[:, k] . dy[n]) e_k

where d[p] is the sum of dy[n] over the places n of row p, and e_k is one at k and zero elsewhere.

With one number in ten lost, the second part of each costs a third of the whole: it is computed by
numbers picked one at a time, where a product of matrices uses each many times (`native/lost.c`).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.kernels.structures import Chance, Lost
from saccade.layers.dropout import Drawn, limit_of

WIDEST = (1 << 15) - 1  # numbers of a vector that lists can name
_ROOM = 16  # by which a list can be filled up
_SHARED = 1 << 16  # numbers from which a second thread is worth waking


class Lists(NamedTuple):
    """The numbers that each of N places has lost, and the places that each number is lost in."""

    drawn: Drawn
    places: Tensor  # [N]: which row stands there
    parts: tuple[Tensor, ...]  # bounds, numbers and values by place; bounds, places and values

    @classmethod
    def of(
        cls, rows: Tensor, places: Tensor, counts: Tensor, order: Tensor, drawn: Drawn
    ) -> tuple[Tensor, "Lists"]:
        """List what chance takes from `rows [P, X]` in `places [N]`, given how often each stands.

        `order [N]` has the number by which chance knows a place.

        Returns:
            What to multiply rows by, `[P, X]`, and the lists. A row that stands in one place alone
            loses by the former what it loses there, and is not listed.
        """
        n, X = len(places), rows.shape[1]
        parts = (
            torch.empty(n + 1, 2, dtype=torch.int64),
            torch.empty(n, X + _ROOM, dtype=torch.int16),
            torch.empty(n, X + _ROOM),
            torch.empty(X + 1, dtype=torch.int64),
            torch.empty(n, X, dtype=torch.int32),
            torch.empty(n, X),
        )
        lists, mask = cls(drawn, places, parts), torch.full_like(rows, drawn.scale)
        chance = Chance(drawn.seed, limit_of(drawn.p), drawn.scale)
        given = (one.data_ptr() for one in (rows, order, counts))
        drawn.kernels.list_lost(lists._call(len(rows), X, 0), *given, chance, mask.data_ptr())
        return mask, lists

    def products(self, each: Tensor, W: Tensor) -> Tensor:
        """Make `W x + b` of every place, `[N, Y]`, from those of whole rows, `each [P, Y]`."""
        y = each.new_empty(len(self.places), len(W))
        self._go(self.drawn.kernels.lost_forward, W, each, y)
        return y

    def gradients(self, n_rows: int, W: Tensor, d_y: Tensor, d_W: Tensor) -> tuple[Tensor, Tensor]:
        """Go back from `d_y [N, Y]`; write into `d_W [Y, X]` what is to be added to it.

        Returns:
            The gradients of places added up for each row, `[P, Y]`; what is to be added to the
            gradient of rows, `[P, X]`.
        """
        each, d_rows = d_y.new_empty(n_rows, len(W)), d_y.new_empty(n_rows, W.shape[1])
        to = {"d_W": _matrix(d_W), "d_W_row": d_W.stride(0), "d_x": _matrix(d_rows)}
        self._go(self.drawn.kernels.lost_backward, W, each, d_y, **to)
        return each, d_rows

    def _go(
        self, way: Callable[[Lost], None], W: Tensor, each: Tensor, y: Tensor, **to: int
    ) -> None:
        """Go one way between rows and places."""
        call = self._call(len(each), W.shape[1], len(W))
        given = {"W": _matrix(W), "W_row": W.stride(0), "each": _matrix(each), "y": _matrix(y)}
        for name, value in (given | to).items():
            setattr(call, name, value)
        work = y.new_empty(self.drawn.kernels.lost_size(call))
        call.work = work.data_ptr()
        way(call)

    def _call(self, n_rows: int, width: int, out: int) -> Lost:
        n = len(self.places)
        threads = torch.get_num_threads() if n * out >= _SHARED else 1
        where = (one.data_ptr() for one in (self.places, *self.parts))
        return Lost(n, n_rows, width, out, threads, *where)


def _matrix(x: Tensor) -> int:
    """Point to a matrix whose rows are whole."""
    if x.stride(1) != 1:
        raise ValueError(f"rows of a matrix have to be whole, but it has strides {x.stride()}")
    return x.data_ptr()
