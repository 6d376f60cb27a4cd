"""Bits of a picture that was drawn in steps, with what the steps had to be told."""

from typing import ClassVar

from torch import Tensor, nn

from saccade.heads.base import Head
from saccade.heads.bernoulli import bit_nats, drawn_bits, likelier_bits
from saccade.kernels.precision import restored


class BernoulliBound(Head):
    """Reads the logits of a place and, as the last feature, nats that are added to its loss.

        loss = k - sum_c (y[c] log p[c] + (1 - y[c]) log(1 - p[c])),     p = s(f[c])

    With k the divergence of what an encoder tells from what was to be expected, the sum over a
    picture is a bound: -log p(y) is not larger, on average.
    """

    general: ClassVar[bool] = False
    draws: ClassVar[bool] = True

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        self.n_uniform = size

    def best(self, features: Tensor) -> Tensor:
        """Return the likelier value of every bit, `[..., C]`."""
        return likelier_bits(features[..., :-1])

    def draw(self, features: Tensor, uniform: Tensor, bias: float = 0.0) -> Tensor:
        """Draw every bit with one number of chance, the last ones there are, `[..., C]`."""
        return drawn_bits(features[..., :-1], uniform[..., -self.size :], bias)

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the nats of all places, and those that the steps were told."""
        features = restored(features)
        total, each = bit_nats(features[:, :-1], gold)
        told = features[:, -1]
        return total + told.sum(), each + told.detach()
