"""A forecast with the band that what comes lies in, nine times of ten."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.predict.bands import band_of
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing
from saccade.views.forecast import draw_band

LEVEL = 0.9


class BandView(Inspection):
    """The first column of a forecast, and between which numbers nine of ten lie."""

    page: ClassVar[int] = 16

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model knows how far off its numbers may be."""
        return predictor.model.spread

    def draw(self, seen: Seen) -> Drawing:
        """Draw the forecast and its band."""
        found = band_of(seen.translator, seen.translation, LEVEL)
        band = (found.low, found.high)
        return draw_band(seen.translation.source, seen.translation.output, band, LEVEL)
