"""All attention maps side by side."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import maps_of
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing, draw_maps


class AllHeadsView(Inspection):
    """Every attention map of every layer and head, small, in one picture."""

    page: ClassVar[int] = 7

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether there is more than one map."""
        return len(predictor.attention_names) > 1

    def draw(self, seen: Seen) -> Drawing:
        """Draw all maps."""
        how = {"smoothly": seen.manner.smoothly}
        return draw_maps(
            seen.translation.view, maps_of(seen.translation, seen.maps(), **how, said=seen.said)
        )
