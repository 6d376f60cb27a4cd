"""What a pointer-generator wrote itself and what it copied."""

import torch

from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of, written_ids
from saccade.models.pointer_generator import PointerGenerator
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import switch
from saccade.views.drawing import Drawing, colourless


class SwitchView(Inspection):
    """The share of every symbol that was generated, and the share that was copied."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model can copy."""
        return isinstance(predictor.model, PointerGenerator)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the shares."""
        one = seen.translation
        drawn = (one.tokens, shares(seen.translator, one)[: len(one.tokens)])
        return Drawing(
            "Switch",
            lambda: switch.to_svg(*drawn, title="Generated or copied"),
            colourless(lambda width: switch.to_terminal(*drawn, width=width)),
            said=seen.said,
        )


@torch.inference_mode()
def shares(translator: Predictor, translation: Prediction) -> list[float]:
    """Return, for every symbol of an output, the share that was written and not copied."""
    model = translator.model
    if not isinstance(model, PointerGenerator):
        raise RecipeError(
            "inspect: this model does not copy, so it has no switch to show. Use another --view, or"
            " train a model of kind pointer_generator."
        )
    batch = batch_of(translator, translation)
    share = model.head.generating(model(batch).features)[0]  # [T + 1]
    return [float(g) for g in share[: len(written_ids(translation))]]
