"""The work of an attention for one query, step by step with its numbers, as it is done by hand."""

from collections.abc import Iterable
from typing import NamedTuple

from torch import Tensor

from saccade.flow import State
from saccade.positions.base import Places


class Asked(NamedTuple):
    """What an attention is called with; see `Attention.forward`.

    places: what positions do inside `multihead`, where a host has such positions.
    """

    query: Tensor
    prepared: State
    mask: Tensor
    state: State
    places: Places | None = None

    def row(self, t: int, state: State) -> "Asked":
        """Take query t of the first row of the batch alone, with what is remembered before it."""
        n_queries = self.query.shape[1]
        mask = self.mask.expand(*self.mask.shape[:1], n_queries, -1)[:, t : t + 1]  # [B, 1, S]
        places = self.places
        if places is not None:
            turn = None if places.turn is None else places.turn[:, t : t + 1]
            near = None if places.near is None else places.near[t : t + 1]
            places = Places(turn, near)
        return Asked(self.query[:, t : t + 1], self.prepared, mask, state, places)


class WorkedStep(NamedTuple):
    """One step: its equation, and what came out.

    value: `[D]`; or, `by_place`, `[S]` or `[S, D]`, a number or a vector for every place.
    """

    equation: str
    value: Tensor
    by_place: bool = True


class Worked(NamedTuple):
    """How one map of weights came about, and what was read with it.

    name: of the map.  kept: `[S]`, the places that may be read.  weights: `[S]`.
    """

    name: str
    kept: Tensor
    weights: Tensor
    steps: tuple[WorkedStep, ...]

    def then(self, *steps: WorkedStep) -> "Worked":
        """Add steps behind."""
        return self._replace(steps=(*self.steps, *steps))


def vector(equation: str, value: Tensor) -> WorkedStep:
    """Make a step that gives one vector, `[D]`."""
    return WorkedStep(equation, value, by_place=False)


def work_of(
    name: str, steps: Iterable[WorkedStep], weights: WorkedStep, values: Tensor, mask: Tensor
) -> Worked:
    """Close what scored the places: their weights, `[S]`, and the sum of `values [S, D]` by them.

    mask: `[1, 1, S]`, True = keep.
    """
    a = weights.value
    weighed = a[:, None] * values  # [S, D]
    return Worked(
        name,
        mask.expand(1, 1, len(a))[0, 0],
        a,
        (
            *steps,
            weights,
            WorkedStep("v", values),
            WorkedStep("a v", weighed),
            vector("c = Σ a v", weighed.sum(dim=0)),
        ),
    )
