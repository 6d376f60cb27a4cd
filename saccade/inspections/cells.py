"""Units of a recurrent cell that follow something in the text."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch

from saccade.cells.base import Cell
from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, Seen
from saccade.look.inspection import check_text, written_in
from saccade.look.recording import record
from saccade.models.base import writer
from saccade.nouns import SOURCE_NAME
from saccade.predict.predictor import Predictor
from saccade.views import cell_state
from saccade.views.cell_state import Unit, best_units
from saccade.views.drawing import Drawing


class CellsView(Inspection):
    """The units whose memory goes with words, quotes, brackets or places, along the text."""

    @classmethod
    def suits(cls, predictor: Predictor) -> bool:
        """Tell whether the model has a recurrent cell."""
        return any(isinstance(part, Cell) for part in predictor.model.modules())

    def draw(self, seen: Seen) -> Drawing:
        """Draw the units."""
        symbols, units = followers(seen.translator, seen.sentence)
        title = "Units that follow the text"
        return Drawing(
            "Cells",
            lambda: cell_state.to_svg(symbols, units, title=title),
            partial(cell_state.to_terminal, symbols, units),
            said=seen.sentence,
        )


@torch.inference_mode()
def followers(translator: Predictor, text: Any) -> tuple[tuple[str, ...], list[Unit]]:
    """Return the pieces of a text and the units of the reading cells that follow its properties.

    What is followed is the memory: `c` of an LSTM, `h` of other cells. A language model reads the
    text as what it has written so far.
    """
    if not translator.model.reads:
        return _writing_units(translator, text)
    check_text(translator, text)
    vocabulary = written_in(translator.source)
    given = text if isinstance(text, Mapping) else {next(iter(translator.sources)): text}
    (arrays,) = translator.encode([given])
    if len(arrays) > 1:
        raise RecipeError(
            f"inspect: cell states are shown of one source, but this model reads"
            f" {', '.join(arrays)}. Use --view attention."
        )
    ids = next(iter(arrays.values())).tolist()
    sources = translator.batch([arrays], [[]]).sources
    reels = record(translator.model, lambda model: writer(model).start(sources))
    held = {reel.name: reel.memory() for reel in reels if reel.projected.shape[1] == len(ids) + 1}
    if not held:
        raise RecipeError(
            "inspect: this model reads without a recurrent cell, so it has no cell states to show."
            " Use another --view, or a model with an rnn encoder."
        )
    return _best(held, slice(0, -1), vocabulary.pieces(ids))


def _writing_units(translator: Predictor, text: Any) -> tuple[tuple[str, ...], list[Unit]]:
    vocabulary = written_in(translator.target)
    ids = vocabulary.encode(text)
    batch = translator.batch(translator.encode([{SOURCE_NAME: ""}]), [ids])
    reels = record(translator.model, lambda model: model(batch))
    held = {reel.name: reel.memory() for reel in reels if reel.projected.shape[1] == len(ids) + 1}
    if not ids or not held:
        raise RecipeError(
            "inspect: there is no cell state to show: the text is empty, or this model writes"
            " without a recurrent cell. Write a text, or use a model with an rnn decoder."
        )
    return _best(held, slice(1, None), vocabulary.pieces(ids))  # START is read first


def _best(
    held: Mapping[str, tuple[str, torch.Tensor]], places: slice, pieces: tuple[str, ...]
) -> tuple[tuple[str, ...], list[Unit]]:
    states = torch.cat([memory[0, places] for _, memory in held.values()], dim=1)  # [S, U]
    names = [
        f"{entry}[{unit}] of {name}"
        for name, (entry, memory) in held.items()
        for unit in range(memory.shape[2])
    ]
    return pieces, best_units(states.float().cpu().numpy(), names, pieces)
