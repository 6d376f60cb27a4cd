"""The values of all steps at once."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded, last
from saccade.heads.base import Head


class PathHead(Head):
    """Forecasts the numbers of every step of a horizon from one vector.

        y[1..H] = r x[S] + O f + b                   r = 1 if `relative`, else 0

    The features of step t are `[f; t]`, with t from 0, so that one vector serves all steps.
    """

    general: ClassVar[bool] = False

    def __init__(
        self,
        width: int,
        size: int,
        tied: nn.Parameter | None,
        *,
        horizon: int = 12,
        relative: bool = False,
    ) -> None:
        super().__init__(width, size)
        if horizon < 1:
            raise RecipeError(f"dense_forecaster.horizon: {horizon} is below 1; it is in places.")
        self.horizon, self.relative = horizon, relative
        self.anchors = relative
        self.output = nn.Linear(width, horizon * size)

    def at(self, features: Tensor, step: Tensor) -> Tensor:
        """Put the number of a step `[...]` behind features `[..., D]`."""
        if step.numel() and int(step.max()) >= self.horizon:
            raise ShapeError(
                f"dense_forecaster: {int(step.max()) + 1} steps were asked for; expected at most"
                f" its horizon, {self.horizon}. Set model.horizon to that of the data, or ask for"
                " fewer."
            )
        return torch.cat([features, step[..., None].to(features.dtype)], dim=-1)

    def best(self, features: Tensor) -> Tensor:
        """Turn features `[..., D + 1]`, and what was known, `[..., C]`, into values `[..., C]`."""
        step = features[..., self.width].long()  # [...]
        path = self.output(features[..., : self.width]).unflatten(-1, (self.horizon, self.size))
        index = step[..., None, None].expand(*step.shape, 1, self.size)
        values: Tensor = path.gather(-2, index).squeeze(-2)  # [..., C]
        return values + features[..., self.width + 1 :] if self.relative else values

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the squared errors, each the mean over the columns."""
        errors = (self.best(features) - gold).square().mean(dim=1)  # [N]
        return errors.sum(), errors.detach()

    def anchor(self, source: Padded) -> Tensor | None:
        """Return the last place of each source, `[B, C]`, if forecasts are relative to it."""
        return last(source.values, source.mask)[:, : self.size] if self.relative else None
