"""All steps of an LSTM in one call of the kernels, forward and back."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.blocked import multiply
from saccade.native.library import Kernels, found
from saccade.native.structures import Sweep

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
    """`x [B, T, X]` to outputs `[B, T, D]` and the last `h` and `c`.

        i, f, g, o = W x + b + U h'        c = f c' + i g,    h = o tanh(c)

    `W x + b` is one product over all steps, and so is the gradient of each matrix.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, *given: Any) -> tuple[Tensor, Tensor, Tensor]:
        h, c, W, U, b, ctx.kernels = given
        (B, T, _), D, U = x.shape, U.shape[1], U.contiguous()
        x = x.transpose(0, 1).flatten(0, 1)  # [T B, X]
        gates = multiply(x, W, b)  # [T B, 4 D]
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
        T, B, _ = hidden[1:].shape
        d_outputs, d_h, d_c = d_outputs.contiguous(), d_h.clone(), d_c.clone()
        sums = torch.empty_like(gates)  # [T B, 4 D], the gradient before the gates
        call = _call(U, gates, hidden, cells, d_outputs)
        work = x.new_empty(ctx.kernels.sweep_size(call, 1))
        call.d_sums, call.work = sums.data_ptr(), work.data_ptr()
        call.d_hidden, call.d_cell = d_h.data_ptr(), d_c.data_ptr()
        ctx.kernels.sweep_backward(call)
        d_x = multiply(sums, W.T).unflatten(0, (T, B)).transpose(0, 1)  # type: ignore[no-untyped-call]
        d_U = sums.T @ hidden[:-1].flatten(0, 1)
        return d_x, d_h, d_c, sums.T @ x, d_U, sums.sum(dim=0), None


def _call(U: Tensor, gates: Tensor, hidden: Tensor, cells: Tensor, outputs: Tensor) -> Sweep:
    T, B, D = hidden[1:].shape
    threads = torch.get_num_threads() if B * U.numel() >= _SHARED else 1
    call = Sweep(B, T, D, threads, U.data_ptr(), gates.data_ptr())
    call.hidden, call.cells, call.outputs = hidden.data_ptr(), cells.data_ptr(), outputs.data_ptr()
    return call
