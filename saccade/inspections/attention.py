"""Where a model looked for every symbol it wrote: one map of weights."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import maps_of
from saccade.modalities._notation import Notation
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing, draw_attention, draw_maps


class AttentionView(Inspection):
    """One attention map, or a mean of several, over the input as it looks: text, picture, sound.

    Maps of self-attention have the places of one side on both axes.
    """

    page: ClassVar[int] = 6

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has attention."""
        return bool(predictor.attention_names or predictor.self_attention_names)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the map that was asked for; several are small, side by side."""
        found, one = seen.map(), seen.translation
        maps = maps_of(one, found, smoothly=seen.manner.smoothly, said=seen.said)
        view = Notation.view if found.within else one.view
        if len(maps) > 1:
            return draw_maps(view, maps)
        (drawn,) = maps.values()
        return draw_attention(view, drawn) if found.within else one.drawn(drawn, found.spans)
