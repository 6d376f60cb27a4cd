"""All steps of an LSTM, or of two, in one call of the kernels, forward and back."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.kernels.library import Kernels, found
from saccade.kernels.matmul import multiply
from saccade.kernels.structures import BidirectionalLstmCall, LstmCall

_LANES = 16  # numbers that the kernels take at once
_SHARED = 1 << 20  # products of two numbers in a step from which a second thread is worth waking


def kernels_for(*given: Tensor, width: int) -> Kernels | None:
    """Return the kernels, if there are any, a gradient is wanted and they take what is given."""
    if torch.compiler.is_compiling():  # as a graph, say, for another engine
        return None
    if width % _LANES or not torch.is_grad_enabled() or torch.is_autocast_enabled("cpu"):
        return None
    fit = all(one.dtype == torch.float32 and one.device.type == "cpu" for one in given)
    return found().kernels if fit and all(map(torch.numel, given)) else None


class LstmSteps(torch.autograd.Function):
    """The rows of `x`, those of a time together, to outputs `[B, T, D]` and the last `h` and `c`.

        i, f, g, o = W x + b + U h'        c = f c' + i g,    h = o tanh(c)

    `W x + b` is one product over all steps, and so is the gradient of each matrix.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> tuple[Tensor, Tensor, Tensor]:
        h, c, W, U, b, ctx.kernels = given
        gates = multiply(x, W, b)  # [T B, 4 D]
        (B, D), U = h.shape, U.contiguous()
        T = len(gates) // B
        hidden, cells = x.new_empty(T + 1, B, D), x.new_empty(T + 1, B, D)
        hidden[0], cells[0] = h, c
        outputs = x.new_empty(B, T, D)
        ctx.save_for_backward(x, W, U, gates, hidden, cells)
        call = _call(U, gates, hidden, cells, outputs)
        work = x.new_empty(ctx.kernels.sweep_size(call, 0))
        call.work = work.data_ptr()
        ctx.kernels.sweep_forward(call)
        return outputs, hidden[-1].clone(), cells[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_outputs: Tensor, d_h: Tensor, d_c: Tensor) -> Any:
        x, W, U, gates, hidden, cells = ctx.saved_tensors
        d_outputs, d_h, d_c = d_outputs.contiguous(), d_h.clone(), d_c.clone()
        sums = torch.empty_like(gates)  # [T B, 4 D], the gradient before the gates
        call = _call(U, gates, hidden, cells, d_outputs)
        work = x.new_empty(ctx.kernels.sweep_size(call, 1))
        call.d_sums, call.work = sums.data_ptr(), work.data_ptr()
        call.d_hidden, call.d_cell = d_h.data_ptr(), d_c.data_ptr()
        ctx.kernels.sweep_backward(call)
        d_U = sums.T @ hidden[:-1].flatten(0, 1)
        return multiply(sums, W.T), d_h, d_c, sums.T @ x, d_U, sums.sum(dim=0), None


class LstmBoth(torch.autograd.Function):
    """The rows of `x` to what cells say that read it to the right and to the left, `[B, S, 2 D]`.

    Both pass by what `mask [B, S]` leaves out, and say zeros there. Also returns the last that each
    said, `[B, 2 D]`. Products over all places are one for both, where they read the same.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> tuple[Tensor, Tensor]:
        mask, W, U_right, U_left, b, ctx.kernels = given  # W [8 D, X], b [8 D]
        (B, S), D = mask.shape, U_right.shape[1]
        gates = multiply(x, W, b)  # [B S, 8 D]
        states, last = x.new_empty(B, S, 2 * D), x.new_empty(B, 2 * D)
        cells, us = torch.empty_like(states), (U_right.contiguous(), U_left.contiguous())
        mask = mask.contiguous()
        ctx.save_for_backward(x, mask, W, *us, gates, cells, states)
        _with_room(
            ctx.kernels.both_forward, ctx.kernels, us, mask, gates, None, cells, states, last
        )
        return states, last

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_states: Tensor, d_last: Tensor) -> Any:
        x, mask, W, *us, gates, cells, states = ctx.saved_tensors
        D = us[0].shape[1]
        sums = torch.empty_like(gates)  # [B S, 8 D], the gradient before the gates
        given = (sums, cells, d_states.contiguous(), d_last.contiguous())
        _with_room(ctx.kernels.both_backward, ctx.kernels, us, mask, gates, *given)
        before = torch.zeros_like(states)  # what each said at the place it came from
        before[:, 1:, :D], before[:, :-1, D:] = states[:, :-1, :D], states[:, 1:, D:]
        halves = zip(sums.chunk(2, dim=1), before.flatten(0, 1).chunk(2, dim=1), strict=True)
        d_us = [d.T @ h for d, h in halves]
        return multiply(sums, W.T), None, sums.T @ x, *d_us, sums.sum(dim=0), None


def _with_room(
    way: Callable[..., None],
    kernels: Kernels,
    us: Sequence[Tensor],
    mask: Tensor,
    gates: Tensor,
    *rest: Tensor | None,
) -> None:
    """Go one way over all places."""
    (B, S), D = mask.shape, us[0].shape[1]
    places = (None if one is None else one.data_ptr() for one in (*us, mask, gates, *rest))
    call = BidirectionalLstmCall(B, S, D, _threads(B, us[0]), *places)
    work = gates.new_empty(kernels.both_size(call))
    call.work = work.data_ptr()
    way(call)


def _threads(B: int, U: Tensor) -> int:
    return torch.get_num_threads() if B * U.numel() >= _SHARED else 1


def _call(U: Tensor, gates: Tensor, hidden: Tensor, cells: Tensor, outputs: Tensor) -> LstmCall:
    T, B, D = hidden[1:].shape
    call = LstmCall(B, T, D, _threads(B, U), U.data_ptr(), gates.data_ptr())
    call.hidden, call.cells, call.outputs = hidden.data_ptr(), cells.data_ptr(), outputs.data_ptr()
    return call
