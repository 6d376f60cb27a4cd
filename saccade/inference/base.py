"""What a form gives a search to write with."""

from typing import NamedTuple

from saccade.embedders.symbols import SymbolEmbedder
from saccade.flow import State, StepFunction
from saccade.heads.symbols import SymbolHead
from saccade.models.encoder_decoder import EncoderDecoder

HELD = 1920  # pieces of a batch times the lines that read each, unless a form asks for more


def layers_of(model: EncoderDecoder) -> tuple[SymbolEmbedder, SymbolHead]:
    """Return the first layer of the target side and the last layer of a model of symbols."""
    target, head = model.target_embedding, model.head
    assert isinstance(target, SymbolEmbedder)
    assert isinstance(head, SymbolHead)
    return target, head


class Start(NamedTuple):
    """A batch that is to be written: its step function and its first state."""

    step: StepFunction
    state: State
