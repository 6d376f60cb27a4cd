"""Output projection, softmax and loss of a block of rows in one call.

    z = W x + b        dz = softmax(z) - target        dx = W' dz

Some rows at a time go all the way while their scores are in the cache, and threads take the next
rows when they are free. `W` is laid out for both products once an update, in memory that is kept.
"""

import threading
from typing import NamedTuple

import torch
from torch import Tensor

from saccade.kernels.library import Kernels, kernels_for
from saccade.kernels.structures import LossCall, ProjectionCall
from saccade.kernels.workspace import Workspace


class BlockLoss(NamedTuple):
    """What became of a block of R rows."""

    d_scores: Tensor  # [R, V], valid until the next block
    nll: Tensor  # [R], -log p[y]
    even: Tensor  # [R], the mean of -log p[v] over all symbols


def loss_of_scores(
    scores: Tensor, gold: Tensor, smoothing: float, d_bias: Tensor | None
) -> BlockLoss | None:
    """Turn scores `[R, V]` into their gradient in place, and add its rows to `d_bias [V]`.

    Without `d_bias` nothing is learned, and scores become something else. None if no kernel fits.
    """
    kernels = kernels_for(scores)
    if kernels is None:
        return None
    call, kept = _loss_call(kernels, scores, gold, smoothing, learns=d_bias is not None)
    kernels.cross_entropy(call)
    if d_bias is not None:
        d_bias.add_(kept.d_bias.sum(dim=0))
    return BlockLoss(scores, kept.nll, kept.even)


class ProjectionKernel:
    """A matrix `[V, D]`, laid out to score blocks of rows."""

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
        self._call.panels = _workspaces.panels.first(kernels.panels_size(self._call)).data_ptr()
        kernels.lay_projection(self._call)

    @classmethod
    def of(
        cls, features: Tensor, weight: Tensor, bias: Tensor, smoothing: float, *, learns: bool
    ) -> "ProjectionKernel | None":
        """Return the kernel for features `[N, D]`, or None if there is none."""
        kernels = kernels_for(features, weight, bias)
        if kernels is None:
            return None
        return cls(kernels, weight.contiguous(), bias, smoothing, learns=learns)

    def loss(self, x: Tensor, gold: Tensor, dx: Tensor, d_bias: Tensor) -> BlockLoss:
        """Score `x [R, D]`; write its gradient to `dx`, add that of the bias, if it learns."""
        rows, symbols = len(x), len(self.weight)
        z, x = _workspaces.scores.first(rows * symbols).view(rows, symbols), x.contiguous()
        call, kept = _loss_call(self.kernels, z, gold, self.smoothing, learns=self.learns)
        self._call.loss, self._call.x, self._call.dx = call, x.data_ptr(), dx.data_ptr()
        self.kernels.project(self._call)
        if self.learns:
            d_bias.add_(kept.d_bias.sum(dim=0))
        return BlockLoss(z, kept.nll, kept.even)


class _Kept(NamedTuple):
    """What a call finds, and what it reads and nobody else holds."""

    nll: Tensor  # [R]
    even: Tensor  # [R]
    d_bias: Tensor  # [parts, V], to be added up
    gold: Tensor


def _loss_call(
    kernels: Kernels, z: Tensor, gold: Tensor, smoothing: float, *, learns: bool
) -> tuple[LossCall, _Kept]:
    rows, symbols = z.shape
    parts = kernels.loss_parts(rows) if learns else 0
    kept = _Kept(
        z.new_empty(rows), z.new_empty(rows), z.new_zeros(parts, symbols), gold.contiguous()
    )
    places = (one.data_ptr() for one in (z, kept.gold, kept.nll, kept.even, kept.d_bias))
    threads = torch.get_num_threads()
    return LossCall(rows, symbols, threads, learns, smoothing, *places), kept


class _Workspaces(threading.local):
    """Memory that every update works in: a block of scores, and a matrix laid out twice."""

    def __init__(self) -> None:
        self.scores, self.panels = Workspace(torch.empty(0)), Workspace(torch.empty(0))


_workspaces = _Workspaces()
