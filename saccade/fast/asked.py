"""The best few symbols of every line, as the kernels are asked for them."""

import ctypes

import torch
from torch import Tensor

from saccade.flow import Few, State
from saccade.native import structures


class Asked:
    """Where a step writes the `n` best symbols of each of its lines, the `banned` left out."""

    def __init__(self, lines: int, n: int, banned: Tensor) -> None:
        self._gains, self._banned = torch.empty(lines, n), banned
        self._symbols = torch.empty(lines, n, dtype=torch.long)
        where = (one.data_ptr() for one in (banned, self._gains, self._symbols))
        self._structure = structures.Few(n, len(banned), *where)
        self.at = ctypes.addressof(self._structure)

    def answered(self, state: State) -> Few:
        """Return what was written, and the state behind the step that wrote it."""
        return Few(self._gains, self._symbols, state)
