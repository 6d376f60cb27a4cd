"""Windows that slide along the source."""

import copy

import torch
from torch import Tensor

from saccade.attention.gaussian_mixture import GaussianMixture
from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import windows
from saccade.views.drawing import Drawing, colourless
from saccade.views.windows import Bell


class WindowsView(Inspection):
    """The Gaussian bells of a mixture attention at every step."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the attention is a mixture of Gaussians."""
        return any(isinstance(part, GaussianMixture) for part in predictor.model.modules())

    def draw(self, seen: Seen) -> Drawing:
        """Draw the bells."""
        one = seen.translation
        drawn = (bells(seen.translator, one), one.source_tokens, one.tokens)
        return Drawing(
            "Windows",
            lambda: windows.to_svg(*drawn, title="Windows over the source"),
            colourless(lambda width: windows.to_terminal(*drawn, width=width)),
            said=seen.said,
        )


@torch.inference_mode()
def bells(translator: Predictor, translation: Prediction) -> list[list[Bell]]:
    """Return the bells of Gaussian-mixture attention for every piece of an output."""
    watched = copy.deepcopy(translator.model)
    found = [part for part in watched.modules() if isinstance(part, GaussianMixture)]
    if not found:
        raise RecipeError(
            "inspect: this model has no windows that slide along the source. Use --view attention,"
            " or train a model whose attention is gaussian_mixture."
        )
    asked: list[Tensor] = []
    found[0].register_forward_pre_hook(lambda _, given: asked.append(given[0]))
    batch = batch_of(translator, translation)
    watched(batch)
    query = torch.cat(asked, dim=1)[0, : len(translation.tokens)]  # [T, Q]
    alpha, beta, moves = found[0].W(query).exp().chunk(3, dim=1)  # 3 x [T, K]
    steps = zip(alpha.tolist(), beta.tolist(), moves.cumsum(dim=0).tolist(), strict=True)
    return [[Bell(*bell) for bell in zip(*step, strict=True)] for step in steps]
