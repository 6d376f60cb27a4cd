"""What a layer of each kind costs."""

from collections.abc import Callable
from dataclasses import replace

import torch

from saccade.errors import RecipeError
from saccade.explanations._mixing import (
    KINDS,
    LayerSizes,
    Mixing,
    kept_bytes,
    layers_across,
    operations,
    seconds,
    steps,
)
from saccade.explanations.base import Explained, Explanation
from saccade.views.powers import Powers, draw, exponent

_KERNELS = (3, 5, 9, 17)
_PATHS = (9, 17, 33)  # places of the layers whose paths are followed
_SMALL = LayerSizes(_PATHS[-1], 4, 3, 4)
_HEADS = ("layer", "order", "FLOPs", "time", "memory", "sequential steps", "longest path")
Points = list[tuple[float, float]]


class Cost(Explanation):
    """What do self-attention, recurrence, convolution and restricted attention cost?

    One layer of each kind, without projections, for growing n places, width d, kernel k and r
    places to each side, each letter alone. Operations are counted forward, memory is what a layer
    keeps for the way back, time is that of one processor forward and back, the least of `repeats`.
    Steps are matrix products that wait for each other; the path is how many steps lie between the
    first place and the last. Exponents are slopes of lines through logarithms. Vaswani et al. 2017
    (arXiv:1706.03762), table 1, and Bai et al. 2018 (arXiv:1803.01271) for kernels without gaps.

    most: the longest n; the other sizes follow.
    """

    def __init__(self, *, seed: int = 1, most: int = 2048, repeats: int = 3) -> None:
        if most < 256 or most & (most - 1):
            raise RecipeError(
                f"cost.most: found {most}; expected a power of two from 256 on, so that sizes can"
                " be halved. Change it."
            )
        self.seed = seed
        self.repeats = repeats
        self.base = LayerSizes(n=most // 2, d=64, k=3, r=32)
        self.grid = {
            "n": [most // 8, most // 4, most // 2, most],
            "d": [most // 16, most // 8, most // 4],
            "k": list(_KERNELS),
            "r": [size for size in (32, 64, 128, 256) if size <= most // 4],
        }

    def run(self) -> Explained:
        """Measure every kind against every letter of its order."""
        noise = torch.Generator().manual_seed(self.seed)
        times = self._swept(lambda kind, sizes: self._seconds(kind, sizes, noise) * 1e3)
        flops, memory = self._swept(operations), self._swept(kept_bytes)
        paths = {kind: _paths(kind) for kind in KINDS}
        exact = {"FLOPs": _powers(flops), "memory": _powers(memory)}
        spent = _powers(times)
        charts = {
            letter: {kind.name: times[kind, letter] for kind in KINDS if letter in kind.letters}
            for letter in self.grid
        }
        table = [_HEADS, *(_row(kind, exact, spent, paths[kind]) for kind in KINDS)]
        said = _said(exact["FLOPs"], spent)
        return Explained(
            said,
            draw(Powers(charts, table, "ms"), title="Time of one layer", said=said),
            _figures(exact, paths),
        )

    def _swept(
        self, measure: Callable[[Mixing, LayerSizes], float]
    ) -> "dict[tuple[Mixing, str], Points]":
        """Vary each letter of each kind alone."""
        return {
            (kind, letter): [
                (size, float(measure(kind, replace(self.base, **{letter: size}))))
                for size in self.grid[letter]
            ]
            for kind in KINDS
            for letter in kind.letters
        }

    def _seconds(self, kind: Mixing, sizes: LayerSizes, noise: torch.Generator) -> float:
        x = torch.randn(1, sizes.n, sizes.d, generator=noise).requires_grad_()
        return seconds(kind, sizes, x, self.repeats)


def _powers(found: "dict[tuple[Mixing, str], Points]") -> dict[tuple[str, str], float]:
    return {(kind.name, letter): exponent(points) for (kind, letter), points in found.items()}


def _paths(kind: Mixing) -> dict[str, Points]:
    """Follow sequential steps and the longest path for a few n."""
    waits: Points = []
    across: Points = []
    for n in _PATHS:
        sizes = replace(_SMALL, n=n)
        waits.append((n, steps(kind, sizes)))
        across.append((n, layers_across(kind, sizes) * waits[-1][1]))
    return {"steps": waits, "path": across}


def _row(
    kind: Mixing,
    exact: dict[str, dict[tuple[str, str], float]],
    spent: dict[tuple[str, str], float],
    paths: dict[str, Points],
) -> tuple[str, ...]:
    def written(powers: dict[tuple[str, str], float]) -> str:
        return " ".join(f"{x}^{powers[kind.name, x]:.2f}" for x in kind.letters)

    ends = [paths[name][-1] for name in ("steps", "path")]
    cells = [f"{int(y)} of n = {int(n)}" for n, y in ends]
    powers = (written(exact["FLOPs"]), written(spent), written(exact["memory"]))
    return (kind.name, kind.order, *powers, *cells)


def _figures(
    exact: dict[str, dict[tuple[str, str], float]], paths: dict[Mixing, dict[str, Points]]
) -> dict[str, float]:
    """Return what does not depend on the clock."""
    powers = {
        f"{kind} {what} {letter}": round(power, 6)
        for what, found in exact.items()
        for (kind, letter), power in found.items()
    }
    lengths = {
        f"{kind.name} {name} at {int(n)}": length
        for kind, found in paths.items()
        for name, points in found.items()
        for n, length in points
    }
    return powers | lengths


def _said(flops: dict[tuple[str, str], float], spent: dict[tuple[str, str], float]) -> str:
    whole, near = (spent[name, "n"] for name in ("self-attention", "restricted"))
    counted = f"n^{flops['self-attention', 'n']:.0f} and d^{flops['recurrent', 'd']:.0f}"
    return (
        f"With n the time of self-attention grew as n^{whole:.2f} and that of restricted attention"
        f" as n^{near:.2f}, with d that of recurrence as d^{spent['recurrent', 'd']:.2f}."
        f" Their operations grow as {counted}; only recurrence has to take n steps in a row."
    )
