"""What a decoder is: Memory and vectors of a prefix in, features of the next symbol out."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from torch import Tensor, nn

from saccade.attention.base import Attention
from saccade.flow import Decoded, Memory, State, Stepped


class Decoder(nn.Module, ABC):
    """Writes. `forward` over a whole prefix and `step` over its symbols one by one must agree."""

    alone: ClassVar[bool] = False  # True if it can write without a memory, which has width 0 then
    n_before: ClassVar[int] = 0  # places of the past that stand before START

    def __init__(self, input_dim: int, memory_dim: int) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.memory_dim = memory_dim

    @property
    @abstractmethod
    def feature_dim(self) -> int:
        """Width of the features."""

    @property
    @abstractmethod
    def attention_names(self) -> tuple[str, ...]:
        """What the A maps of the weights are called."""

    @property
    def self_attention(self) -> Mapping[str, Attention]:
        """What reads the places written so far, by the name of its layer; see `n_before`."""
        return {}

    @abstractmethod
    def start(self, memory: Memory) -> State:
        """Return the state before the first symbol; its SOURCE depends on the memory alone."""

    @abstractmethod
    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one vector `[B, input_dim]` and return features `[B, feature_dim]`."""

    @abstractmethod
    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Read a whole prefix `[B, T, input_dim]` and return features `[B, T, feature_dim]`."""
