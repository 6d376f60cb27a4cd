"""How far the gates of recurrent layers stand open along a text."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import torch
from torch import Tensor

from saccade.cells.base import Cell
from saccade.errors import RecipeError, suggest
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import batch_of, written_in
from saccade.look.recording import Reel, record
from saccade.models.base import writer
from saccade.nouns import SOURCE_NAME
from saccade.predict.predictor import Predictor
from saccade.views import gates
from saccade.views.drawing import Drawing
from saccade.views.gates import GatesPanel

_OF_UNIT = re.compile(r"(\d+)(?: of (.+))?")


class GatesView(Inspection):
    """The gates of every recurrent layer at every symbol that it reads, one unit's or their mean.

    `head` says which: mean or max over the units, the name of a layer, the number of a unit, or
    both as `7 of decoder 1`.
    """

    page: ClassVar[int] = 14

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has a cell with gates, and writes text."""
        cells = (part for part in predictor.model.modules() if isinstance(part, Cell))
        return any(len(cell.slices) > 1 for cell in cells) and bool(predictor.target.vocabulary)

    def draw(self, seen: Seen) -> Drawing:
        """Draw the gates."""
        panels = along(seen)
        said = seen.said if seen.translator.model.reads else str(seen.sentence)
        return Drawing(
            "Gates",
            lambda: gates.to_svg(panels, title="Gates along the text"),
            partial(gates.to_terminal, panels),
            said=said,
        )


@torch.inference_mode()
def along(seen: Seen) -> list[GatesPanel]:
    """Return the gates of every layer along what it read.

    An encoder reads the source, a decoder what was written before; a cell may do one after the
    other. A language model is shown at the text that it is given.
    """
    texts = [one for one in _read(seen) if one.pieces]
    opened = [(one.reel.name, one.pieces, one.gates()) for one in texts]
    found = [(name, pieces, gates) for name, pieces, gates in opened if gates]
    if not found:
        raise RecipeError(
            "inspect: there is no gate to show: the text is empty, or this model reads it without"
            " an lstm, a gru or a mut cell. Use another --view, or a model with such a cell."
        )
    names = {name: next(iter(one.values())).shape[1] for name, _, one in found}
    layer, unit = _chosen(seen.manner.head, names)
    return [
        _panel(name, pieces, one, seen.manner.head, unit)
        for name, pieces, one in found
        if layer in ("", name)
    ]


@dataclass(frozen=True, slots=True)
class _Reading:
    """A cell, the pieces that it read, and at which steps; START and the last END are left out."""

    reel: Reel
    pieces: tuple[str, ...]
    steps: list[int]

    def gates(self) -> dict[str, Tensor]:
        """Return every gate at the pieces, `[S, D]`."""
        return {name: one[0, self.steps] for name, one in self.reel.gates().items()}


def _read(seen: Seen) -> list[_Reading]:
    """Return every cell with what it read."""
    predictor = seen.translator
    vocabulary = written_in(predictor.target)
    if not predictor.model.reads:
        ids = seen.given.hypothesis.tokens if seen.given else vocabulary.encode(seen.sentence)
        batch = predictor.batch(predictor.encode([{SOURCE_NAME: ""}]), [list(ids)])
        reels = record(predictor.model, lambda model: model(batch))
        return [_fitting(reel, [], vocabulary.pieces(ids)) for reel in reels]
    one = seen.translation
    batch, tokens = batch_of(predictor, one), vocabulary.pieces(one.hypothesis.tokens)
    texts = [one.labels(name) for name in one.arrays if one.looker.sources[name].vocabulary]
    begun = record(predictor.model, lambda model: writer(model).start(batch.sources))
    reels = record(predictor.model, lambda model: model(batch))
    n_steps = {reel.name: reel.projected.shape[1] for reel in reels}
    encoders = [reel for reel in begun if n_steps[reel.name] == reel.projected.shape[1]]
    others = [reel for reel in reels if reel.name not in {encoder.name for encoder in encoders}]
    return [_fitting(reel, texts, ()) for reel in encoders] + [
        _fitting(reel, texts if reel.name in {one.name for one in begun} else [], tokens)
        for reel in others
    ]


def _fitting(reel: Reel, texts: Sequence[Sequence[str]], written: Sequence[str]) -> _Reading:
    """Put a cell beside what it read: a source of as many places, what was written, or both.

    A cell that reads alone sees a source to its END; one that writes begins with START; one that
    does both sees END between them.
    """
    steps = list(range(reel.projected.shape[1]))
    for text in texts:
        if len(text) == len(steps):
            return _Reading(reel, tuple(text[:-1]), steps[:-1])
        if len(text) + 1 + len(written) == len(steps):
            both = (*text, *written)
            return _Reading(reel, both, [*steps[: len(text)], *steps[len(text) + 1 :]])
    fits = not texts and len(written) + 1 == len(steps)
    return _Reading(reel, tuple(written) if fits else (), steps[1:])


def _chosen(head: str, widths: Mapping[str, int]) -> tuple[str, int | None]:
    """Return which layer is asked for, all if "", and which unit, all if None."""
    asked = _OF_UNIT.fullmatch(head)
    layer = (asked[2] or "") if asked else "" if head in ("mean", "max") else head
    if layer and layer not in widths:
        raise RecipeError(
            f"--head: no layer '{layer}' with gates.{suggest(layer, list(widths))} There are: mean,"
            f" max, {', '.join(widths)}, or a unit of them as 0 or '0 of {next(iter(widths))}'."
        )
    if asked is None:
        return layer, None
    least = min(width for name, width in widths.items() if layer in ("", name))
    if int(asked[1]) >= least:
        raise RecipeError(
            f"--head: no unit {asked[1]}{f' of {layer}' if layer else ''}; expected 0 to"
            f" {least - 1}. Choose one of them."
        )
    return layer, int(asked[1])


def _panel(
    name: str,
    pieces: tuple[str, ...],
    found: Mapping[str, Tensor],
    head: str,
    unit: int | None,
) -> GatesPanel:
    """Put one layer's gates, `[S, D]` each, beside its pieces."""
    values = {
        gate: (of.amax(dim=1) if head == "max" else of.mean(dim=1)) if unit is None else of[:, unit]
        for gate, of in found.items()
    }
    width = next(iter(found.values())).shape[1]
    how = "largest" if head == "max" else "mean"
    which = f"{how} of {width} units" if unit is None else f"unit {unit}"
    return GatesPanel(
        f"{name}, {which}", pieces, {gate: row.tolist() for gate, row in values.items()}
    )
