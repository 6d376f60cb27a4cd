"""An encoder above what another encoder made of the sources."""

from saccade.encoders.base import Encoder
from saccade.flow import Memory, Padded


def stacked(memory: Memory, upper: Encoder | None) -> Memory:
    """Read the states of a memory; places of the source go to where their states went."""
    if upper is None:
        return memory
    above: Memory = upper(Padded(memory.states, memory.mask))
    if memory.places is None or above.places is None:
        places = memory.places if above.places is None else above.places
    else:
        moved = above.places.gather(1, memory.places.clamp(min=0))
        places = moved.masked_fill(memory.places < 0, -1)
    return Memory(above.states, above.mask, above.summary, places, above.values)
