"""All attention maps side by side."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import maps_of
from saccade.modalities._notation import Notation
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing, draw_maps


class AllHeadsView(Inspection):
    """Every attention map of every layer and head, small, in one picture.

    Those over the input, or with a head of `encoder` or `decoder` those of self-attention.
    """

    page: ClassVar[int] = 7

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether there is more than one map."""
        return max(len(predictor.attention_names), len(predictor.self_attention_names)) > 1

    def draw(self, seen: Seen) -> Drawing:
        """Draw all maps."""
        found = seen.every_map()
        maps = maps_of(seen.translation, found, smoothly=seen.manner.smoothly, said=seen.said)
        return draw_maps(Notation.view if found.within else seen.translation.view, maps)
