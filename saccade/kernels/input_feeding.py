"""The loop of an LSTM decoder with input feeding: one call forward and one back.

`RnnDecoder` takes the same steps one by one. Here the gradient is written down by hand, and what
all steps have in common stands outside of the loop: `W x + b` before it, the gradients of the
matrices behind it.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.kernels.dropout import NOTHING, Draw, draw_call
from saccade.kernels.library import kernels_for, learning
from saccade.kernels.lstm import LANES, LstmWeights, threads_for
from saccade.kernels.matmul import multiply, weight_gradient
from saccade.kernels.structures import InputFeedingCall


@dataclass(frozen=True, slots=True)
class FeedingLoop:
    """What the loop computes with.

    i, f, g, o = W [x; y'] + U h' + b      c = f c' + i g,    h = o tanh(c)
    a = softmax(z h keys')                 m = a values
    y = drop(tanh(R [h; m] + r)),          zeros before the first step
    """

    keys: Tensor  # [B, S, D]
    values: Tensor  # [B, S, C]
    mask: Tensor  # [B, S]
    h: Tensor  # [B, D], before the first step
    c: Tensor  # [B, D]
    lstm: LstmWeights
    R: Tensor  # [D, D + C]
    r: Tensor  # [D]
    z: float  # factor of the scores
    draw: Draw | None  # one for the features of all steps


def input_feeding(x: Tensor, loop: FeedingLoop) -> Tensor | None:
    """Take all steps of `x [B, T, X]`: features y `[B, T, D]`, or None if no kernel fits.

    R of the benchmarks, on two cores, in turn: 3,784, 3,423, 3,108 symbols/s step by step, 4,918,
    4,925, 4,459 by the kernel.
    """
    given = (loop.keys, loop.values, loop.mask, loop.h, loop.c, *loop.lstm, loop.R, loop.r)
    numbers = [x, *(one for one in given if one is not loop.mask)]
    whole = not loop.h.shape[1] % LANES and not loop.values.shape[2] % LANES
    whole = whole and all(one.numel() for one in numbers)
    kernels = kernels_for(*numbers) if whole and learning() else None
    if kernels is None:
        return None
    rows = x.transpose(0, 1).flatten(0, 1)  # [T B, X]
    return _Steps.apply(rows, *given, loop.z, loop.draw or NOTHING, kernels)  # type: ignore[no-any-return, no-untyped-call]


class _Steps(torch.autograd.Function):
    """All steps; what the way back needs of them is kept with the time as first dimension."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> Tensor:
        keys, values, mask, h, c, W, U, b, R, r, ctx.z, ctx.draw, ctx.kernels = given
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
        call = _call(kept, features, ctx.z, ctx.draw)
        work = x.new_empty(ctx.kernels.input_feeding_size(call, 0))
        call.work = work.data_ptr()
        ctx.kernels.input_feeding_forward(call)
        return features

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_features: Tensor) -> Any:
        x, keys, values, _, W, *_, gates, rows, cells, _ = ctx.saved_tensors
        (T, B, D), X = cells[1:].shape, x.shape[1]
        d_features = d_features.contiguous()
        d_sums = torch.empty_like(gates)  # [T B, 4 D], before the gates
        d_readout = x.new_empty(T * B, D)  # before tanh
        d_keys, d_values = torch.empty_like(keys), torch.empty_like(values)
        d_h, d_c = x.new_empty(B, D), x.new_empty(B, D)
        call = _call(ctx.saved_tensors, d_features, ctx.z, ctx.draw)
        work = x.new_empty(ctx.kernels.input_feeding_size(call, 1))
        call.d_sums, call.d_readout = d_sums.data_ptr(), d_readout.data_ptr()
        call.d_keys, call.d_values = d_keys.data_ptr(), d_values.data_ptr()
        call.d_hidden, call.d_cell, call.work = d_h.data_ptr(), d_c.data_ptr(), work.data_ptr()
        ctx.kernels.input_feeding_backward(call)
        before, after = rows[:-1].flatten(0, 1), rows[1:].flatten(0, 1)  # [T B, D + D + C]
        d_x = multiply(d_sums, W[:, :X].contiguous().T)
        inputs = torch.cat([x, before[:, : 2 * D]], dim=1)  # [T B, X + D + D]
        d_W, d_U = torch.split(weight_gradient(d_sums, inputs), [X + D, D], dim=1)
        d_R = weight_gradient(d_readout, after[:, D:])
        matrices = (d_W, d_U, d_sums.sum(dim=0), d_R, d_readout.sum(dim=0))
        return d_x, d_keys, d_values, None, d_h, d_c, *matrices, None, None, None


def _call(kept: tuple[Tensor, ...], features: Tensor, z: float, draw: Draw) -> InputFeedingCall:
    x, keys, values, mask, W, U, R, r, gates, rows, cells, weights = kept
    T, B, D = cells[1:].shape
    call = InputFeedingCall(B, T, keys.shape[1], D, values.shape[2], threads_for(B, W))
    fed = W[:, x.shape[1] :]
    call.F, call.F_row = fed.data_ptr(), fed.stride(0)
    call.U, call.R, call.bias = U.data_ptr(), R.data_ptr(), r.data_ptr()
    call.keys, call.values, call.mask = keys.data_ptr(), values.data_ptr(), mask.data_ptr()
    call.gates, call.rows, call.cells = gates.data_ptr(), rows.data_ptr(), cells.data_ptr()
    call.weights, call.features = weights.data_ptr(), features.data_ptr()
    call.scale, call.draw = z, draw_call(draw)
    return call
