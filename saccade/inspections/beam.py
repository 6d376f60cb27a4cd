"""The hypotheses of a search, step by step."""

from typing import ClassVar

from saccade.inspections.base import Inspection, Seen
from saccade.predict.predictor import Predictor
from saccade.views import beam_tree
from saccade.views.drawing import Drawing


class BeamView(Inspection):
    """The tree of beam search: what was kept, what fell, and where greedy search went."""

    page: ClassVar[int] = 9

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model writes symbols."""
        return predictor.target.vocabulary is not None

    def draw(self, seen: Seen) -> Drawing:
        """Draw the tree."""
        found = seen.beam
        tree, winner, greedy = found.tree, found.winner, found.greedy
        return Drawing(
            "Beam",
            lambda: beam_tree.to_svg(tree, winner=winner, greedy=greedy),
            lambda width, *, colour: beam_tree.to_terminal(
                tree, winner=winner, greedy=greedy, colour=colour, width=width
            ),
            said=seen.said,
        )
