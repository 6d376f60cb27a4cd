"""Scores of a block of rows, their loss and what goes back to the rows, in one call of `native`.

    z = W x + b        dz = softmax(z) - target        dx = W' dz

Some rows at a time go all the way while their scores are at hand, and threads take the next rows
when they are free. `W` is laid out for both products once an update, in memory that is kept.
"""

import threading
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.fast.room import Room
from saccade.kernels.library import Kernels, found
from saccade.kernels.structures import LossCall, ProjectionCall


class Kept(NamedTuple):
    """What a call finds, and what it reads and nobody else holds."""

    nll: Tensor  # [R]
    even: Tensor  # [R], the mean of -log p[v] over all symbols
    d_bias: Tensor  # [parts, V], to be added up
    gold: Tensor


def loss_call(
    kernels: Kernels, z: Tensor, gold: Tensor, smoothing: float, *, learns: bool
) -> tuple[LossCall, Kept]:
    """Return what the kernels have to know of scores `z [R, V]`."""
    rows, symbols = z.shape
    parts = kernels.loss_parts(rows) if learns else 0
    kept = Kept(
        z.new_empty(rows), z.new_empty(rows), z.new_zeros(parts, symbols), gold.contiguous()
    )
    places = (one.data_ptr() for one in (z, kept.gold, kept.nll, kept.even, kept.d_bias))
    threads = torch.get_num_threads()
    return LossCall(rows, symbols, threads, learns, smoothing, *places), kept


def at_hand(
    features: Tensor, weight: Tensor, bias: Tensor, smoothing: float, *, learns: bool
) -> "Scored | None":
    """Return what scores features `[N, D]` by `weight [V, D]`, if the kernels can."""
    given = (features, weight, bias)
    fit = all(one.dtype == torch.float32 and one.device.type == "cpu" for one in given)
    kernels = found().kernels if fit else None
    if kernels is None:
        return None
    return Scored(kernels, weight.contiguous(), bias, smoothing, learns=learns)


class Scored:
    """A matrix that is laid out to score blocks of rows."""

    def __init__(
        self, kernels: Kernels, weight: Tensor, bias: Tensor, smoothing: float, *, learns: bool
    ) -> None:
        self.kernels, self.weight, self.bias = kernels, weight, bias.contiguous()
        self.smoothing, self.learns = smoothing, learns
        (symbols, width), threads = weight.shape, torch.get_num_threads()
        self._zeros = weight.new_zeros(width)
        self._call = ProjectionCall(LossCall(0, symbols, threads, learns), width)
        self._call.weight, self._call.bias = weight.data_ptr(), self.bias.data_ptr()
        self._call.zeros = self._zeros.data_ptr()
        self._call.panels = _rooms.panels.first(kernels.panels_size(self._call)).data_ptr()
        kernels.lay_projection(self._call)

    def scored(
        self, x: Tensor, gold: Tensor, dx: Tensor, d_bias: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Score `x [R, D]`; write its gradient to `dx`, add that of the bias, if it learns.

        Returns:
            The gradient of the scores `[R, V]`, which the next call writes over, and of every row
            `-log p[y]` and the mean of `-log p[v]` over all symbols.
        """
        rows, symbols = len(x), len(self.weight)
        z, x = _rooms.scores.first(rows * symbols).view(rows, symbols), x.contiguous()
        call, kept = loss_call(self.kernels, z, gold, self.smoothing, learns=self.learns)
        self._call.loss, self._call.x, self._call.dx = call, x.data_ptr(), dx.data_ptr()
        self.kernels.project(self._call)
        if self.learns:
            d_bias.add_(kept.d_bias.sum(dim=0))
        return z, kept.nll, kept.even


class _Rooms(threading.local):
    """Memory that every update works in: a block of scores, and a matrix laid out twice."""

    def __init__(self) -> None:
        self.scores, self.panels = Room(torch.empty(0)), Room(torch.empty(0))


_rooms = _Rooms()
