"""Where each symbol is, over the input."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import spikes_drawing
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing


class SpikesView(Inspection):
    """Symbols over a spectrogram or a line of print: by frames of CTC, or by attention."""

    page: ClassVar[int] = 8

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model says of every frame which symbol it is."""
        return predictor.model.frames

    def draw(self, seen: Seen) -> Drawing:
        """Draw the spikes."""
        return spikes_drawing(seen.translation, seen.manner.head, said=seen.said)
