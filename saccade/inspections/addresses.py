"""Where the heads of a memory were."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.look.addressing import addresses_drawing, has_memory
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing


class AddressesView(Inspection):
    """The slots that the heads of a machine read and wrote along time, and what they held."""

    page: ClassVar[int] = 11

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether a cell of the model has a memory."""
        return has_memory(predictor.model)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the addresses."""
        return addresses_drawing(seen.translator, seen.translation, said=seen.said)
