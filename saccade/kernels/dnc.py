"""One step of the memory of a Differentiable Neural Computer: one call forward and one back.

`DNC.access` computes the same by some forty small operations, whose calls cost more than their
work. Here the gradient is written down by hand, and what it needs is computed again.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from saccade.kernels.library import kernels_for
from saccade.kernels.structures import DncCall, DncState

_PARALLEL_FROM = 1 << 17  # links of a batch from which a second thread is worth waking


class DncMemory(NamedTuple):
    """A memory and what is known of it, as `DNC` keeps them."""

    memory: Tensor  # [B, N, M]
    read: Tensor  # [B, R, N]
    write: Tensor  # [B, 1, N]
    usage: Tensor  # [B, N]
    links: Tensor  # [B, N, N]
    precedence: Tensor  # [B, N]


class DncStepped(NamedTuple):
    """The memory after a step, and the vectors that were read, `[B, R, M]`."""

    vectors: Tensor
    after: DncMemory


def dnc_step(raw: Tensor, before: DncMemory, tiny: float) -> DncStepped | None:
    """Do what the controller says, `raw [B, I]`, or return None if there is no kernel for it.

    Forward and back with 32 slots of 16 numbers, on one core of Zen 3: 0.03 ms a row.
    """
    if torch.is_autocast_enabled("cpu"):
        return None
    kernels = kernels_for(raw, *before)
    if kernels is None:
        return None
    vectors, *after = _DncStep.apply(raw, *before, tiny, kernels)  # type: ignore[no-untyped-call]
    return DncStepped(vectors, DncMemory(*after))


class _DncStep(torch.autograd.Function):
    """A step of all rows."""

    @staticmethod
    def forward(ctx: Any, raw: Tensor, *given: Any) -> tuple[Tensor, ...]:
        *state, ctx.tiny, ctx.kernels = given
        before = [one.contiguous() for one in state]
        after = [torch.empty_like(one) for one in before]
        memory, read = before[:2]
        vectors = memory.new_empty(*read.shape[:2], memory.shape[2])
        raw = raw.contiguous()
        call = _call(raw, before, ctx.tiny)
        call.after = _places(vectors, after)
        work = raw.new_empty(ctx.kernels.dnc_size(call))
        call.work = work.data_ptr()
        ctx.kernels.dnc_forward(call)
        ctx.save_for_backward(raw, *before, vectors, *after)
        return vectors, *after

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Any:
        raw, *kept = ctx.saved_tensors
        before, vectors, after = kept[:6], kept[6], kept[7:]
        given = [one.contiguous() for one in gradients]
        d_raw, d_before = torch.empty_like(raw), [torch.empty_like(one) for one in before]
        call = _call(raw, before, ctx.tiny)
        call.d_raw = d_raw.data_ptr()
        call.after = _places(vectors, after)
        call.d_before = _places(vectors, d_before)
        call.d_after = _places(given[0], given[1:])
        work = raw.new_empty(ctx.kernels.dnc_size(call))
        call.work = work.data_ptr()
        ctx.kernels.dnc_backward(call)
        return d_raw, *d_before, None, None


def _call(raw: Tensor, before: list[Tensor], tiny: float) -> DncCall:
    (B, N, M), R = before[0].shape, before[1].shape[1]
    threads = torch.get_num_threads() if B * N * N >= _PARALLEL_FROM else 1
    call = DncCall(B, N, M, R, threads, tiny, raw.data_ptr())
    call.before = _places(raw, before)
    return call


def _places(vectors: Tensor, state: list[Tensor]) -> DncState:
    memory, *rest = (one.data_ptr() for one in state)
    return DncState(memory, vectors.data_ptr(), *rest)
