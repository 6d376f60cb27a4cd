"""No positions: what breaks without them can be seen by running it."""

from torch import Tensor

from saccade.positions.base import Positions


class NoPositions(Positions):
    """Adds nothing: the model sees a bag of vectors."""

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Return `x`."""
        return x
