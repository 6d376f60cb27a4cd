"""What an encoder is: vectors of the source in, Memory out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from torch import nn

from saccade.attention.base import Attention
from saccade.flow import Memory, Padded


class Encoder(nn.Module, ABC):
    """Reads the source. A part's constructor takes the width of the input vectors from the host."""

    nested: ClassVar[bool] = False  # True if it reads `[B, N, S, D]`, N sequences a row

    def __init__(self, input_dim: int) -> None:
        super().__init__()
        self.input_dim = input_dim

    @property
    @abstractmethod
    def memory_dim(self) -> int:
        """Width of the states and of the summary."""

    @property
    def self_attention(self) -> Mapping[str, Attention]:
        """What lets every place of the source read every place, by the name of its layer."""
        return {}

    def n_states(self, n_places: int) -> int:
        """Return how many states a source of so many places becomes."""
        return n_places

    def read(self, source: Padded) -> Memory:
        """Read the source; nested sequences end to end, unless the encoder reads them nested."""
        memory: Memory = self(source if self.nested else source.flat())
        return memory

    @abstractmethod
    def forward(self, source: Padded) -> Memory:
        """Read `source.values [B, S, input_dim]`; padding must not change any kept state."""
