"""A batch that C writes: step by step for any search, or a whole beam search."""

import ctypes
from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from saccade.flow import Padded, Sources, State, Step, only, reorder
from saccade.inference.steps import PIECES, Start, batch_places
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.kernels.workspace import Workspace
from saccade.native.beam import NativeBeam
from saccade.search.base import BeamOptions, Found, Task

STEPS = 16  # that a beam takes at a call, so that one can be interrupted


class NativeModel(ABC):
    """A model all of whose steps are computed in C."""

    pieces: ClassVar[int] = PIECES

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most; see `Searcher`."""
        return batch_places(lines, self.pieces)

    @abstractmethod
    def read(self, source: Padded) -> "NativeBatch":
        """Read the source `[B, S]`."""

    def begin(self, sources: Sources) -> Start:
        """Read the source, for a search that steps: see `ModelSteps`."""
        batch = self.read(only(sources))
        return Start(batch.step, batch.start)


class BestStep(NamedTuple):
    """The best symbols of every line, best first, and the state after the step, `[N, n]` each.

    `gains` are their log-probabilities. Of equals the lower symbol comes first.
    """

    gains: Tensor
    symbols: Tensor
    state: State


class BestSymbols:
    """Where a step writes the `n` best symbols of each of its lines, the `banned` left out."""

    def __init__(self, lines: int, n: int, banned: Tensor) -> None:
        self.gains, self._banned = torch.empty(lines, n), banned
        self.symbols = torch.empty(lines, n, dtype=torch.long)
        where = (one.data_ptr() for one in (banned, self.gains, self.symbols))
        self._structure = structures.TopSymbols(n, len(banned), *where)
        self.at = ctypes.addressof(self._structure)


class NativeBatch(ABC):
    """The lines of one batch. It holds what they read and wrote, so a state is followed once."""

    kernels: Kernels
    start: State  # before the first symbol
    n_symbols: int
    _scores: Workspace  # [N, V], what a step writes to that tells of all symbols

    def step(self, token: Tensor, state: State) -> Step:
        """Write one place: `token [N]`. What it gives lasts until the next step."""
        log_probs = self._scores.first(len(token))
        return Step(log_probs, self._step(token, state, log_probs=log_probs.data_ptr()))

    def best(self, token: Tensor, state: State, n: int, banned: Tensor) -> BestStep:
        """Write one place, and find the `n` best symbols that may follow: `token [N]`."""
        best = BestSymbols(len(token), min(n, self.n_symbols), banned)
        state = self._step(token, state, few=best.at)
        return BestStep(best.gains, best.symbols, state)

    def beam(self, options: BeamOptions, task: Task) -> list[Found]:
        """Run a whole beam search for a plain task; find what `search.beam` finds."""
        beam, state = NativeBeam(options, task, self.kernels), self.start
        if beam.going:
            best = self.best(beam.last, state, 2 * options.width, beam.banned)
            index = beam.advance(best.gains, best.symbols)
            state = best.state if index is None else reorder(best.state, index)
        while beam.going:
            self._walk(beam.structure, state, beam.banned)
        return beam.found()

    @abstractmethod
    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place, and what is wanted to where it is wanted."""

    @abstractmethod
    def _walk(self, beam: structures.BeamState, state: State, banned: Tensor) -> None:
        """Take some steps of a beam from its second on; `state` is the one behind the first."""
