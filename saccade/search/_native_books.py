"""The books of a beam in C: one call a step."""

import numpy as np
import torch
from torch import Tensor

from saccade.flow import Brief, State, guided
from saccade.kernels import structures
from saccade.kernels.library import Kernels
from saccade.nouns import Hypothesis
from saccade.search._beam_hypotheses import Aims, Move, filled_up
from saccade.search._rules import NEVER, Rules, penalty
from saccade.search.base import Found, Task

_WRITTEN = np.dtype([("symbol", "i4"), ("parent", "i4"), ("gain", "f4")])
_COMPLETED = np.dtype([("score", "f4"), ("gain", "f4"), ("parent", "i4"), ("place", "i4")])


class NativeBooks:
    """Keeps the books that `Books` keeps, for a task without prefixes, shapers and watch.

    Sentences that are done leave at once: this is for steps that copy nothing when they do.
    """

    def __init__(self, aims: Aims, task: Task, rules: Rules, kernels: Kernels, step: Brief) -> None:
        n, width, steps = len(task.limits), aims.width, rules.n_steps
        self.aims, self.kernels, self.step = aims, kernels, step
        self._limits, self._banned = rules.limits.numpy(), rules.banned.contiguous()
        self._penalties = penalty(np.arange(steps + 2), aims.alpha)
        self._rows, self._guided = np.arange(n), guided(step)
        self._symbols = torch.full((n * width,), task.start)
        self._index = torch.empty(n * width, dtype=torch.long)
        self._scores = np.zeros((n, width), dtype=np.float32)
        self._written = np.zeros((n, steps, width), dtype=_WRITTEN)
        self._completed = np.zeros((n, aims.n_completed), dtype=_COMPLETED)
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
        self._books = structures.BeamState(
            width=width,
            steps=steps,
            n_completed=aims.n_completed,
            n_best=aims.n_best,
            end=task.end,
            patient=aims.patient,
            going=n,
            **{name: array.ctypes.data for name, array in where.items()},
        )

    @staticmethod
    def serves(task: Task, rules: Rules) -> bool:
        """Tell whether C knows all that is asked for."""
        plain = not (rules.shapers or rules.n_forced or task.watch)
        return plain and task.limits.device.type == "cpu"

    @property
    def going(self) -> bool:
        """Whether a sentence is not done."""
        return bool(self._books.going)

    @property
    def last(self) -> Tensor:
        """The symbols that the lines wrote last, `[N]`."""
        return self._symbols[: self._books.going * (self.aims.width if self._books.step else 1)]

    def turn(self, state: State) -> State:
        """Write one symbol a line, or as many as the step writes by itself."""
        if self._guided is not None and self._books.step:
            self._guided.walk(self._books, state, self._banned)
            return state
        gains, symbols, state = self.step.few(self.last, state, 2 * self.aims.width, self._banned)
        self._books.n_each = gains.shape[1]
        self.kernels.turn_page(self._books, gains.data_ptr(), symbols.data_ptr())
        index = self._index[: self._books.going * self.aims.width]
        return Move(index if self._books.moved else None, within=False).of(state)

    def found(self) -> list[Found]:
        """Tell what every sentence found."""
        return [Found(self._found(row)) for row in range(len(self._rows))]

    def _found(self, row: int) -> tuple[Hypothesis, ...]:
        """Read what a sentence has completed, and, if that is too little, what it was writing."""
        length, n = int(self._lengths[row]), self.aims.n_best
        pages = self._written[row, :length].tolist()  # [t, K] of symbol, parent and gain
        finished = [
            _read(pages[:place], parent, score, gain)
            for score, gain, parent, place in self._completed[row, :n].tolist()
            if score > NEVER
        ]
        if len(finished) == n:
            return tuple(finished)
        scores = self._scores[row, : self.aims.width if length else 1]
        scores = (scores / penalty(length, self.aims.alpha)).tolist()
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
