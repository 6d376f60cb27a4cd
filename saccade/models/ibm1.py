"""IBM Model 1: every target word is the translation of any source word, wherever it stands."""

from collections.abc import Mapping

from torch import Tensor

from saccade.flow import State
from saccade.models._word_aligner import Place, WordAligner, checked
from saccade.nouns import Side


class Ibm1(WordAligner):
    """Aligns words by which occur together, without regard to their places.

        p(y | x) = p(T | S) prod_j 1 / (S + 1) sum_{i=0}^{S} t(y_j | x_i)

    x_0 is the empty word. Brown et al. 1993 (J93-2003), section 4.1. A word's best link is its own,
    so the sum over all alignments is exact, and EM finds the only maximum.

    Args:
        sources: a text.
        target: its translation.
        passes: of EM.
        prior: added to the count of every translation.
    """

    def __init__(
        self, sources: Mapping[str, Side], target: Side, *, passes: int = 5, prior: float = 0.01
    ) -> None:
        settings = checked("ibm1", {"passes": passes}, prior, 0.5)
        super().__init__(sources, target, ["ibm1"] * passes, settings)

    def _begin(self, place: Place) -> State:
        return {}

    def _read(
        self, place: Place, state: State, written: Tensor, told: Tensor, is_word: Tensor
    ) -> State:
        return state

    def _next(self, place: Place, state: State, written: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        even = place.mask / place.mask.sum(dim=1, keepdim=True)
        return (even, *self._lengths(place, written))
