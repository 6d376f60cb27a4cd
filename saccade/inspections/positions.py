"""What a model adds to the places it reads."""

from functools import partial

import numpy as np
import torch

from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.positions.base import Positions
from saccade.predict.looker import Maps
from saccade.predict.predictor import Predictor
from saccade.views import positions
from saccade.views.drawing import Drawing


class PositionsView(Inspection):
    """The position encoding of every place that was read, dimension by dimension."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has positions."""
        return any(isinstance(part, Positions) for part in predictor.model.modules())

    def draw(self, seen: Seen) -> Drawing:
        """Draw the encoding."""
        matrix = added_positions(seen.translator, len(seen.translation.source_tokens))
        return Drawing(
            "Positions",
            lambda: positions.to_svg(matrix, title="Position encoding"),
            partial(positions.to_terminal, matrix),
            said=seen.said,
        )


@torch.inference_mode()
def added_positions(translator: Predictor, n: int) -> Maps:
    """Return what the model adds to the first `n` places it reads: `[n, D]`."""
    parts = [m for m in translator.model.modules() if isinstance(m, Positions)]
    added = (
        parts[0](torch.zeros(1, n, parts[0].dim, device=translator.device))[0] if parts else None
    )
    if added is None or not added.any():
        raise RecipeError(
            "inspect: this model adds no positions: it reads one symbol after another, or was "
            "built without them. Use another --view, or a Transformer with sinusoidal positions."
        )
    return np.asarray(added.float().cpu().numpy(), dtype=np.float32)
