"""Attention as lines between what asked and what was read."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.predict.predictor import Predictor
from saccade.views import lines
from saccade.views.drawing import Drawing, colourless


class LinesView(Inspection):
    """A line from each place that asks to each one it read, as dark as its weight.

    Several maps are drawn in one picture, each in a colour of its own, and a word alone if asked.
    """

    page: ClassVar[int] = 5

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model looks along sequences, not over pictures."""
        along = all(codec.view == "heatmap" for codec in predictor.sources.values())
        return along and bool(predictor.attention_names or predictor.self_attention_names)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the lines."""
        found = seen.map()
        drawn, rows = (found.maps, found.source, found.target), seen.rows(found)
        title = "" if not found.within or len(found.maps) > 1 else next(iter(found.maps))
        return Drawing(
            "Lines",
            lambda: lines.several_svg(*drawn, title=title, rows=rows),
            colourless(lambda width: lines.several_terminal(*drawn, width=width, rows=rows)),
            said=seen.said,
        )
