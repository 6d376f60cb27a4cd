"""The loop of a recurrent decoder that is fed what it wrote: one call forward and one back.

This is the fast form of `RnnDecoder._step_by_step` in Luong's wiring with one LSTM. Its gradient is
written down by hand, and what all steps have in common stands outside of the loop: `W x + b` before
it, the gradients of the matrices behind it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from saccade.attention.base import Attention
from saccade.cells.base import Cell
from saccade.cells.lstm import LSTM
from saccade.flow import SOURCE, State, nested, tensor
from saccade.kernels.dropout import NOTHING, Draw, draw_call
from saccade.kernels.library import Kernels, kernels_for
from saccade.kernels.matmul import multiply
from saccade.kernels.structures import DropoutDraw, InputFeedingCall

_LANES = 16  # numbers that the kernels take at once
_SHARED = 1 << 20  # products of two numbers in a step from which a second thread is worth waking


@dataclass(frozen=True, slots=True)
class FeedingLoop:
    """An LSTM, the matrix behind it, the factor of the scores.

        i, f, g, o = W [x; y'] + U h' + b      c = f c' + i g,    h = o tanh(c)
        a = softmax(z h keys')                 m = a values
        y = drop(tanh(R [h; m] + r)),          zeros before the first step

    One draw of dropout is hashed with the places of the result.
    """

    cell: LSTM
    readout: nn.Linear
    factor: float
    kernels: Kernels

    def write(self, x: Tensor, state: State, draw: Draw | None) -> Tensor:
        """Take all steps of `x [B, T, input_dim]` from a state; return features `[B, T, D]`."""
        source, first = nested(state, SOURCE), nested(nested(state, "cells"), "0")
        prepared = nested(source, "prepared")
        read = (tensor(prepared, "keys"), tensor(prepared, "values"), tensor(source, "mask"))
        cell, R, r = self.cell, self.readout.weight, self.readout.bias
        given = (*read, tensor(first, "h"), tensor(first, "c"), cell.W, cell.U, cell.b, R, r)
        chance = draw_call(draw or NOTHING)
        rows = x.transpose(0, 1).flatten(0, 1)  # [T B, input_dim]
        return _Steps.apply(rows, *given, self.factor, chance, self.kernels)  # type: ignore[no-any-return, no-untyped-call]


def loop_of(
    cell: Cell, attention: Attention, readout: nn.Linear, given: tuple[Tensor, ...]
) -> FeedingLoop | None:
    """Return the loop if the kernels know it, for what is `given` to it, and there are any."""
    factor = attention.factor
    if factor is None or type(cell) is not LSTM or len(cell.gates) < 4:
        return None
    if not torch.is_grad_enabled() or torch.is_autocast_enabled("cpu"):
        return None
    whole = not cell.hidden_dim % _LANES and not attention.context_dim % _LANES
    every = (*given, *cell.parameters(), *attention.parameters(), *readout.parameters())
    kernels = kernels_for(*every) if whole and all(map(torch.numel, given)) else None
    return None if kernels is None else FeedingLoop(cell, readout, factor, kernels)


class _Steps(torch.autograd.Function):
    """All steps; what the way back needs of them is kept with the time as first dimension."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> Tensor:
        keys, values, mask, h, c, W, U, b, R, r, *ctx.rest = given
        (B, D), C, X = h.shape, values.shape[2], x.shape[1]
        keys, values, mask, U, R = (one.contiguous() for one in (keys, values, mask, U, R))
        gates = multiply(x, W[:, :X].contiguous(), b)  # [T B, 4 D]
        T = len(gates) // B
        rows = x.new_empty(T + 1, B, D + D + C)  # y, h, m
        rows[0, :, :D], rows[0, :, D : 2 * D] = 0.0, h
        cells = x.new_empty(T + 1, B, D)
        cells[0] = c
        weights = x.new_empty(B, T, keys.shape[1])
        features = x.new_empty(B, T, D)
        kept = (x, keys, values, mask, W, U, R, r, gates, rows, cells, weights)
        ctx.save_for_backward(*kept)
        ctx.kernels = ctx.rest.pop()
        call = _call(kept, features, *ctx.rest)
        work = x.new_empty(ctx.kernels.fed_size(call, 0))
        call.work = work.data_ptr()
        ctx.kernels.fed_forward(call)
        return features

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        x, keys, values, _, W, *_, gates, rows, cells, _ = ctx.saved_tensors
        (T, B, D), X = cells[1:].shape, x.shape[1]
        gradient = gradient.contiguous()
        sums, d_outer = torch.empty_like(gates), x.new_empty(T * B, D)  # [T B, 4 D], [T B, D]
        d_keys, d_values = torch.empty_like(keys), torch.empty_like(values)
        h, c = x.new_empty(B, D), x.new_empty(B, D)
        call = _call(ctx.saved_tensors, gradient, *ctx.rest)
        work = x.new_empty(ctx.kernels.fed_size(call, 1))
        call.d_sums, call.d_outer = sums.data_ptr(), d_outer.data_ptr()
        call.d_keys, call.d_values = d_keys.data_ptr(), d_values.data_ptr()
        call.d_hidden, call.d_cell, call.work = h.data_ptr(), c.data_ptr(), work.data_ptr()
        ctx.kernels.fed_backward(call)
        before, after = rows[:-1].flatten(0, 1), rows[1:].flatten(0, 1)  # [T B, D + D + C]
        d_x = multiply(sums, W[:, :X].contiguous().T)
        d_W = torch.cat([sums.T @ x, sums.T @ before[:, :D]], dim=1)
        d_U, d_R = sums.T @ before[:, D : 2 * D], d_outer.T @ after[:, D:]
        matrices = (d_W, d_U, sums.sum(dim=0), d_R, d_outer.sum(dim=0))
        return d_x, d_keys, d_values, None, h, c, *matrices, None, None, None


def _call(
    kept: tuple[Tensor, ...], features: Tensor, factor: float, chance: DropoutDraw
) -> InputFeedingCall:
    x, keys, values, mask, W, U, R, r, gates, rows, cells, weights = kept
    T, B, D = cells[1:].shape
    threads = torch.get_num_threads() if B * W.numel() >= _SHARED else 1
    call = InputFeedingCall(B, T, keys.shape[1], D, values.shape[2], threads)
    fed = W[:, x.shape[1] :]
    call.F, call.F_row = fed.data_ptr(), fed.stride(0)
    call.U, call.R, call.bias = U.data_ptr(), R.data_ptr(), r.data_ptr()
    call.keys, call.values, call.mask = keys.data_ptr(), values.data_ptr(), mask.data_ptr()
    call.gates, call.rows, call.cells = gates.data_ptr(), rows.data_ptr(), cells.data_ptr()
    call.weights, call.features = weights.data_ptr(), features.data_ptr()
    call.scale, call.chance = factor, chance
    return call
