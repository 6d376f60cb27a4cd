"""A linear map of the features of every place of a grid."""

from typing import ClassVar

from saccade.embedders._grid import GridProjection
from saccade.embedders.base import Embedder
from saccade.flow import Padded


class ProjectedEmbedder(Embedder):
    """Maps features that a network made of a picture to vectors.

        x[i, j] = relu(W f[i, j] + b)
        x[i, j] = relu(W f[i, j] + C [r[i]; c[j]] + b)          with `places`

    The model drops some of the result in training. Xu et al. 2015 (arXiv:1502.03044) take features
    as they are, 512 at a place; a map makes 1,280 as narrow as the model.
    """

    raw: ClassVar[str] = "features"

    def __init__(self, size: int, dim: int, *, places: bool = False) -> None:
        super().__init__(size, dim)
        self.projection = GridProjection(size, dim, places=places)

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the rows and columns of the features `[H', W', C]`."""
        return shape[:2]

    def forward(self, source: Padded) -> Padded:
        """Read features `[B, H', W', C]`; return `[B, H' W', D]`, row by row."""
        vectors: Padded = self.projection(source)
        return vectors
