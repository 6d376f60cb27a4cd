"""All steps of a gated cell with the gradient written out by hand.

`cells/_gated.py` has the equations. The tensors may be of any type and on any device.
"""

from typing import Any

import torch
from torch import Tensor
from torch.amp import custom_fwd
from torch.autograd.function import once_differentiable

from saccade.kernels.matmul import weight_gradient


def gated_sweep(
    a: Tensor, h: Tensor, U_z: Tensor | None, U_r: Tensor, U_n: Tensor, *, squashes: bool
) -> Tensor:
    """Take all steps of a gated cell: outputs `[B, T, D]`.

    A step keeps no graph, and the gradients of the matrices are one product over all steps each,
    not a sum of T of them. With 64 rows of 30 steps and width 256, forward and back on one core:
    GRU 86 to 63 ms, mut1 58 to 46, mut2 79 to 55, mut3 103 to 59.

    Args:
        a: what the gates and the proposal take from the input, `[B, T, 3D]`.
        h: the state before the first step `[B, D]`.
        U_z: matrix of the update gate `[D, D]`, or None if it does not see the past.
        U_r: matrix of the reset gate `[D, D]`.
        U_n: matrix of the proposal `[D, D]`.
        squashes: whether the update gate sees `tanh(h')`.
    """
    outputs: Tensor = _Sweep.apply(a.transpose(0, 1), h, U_z, U_r, U_n, squashes)  # type: ignore[no-untyped-call]
    return outputs.transpose(0, 1)


class _Sweep(torch.autograd.Function):
    """The loop over time, time first: `a [T, B, 3D]` to outputs `[T, B, D]`, never in bfloat16."""

    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(
        ctx: Any,
        a: Tensor,
        h: Tensor,
        U_z: Tensor | None,
        U_r: Tensor,
        U_n: Tensor,
        squashes: bool,  # noqa: FBT001 - autograd passes no keywords
    ) -> Tensor:
        a_z, a_r, a_n = (half.contiguous() for half in a.chunk(3, dim=2))  # 3 x [T, B, D]
        states, gates = [h], []
        for t in range(len(a)):
            past = h.tanh() if squashes else h
            z = (a_z[t] if U_z is None else torch.addmm(a_z[t], past, U_z.T)).sigmoid()
            r = torch.addmm(a_r[t], h, U_r.T).sigmoid_()
            n = torch.addmm(a_n[t], r * h, U_n.T).tanh_()
            h = torch.lerp(h, n, z)
            states.append(h)
            gates.append((z, r, n))
        H = torch.stack(states)  # [T + 1, B, D]
        Z, R, N = (torch.stack(one) for one in zip(*gates, strict=True))  # 3 x [T, B, D]
        ctx.save_for_backward(H, Z, R, N, U_z, U_r, U_n)
        ctx.squashes = squashes
        return H[1:].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Any:
        H, Z, R, N, U_z, U_r, U_n = ctx.saved_tensors
        H = H[:-1]  # what each step saw
        seen = H.tanh() if ctx.squashes else H
        from_n = Z * (1 - N * N)  # how a change of h reaches the three sums
        from_z = (N - H) * Z * (1 - Z)
        from_r = H * R * (1 - R)
        da = gradient.new_empty(len(H), len(H[0]), 3, H.shape[2])  # [T, B, 3, D]
        dh = torch.zeros_like(H[0])
        for t in reversed(range(len(H))):
            dh = dh + gradient[t]
            da_n = dh * from_n[t]
            d_reset = da_n @ U_n  # of r h'
            da_r, da_z = d_reset * from_r[t], dh * from_z[t]
            da[t, :, 0], da[t, :, 1], da[t, :, 2] = da_z, da_r, da_n
            dh = torch.addmm(dh * (1 - Z[t]) + d_reset * R[t], da_r, U_r)
            if U_z is not None:
                d_past = da_z @ U_z
                dh = dh + (d_past * (1 - seen[t] ** 2) if ctx.squashes else d_past)
        dU_z = None if U_z is None else _sum_of(da[:, :, 0], seen)
        dU_r, dU_n = _sum_of(da[:, :, 1], H), _sum_of(da[:, :, 2], R * H)
        return da.flatten(2), dh, dU_z, dU_r, dU_n, None


def _sum_of(left: Tensor, right: Tensor) -> Tensor:
    """Sum the outer products of all steps and rows: `[D, D]`."""
    return weight_gradient(left.flatten(0, 1), right.flatten(0, 1))
