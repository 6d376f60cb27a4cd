"""How far an LSTM can learn to remember, by where its forget gates start."""

from saccade.cells.base import Cell
from saccade.explanations._charts import chart
from saccade.explanations._latch import LatchTask, learn
from saccade.explanations.base import Explained, Explanation
from saccade.parts import Part
from saccade.recipe import Training

_NEAREST = 10
_LEARNED = 0.9  # of the bits


class ForgetBias(Explanation):
    """Which distances can an LSTM learn when the bias of its forget gates starts at 0, 1 or 5?

    An LSTM reads two bits and some places of noise and must say the bits at the end. With a bias b
    a forget gate starts near s(b), so that s(b)^d of the memory, and of the gradient, comes through
    d places: 0.5, 0.73 or 0.993 to the power of d. Gers, Schmidhuber & Cummins 2000; Jozefowicz,
    Zaremba & Sutskever 2015, section 2.3. Every distance is trained anew, for `seeds` seeds from
    `seed` on.
    """

    def __init__(
        self, *, seed: int = 1, seeds: int = 3, updates: int = 300, farthest: int = 80
    ) -> None:
        self.seeds = range(seed, seed + seeds)
        self.updates = updates
        self.distances = [_NEAREST * 2**n for n in range(20) if _NEAREST * 2**n <= farthest]

    def run(self) -> Explained:
        """Train at every distance with every bias."""
        right = {bias: [self._right(bias, d) for d in self.distances] for bias in (0, 1, 5)}
        far = {bias: self._far(line) for bias, line in right.items()}
        spreads = [max(shares) - min(shares) for shares in zip(*right.values(), strict=True)]
        most = spreads.index(max(spreads))
        reached = ", ".join(f"{far[bias]} with a bias of {bias}" for bias in right)
        apart = ", ".join(f"{line[most]:.1%} (bias {bias})" for bias, line in right.items())
        said = (
            f"After {self.updates} updates the farthest distance at which {_LEARNED:.0%} of the"
            f" bits are right is {reached}, in the mean over {_counted(len(self.seeds))}."
            f" At distance {self.distances[most]} the share is {apart}, where a guess has 50%."
        )
        series = {
            f"bias {bias}": [
                (float(d), share) for d, share in zip(self.distances, line, strict=True)
            ]
            for bias, line in right.items()
        }
        title = "Bits remembered, by distance and forget bias"
        drawing = chart(series, title=title, x_label="places of noise", said=said)
        shares = {
            f"bias {bias}, distance {d}": share
            for bias, line in right.items()
            for d, share in zip(self.distances, line, strict=True)
        }
        return Explained(said, drawing, shares | {f"reach of bias {b}": n for b, n in far.items()})

    def _right(self, bias: float, distance: int) -> float:
        """Return the mean share of bits that are right."""
        task, settings = LatchTask(distance, self.updates), Training(learning_rate=0.01)
        cell = Part(Cell, "lstm", {"forget_bias": float(bias)})
        return sum(learn(task, cell, settings, seed)[1] for seed in self.seeds) / len(self.seeds)

    def _far(self, shares: list[float]) -> int:
        """Return the farthest distance that is learned; 0 if none is."""
        pairs = zip(self.distances, shares, strict=True)
        return max((d for d, share in pairs if share >= _LEARNED), default=0)


def _counted(seeds: int) -> str:
    return f"{seeds} seeds" if seeds > 1 else "one seed"
