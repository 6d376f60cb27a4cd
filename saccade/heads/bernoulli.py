"""Bits, each by itself: how likely it is that it is one."""

from typing import ClassVar

from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from saccade.heads.base import Head
from saccade.kernels.precision import restored


class Bernoulli(Head):
    """Says of every bit of a place how likely it is to be one.

        p = s(O f + b)
        loss = -sum_c (y[c] log p[c] + (1 - y[c]) log(1 - p[c]))           nats of a place

    A draw with bias b has p = s((1 + b) (O f + b)), so that one with b without end is `best`.
    """

    draws: ClassVar[bool] = True

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        self.n_uniform = size
        self.output = nn.Linear(width, size)

    def logits(self, features: Tensor) -> Tensor:
        """Turn features `[..., D]` into logits of ones `[..., C]`."""
        return restored(self.output(features))

    def best(self, features: Tensor) -> Tensor:
        """Return the likelier value of every bit, `[..., C]`."""
        return likelier_bits(self.logits(features))

    def draw(self, features: Tensor, uniform: Tensor, bias: float = 0.0) -> Tensor:
        """Draw every bit with one number of chance, `[..., C]`."""
        return drawn_bits(self.logits(features), uniform, bias)

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the nats of all places."""
        return bit_nats(self.logits(features), gold)


def likelier_bits(logits: Tensor) -> Tensor:
    """Round: one where the logit is above zero."""
    return (logits > 0).to(logits)


def drawn_bits(logits: Tensor, uniform: Tensor, bias: float) -> Tensor:
    """Draw bits by uniform numbers of the same shape."""
    if bias == float("inf"):
        return likelier_bits(logits)
    return (uniform < ((1 + bias) * logits).sigmoid()).to(logits)


def bit_nats(logits: Tensor, gold: Tensor) -> tuple[Tensor, Tensor]:
    """Sum the nats of bits `gold [N, C]`; also return those of every place `[N]`, detached."""
    nats = binary_cross_entropy_with_logits(logits, gold.to(logits), reduction="none").sum(dim=1)
    return nats.sum(), nats.detach()
