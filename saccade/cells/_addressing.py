"""Where a head reads and writes: weights over the N slots of a memory, for all heads at once.

Memories are `[B, N, M]`: slots and their width. Weights are `[B, H, N]`, one row a head. Every step
is one function, with the name that the papers give it.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from saccade.kernels.memory_access import allocated, cosines, linked, rewrite

TINY = 1e-6  # beside lengths of vectors, so that none is divided by nought
_FAINT = 1e-12  # the least weight whose logarithm is taken


def similarity(memory: Tensor, key: Tensor) -> Tensor:
    """Compare keys with all slots: the cosine, `[B, H, N]`.

        K[h, n] = k[h] . M[n] / (|k[h]| |M[n]| + tiny)

    Args:
        memory: `[B, N, M]`.
        key: `[B, H, M]`.
    """
    return cosines(memory, key, TINY)


def content(memory: Tensor, key: Tensor, strength: Tensor) -> Tensor:
    """Look for slots that hold what the key holds.

        w[n] = softmax_n(beta K[n])

    Graves, Wayne & Danihelka 2014 (arXiv:1410.5401), equations 5 and 6.

    Args:
        memory: `[B, N, M]`.
        key: `[B, H, M]`.
        strength: beta, `[B, H, 1]`.
    """
    return (strength * similarity(memory, key)).softmax(dim=2)


def interpolate(found: Tensor, before: Tensor, gate: Tensor) -> Tensor:
    """Choose between what content found and where the head was.

        w[n] = g w_c[n] + (1 - g) w'[n]                    equation 7

    Args:
        found: `[B, H, N]`.
        before: `[B, H, N]`.
        gate: g, `[B, H, 1]`.
    """
    return torch.lerp(before, found, gate)


def shift(weights: Tensor, steps: Tensor) -> Tensor:
    """Move along the slots, which form a ring.

        w[n] = sum_j s[j] w'[n - j]         j = -J .. J                    equation 8

    Args:
        weights: `[B, H, N]`.
        steps: s, `[B, H, 2 J + 1]`, how likely each step is, the farthest back first.
    """
    reach = steps.shape[2] // 2
    moved = [weights.roll(j, dims=2) for j in range(-reach, reach + 1)]
    return (torch.stack(moved, dim=2) * steps[..., None]).sum(dim=2)  # [B, H, N]


def sharpen(weights: Tensor, power: Tensor) -> Tensor:
    """Undo the blur of shifts.

        w[n] = w'[n]^gamma / sum_m w'[m]^gamma                    equation 9

    Computed as softmax(gamma log(w' + tiny)).

    Args:
        weights: `[B, H, N]`.
        power: gamma, `[B, H, 1]`, one or more.
    """
    return (power * (weights + _FAINT).log()).softmax(dim=2)


def oneplus(x: Tensor) -> Tensor:
    """Map to one or more: `1 + log(1 + exp(x))`."""
    return 1 + softplus(x)


def erase_and_add(memory: Tensor, weights: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    """Write with all heads.

        M[n] = M'[n] prod_h (1 - w[h, n] e[h]) + sum_h w[h, n] a[h]            equations 3 and 4

    Args:
        memory: `[B, N, M]`.
        weights: `[B, H, N]`.
        erase: e, `[B, H, M]`, 0 to 1.
        add: a, `[B, H, M]`.
    """
    if weights.shape[1] == 1:
        return rewrite(memory, weights, erase, add)
    kept = (1 - weights[..., None] * erase[:, :, None]).prod(dim=1)  # [B, N, M]
    return memory * kept + weights.transpose(1, 2) @ add


# The Differentiable Neural Computer: Graves et al. 2016 (Nature 538), Methods.


def retention(free: Tensor, reads: Tensor) -> Tensor:
    """Tell how much of each slot is not freed by the heads that have just read it: `[B, N]`.

        psi[n] = prod_r (1 - f[r] w_r'[r, n])

    Args:
        free: f, `[B, R, 1]`.
        reads: `[B, R, N]`, the read weights of the step before.
    """
    kept = 1 - free * reads  # [B, R, N]
    return kept[:, 0] if kept.shape[1] == 1 else kept.prod(dim=1)


def usage(before: Tensor, write: Tensor, kept: Tensor) -> Tensor:
    """Tell how much each slot is in use: `[B, N]`.

        u[n] = (u'[n] + w'[n] - u'[n] w'[n]) psi[n]

    Args:
        before: u', `[B, N]`.
        write: the write weights of the step before, `[B, N]`.
        kept: psi, `[B, N]`.
    """
    return torch.addcmul(before, write, 1 - before) * kept


def allocation(used: Tensor) -> Tensor:
    """Find the slot to write to that is used least: `[B, N]`, which sums to one or less.

        a[phi(j)] = (1 - u[phi(j)]) prod_{i < j} u[phi(i)]         phi sorts u, the least first

    Args:
        used: u, `[B, N]`.
    """
    return allocated(used)


class Links(NamedTuple):
    """In which order slots were written: `links [B, N, N]` and `precedence [B, N]`."""

    links: Tensor
    precedence: Tensor


def relink(before: Links, write: Tensor) -> Links:
    """Note that a slot was written after the one written last.

        L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p'[j]          L[i, i] = 0
        p[n] = (1 - sum_m w[m]) p'[n] + w[n]

    L[i, j] is how much slot i was written right after slot j.

    Args:
        before: L' and p'.
        write: w, `[B, N]`.
    """
    links, precedence = before
    left = 1 - write.sum(dim=1, keepdim=True)
    return Links(linked(links, precedence, write), torch.addcmul(write, left, precedence))


def follow(links: Tensor, reads: Tensor) -> tuple[Tensor, Tensor]:
    """Go to the slots written right before and right after those read last: 2 x `[B, R, N]`.

        b[r] = L^T w_r'[r]            f[r] = L w_r'[r]

    Args:
        links: `[B, N, N]`.
        reads: `[B, R, N]`.
    """
    return reads @ links, reads @ links.transpose(1, 2)
