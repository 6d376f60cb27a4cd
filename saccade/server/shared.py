"""What the processes of one server have in common; made before they are forked."""

from copy import copy

from saccade.server.counters import Counters
from saccade.server.memory import CommonMemory, Counts, HeldCounts
from saccade.server.neighbours import Neighbours

GENERATIONS = 3  # of processes at once: those that serve, begin, and end


class Shared:
    """Memory, what is held and what was counted in it, and the other processes.

    `slot` is the number of this process.
    """

    def __init__(self, slots: int = 1) -> None:
        self.memory = CommonMemory()
        self.counts = Counts(self.memory, slots)
        self.counters = Counters(self.memory)
        self.neighbours = Neighbours(self.memory)
        self.slot = 0

    @classmethod
    def of_processes(cls, n: int) -> "Shared":
        """Return what `n` processes share with those that they take over from, and give way to."""
        return cls(GENERATIONS * n)

    def of(self, slot: int) -> "Shared":
        """Return the same as another process sees it."""
        other = copy(self)
        other.slot, other.neighbours = slot, copy(self.neighbours)
        other.neighbours.slot = slot
        return other

    @property
    def held(self) -> HeldCounts:
        """What this process holds."""
        return HeldCounts(self.memory, self.counts, self.slot)
