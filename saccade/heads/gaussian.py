"""A Gaussian over the next values, for models that know its covariance themselves."""

import math
from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.heads.base import Head

_INSIDE = 1e-12  # how far numbers of chance are kept from 0 and 1


class GaussianHead(Head):
    """Takes the features as they are: the mean of a Gaussian and the lower root of its covariance.

        f = [m; L]      p(y) = N(y; m, L L')      loss = -log p(y), nats

    L is written row after row, `[..., C + C C]`. A draw with bias b is `m + exp(-b) L z`.
    """

    general: ClassVar[bool] = False
    draws: ClassVar[bool] = True

    def __init__(self, width: int, size: int, tied: nn.Parameter | None) -> None:
        super().__init__(width, size)
        self.n_uniform = size

    def best(self, features: Tensor) -> Tensor:
        """Return the mean, `[..., C]`."""
        return features[..., : self.size]

    def root(self, features: Tensor) -> Tensor:
        """Return the root of the covariance, `[..., C, C]`."""
        return features[..., self.size :].reshape(*features.shape[:-1], self.size, self.size)

    def draw(self, features: Tensor, uniform: Tensor, bias: float = 0.0) -> Tensor:
        """Draw values, with a number of chance for every column."""
        if math.isinf(bias):
            return self.best(features)
        z = torch.special.ndtri(uniform.double().clamp(_INSIDE, 1 - _INSIDE)).to(features)
        moved = (self.root(features) @ z[..., None])[..., 0]
        drawn: Tensor = self.best(features) + math.exp(-bias) * moved
        return drawn

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the nats of all places."""
        missed = (gold.to(features) - self.best(features))[..., None]  # [N, C, 1]
        root = self.root(features)
        scaled = torch.linalg.solve_triangular(root, missed, upper=False)[..., 0]
        size = self.size * math.log(2 * math.pi) / 2
        nats = (
            0.5 * scaled.square().sum(dim=-1)
            + root.diagonal(dim1=-2, dim2=-1).log().sum(dim=-1)
            + size
        )  # [N]
        return nats.sum(), nats.detach()
