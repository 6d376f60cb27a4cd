"""The example of the blackboard: two scores, their weights, and values times weights."""

import math
from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from saccade.attention._worked import Asked, Worked
from saccade.attention.base import Attention
from saccade.attention.dot import Dot
from saccade.attention.scaled_dot import ScaledDot
from saccade.errors import RecipeError
from saccade.explanations.base import Explained, Explanation
from saccade.flow import State
from saccade.views import steps
from saccade.views.drawing import Drawing, colourless, stacked
from saccade.views.steps import CalculatedStep, Calculation

_WORDS = ("Thinking", "Machines")
_NUMBERS = 4  # of a value: as many as the table shows
_LARGEST = 5  # number of a value


class ByHand(Explanation):
    """What is read if the products of a query with two keys are 112 and 96?

        e[s] = q · k[s] / sqrt(d)      a = softmax(e)      c = a[1] v[1] + a[2] v[2]

    A query and two keys of `width` d are drawn from N(0, 1); each key is moved along the query
    until their product is `first` or `second`. The values are small whole numbers, so that all can
    be worked out on paper. The package's own attention reads them, with the division and without.
    Vaswani et al. 2017 (arXiv:1706.03762), eq. 1, for one query.
    """

    def __init__(
        self, *, seed: int = 1, first: float = 112.0, second: float = 96.0, width: int = 64
    ) -> None:
        if width < 1 or not (math.isfinite(first) and math.isfinite(second)):
            raise RecipeError(
                f"by-hand: found products {first:g} and {second:g} of width {width}; expected"
                " finite products and a width of 1 or more. Give others."
            )
        self.seed, self.products, self.width = seed, (first, second), width

    def run(self) -> Explained:
        """Read once with the division and once without."""
        query, keys, values = self._drawn()
        scaled = self._worked(ScaledDot(self.width, self.width), query, keys, values)
        plain = self._worked(Dot(self.width, self.width), query, keys, values)
        scores = [product / math.sqrt(self.width) for product in self.products]
        a, sharp, read = scaled.weights, plain.weights, scaled.steps[-1].value
        said = (
            f"The products {_listed(self.products)} divided by √{self.width} are {_listed(scores)},"
            f" their softmax is {a[0]:.2f} and {a[1]:.2f}, and the values times these weights sum"
            f" to {_row(read)}. Without the division the weights are {sharp[0]:.7f} and"
            f" {sharp[1]:.7f}, and the sum is {_row(plain.steps[-1].value)}."
        )
        drawings = {
            f"q·k divided by √{self.width}": _table(scaled),
            "The same without the division": _table(plain),
        }
        figures = {f"product {s}": float(x) for s, x in enumerate(keys @ query, 1)}
        figures |= {f"score {s}": score for s, score in enumerate(scores, 1)}
        figures |= {f"weight {s}": float(x) for s, x in enumerate(a, 1)}
        figures |= {f"weight {s}, not divided": float(x) for s, x in enumerate(sharp, 1)}
        figures |= {f"read {i}": float(x) for i, x in enumerate(read, 1)}
        return Explained(said, stacked("Attention by hand", drawings, said=said), figures)

    def _drawn(self) -> tuple[Tensor, Tensor, Tensor]:
        """Draw a query `[d]`, keys `[2, d]` with the products asked for, values `[2, 4]`."""
        noise = torch.Generator().manual_seed(self.seed)
        query, *keys = torch.randn(3, self.width, generator=noise, dtype=torch.float64)
        along = query / (query @ query)
        moved = [k + (e - query @ k) * along for k, e in zip(keys, self.products, strict=True)]
        values = torch.randint(_LARGEST + 1, (2, _NUMBERS), generator=noise).double()
        return query, torch.stack(moved), values

    def _worked(self, attention: Attention, query: Tensor, keys: Tensor, values: Tensor) -> Worked:
        """Let an attention say its steps."""
        prepared: State = {"keys": keys[None], "values": values[None]}
        mask = torch.ones(1, 1, 2, dtype=torch.bool)
        (found,) = attention.work(Asked(query[None, None], prepared, mask, {}))
        return found


def _listed(pair: Sequence[float]) -> str:
    return " and ".join(f"{one:.4g}" for one in pair)


def _row(numbers: Tensor) -> str:
    return f"({', '.join(f'{one:.2f}' for one in numbers)})"


def _table(work: Worked) -> Drawing:
    told = tuple(
        CalculatedStep(one.equation, one.value.numpy(), by_place=one.by_place) for one in work.steps
    )
    found = Calculation(_WORDS[0], "one head", _WORDS, told)
    return Drawing("Steps", partial(steps.to_svg, found), colourless(partial(_written, found)))


def _written(found: Calculation, width: int) -> str:
    return steps.to_terminal(found, width=width)
