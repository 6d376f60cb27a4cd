"""Attention of many heads in one call, where nobody looks at its weights."""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import scaled_dot_product_attention

from saccade.kernels.library import Kernels, found
from saccade.kernels.precision import restored
from saccade.kernels.structures import AttentionCall, heads_view

_SHORT = 64  # places up to which a head is done in the innermost cache
_LANES = 16  # numbers that the kernels take at once


def attend(query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, dropout: float) -> Tensor:
    """Read `values [B, H, S, d]` with `query [B, H, T, d]` where `mask`, `[B, 1, T, S]`, keeps.

        y = softmax(q k' / sqrt(d)) v

    On a processor always in float32: torch's backward pass in bfloat16 takes seven times as long
    there (torch 2.13). Short sequences, as sentences are, go through our kernels if there are any:
    256 of 16 places and 4 heads of 64, forward and back on two cores of Zen 4: 11.8 to 4.4 ms.
    """
    if query.device.type != "cpu":
        return scaled_dot_product_attention(query, keys, values, mask, dropout)
    with torch.autocast("cpu", enabled=False):
        whole = (restored(query), restored(keys), restored(values))
        kernels = found().kernels if _is_short(*whole, dropout) else None
        if kernels is None:
            return scaled_dot_product_attention(*whole, mask, dropout)
        return _Short.apply(*whole, mask, kernels)  # type: ignore[no-any-return, no-untyped-call]


def _is_short(query: Tensor, keys: Tensor, values: Tensor, dropout: float) -> bool:
    width = query.shape[3]
    return (
        query.dtype == torch.float32
        and not dropout
        and 0 < max(query.shape[2], keys.shape[2]) <= _SHORT
        and width % _LANES == 0
        and keys.shape == values.shape == (*query.shape[:2], keys.shape[2], width)
    )


class _Short(torch.autograd.Function):
    """Attention by the kernels of `native`; they keep the weights for the way back."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, keys: Tensor, values: Tensor, mask: Tensor, kernels: Kernels
    ) -> Tensor:
        query, keys, values = (_side_by_side(one) for one in (query, keys, values))
        B, H, T, _ = query.shape
        mask = mask.expand(B, 1, T, keys.shape[2])
        weights = query.new_empty(B, H, T, keys.shape[2])
        read = _like(query)
        call = _call(query, keys, values, weights)
        call.y, call.mask = heads_view(read), mask.data_ptr()
        call.mask_batch, _, call.mask_query, call.mask_key = mask.stride()
        kernels.attention_forward(call)
        ctx.save_for_backward(query, keys, values, weights)
        ctx.kernels = kernels
        return read

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        query, keys, values, weights = ctx.saved_tensors
        gradient = _side_by_side(gradient)
        back = [_like(one) for one in (query, keys, values)]
        call = _call(query, keys, values, weights)
        work = query.new_empty(call.threads * call.queries * call.keys)
        call.dq, call.dk, call.dv = map(heads_view, back)
        call.dy, call.work = heads_view(gradient), work.data_ptr()
        ctx.kernels.attention_backward(call)
        return *back, None, None


def _call(query: Tensor, keys: Tensor, values: Tensor, weights: Tensor) -> AttentionCall:
    call = AttentionCall(*query.shape[:3], *keys.shape[2:], torch.get_num_threads())
    call.q, call.k, call.v = map(heads_view, (query, keys, values))
    call.weights, call.keep = weights.data_ptr(), 1
    return call


def _like(x: Tensor) -> Tensor:
    """Make room for `[B, H, T, d]` in which the heads of a place stand side by side."""
    B, H, T, d = x.shape
    return x.new_empty(B, T, H, d).transpose(1, 2)


def _side_by_side(x: Tensor) -> Tensor:
    return x if x.stride(3) == 1 else x.contiguous()
