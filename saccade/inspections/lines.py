"""Attention as lines between what was read and what was written."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.predict.predictor import Predictor
from saccade.views import lines
from saccade.views.drawing import Drawing, colourless


class LinesView(Inspection):
    """A line from each written piece to each one it looked at, as dark as its weight."""

    page: ClassVar[int] = 5

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model looks along sequences, not over pictures."""
        along = all(codec.view == "heatmap" for codec in predictor.sources.values())
        return along and bool(predictor.attention_names)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the lines."""
        found = seen.map()
        (weights,) = found.maps.values()
        drawn = (weights, found.source, found.target)
        return Drawing(
            "Lines",
            lambda: lines.to_svg(*drawn),
            colourless(lambda width: lines.to_terminal(*drawn, width=width)),
            said=seen.said,
        )
