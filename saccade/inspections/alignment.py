"""Which words belong together, read off attention."""

from saccade.inspections.base import Inspection, Seen
from saccade.look import inspection
from saccade.predict.predictor import Predictor
from saccade.views import alignment
from saccade.views.drawing import Drawing, colourless


class AlignmentView(Inspection):
    """The word that each written word looked at most, beside what people say, if that is given."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has attention and writes symbols."""
        return bool(predictor.attention_names) and predictor.target.vocabulary is not None

    def draw(self, seen: Seen) -> Drawing:
        """Draw the points."""
        found = inspection.aligned(seen.translation)
        drawn = (found.source, found.target, found.points)
        gold = alignment.parse_gold(seen.manner.gold) if seen.manner.gold else None
        return Drawing(
            "Alignment",
            lambda: alignment.to_svg(*drawn, gold=gold),
            colourless(lambda width: alignment.to_terminal(*drawn, gold=gold, width=width)),
            said=seen.said,
        )
