"""Whether recurrent cells can count: a^n b^n, also for n that no training string had."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, one_hot

from saccade.cells.base import Cell
from saccade.corpora.base import Split
from saccade.corpora.counting import CountedLetters
from saccade.explanations._charts import chart
from saccade.explanations._practice import alone, practise
from saccade.explanations.base import Explained, Explanation
from saccade.flow import State, tensor
from saccade.parts import Part
from saccade.recipe import Training
from saccade.views.drawing import Drawing, stacked

_A, _B, _END = range(3)
_FREE = -1  # what may come while the a's last: nobody can know
_NAMES = {"lstm": "LSTM", "gru": "GRU"}


@dataclass(frozen=True, slots=True)
class _Counter:
    """A trained cell: how far it counts without a slip, which n are right, and its counting unit.

    values: of the unit that follows the count best, along one string.  r: their correlation with
    the count.
    """

    far: int
    right: list[bool]
    values: list[float]
    r: float


class CountingCells(Explanation):
    """Can an LSTM count, and can a GRU?

    A cell of `width` reads a^n b^n letter by letter and says what comes next. It is trained on n up
    to `longest` and then tried on strings up to four times as long: all b's must be right, and END
    behind the last. The memory of an LSTM can grow by one with each a and
    fall with each b; the state of a GRU lies between -1 and 1. Gers & Schmidhuber 2001; Weiss,
    Goldberg & Yahav 2018 (arXiv:1805.04908).
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        seeds: int = 3,
        longest: int = 20,
        width: int = 6,
        updates: int = 800,
    ) -> None:
        self.seeds = range(seed, seed + seeds)
        self.longest, self.width, self.updates = longest, width, updates

    def run(self) -> Explained:
        """Train both cells and try longer strings."""
        found = {
            _NAMES[kind]: [self._trained(kind, seed) for seed in self.seeds] for kind in _NAMES
        }
        far = {
            name: ", ".join(str(one.far) for one in cells[:-1]) + f" and {cells[-1].far}"
            if len(cells) > 1
            else str(cells[0].far)
            for name, cells in found.items()
        }
        first = {name: cells[0] for name, cells in found.items()}
        tops = {name: max(one.values) for name, one in first.items()}
        said = (
            f"Trained on n up to {self.longest}, the LSTM makes its first mistake behind n ="
            f" {far['LSTM']} and the GRU behind n = {far['GRU']}"
            f" ({_named(self.seeds)}). With n = {2 * self.longest} the unit"
            f" that follows the count best (r = {first['LSTM'].r:.2f} in the LSTM,"
            f" {first['GRU'].r:.2f} in the GRU, seed {self.seeds[0]}) goes up to"
            f" {tops['LSTM']:.2f} in the LSTM and to {tops['GRU']:.2f} in the GRU."
        )
        figures = {
            f"{name}, seed {seed}": float(one.far)
            for name, cells in found.items()
            for seed, one in zip(self.seeds, cells, strict=True)
        }
        figures |= {f"{name}, r": one.r for name, one in first.items()}
        figures |= {f"{name}, largest value": top for name, top in tops.items()}
        return Explained(said, self._drawing(found, said), figures)

    def _drawing(self, found: dict[str, list[_Counter]], said: str) -> Drawing:
        """Draw how far both count, and how."""
        shares = {
            name: [
                (float(n + 1), sum(one.right[n] for one in cells) / len(cells))
                for n in range(4 * self.longest)
            ]
            for name, cells in found.items()
        }
        units = {
            name: [(float(t + 1), value) for t, value in enumerate(cells[0].values)]
            for name, cells in found.items()
        }
        charts = {
            "Share of the seeds that get the string right": chart(shares, x_label="n"),
            f"The counting unit along a^{2 * self.longest} b^{2 * self.longest}": chart(
                units, x_label="letters read"
            ),
        }
        return stacked("Counting", charts, said=said)

    def _trained(self, kind: str, seed: int) -> _Counter:
        """Train one cell and look at it."""
        most = 4 * self.longest
        with alone(seed):
            cell = Part(Cell, kind).build(2, self.width)
            model = nn.ModuleList([cell, nn.Linear(self.width, 3)])
            x, wanted = _strings(_lengths(self.longest))

            def said(x: Tensor) -> Tensor:
                answer: Tensor = model[1](cell.sweep(x, cell.start(x)).outputs)
                return answer

            def loss(_: int) -> Tensor:
                return cross_entropy(said(x)[wanted != _FREE], wanted[wanted != _FREE])

            practise(model, loss, self.updates, Training(learning_rate=0.01))
            x, wanted = _strings(_lengths(most))
            with torch.inference_mode():
                slips = (said(x).argmax(dim=2) != wanted) & (wanted != _FREE)
            right = (~slips.any(dim=1)).tolist()
            values, r = _counting_unit(cell, 2 * self.longest)
        return _Counter(([*right, False]).index(False), right, values, r)


def _named(seeds: range) -> str:
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"


def _lengths(longest: int) -> list[int]:
    """Return every n up to `longest`, by the strings of the corpus."""
    corpus = CountedLetters(letters=1, longest=longest)
    return sorted(len(b) for split in get_args(Split) for _, b in corpus.pairs(split))


def _strings(lengths: Iterable[int]) -> tuple[Tensor, Tensor]:
    """Return a^n b^n in two columns, `[N, T, 2]`, and what comes next, `[N, T]`."""
    ns = torch.tensor(list(lengths))[:, None]  # [N, 1]
    place = torch.arange(2 * int(ns.max()))  # [T]
    read = torch.where(place < ns, _A, torch.where(place < 2 * ns, _B, _END))  # [N, T]
    known = (place >= ns) & (place < 2 * ns)  # the first b is read
    wanted = torch.where(place == 2 * ns - 1, _END, _B).masked_fill(~known, _FREE)
    return one_hot(read, 3)[:, :, :2].float(), wanted


@torch.inference_mode()
def _counting_unit(cell: Cell, n: int) -> tuple[list[float], float]:
    """Return the values along a^n b^n of the unit closest to the count, and their correlation.

    One that counts downwards is turned over.
    """
    x, _ = _strings([n])
    state: State = cell.start(x)
    memories = []
    for one in x.unbind(dim=1):
        state = cell(one, state).state
        memories.append(tensor(state, cell.parts[-1])[0])
    values = torch.stack(memories).double()  # [2 n, D]
    count = (x[0, :, _A] - x[0, :, _B]).cumsum(dim=0).double()  # [2 n]
    r = torch.corrcoef(torch.cat([count[:, None], values], dim=1).T)[0, 1:].nan_to_num()
    best = int(r.abs().argmax())
    upwards = -1 if r[best] < 0 else 1
    return (upwards * values[:, best]).tolist(), float(r[best].abs())
