"""The gradient of a matrix that multiplied many rows, by a kernel where that is faster than BLAS.

    y[n] = W x[n]        dW = sum_n dy[n] x[n]' = dy' x

On one core of Zen 4, in GFLOP/s by BLAS and by the kernel: 3,600 rows of 256 to 1,024 85 and 104,
512 of 256 to 8,000, added up, 98 and 106, 960 of 512 to 2,048 94 and 108. Where there is no
AVX-512, BLAS it is. Who multiplies is a question of processor and shape alone, so that a run can be
repeated bit by bit; and the kernel sums every number in one order, however many threads there are.
"""

import torch
from torch import Tensor

from saccade.kernels.library import Kernels, found
from saccade.kernels.structures import Outer

_LARGE = 1 << 23  # products of two numbers from which a call costs less than it saves
_PANEL = 64  # columns of x that are multiplied at once
_MOST_IDLE = 0.1  # the share of columns that may be missing from the last of them


def outer(dy: Tensor, x: Tensor, to: Tensor | None = None, *, adds: bool = False) -> Tensor:
    """Return `dy' x` for `dy [N, out]` and `x [N, in]`, without a gradient.

    Args:
        dy: gradients of what the matrix made of rows.
        x: the rows.
        to: where the result is written, `[out, in]`; a tensor of its own if there is none.
        adds: it is added to what stands there.
    """
    kernels = _kernels_for(dy, x, *(() if to is None else (to,)))
    if kernels is not None:
        to = dy.new_empty(dy.shape[1], x.shape[1]) if to is None else to
        _by_kernels(kernels, dy, x, to, adds=adds)
        return to
    if to is None:
        return dy.T @ x
    return to.addmm_(dy.T, x) if adds else torch.mm(dy.T, x, out=to)


def _kernels_for(*given: Tensor) -> Kernels | None:
    """Return the kernels, if there are any and they multiply what is given faster than BLAS."""
    wide = given[1].shape[1]
    if given[0].numel() * wide < _LARGE or -wide % _PANEL > _MOST_IDLE * wide:
        return None
    fit = all(one.dtype == torch.float32 and one.device.type == "cpu" for one in given)
    if not fit or any(one.stride(1) != 1 for one in given):
        return None
    kernels = found().kernels
    return kernels if kernels is not None and kernels.outer_pays else None


def _by_kernels(kernels: Kernels, dy: Tensor, x: Tensor, to: Tensor, *, adds: bool) -> None:
    places = (part for one in (dy, x, to) for part in (one.data_ptr(), one.stride(0)))
    call = Outer(*dy.shape, x.shape[1], torch.get_num_threads(), *places, adds)
    work = to.new_empty(kernels.outer_size(call))
    call.work = work.data_ptr()
    kernels.outer(call)
