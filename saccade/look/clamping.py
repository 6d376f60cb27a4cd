"""A trained model with gates held open or shut: what does it do without them?"""

import copy
from collections.abc import Mapping
from typing import TypeVar

from torch import nn

from saccade.cells.base import Cell
from saccade.cells.clamped import Clamped, gates_of
from saccade.errors import RecipeError

M = TypeVar("M", bound=nn.Module)


def clamped(model: M, gates: Mapping[str, float]) -> M:
    """Return a copy of a model, all of whose gates of these names are 0 or 1 for ever.

    Cells that have no gate of these names stay as they are; a model without any is refused.
    """
    held = copy.deepcopy(model)
    found = 0
    for outer in list(held.modules()):
        for name, cell in list(outer.named_children()):
            if not isinstance(cell, Cell) or isinstance(outer, Cell):
                continue
            here = {gate: value for gate, value in gates.items() if gate in gates_of(cell)}
            found += len(here)
            if here:
                setattr(outer, name, Clamped.around(cell, here))
    if gates and not found:
        raise RecipeError(
            f"clamp: no recurrent cell of this model has a gate {' or '.join(gates)}; expected"
            " input, forget or output of an lstm, reset or update of a gru. Name one of them."
        )
    return held
