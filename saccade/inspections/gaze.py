"""The way of an eye over one picture."""

from typing import ClassVar

import numpy as np
import torch

from saccade.errors import RecipeError
from saccade.flow import only
from saccade.glimpses.base import pictures_of
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of
from saccade.modalities._picture import as_picture
from saccade.models.recurrent_attention import RecurrentAttention
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import gaze
from saccade.views.drawing import Drawing, colourless
from saccade.views.gaze import Glance


class GazeView(Inspection):
    """The way of an eye over a picture, with the strips that its retina saw."""

    page: ClassVar[int] = 4

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model looks at a picture in glimpses."""
        return isinstance(predictor.model, RecurrentAttention)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the way of the eye."""
        one = seen.translation
        found = glances(seen.translator, one)
        picture = as_picture(one.seen).pixels
        label = f"says: {one.text}"
        return Drawing(
            "Gaze",
            lambda: gaze.to_svg(picture, found, said=label, title="The way of the eye"),
            colourless(lambda width: gaze.to_terminal(picture, found, said=label, width=width)),
            said=seen.said,
        )


@torch.inference_mode()
def glances(predictor: Predictor, prediction: Prediction) -> list[Glance]:
    """Look around once more; return every glimpse with what was seen."""
    model = predictor.model
    if not isinstance(model, RecurrentAttention):
        raise RecipeError(
            "inspect: this model does not move an eye over a picture. Use --view attention, or"
            " train a model of kind recurrent_attention."
        )
    source = only(batch_of(predictor, prediction).sources)
    pictures = pictures_of(source, model.seen.weight.dtype)
    found = []
    for where in model.look_around(source, None).places.unbind(dim=1):
        boxes = model.glimpse.boxes(pictures.sizes, where)[0].tolist()
        patches = model.glimpse(pictures, where)[0].view(model.glimpse.shape).float().cpu().numpy()
        found.append(
            Glance(
                tuple((top, left, bottom, right) for top, left, bottom, right in boxes),
                tuple(gaze.seen(np.asarray(one)) for one in patches),
            )
        )
    return found
