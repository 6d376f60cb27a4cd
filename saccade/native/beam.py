"""The hypotheses of a beam in C."""

import numpy as np
import torch
from torch import Tensor

from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.nouns import Hypothesis
from saccade.search._beam_hypotheses import filled_up
from saccade.search._rules import NEVER, Rules, penalty
from saccade.search.base import BeamOptions, Found, Task

_WRITTEN = np.dtype([("symbol", "i4"), ("parent", "i4"), ("gain", "f4")])
_COMPLETED = np.dtype([("score", "f4"), ("gain", "f4"), ("parent", "i4"), ("place", "i4")])


class NativeBeam:
    """What `BeamHypotheses` holds, for a plain task.

    Sentences that are done leave at once: this is for steps that copy nothing when they do.
    `structure` points to all of it: kernels that run many steps at a call go on with it.
    """

    def __init__(self, options: BeamOptions, task: Task, kernels: Kernels) -> None:
        rules = Rules(task)
        n, width, steps = len(task.limits), options.width, rules.n_steps
        self.options, self.kernels = options, kernels
        self.banned = rules.banned.contiguous()  # ids that are never written
        self._limits = rules.limits.numpy()
        self._penalties = penalty(np.arange(steps + 2), options.alpha, options.offset)
        self._rows = np.arange(n)
        self._symbols = torch.full((n * width,), task.start)
        self._index = torch.empty(n * width, dtype=torch.long)
        self._scores = np.zeros((n, width), dtype=np.float32)
        self._written = np.zeros((n, steps, width), dtype=_WRITTEN)
        self._completed = np.zeros((n, options.n_completed), dtype=_COMPLETED)
        self._completed["score"] = NEVER
        self._lengths = np.full(n, -1)
        where = {
            "penalties": self._penalties,
            "limits": self._limits,
            "rows": self._rows,
            "symbols": self._symbols.numpy(),
            "index": self._index.numpy(),
            "scores": self._scores,
            "written": self._written,
            "completed": self._completed,
            "lengths": self._lengths,
        }
        self.structure = structures.BeamState(
            width=width,
            steps=steps,
            n_completed=options.n_completed,
            n_best=options.n_best,
            end=task.end,
            patient=options.patient,
            going=n,
            **{name: array.ctypes.data for name, array in where.items()},
        )

    @property
    def going(self) -> bool:
        """Whether a sentence is not done."""
        return bool(self.structure.going)

    @property
    def last(self) -> Tensor:
        """The symbols that the lines wrote last, `[N]`."""
        lines = self.options.width if self.structure.step else 1
        return self._symbols[: self.structure.going * lines]

    def advance(self, gains: Tensor, symbols: Tensor) -> Tensor | None:
        """Write one symbol a line, given the best of each and their log-probabilities, `[N, n]`.

        Returns:
            The lines that those that go on come from, `[M]`; None if all stay in their places.
        """
        self.structure.n_each = gains.shape[1]
        self.kernels.turn_page(self.structure, gains.data_ptr(), symbols.data_ptr())
        if not self.structure.moved:
            return None
        return self._index[: self.structure.going * self.options.width]

    def found(self) -> list[Found]:
        """Tell what every sentence found."""
        return [Found(self._found(row)) for row in range(len(self._rows))]

    def _found(self, row: int) -> tuple[Hypothesis, ...]:
        """Read what a sentence has completed, and, if that is too little, what it was writing."""
        length, n = int(self._lengths[row]), self.options.n_best
        pages = self._written[row, :length].tolist()  # [t, K] of symbol, parent and gain
        finished = [
            _read(pages[:place], parent, score, gain)
            for score, gain, parent, place in self._completed[row, :n].tolist()
            if score > NEVER
        ]
        if len(finished) == n:
            return tuple(finished)
        scores = self._scores[row, : self.options.width if length else 1]
        least = penalty(length, self.options.alpha, self.options.offset)
        scores = (scores / least).tolist()
        lines = (_read(pages, line, score) for line, score in enumerate(scores) if score > NEVER)
        return filled_up(finished, lines, n)


def _read(
    pages: list[list[tuple[int, int, float]]], line: int, score: float, end: float | None = None
) -> Hypothesis:
    """Follow a line back to its first symbol; `end` is the gain of its END, if it wrote one."""
    symbols: list[int] = []
    gains = [] if end is None else [end]
    for page in reversed(pages):
        symbol, line, gain = page[line]
        symbols.append(symbol)
        gains.append(gain)
    return Hypothesis(tuple(symbols[::-1]), score, tuple(gains[::-1]), end is not None)
