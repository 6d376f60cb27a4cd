"""The latch problem as tensors: a few bits, a long noise, and the bits asked for at its end."""

from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from saccade.cells.base import Cell
from saccade.corpora.base import Split
from saccade.corpora.latch import Latch
from saccade.explanations._practice import Practised, alone, practise
from saccade.parts import Part
from saccade.recipe import Training

_TESTED = 200


@dataclass(frozen=True, slots=True)
class LatchTask:
    """Bits to remember for `distance` steps, and how long is learned: `updates` of `rows` texts.

    There are at most `size` texts to learn from, which are read again and again.
    """

    distance: int
    updates: int
    bits: int = 2
    width: int = 16
    rows: int = 32
    size: int = 4000

    def texts(self, split: Split, n: int, seed: int) -> tuple[Tensor, Tensor]:
        """Return what is read, `[N, distance + 1, bits + 1]`, and what was to be kept."""
        corpus = Latch(
            seed=seed, bits=self.bits, shortest=self.distance, longest=self.distance, size=n
        )
        pairs = list(islice(corpus.pairs(split), n))
        read = [[[float(bit) for bit in place] for place in source.split()] for source, _ in pairs]
        kept = [[float(bit) for bit in target] for _, target in pairs]
        return torch.tensor(read), torch.tensor(kept)


def learn(
    task: LatchTask, cell: Part[Cell], settings: Training, seed: int
) -> tuple[Practised, float]:
    """Train a cell; return its course, and the share of bits that it has right on other texts."""
    with alone(seed):
        x, kept = task.texts("train", min(task.updates * task.rows, task.size), seed)
        one = cell.build(task.bits + 1, task.width)
        model = nn.ModuleList([one, nn.Linear(task.width, task.bits)])

        def answers(x: Tensor) -> Tensor:
            found: Tensor = model[1](one.sweep(x, one.start(x)).outputs[:, -1])
            return found

        def loss(step: int) -> Tensor:
            rows = (torch.arange(task.rows) + step * task.rows) % len(x)
            return binary_cross_entropy_with_logits(answers(x[rows]), kept[rows])

        course = practise(model, loss, task.updates, settings)
        x, kept = task.texts("test", _TESTED, seed)
        with torch.inference_mode():
            right = (answers(x) > 0) == kept.bool()
        return course, float(right.float().mean())
