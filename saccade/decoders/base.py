"""What a decoder is: Memory and vectors of a prefix in, features of the next symbol out."""

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from saccade.flow import Decoded, Memory, State, Stepped


class Decoder(nn.Module, ABC):
    """Writes. `forward` over a whole prefix and `step` over its symbols one by one must agree."""

    alone: ClassVar[bool] = False  # True if it can write without a memory, which has width 0 then

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

    @abstractmethod
    def start(self, memory: Memory) -> State:
        """Return the state before the first symbol; its SOURCE depends on the memory alone."""

    @abstractmethod
    def step(self, x: Tensor, state: State, *, look: bool = False) -> Stepped:
        """Read one vector `[B, input_dim]` and return features `[B, feature_dim]`."""

    @abstractmethod
    def forward(self, x: Tensor, memory: Memory, *, look: bool = False) -> Decoded:
        """Read a whole prefix `[B, T, input_dim]` and return features `[B, T, feature_dim]`."""
