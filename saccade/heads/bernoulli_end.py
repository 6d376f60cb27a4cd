"""Bits, and whether nothing more comes."""

from typing import ClassVar

from torch import Tensor

from saccade.heads.bernoulli import Bernoulli


class BernoulliEnd(Bernoulli):
    """Says of every bit of a place how likely it is to be one; the last says that this is END.

        p = s(O f + b)                                                     as `bernoulli`
        loss = -sum_c (y[c] log p[c] + (1 - y[c]) log(1 - p[c]))           nats of a place

    Writing stops at the first place whose last bit is one. Graves, Wayne & Danihelka 2014
    (arXiv:1410.5401), section 4.2, have such a mark where a model must know when it is done.
    """

    stops: ClassVar[bool] = True

    def ended(self, values: Tensor) -> Tensor:
        """Tell where the last bit is one."""
        return values[..., -1] > 0.5
