"""Strokes as a pen writes them."""

from typing import ClassVar

from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import looked_meanwhile
from saccade.predict.predictor import Predictor
from saccade.views import writing
from saccade.views.drawing import Drawing

HANDWRITING = "handwriting"


class WritingView(Inspection):
    """Strokes one after the other, with the window that moves along the letters."""

    page: ClassVar[int] = 1

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model writes strokes."""
        return predictor.target.chart == HANDWRITING

    def draw(self, seen: Seen) -> Drawing:
        """Draw the strokes."""
        one = seen.translation
        if one.looker.target.chart != HANDWRITING:
            raise RecipeError(
                "views: writing draws what a pen does, but this model writes no strokes; expected a"
                " model of handwriting. Leave it out."
            )
        return writing.draw(one.source, one.output, looked_meanwhile(one))
