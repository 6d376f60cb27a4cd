"""Where a model looked for every symbol it wrote: one map of weights."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import maps_of
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing


class AttentionView(Inspection):
    """One attention map, or a mean of several, over the input as it looks: text, picture, sound."""

    page: ClassVar[int] = 6

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has attention."""
        return bool(predictor.attention_names)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the map that was asked for."""
        found, one = seen.map(), seen.translation
        (drawn,) = maps_of(one, found, smoothly=seen.manner.smoothly, said=seen.said).values()
        return one.drawn(drawn, found.spans)
