"""The next values themselves."""

from torch import Tensor, nn

from saccade.flow import Padded, last
from saccade.heads.base import Head


class ValueHead(Head):
    """Forecasts the next numbers: the mean of a distribution that it does not know.

        y = r x[S] + O f + b                       r = 1 if `relative`, else 0

    With `relative` it learns how far values move from the last one known, x[S], which is right for
    series that wander.
    """

    def __init__(
        self,
        width: int,
        size: int,
        tied: nn.Parameter | None,
        *,
        relative: bool = False,
    ) -> None:
        super().__init__(width, size)
        self.relative = self.anchors = relative
        self.output = nn.Linear(width, size)

    def best(self, features: Tensor) -> Tensor:
        """Turn features, with what was known behind them if relative, into values `[..., C]`."""
        moved: Tensor = self.output(features[..., : self.width])
        return moved + features[..., self.width :] if self.relative else moved

    def loss(self, features: Tensor, gold: Tensor, smoothing: float = 0.0) -> tuple[Tensor, Tensor]:
        """Sum the squared errors, each the mean over the columns."""
        errors = (self.best(features) - gold).square().mean(dim=1)  # [N]
        return errors.sum(), errors.detach()

    def anchor(self, source: Padded) -> Tensor | None:
        """Return the last place of each source, `[B, C]`, if forecasts are relative to it."""
        return last(source.values, source.mask)[:, : self.size] if self.relative else None
