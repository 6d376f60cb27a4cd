"""Models as a search steps through them that must know what was read: for a coverage penalty."""

import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.flow import Sources, State, Step, tensor
from saccade.inference.steps import Start, batch_places
from saccade.models.base import Writer
from saccade.search.base import COVERED


class LookingSteps:
    """A model as it is, which counts how much of every place of the source was read.

        covered[s] = sum_t (1 / A) sum_a weights[t, a, s]

    The count is the entry COVERED of the state, so it goes where a line goes. A place of padding is
    covered from the start.
    """

    def __init__(self, model: Writer) -> None:
        self.model = model

    def batch_places(self, lines: int) -> int:
        """Return how many places a batch should have at most."""
        return batch_places(lines)

    def begin(self, sources: Sources) -> Start:
        """Read the sources."""
        if not self.model.attention_names:
            raise RecipeError(
                "search.coverage_penalty: the model has no attention, so nobody knows what it read;"
                " expected one with attention. Set it to 0."
            )
        kept = torch.cat([source.flat().mask for source in sources.values()], dim=1)  # [B, S]
        state = self.model.start(sources)
        return Start(self._step, {**state, COVERED: (~kept).float()})

    def _step(self, token: Tensor, state: State) -> Step:
        within = {name: entry for name, entry in state.items() if name != COVERED}
        covered = tensor(state, COVERED)  # [N, S]
        features, weights, after = self.model.advance(token, within, look=True)
        if weights is None or weights.shape[-1] != covered.shape[1]:
            found = "none" if weights is None else weights.shape[-1]
            raise RecipeError(
                f"search.coverage_penalty: the model weighs {found} places of a source that has"
                f" {covered.shape[1]}; expected a weight for each. Set it to 0."
            )
        covered = covered + weights.mean(dim=1)
        return Step(self.model.head.log_probs(features), {**after, COVERED: covered})
