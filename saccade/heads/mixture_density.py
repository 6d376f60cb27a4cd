"""A mixture of Gaussians on a plane, and a pen that is lifted: what a hand does next."""

import math
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, softplus

from saccade.errors import RecipeError, ShapeError
from saccade.heads.base import Head
from saccade.kernels.precision import restored

_STEEPEST = 4.0  # of tanh, so that |rho| is at most 0.9993
_COLUMNS = 3  # two directions and the pen
_PEN = 2  # numbers of the pen


class _Mixture(NamedTuple):
    """The parameters of a place: mixtures `[..., M]` and the pen `[...]`."""

    log_pi: Tensor
    mean: Tensor  # [..., M, 2]
    log_sigma: Tensor  # [..., M, 2]
    r: Tensor  # rho = tanh(r)
    lift: Tensor  # the logit of lifting the pen
    end: Tensor  # the logit of ending there, if it is lifted


class MixtureDensity(Head):
    """Says how likely every move of the pen is, and whether it is lifted after it.

        (pi', mu, sigma', rho', e', s') = W f + b
        pi = softmax(pi')      sigma = exp(sigma')      rho = tanh(rho')      M bells
        p(x) = sum_j pi[j] N(x; mu[j], sigma[j], rho[j])                       x = (x1, x2)
        N(x; mu, sigma, rho) = exp(-Z / (2 (1 - rho^2))) / (2 pi sigma1 sigma2 sqrt(1 - rho^2))
        Z = d1^2 + d2^2 - 2 rho d1 d2            d = (x - mu) / sigma
        p(lifted) = s(e')      p(ended | lifted) = s(s')
        loss = -log p(x) - log p(pen)                  nats

    Graves 2013 (arXiv:1308.0850), equations 18 to 26. He stops writing when the window has passed
    the text; here the last lift of the pen is an event of its own, so writing stops without a
    window too. So that no loss is infinite, sigma is at least `floor` and |rho'| at most 4.

    A draw with bias b has sigma = exp(sigma' - b) and pi = softmax((1 + b) pi'): equations 61 and
    62. The logits of the pen are multiplied by 1 + b too, so that a draw with b without end is
    `best`: the mean of the likeliest bell, and the likelier pen.
    """

    draws: ClassVar[bool] = True
    stops: ClassVar[bool] = True
    n_uniform: int = 4

    def __init__(
        self,
        width: int,
        size: int,
        tied: nn.Parameter | None,
        *,
        components: int = 20,
        floor: float = 0.01,
    ) -> None:
        super().__init__(width, size)
        if size != _COLUMNS:
            raise ShapeError(
                f"head mixture_density: the target has {size} columns; expected the 3 of strokes:"
                " two directions and the pen. Use head values."
            )
        if components < 1 or not 0 < floor < 1:
            raise RecipeError(
                f"mixture_density: found {components} components and floor {floor:g}; expected 1"
                " bell or more and a floor between 0 and 1. Change them."
            )
        self.components, self.floor = components, floor
        self.output = nn.Linear(width, 6 * components + _PEN)

    def best(self, features: Tensor) -> Tensor:
        """Return the mean of the likeliest bell and the likelier pen, `[..., 3]`."""
        one = self._mixture(features)
        choice = one.log_pi.argmax(dim=-1)  # [...]
        mean = _chosen(one.mean, choice)  # [..., 2]
        lifted = one.lift > 0
        pen = torch.where(lifted, 1.0 + (one.end > 0).to(mean), torch.zeros_like(one.lift))
        return torch.cat([mean, pen[..., None].to(mean)], dim=-1)

    def draw(self, features: Tensor, uniform: Tensor, bias: float = 0.0) -> Tensor:
        """Draw a move and what the pen does after it, `[..., 3]`, with four numbers of chance."""
        if math.isinf(bias):
            return self.best(features)
        one = self._mixture(features)
        reached = ((1 + bias) * one.log_pi).softmax(dim=-1).cumsum(dim=-1)  # [..., M]
        wanted = uniform[..., :1] * reached[..., -1:]  # [..., 1]
        choice = (reached <= wanted).sum(dim=-1).clamp(max=self.components - 1)  # [...]
        mean, log_sigma = _chosen(one.mean, choice), _chosen(one.log_sigma, choice)  # [..., 2]
        rho = _chosen(one.r[..., None], choice)[..., 0].tanh()  # [...]
        z1, z2 = torch.special.ndtri(_inside(uniform[..., 1:3])).unbind(dim=-1)
        z = torch.stack([z1, rho * z1 + (1 - rho * rho).sqrt() * z2], dim=-1)  # [..., 2]
        lift, end = ((1 + bias) * logit for logit in (one.lift, one.end))
        chance = uniform[..., 3]
        pen = (chance < lift.sigmoid()).to(mean) + (chance < lift.sigmoid() * end.sigmoid()).to(
            mean
        )
        return torch.cat([mean + (log_sigma - bias).exp() * z, pen[..., None]], dim=-1)

    def ended(self, values: Tensor) -> Tensor:
        """Tell where the pen was lifted for the last time."""
        return values[..., 2] > 1.5

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the nats of all places."""
        one = self._mixture(features)
        d1, d2 = ((gold[:, None, :2] - one.mean) * (-one.log_sigma).exp()).unbind(dim=-1)  # [N, M]
        rho, log_rest = one.r.tanh(), _log_one_minus_tanh_squared(one.r)  # [N, M]
        Z = d1 * d1 + d2 * d2 - 2 * rho * d1 * d2
        log_bell = (
            -0.5 * Z * (-log_rest).exp()
            - math.log(2 * math.pi)
            - one.log_sigma.sum(dim=-1)
            - 0.5 * log_rest
        )  # [N, M]
        moved = torch.logsumexp(one.log_pi + log_bell, dim=-1)  # [N]
        pen, ended = gold[:, 2], gold[:, 2] > 1.5
        lifted = logsigmoid(one.lift) + torch.where(ended, logsigmoid(one.end), -softplus(one.end))
        nats = -moved - torch.where(pen > 0.5, lifted, -softplus(one.lift))  # [N]
        return nats.sum(), nats.detach()

    def _mixture(self, features: Tensor) -> _Mixture:
        M = self.components
        raw = restored(self.output(features))
        pi, mu, sigma, r, pen = torch.split(raw, [M, 2 * M, 2 * M, M, _PEN], dim=-1)
        return _Mixture(
            pi.log_softmax(dim=-1),
            mu.reshape(*mu.shape[:-1], M, 2),
            sigma.reshape(*mu.shape[:-1], M, 2).clamp(min=math.log(self.floor), max=_LOG_WIDEST),
            r.clamp(-_STEEPEST, _STEEPEST),
            pen[..., 0],
            pen[..., 1],
        )


_LOG_WIDEST = 20.0  # exp of more may be infinite in the square


def _chosen(values: Tensor, choice: Tensor) -> Tensor:
    """Take one bell `[...]` of `[..., M, C]`: `[..., C]`."""
    index = choice[..., None, None].expand(*choice.shape, 1, values.shape[-1])
    return values.gather(-2, index).squeeze(-2)


def _inside(uniform: Tensor) -> Tensor:
    """Keep numbers off 0 and 1, where the quantiles of a Gaussian are infinite."""
    return uniform.clamp(1e-7, 1 - 1e-7)


def _log_one_minus_tanh_squared(r: Tensor) -> Tensor:
    """Return log(1 - tanh(r)^2) without a difference of numbers that are near one."""
    return 2 * (math.log(2) - r - softplus(-2 * r))
