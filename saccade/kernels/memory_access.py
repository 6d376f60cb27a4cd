"""What machines do with all slots of a memory at every step, with gradients written out.

Comparing slots and writing to them is as large as the memory, `[B, N, M]`, and linking them as
large as `[B, N, N]`. Autograd would make a tensor of that size for each of their signs; here only
what is needed is computed again.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def cosines(memory: Tensor, key: Tensor, tiny: float) -> Tensor:
    """Compute `k . M / (|k| |M| + tiny)`: memory `[B, N, M]` and key `[B, H, M]` to `[B, H, N]`."""
    with torch.autocast(memory.device.type, enabled=False):  # addresses need all their digits
        found: Tensor = _Cosines.apply(memory, key.to(memory), tiny)  # type: ignore[no-untyped-call]
    return found


def rewrite(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    """Compute `M (1 - w e) + w a` for one head: weights `[B, 1, N]`, erase and add `[B, 1, M]`."""
    with torch.autocast(memory.device.type, enabled=False):
        given = (one.to(memory) for one in (weights, erase, add))
        found: Tensor = _Rewrite.apply(memory, *given)  # type: ignore[no-untyped-call]
    return found


def linked(links: Tensor, precedence: Tensor, write: Tensor) -> Tensor:
    """Compute `(1 - w[i] - w[j]) L[i, j] + w[i] p[j]`, nought for i = j.

    Args:
        links: L, `[B, N, N]`.
        precedence: p, `[B, N]`.
        write: w, `[B, N]`.
    """
    with torch.autocast(links.device.type, enabled=False):
        given = (one.to(links) for one in (precedence, write))
        found: Tensor = _Linked.apply(links, *given)  # type: ignore[no-untyped-call]
    return found


def allocated(used: Tensor) -> Tensor:
    """Compute `(1 - u[j]) prod_{i < j} u[i]`, slots being sorted by u: `[B, N]` to `[B, N]`."""
    with torch.autocast(used.device.type, enabled=False):
        found: Tensor = _Allocated.apply(used)  # type: ignore[no-untyped-call]
    return found


class _Cosines(torch.autograd.Function):
    """With c = k . M / d, d = |k| |M| + tiny: dk = (g / d) M - sum(g c |M| / d) k / |k|."""

    @staticmethod
    def forward(ctx: Any, memory: Tensor, key: Tensor, tiny: float) -> Tensor:
        """Compute the cosines."""
        k, m = key.norm(dim=2, keepdim=True), memory.norm(dim=2)[:, None]  # [B, H, 1], [B, 1, N]
        d = torch.bmm(k, m).add_(tiny)  # [B, H, N]
        c = torch.bmm(key, memory.transpose(1, 2)).div_(d)
        ctx.save_for_backward(memory, key, k, m, d, c)
        return c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        """Go back to the memory and to the keys."""
        memory, key, k, m, d, c = ctx.saved_tensors
        g = g / d  # [B, H, N]
        c = g * c
        d_key = d_memory = None
        if ctx.needs_input_grad[1]:
            along = torch.bmm(c, m.transpose(1, 2)) / k.clamp(min=1e-30)  # [B, H, 1]
            d_key = torch.bmm(g, memory).addcmul_(along, key, value=-1)
        if ctx.needs_input_grad[0]:
            along = torch.bmm(k.transpose(1, 2), c).div_(m.clamp(min=1e-30))  # [B, 1, N]
            d_memory = torch.bmm(g.transpose(1, 2), key)  # [B, N, M]
            d_memory.addcmul_(along.transpose(1, 2), memory, value=-1)
        return d_memory, d_key, None


class _Rewrite(torch.autograd.Function):
    """One head that erases and adds."""

    @staticmethod
    def forward(ctx: Any, memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Tensor:
        """Write."""
        ctx.save_for_backward(memory, weights, erase, add)
        w = weights.transpose(1, 2)  # [B, N, 1]
        written = torch.bmm(w, add)  # [B, N, M]
        return written.add_(memory).addcmul_(torch.bmm(w, erase), memory, value=-1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Go back to all four."""
        memory, weights, erase, add = ctx.saved_tensors
        lost = g * memory  # [B, N, M]
        d_erase = torch.bmm(weights, lost).neg_()
        d_add = torch.bmm(weights, g)
        d_weights = torch.bmm(add, g.transpose(1, 2))  # [B, 1, N]
        d_weights.baddbmm_(erase, lost.transpose(1, 2), alpha=-1)
        kept = torch.bmm(weights.transpose(1, 2), erase).neg_().add_(1)
        return kept.mul_(g), d_weights, d_erase, d_add


class _Linked(torch.autograd.Function):
    """The order in which slots were written."""

    @staticmethod
    def forward(ctx: Any, links: Tensor, precedence: Tensor, write: Tensor) -> Tensor:
        """Link."""
        ctx.save_for_backward(links, precedence, write)
        i, j = write[:, :, None], write[:, None]
        found = torch.addcmul(links, i + j, links, value=-1).baddbmm_(i, precedence[:, None])
        found.diagonal(dim1=1, dim2=2).zero_()
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Go back to all three."""
        links, precedence, write = ctx.saved_tensors
        g = g.clone()
        g.diagonal(dim1=1, dim2=2).zero_()
        lost = g * links  # [B, N, N]
        d_write = torch.bmm(g, precedence[:, :, None]).squeeze(2)
        d_write.sub_(lost.sum(dim=2)).sub_(lost.sum(dim=1))
        d_precedence = torch.bmm(write[:, None], g).squeeze(1)
        d_links = g.addcmul_(write[:, :, None] + write[:, None], g, value=-1)
        return d_links, d_precedence, d_write


class _Allocated(torch.autograd.Function):
    """With P[j] = prod_{i < j} u[i]: du[i] = sum_{j > i} g[j] a[j] / u[i] - g[i] P[i]."""

    @staticmethod
    def forward(ctx: Any, used: Tensor) -> Tensor:
        """Sort and multiply."""
        u, phi = used.sort(dim=1, stable=True)
        before = torch.ones_like(u)
        torch.cumprod(u[:, :-1], dim=1, out=before[:, 1:])
        found = (1 - u) * before
        ctx.save_for_backward(u, phi, before, found)
        return torch.empty_like(used).scatter_(1, phi, found)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: Tensor) -> Tensor:
        """Go back through the product; where u is nought, slots behind it do not count."""
        u, phi, before, found = ctx.saved_tensors
        g = g.gather(1, phi)
        after = (g * found).flip(1).cumsum(1).flip(1)  # [B, N], from j = i on
        d = (after - g * found) / u.clamp(min=1e-30) - g * before
        return torch.empty_like(d).scatter_(1, phi, d)
