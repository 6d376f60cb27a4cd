"""Dropout whose masks are hashed from one draw."""

import torch
from torch import Tensor, nn

from saccade.kernels.dropout import Draw, dropout

_BITS = (1 << 32) - 1


class Dropout(nn.Module):
    """Put zeros in place of a share `p` of the numbers, and scale the others up.

        y = m x / (1 - p),    m[i] = 1 if hash(seed, i) >= p 2^32 else 0

    Srivastava et al. 2014. A call draws one seed and hashes the place of every number with it, so
    a kernel needs no mask to go back. With and without kernels the masks are the same.
    """

    def __init__(self, p: float = 0.1) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Drop in training; otherwise let `x [...]` through."""
        draw = self.draw()
        if draw is None:
            return x
        dropped = dropout(x, draw)
        return torch.where(kept(draw, x), x * draw.scale, 0.0) if dropped is None else dropped

    def draw(self) -> Draw | None:
        """Draw a seed, for one call or for all steps of a loop; None if nothing is dropped."""
        return Draw.of(self.p) if self.training and self.p else None

    def extra_repr(self) -> str:
        """Say how much it drops."""
        return f"p={self.p}"


def kept(draw: Draw, like: Tensor) -> Tensor:
    """Return which numbers of a tensor shaped `like` stay: bool, on the same device.

    The hash is the end of MurmurHash3 over the place, with half of the seed before each product. It
    is computed in int32, whose products wrap around as those of uint32 do.
    """
    h = torch.arange(like.numel(), dtype=torch.int32, device=like.device)
    h.mul_(_signed(0x9E3779B1)).add_(_signed(draw.seed))
    h.bitwise_xor_(_shifted(h, 16)).mul_(_signed(0x85EBCA6B))
    shifted = _shifted(h, 13)
    h.bitwise_xor_(_signed(draw.seed >> 32)).bitwise_xor_(shifted).mul_(_signed(0xC2B2AE35))
    h.bitwise_xor_(_shifted(h, 16))
    sign = 1 << 31  # orders signed numbers as those without a sign
    return (h.bitwise_xor_(_signed(sign)) >= _signed(draw.limit ^ sign)).view(like.shape)


def _signed(x: int) -> int:
    """Return the int32 with the lowest 32 bits of `x`."""
    x &= _BITS
    return x - (1 << 32) if x >> 31 else x


def _shifted(h: Tensor, n: int) -> Tensor:
    """Shift to the right as if there were no sign."""
    return (h >> n).bitwise_and_(_BITS >> n)
