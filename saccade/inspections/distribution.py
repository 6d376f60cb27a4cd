"""How sure a model was of every symbol."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look import inspection
from saccade.predict.predictor import Predictor
from saccade.views import distribution
from saccade.views.drawing import Drawing, colourless


class DistributionView(Inspection):
    """The likeliest symbols at each step, and the entropy in bits."""

    page: ClassVar[int] = 10

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model writes symbols."""
        return predictor.target.vocabulary is not None

    def draw(self, seen: Seen) -> Drawing:
        """Draw the choices."""
        choices = inspection.distributions(seen.translator, seen.translation)
        return Drawing(
            "Distribution",
            lambda: distribution.to_svg(choices),
            colourless(lambda width: distribution.to_terminal(choices, width=width)),
            said=seen.said,
        )
