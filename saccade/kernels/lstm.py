"""All steps of an LSTM, or of one in each direction, in one call forward and one back.

`cells/lstm.py` writes the equations, `encoders/_directions.py` the two directions.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.kernels.library import Kernels, kernels_for, learning
from saccade.kernels.matmul import multiply, weight_gradient
from saccade.kernels.structures import BidirectionalLstmCall, LstmCall

LANES = 16  # numbers that the kernels take at once; widths have to be a multiple
_PARALLEL_FROM = 1 << 20  # products of two numbers in a step that are worth a second thread


class LstmWeights(NamedTuple):
    """The matrices of an LSTM, its rows the gates i, f, g and o."""

    W: Tensor  # [4 D, X]
    U: Tensor  # [4 D, D]
    b: Tensor  # [4 D]


class LstmStates(NamedTuple):
    """What an LSTM made of a sequence: outputs `[B, T, D]`, and the last `h` and `c`, `[B, D]`."""

    outputs: Tensor
    h: Tensor
    c: Tensor


class LstmDirections(NamedTuple):
    """Outputs of both directions side by side, `[B, S, 2 D]`, and the last of each, `[B, 2 D]`."""

    outputs: Tensor
    final: Tensor


def lstm(x: Tensor, h: Tensor, c: Tensor, weights: LstmWeights) -> LstmStates | None:
    """Take all steps of `x [B, T, X]` from `h` and `c`; None if there is no kernel for it.

    An update of the benchmarks' recurrent model without feeding, on two cores, in turn: 5,919
    symbols/s with torch's kernel, 6,275 with this one.
    """
    kernels = _kernels_for(x, h, c, *weights)
    if kernels is None:
        return None
    rows = x.transpose(0, 1).flatten(0, 1)  # [T B, X]
    return LstmStates(*_Lstm.apply(rows, h, c, *weights, kernels))  # type: ignore[no-untyped-call]


def bidirectional_lstm(
    x: Tensor, mask: Tensor, right: LstmWeights, left: LstmWeights
) -> LstmDirections | None:
    """Read `x [B, S, X]` from its start and from its end; None if there is no kernel for it.

    Places that `mask [B, S]` leaves out change nothing, and outputs are zero there.
    """
    kernels = _kernels_for(x, *right, *left)
    if kernels is None:
        return None
    W, b = torch.cat([right.W, left.W]), torch.cat([right.b, left.b])  # [8 D, X], [8 D]
    given = (x.flatten(0, 1), mask.contiguous(), W, right.U, left.U, b)
    return LstmDirections(*_BidirectionalLstm.apply(*given, kernels))  # type: ignore[no-untyped-call]


def _kernels_for(*tensors: Tensor) -> Kernels | None:
    """Return the kernels if they take these tensors; the last is a bias, `[4 D]`."""
    whole = not len(tensors[-1]) % (4 * LANES) and all(one.numel() for one in tensors)
    return kernels_for(*tensors) if whole and learning() else None


def threads_for(B: int, matrix: Tensor) -> int:
    """Return how many threads are worth waking for a product of B rows at every step."""
    return torch.get_num_threads() if B * matrix.numel() >= _PARALLEL_FROM else 1


class _Lstm(torch.autograd.Function):
    """`W x + b` is one product over all steps, and so is the gradient of each matrix."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> tuple[Tensor, Tensor, Tensor]:
        h, c, W, U, b, kernels = given
        gates = multiply(x, W, b)  # [T B, 4 D]
        (B, D), U = h.shape, U.contiguous()
        T = len(gates) // B
        hidden, cells = x.new_empty(T + 1, B, D), x.new_empty(T + 1, B, D)
        hidden[0], cells[0] = h, c
        outputs = x.new_empty(B, T, D)
        ctx.save_for_backward(x, W, U, gates, hidden, cells)
        ctx.kernels = kernels
        call = _lstm_call(U, gates, hidden, cells, outputs)
        work = x.new_empty(kernels.lstm_size(call, 0))
        call.work = work.data_ptr()
        kernels.lstm_forward(call)
        return outputs, hidden[-1].clone(), cells[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_outputs: Tensor, d_h: Tensor, d_c: Tensor) -> Any:
        x, W, U, gates, hidden, cells = ctx.saved_tensors
        d_outputs, d_h, d_c = d_outputs.contiguous(), d_h.clone(), d_c.clone()
        d_sums = torch.empty_like(gates)  # [T B, 4 D], the gradient before the gates
        call = _lstm_call(U, gates, hidden, cells, d_outputs)
        work = x.new_empty(ctx.kernels.lstm_size(call, 1))
        call.d_sums, call.work = d_sums.data_ptr(), work.data_ptr()
        call.d_hidden, call.d_cell = d_h.data_ptr(), d_c.data_ptr()
        ctx.kernels.lstm_backward(call)
        d_U = weight_gradient(d_sums, hidden[:-1].flatten(0, 1))
        d_W = weight_gradient(d_sums, x)
        return multiply(d_sums, W.T), d_h, d_c, d_W, d_U, d_sums.sum(dim=0), None


def _lstm_call(
    U: Tensor, gates: Tensor, hidden: Tensor, cells: Tensor, outputs: Tensor
) -> LstmCall:
    T, B, D = hidden[1:].shape
    places = (one.data_ptr() for one in (U, gates, hidden, cells, outputs))
    return LstmCall(B, T, D, threads_for(B, U), *places)


class _BidirectionalLstm(torch.autograd.Function):
    """Both directions share the product `W x + b`: `W` and `b` hold those of both."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> tuple[Tensor, Tensor]:
        mask, W, U_right, U_left, b, kernels = given
        (B, S), D = mask.shape, U_right.shape[1]
        gates = multiply(x, W, b)  # [B S, 8 D]
        outputs, final = x.new_empty(B, S, 2 * D), x.new_empty(B, 2 * D)
        cells, us = torch.empty_like(outputs), (U_right.contiguous(), U_left.contiguous())
        ctx.save_for_backward(x, mask, W, *us, gates, cells, outputs)
        ctx.kernels = kernels
        call, work = _directions_call(kernels, mask, *us, gates)
        call.cells, call.states, call.last = map(Tensor.data_ptr, (cells, outputs, final))
        call.work = work.data_ptr()
        kernels.bidirectional_lstm_forward(call)
        return outputs, final

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_outputs: Tensor, d_final: Tensor) -> Any:
        x, mask, W, U_right, U_left, gates, cells, outputs = ctx.saved_tensors
        D = U_right.shape[1]
        d_sums = torch.empty_like(gates)  # [B S, 8 D], the gradient before the gates
        d_outputs, d_final = d_outputs.contiguous(), d_final.contiguous()
        call, work = _directions_call(ctx.kernels, mask, U_right, U_left, gates)
        call.cells, call.states, call.last = map(Tensor.data_ptr, (cells, d_outputs, d_final))
        call.d_sums, call.work = d_sums.data_ptr(), work.data_ptr()
        ctx.kernels.bidirectional_lstm_backward(call)
        before = torch.zeros_like(outputs)  # what each direction wrote at the place before
        before[:, 1:, :D], before[:, :-1, D:] = outputs[:, :-1, :D], outputs[:, 1:, D:]
        halves = zip(d_sums.chunk(2, dim=1), before.flatten(0, 1).chunk(2, dim=1), strict=True)
        d_W, *d_us = [weight_gradient(d, h) for d, h in [(d_sums, x), *halves]]
        return multiply(d_sums, W.T), None, d_W, *d_us, d_sums.sum(dim=0), None


def _directions_call(
    kernels: Kernels, mask: Tensor, U_right: Tensor, U_left: Tensor, gates: Tensor
) -> tuple[BidirectionalLstmCall, Tensor]:
    """Return a call, and the memory that it works in."""
    (B, S), D = mask.shape, U_right.shape[1]
    places = (one.data_ptr() for one in (U_right, U_left, mask, gates))
    call = BidirectionalLstmCall(B, S, D, threads_for(B, U_right), *places)
    return call, gates.new_empty(kernels.bidirectional_lstm_size(call))
