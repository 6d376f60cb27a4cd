"""Two writers of the same lines, one of them clear, and a walk on which they are led."""

import numpy as np
import torch
from torch import Tensor
from torch.testing import assert_close

from saccade.flow import Sources, State, only, reorder, reorder_within
from saccade.inference.steps import ModelSteps, Start
from saccade.models.base import Model, Writer, writer
from saccade.parts import Part
from tests.samples import batch_of, scramble, sides

SIZE = 23
SOURCES = [[4, 5, 6], [9, 3], [6, 7, 3, 9, 10], [11, 12, 13, 14]]


def build(part: Part[Model]) -> Writer:
    """Build a model of random weights."""
    return writer(scramble(part.build(*sides(SIZE)), scale=0.25))


def source(sentences: list[list[int]] = SOURCES) -> Sources:
    """Return sentences as a batch."""
    return batch_of(*((ids, []) for ids in sentences)).sources


def written(form: ModelSteps, read: Sources, steps: int, lines: int = 1) -> Tensor:
    """Write the same in `lines` lines of every sentence: `[steps, N, V]`."""
    return written_by(form.begin(read), len(only(read).mask), steps, lines)


def written_by(begun: Start, n: int, steps: int, lines: int = 1) -> Tensor:
    """Do the same with what `n` sentences have begun."""
    step, state = begun
    state = reorder(state, torch.arange(n).repeat_interleave(lines))
    every = []
    for t in range(steps):
        log_probs, state = step(torch.full((n * lines,), 4 + t), state)
        every.append(log_probs.clone())
    return torch.stack(every)


class Walk:
    """Two writers that are told the same."""

    def __init__(self, clear: Start, fast: Start, near: float = 1e-9) -> None:
        self.clear, self.fast, self.near = clear, fast, near
        self.states: list[State] = [clear.state, fast.state]
        self.noise = np.random.default_rng(1)
        self.n = len(SOURCES)

    def step(self) -> None:
        """Write one symbol a line."""
        token = torch.from_numpy(self.noise.integers(4, SIZE, self.n))
        expected, self.states[0] = self.clear.step(token, self.states[0])
        found, self.states[1] = self.fast.step(token, self.states[1])
        assert_close(found, expected, atol=self.near, rtol=self.near)

    def move(self, index: list[int], *, within: bool = False) -> None:
        """Go on with these lines."""
        rows, turn = torch.tensor(index), reorder_within if within else reorder
        self.states, self.n = [turn(state, rows) for state in self.states], len(index)

    def wander(self) -> None:
        """Move lines of four sentences about in every way that a search may."""
        self.step()
        self.move([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])  # widen
        self.step()
        self.move([1, 0, 1, 3, 5, 5, 8, 8, 8, 9, 10, 11], within=True)
        self.step()
        self.step()
        self.move([2, 2, 0, 8, 7, 8, 11, 9, 10])  # the second sentence leaves
        for _ in range(18):  # more than there is room for at first
            self.step()
            self.move([1, 2, 0, 3, 3, 5, 8, 7, 7], within=True)
        self.step()
        self.move([0, 1, 4, 6, 7, 8])  # groups of unequal size
        self.step()
        self.step()
        self.move([5, 0, 0, 3])
        self.step()
        self.move([3, 1])
        self.step()
