"""What a model laid out for inference offers to a search."""

from typing import NamedTuple, Protocol

from torch import Tensor

from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import Memory, Sources, State, StepFunction, Stepped
from saccade.heads.symbols import SymbolHead
from saccade.models.base import Model
from saccade.models.encoder_decoder import EncoderDecoder

_LARGEST = 1024  # places of a batch, however few lines read each
PIECES = 1920  # of a batch, times the lines that read each: what they read is held


def batch_places(lines: int, pieces: int = PIECES) -> int:
    """Return how many places a batch should have if so many lines read each: `pieces` over them.

    >>> batch_places(1), batch_places(5)
    (1024, 384)
    """
    return min(_LARGEST, pieces // lines)


class SymbolModel(NamedTuple):
    """An `EncoderDecoder` that reads one source and writes symbols by a softmax."""

    model: EncoderDecoder
    target: SymbolEmbedder
    head: SymbolHead


def symbol_model(model: Model) -> SymbolModel | None:
    """Return a model with its first and last layer of the target side; None if it is another."""
    if type(model) is not EncoderDecoder or len(model.reading.encoders) != 1:
        return None
    target, head = model.target_embedding, model.head
    if type(target) is not SymbolEmbedder or type(head) is not SymbolHead:
        return None
    return SymbolModel(model, target, head)


class Start(NamedTuple):
    """A batch that is to be written: its step function and its first state."""

    step: StepFunction
    state: State


class ModelSteps(Protocol):
    """A model that writes step by step; each of its states may be followed once."""

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most; see `Searcher`."""

    def begin(self, sources: Sources) -> Start:
        """Read the sources."""


class DecoderLines(Protocol):
    """The lines of one batch, as a decoder writes them."""

    start: State

    def step(self, x: Tensor, state: State) -> Stepped:
        """Read one vector a line, `[N, D]`."""


class DecoderSteps(Protocol):
    """A decoder that writes step by step."""

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most; see `Searcher`."""

    def begin(self, memory: Memory) -> DecoderLines:
        """Prepare the memory."""
