"""Which lines read the same source: so that it is held once, and read by all of them together."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

GROUP = "group"  # the entry of a State that says which row of the held tensors a line reads


class Groups:
    """Tensors `[B, ...]` of which each row serves K lines that stand together.

    Search copies, moves and drops lines; with each goes the number of its row, `state[GROUP]`.
    From these numbers `arrange` finds out what has happened: as long as lines change places within
    their group nothing is copied; when groups leave, the rows that are left are. Lines that do not
    stand in groups of one size get a row each.
    """

    def __init__(self, n: int) -> None:
        self.n_groups, self.width = n, 1  # B and K
        self._known = np.arange(n)  # [B * K], the numbers of the lines as they stand now
        self.numbers = torch.from_numpy(self._known)  # the same, for the state

    def start(self, like: Tensor) -> Tensor:
        """Return the first numbers, one line a row, on the device of `like`."""
        self.numbers = self.numbers.to(like.device)
        return self.numbers

    def arrange(self, numbers: Tensor) -> Tensor | None:
        """Note how the lines stand now; return which rows to hold, None if they stay as they are.

        Args:
            numbers: `[N]`, the row that each line has read up to now.
        """
        if numbers is self.numbers:
            return None
        now = numbers.cpu().numpy()
        if now.shape == self._known.shape and (now == self._known).all():
            return None
        width = _run(now)
        rows = now[::width]
        same = np.array_equal(rows, np.arange(self.n_groups))
        self.n_groups, self.width = len(rows), width
        self._known = np.arange(len(rows)).repeat(width)
        self.numbers = torch.from_numpy(self._known).to(numbers.device)
        return None if same else torch.from_numpy(rows.copy()).to(numbers.device)


def _run(numbers: NDArray[np.int64]) -> int:
    """Return the size of the groups in which equal numbers stand; 1 if sizes differ."""
    width = int((numbers == numbers[0]).argmin()) or len(numbers)
    if len(numbers) % width:
        return 1
    groups = numbers.reshape(-1, width)
    return width if (groups == groups[:, :1]).all() else 1
