"""How far back gradients reach through the layers of a model."""

from saccade.inspections.base import Inspection, Seen
from saccade.look import gradients
from saccade.look.pictures import flow_drawing
from saccade.predict.predictor import Predictor
from saccade.views.drawing import Drawing


class GradientsView(Inspection):
    """The size of the gradient at every place of every layer that reads."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model learns by gradients."""
        return predictor.model.learner == "gradient"

    def draw(self, seen: Seen) -> Drawing:
        """Draw the gradients of one output."""
        flow = gradients.through_sentence(seen.translator, seen.translation)
        return flow_drawing(flow, "Gradient through each layer", said=seen.said)
