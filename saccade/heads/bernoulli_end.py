"""Bits, and whether nothing more comes."""

from typing import ClassVar

from torch import Tensor, nn

from saccade.heads.base import Head
from saccade.heads.bernoulli import bit_nats, drawn_bits, likelier_bits
from saccade.kernels.precision import restored


class BernoulliEnd(Head):
    """Says of every bit of a place how likely it is to be one; the last says that this is END.

        p = s(O f + b)                                                     as `bernoulli`
        loss = -sum_c (y[c] log p[c] + (1 - y[c]) log(1 - p[c]))           nats of a place

    Writing stops at the first place whose last bit is one. Graves, Wayne & Danihelka 2014
    (arXiv:1410.5401), section 4.2, have such a mark where a model must know when it is done.
    """

    draws: ClassVar[bool] = True
    stops: ClassVar[bool] = True

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

    def ended(self, values: Tensor) -> Tensor:
        """Tell where the last bit is one."""
        return values[..., -1] > 0.5

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the nats of all places."""
        return bit_nats(self.logits(features), gold)
