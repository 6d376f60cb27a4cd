"""What an embedder is: padded values of one side in, vectors out."""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from saccade.flow import Padded


class Embedder(nn.Module, ABC):
    """The first layer of a model.

    The host gives the size of the side (symbols, columns, channels) and the width of the vectors.
    """

    raw: ClassVar[str] = ""  # the raw values that it can read, as of Modality; "" is any

    def __init__(self, size: int, dim: int) -> None:
        super().__init__()
        self.size = size
        self.dim = dim

    @abstractmethod
    def forward(self, source: Padded) -> Padded:
        """Turn values into vectors `[B, S, D]`; `[B, N, S, D]` of nested sequences.

        Padding must not change the vector of a kept place.
        """

    def grid(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the places that one array of this shape becomes."""
        return shape[:1]


class PlaceEmbedder(Embedder, ABC):
    """An embedder that turns each place into a vector by itself, so that a decoder can use it."""

    @property
    def matrix(self) -> nn.Parameter | None:
        """The vectors of all symbols `[V, D]`, which a head can share; None if there are none."""
        return None

    @abstractmethod
    def embed(self, values: Tensor) -> Tensor:
        """Turn the values of any number of places into vectors `[..., D]`."""
