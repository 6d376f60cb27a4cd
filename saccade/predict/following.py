"""Writing values place by place: the best ones, or some that are drawn by chance."""

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Padded, Sources
from saccade.models.base import Model, Writer
from saccade.nouns import Hypothesis
from saccade.recipe import Decoding
from saccade.search._follow import Follow, follow
from saccade.search._plan import longest_output
from saccade.search.sample import row_seed

_MOST_BIAS = 100.0
_ALL = 1 << 40  # places, if the source alone says how many


@dataclass(frozen=True, slots=True)
class DrawOptions:
    """How values are drawn: the larger the bias, the nearer to the best; `inf` is the best."""

    bias: float = 0.0
    seed: int = 1

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "DrawOptions":
        """Read the options of `sample` for a model of values."""
        odd = [name for name in given if name not in ("bias", "seed")]
        bias, seed = given.get("bias", 0.0), given.get("seed", 1)
        fits = isinstance(bias, int | float) and not isinstance(bias, bool) and type(seed) is int
        if odd or not fits or not (0 <= bias <= _MOST_BIAS or bias == math.inf):
            named = ", ".join(odd) or f"bias {bias}, seed {seed}"
            raise RecipeError(
                f"sample: found {named}; expected bias, 0 to {_MOST_BIAS:g} or inf, and a whole"
                " number as seed, for a model that draws values. Change them."
            )
        return cls(float(bias), seed)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far to write values: so many places, or more for a long source if `ratio` is not None.

    each: places of the source for every one that is written, if the model goes along them.
    """

    n_places: int
    ratio: float | None = None
    extra: int = 0
    each: int = 0

    @classmethod
    def of(cls, horizon: int, steps: int | None, decoding: Decoding, model: Model) -> "Reach":
        """Say how far: `steps` if they are given, else as far as in training.

        A long source may have an output longer than any in training if the head knows where to
        stop; `decoding` says how long. A model that goes along the places of its source ends there
        at the latest.
        """
        n = horizon if steps is None else steps
        if n < 1:
            raise RecipeError(f"forecast: steps is {n}; expected 1 or more; raise it.")
        if model.pieces_each:
            return cls(_ALL if steps is None else n, each=model.pieces_each)
        if steps is not None or not model.head.stops:
            return cls(n)
        return cls(n, decoding.max_ratio, decoding.max_extra)

    def limit(self, size: int) -> int:
        """Return how many places to write for a source of so many."""
        if self.each:
            return min(size // self.each, self.n_places)
        if self.ratio is None:
            return self.n_places
        return max(self.n_places, longest_output(size, self.ratio, self.extra))


def write_values(
    model: Writer,
    sources: Sources,
    first: Tensor,
    limits: Sequence[int],
    draw: "ValueDraw | None" = None,
) -> list[Hypothesis]:
    """Write up to `limits[b]` places of values for every row, each after the one before it.

    A head that draws is followed in double precision: what it writes is read again for hundreds of
    steps, and the last digits of float32 sums depend on the batch.

    Args:
        model: who writes.
        sources: what it reads.
        first: `[B, C]`, what it reads before the first place.
        limits: how far to go, for each row; a head that knows where writing ends stops there.
        draw: how to draw, if values are not to be the best.
    """
    if model.head.draws:
        model, first = copy.deepcopy(model).double(), first.double()
        sources = {name: _double(source) for name, source in sources.items()}
    ended = model.head.ended if model.head.stops else None
    n = max(limits)
    step = model.follow if draw is None else draw.step(model, n)
    values = follow(step, model.start(sources), first, n, ended)  # [B, t, C]
    over = model.head.ended(values).cpu().numpy()  # [B, t]
    rows = zip(values.cpu().numpy(), over, limits, strict=True)
    return [_cut(row[:most], ends[:most], endless=ended is None) for row, ends, most in rows]


@dataclass(frozen=True, slots=True)
class ValueDraw:
    """Options, and a number of each row that goes with its input wherever that stands."""

    options: DrawOptions
    keys: Sequence[int]

    def step(self, model: Writer, n: int) -> Follow:
        """Return a step that draws; all numbers of chance of a row depend on its key alone."""
        chance = iter(self.uniform(n, model.head.n_uniform, model).unbind(dim=1))
        return lambda token, state: model.draw(token, state, next(chance), self.options.bias)

    def uniform(self, n: int, each: int, model: Writer) -> Tensor:
        """Draw all uniform numbers beforehand, `[B, n, each]`."""
        device = next(model.parameters()).device
        rows = [
            torch.rand(n, each, generator=generator, dtype=torch.float64)
            for key in self.keys
            for generator in [torch.Generator().manual_seed(row_seed(self.options.seed, key))]
        ]
        return torch.stack(rows).to(device)


def _double(source: Padded) -> Padded:
    values = source.values
    return Padded(values.double() if values.is_floating_point() else values, source.mask)


def _cut(values: NDArray[Any], ends: NDArray[np.bool_], *, endless: bool) -> Hypothesis:
    """Keep what was written up to its end, if it came to one."""
    (found,) = np.nonzero(ends)
    tokens: Any = values[: found[0] + 1] if len(found) else values
    return Hypothesis(tokens, 0.0, (), finished=endless or bool(len(found)))
