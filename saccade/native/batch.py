"""The best few symbols of every line, as the kernels are asked for them."""

import ctypes
from abc import ABC, abstractmethod

import torch
from torch import Tensor

from saccade.flow import Few, State, Step
from saccade.kernels import structures
from saccade.kernels.workspace import Workspace

STEPS = 16  # that a beam takes at a call, so that one can be interrupted


class BestSymbols:
    """Where a step writes the `n` best symbols of each of its lines, the `banned` left out."""

    def __init__(self, lines: int, n: int, banned: Tensor) -> None:
        self._gains, self._banned = torch.empty(lines, n), banned
        self._symbols = torch.empty(lines, n, dtype=torch.long)
        where = (one.data_ptr() for one in (banned, self._gains, self._symbols))
        self._structure = structures.TopSymbols(n, len(banned), *where)
        self.at = ctypes.addressof(self._structure)

    def answered(self, state: State) -> Few:
        """Return what was written, and the state behind the step that wrote it."""
        return Few(self._gains, self._symbols, state)


class NativeBatch(ABC):
    """A step function in C, and a `Brief`: it tells of all symbols, or of the best few."""

    n_symbols: int
    _scores: Workspace  # [N, V], what a step writes to that tells of all

    def __call__(self, token: Tensor, state: State) -> Step:
        """Write one place: `token [N]`. What it gives lasts until the next step."""
        log_probs = self._scores.first(len(token))
        return Step(log_probs, self._step(token, state, log_probs=log_probs.data_ptr()))

    def few(self, token: Tensor, state: State, n: int, banned: Tensor) -> Few:
        """Write one place, and find the `n` best that may follow: `token [N]`."""
        asked = BestSymbols(len(token), min(n, self.n_symbols), banned)
        return asked.answered(self._step(token, state, few=asked.at))

    @abstractmethod
    def _step(self, token: Tensor, state: State, **wanted: int) -> State:
        """Write one place, and what is wanted to where it is wanted."""
