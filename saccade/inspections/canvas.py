"""A picture in the making, step by step."""

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from saccade.errors import RecipeError
from saccade.glimpses.filter_bank import FilterBank
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of
from saccade.models.draw import DrawModel, Drawn
from saccade.predict.following import DrawOptions, ValueDraw
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import canvas
from saccade.views.canvas import CanvasStep, Square
from saccade.views.drawing import Drawing, colourless


class CanvasView(Inspection):
    """A picture in the making as a film strip, with the windows that were read and written."""

    page: ClassVar[int] = 3

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model draws on a canvas."""
        return isinstance(predictor.model, DrawModel)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the strip; `gold` is a picture to copy, without one it is invented."""
        predictor, copied = seen.translator, seen.manner.gold
        steps = canvas_steps(predictor, seen.translation, copied=copied, seed=seen.manner.seed)
        whole = np.asarray(predictor.target.read(copied), dtype=np.float64) if copied else None
        made = "A picture copied" if copied else "Drawn"
        return Drawing(
            "Canvas",
            lambda: canvas.to_svg(steps, copied=whole, title=f"{made} in {len(steps)} steps"),
            colourless(lambda width: canvas.to_terminal(steps, width=width)),
            said=seen.translation.source_title,
        )


@torch.inference_mode()
def canvas_steps(
    predictor: Predictor, prediction: Prediction, *, copied: str = "", seed: int | None = None
) -> list[CanvasStep]:
    """Draw once more, and keep the canvas of every step.

    Args:
        predictor: a model of kind `draw`.
        prediction: what it read.
        copied: a picture as bits, to be drawn as the encoder sees it; without one it invents.
        seed: of what is invented, as `predict` draws with this seed; without one z = 0. It does
            not matter for a copy, whose chance is that of its bound.
    """
    model = predictor.model
    if not isinstance(model, DrawModel):
        raise RecipeError(
            "inspect: this model does not draw on a canvas. Use --view attention, or train a model"
            " of kind draw."
        )
    sources = batch_of(predictor, prediction).sources
    if copied:
        (bits,) = predictor.target.encode([predictor.target.read(copied, "the picture to copy")])
        target = torch.from_numpy(np.asarray(bits))[None].to(model.noise)  # [1, H, W]
        return _steps(model, model.copy(target, sources, model.noise_of(target)), reads=True)
    z = model.noise.new_zeros(1, model.n_steps, model.latent)
    if seed is not None:
        draw = ValueDraw(DrawOptions(seed=seed), [predictor.key(prediction.sources)])
        chance = draw.uniform(model.shape[0], model.head.n_uniform, model)[:, 0]
        z = model.latents(chance, 0.0).to(z)
    return _steps(model, model.invent(z, sources), reads=False)


def _steps(model: DrawModel, drawn: Drawn, *, reads: bool) -> list[CanvasStep]:
    shades = drawn.canvas[0].sigmoid().double().cpu().numpy()  # [N, H, W]
    writes = _squares(model, model.writer, drawn.writes[0])
    looks = _squares(model, model.reader, drawn.reads[0]) if reads else [None] * len(shades)
    rows = zip(shades, writes, looks, strict=True)
    return [CanvasStep(one, write, read) for one, write, read in rows]


def _squares(model: DrawModel, bank: FilterBank, where: Tensor) -> list[Square | None]:
    """Return the window of every step of `where [N, 5]`; none without attention."""
    if model.where is None:
        return [None] * len(where)
    sizes = torch.tensor(model.shape, device=where.device).expand(len(where), -1)
    return [
        (top, left, bottom, right)
        for top, left, bottom, right in bank.boxes(sizes, where)[:, 0].tolist()
    ]
