"""Attention by hand: the numbers of every step from query to what is read."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.working import work_out
from saccade.predict.predictor import Predictor
from saccade.predict.watching import has_attention
from saccade.views import steps
from saccade.views.drawing import Drawing, colourless


class StepsView(Inspection):
    """Query, keys, scores, softmax, values and their sum for one word, by one map of attention."""

    page: ClassVar[int] = 15

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has an attention whose calls can be watched."""
        return has_attention(predictor.model)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the steps."""
        found = work_out(seen.translator, seen.translation, seen.manner.word, seen.manner.head)
        return Drawing(
            "Steps",
            lambda: steps.to_svg(found),
            colourless(lambda width: steps.to_terminal(found, width=width)),
            said=seen.said,
        )
