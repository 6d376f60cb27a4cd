"""Where the heads of a model's memory were while it worked on one input."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from saccade.cells.base import Addressed, Cell
from saccade.errors import RecipeError
from saccade.look.inspection import batch_of
from saccade.look.recording import Reel, record
from saccade.models.base import Model
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import addresses
from saccade.views.addresses import HeadPath
from saccade.views.drawing import Drawing, colourless


@dataclass(frozen=True, slots=True)
class Addressing:
    """Heads along time, what stands at each step, and how many of the steps are reading."""

    heads: tuple[HeadPath, ...]
    steps: tuple[str, ...]
    reading: int


def has_memory(model: Model) -> bool:
    """Tell whether a model has a cell with a memory."""
    return any(isinstance(one, Cell) and one.addresses for one in model.modules())


@torch.no_grad()
def addressing(predictor: Predictor, prediction: Prediction) -> Addressing:
    """Let the model work on an input again, and note where the heads of its cells are."""
    if not has_memory(predictor.model):
        raise RecipeError(
            "inspect: this model has no memory with addresses; expected a cell such as ntm, dnc or"
            " sparse_access. Use another --view, or train such a model."
        )
    batch = batch_of(predictor, prediction)
    reels = [r for r in record(predictor.model, lambda model: model(batch)) if r.cell.addresses]
    n = reels[0].projected.shape[1]
    alike = [reel for reel in reels if reel.projected.shape[1] == n]
    steps, reading = _steps(n, prediction.source_tokens, prediction.tokens)
    heads = [head for reel in alike for head in _paths(reel, several=len(alike) > 1)]
    return Addressing(tuple(heads), steps, reading)


def addresses_drawing(predictor: Predictor, prediction: Prediction, *, said: str = "") -> Drawing:
    """Draw where the heads were."""
    found = addressing(predictor, prediction)
    drawn, reading = (found.steps, found.heads), found.reading
    return Drawing(
        "Addresses",
        lambda: addresses.to_svg(*drawn, reading=reading, title="Addresses along time"),
        colourless(lambda width: addresses.to_terminal(*drawn, reading=reading, width=width)),
        said=said,
    )


def _steps(n: int, read: Sequence[str], written: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """Name `n` steps of a cell that read, wrote, or did both one after the other."""
    if n <= len(read):
        return tuple(read[:n]), n
    both = (*read, *written)
    steps, reading = (both, len(read)) if n >= len(both) else (tuple(written), 0)
    return (*steps, *[""] * n)[:n], reading


def _paths(reel: Reel, *, several: bool) -> list[HeadPath]:
    """Take the steps of a cell again; return the way of every head."""
    found = [one for state in reel.replay()[1:] if (one := reel.cell.addressed(state)) is not None]
    if reel.backward:
        found.reverse()
    every = Addressed(*(torch.stack(parts, dim=2)[0] for parts in zip(*found, strict=True)))
    owner = f"{reel.name}, " if several else ""
    return [
        *_named(f"{owner}write head", every.write, every.written),
        *_named(f"{owner}read head", every.read, every.vectors),
    ]


def _named(name: str, weights: Tensor, vectors: Tensor) -> list[HeadPath]:
    """Number heads where there are several: weights `[H, T, N]`, vectors `[H, T, M]`."""
    numbers = [f" {n}" for n in range(1, len(weights) + 1)] if len(weights) > 1 else [""]
    rows = zip(numbers, weights.cpu().numpy(), vectors.cpu().numpy(), strict=True)
    return [HeadPath(name + number, w, v) for number, w, v in rows]
