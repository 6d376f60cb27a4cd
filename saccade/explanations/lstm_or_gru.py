"""An LSTM and a GRU side by side: how far they remember, and how many texts they need."""

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.explanations._charts import chart
from saccade.explanations._latch import LatchTask, learn
from saccade.explanations.base import Explained, Explanation
from saccade.parts import Part
from saccade.recipe import Training
from saccade.views.drawing import stacked

_CELLS = {"LSTM": "lstm", "GRU": "gru"}
_NEAREST = 10
_FEWEST = 8  # texts


class LstmOrGru(Explanation):
    """Which remembers farther and which needs fewer texts, an LSTM or a GRU?

    A cell reads two bits and places of noise and must say the bits at the end. It is trained anew
    for every distance, with as many texts as it reads, and at the nearest distance for every number
    of texts, which it reads again and again; the bits of new texts are counted. Width, updates and
    rate are the same. After Chung et al. 2014 (arXiv:1412.3555), with another task; the mean over
    `seeds` seeds from `seed` on.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        seeds: int = 3,
        updates: int = 300,
        farthest: int = 40,
        most: int = 64,
    ) -> None:
        if farthest < _NEAREST or most < _FEWEST:
            raise RecipeError(
                f"lstm-or-gru: farthest is {farthest} and most {most}; expected {_NEAREST} places"
                f" or more, and {_FEWEST} texts or more. Raise what is below."
            )
        self.seeds, self.updates = range(seed, seed + seeds), updates
        self.distances = _doubled(_NEAREST, farthest)
        self.sizes = _doubled(_FEWEST, most)

    def run(self) -> Explained:
        """Train both cells at every distance, and with every number of texts."""
        far = {
            name: [self._right(kind, LatchTask(d, self.updates)) for d in self.distances]
            for name, kind in _CELLS.items()
        }
        few = {
            name: [self._right(kind, LatchTask(_NEAREST, self.updates, size=n)) for n in self.sizes]
            for name, kind in _CELLS.items()
        }
        d, n = _where(far), _where(few)
        said = (
            f"After {self.updates} updates the two differ most at {self.distances[d]} places of"
            f" noise, where the LSTM has {far['LSTM'][d]:.1%} of the bits right and the GRU"
            f" {far['GRU'][d]:.1%}; a guess has 50%. By the number of texts they differ most at"
            f" {self.sizes[n]}, with {few['LSTM'][n]:.1%} and {few['GRU'][n]:.1%} of the bits of"
            f" new texts, {_NEAREST} places back."
        )
        charts = {
            "Bits right, by distance": chart(
                _series(self.distances, far), x_label="places of noise"
            ),
            f"Bits right, {_NEAREST} places back, by texts": chart(
                _series(self.sizes, few), x_label="texts to learn from"
            ),
        }
        figures = {
            f"{name}, {unit} {at}": share
            for unit, places, found in (
                ("distance", self.distances, far),
                ("texts", self.sizes, few),
            )
            for name, line in found.items()
            for at, share in zip(places, line, strict=True)
        }
        return Explained(said, stacked("LSTM or GRU", charts, said=said), figures)

    def _right(self, kind: str, task: LatchTask) -> float:
        """Return the mean share of bits that are right."""
        cell, settings = Part(Cell, kind), Training(learning_rate=0.01)
        return sum(learn(task, cell, settings, seed)[1] for seed in self.seeds) / len(self.seeds)


def _doubled(first: int, last: int) -> list[int]:
    """Return `first`, twice that and so on, up to `last`.

    >>> _doubled(10, 50)
    [10, 20, 40]
    """
    return [first * 2**n for n in range(20) if first * 2**n <= last]


def _where(found: dict[str, list[float]]) -> int:
    """Return where the two lines are farthest apart."""
    apart = [abs(one - other) for one, other in zip(*found.values(), strict=True)]
    return apart.index(max(apart))


def _series(at: list[int], found: dict[str, list[float]]) -> dict[str, list[tuple[float, float]]]:
    return {
        name: [(float(x), share) for x, share in zip(at, line, strict=True)]
        for name, line in found.items()
    }
