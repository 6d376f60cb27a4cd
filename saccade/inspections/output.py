"""What was written, as a chart of its kind."""

from typing import ClassVar

from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.look.pictures import output_drawing
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing


class OutputView(Inspection):
    """A forecast behind its past, strokes, a picture: what the model wrote, as its target shows."""

    page: ClassVar[int] = 2

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the target has a chart; text has none."""
        return bool(predictor.target.chart)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the output."""
        one = seen.translation
        if not one.looker.target.chart:
            raise RecipeError(
                "views: output draws values, but this model writes text; expected a forecaster."
                " Leave it out."
            )
        return output_drawing(one)
