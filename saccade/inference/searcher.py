"""The door of this room: a model that torch searches."""

from dataclasses import replace
from functools import partial

from saccade.flow import Sources
from saccade.inference.freshness import Derived
from saccade.inference.linear import BlockedLinear, LayOut
from saccade.inference.model import ClearSteps, steps_of
from saccade.models.base import Model, phrase_writer, trellis_writer, writer
from saccade.search.base import Found, Search, Task


class TorchSearcher:
    """Searches a model that is laid out for it; see `Searcher`.

    A search that steps from one state twice gets the model as it is.

    Args:
        model: what was trained.
        lay_out: how its matrices are laid out.
    """

    def __init__(self, model: Model, lay_out: LayOut = BlockedLinear) -> None:
        self._model = model
        self._packed = Derived(model, partial(steps_of, model, lay_out))

    def batch_places(self, lines: int) -> int:
        """Return how many source places a batch should have at most."""
        return self._packed.current.batch_places(lines)

    def search(
        self, sources: Sources, search: Search, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Read the sources and search for their outputs; `trace` asks for the trees."""
        if search.trellis:
            model = trellis_writer(self._model, type(search).__name__.lower())
            return search(model.step, model.read_trellis(sources).as_state(), task, trace=trace)
        steps = self._packed.current if search.once else ClearSteps(writer(self._model))
        if search.phrases:
            owner = type(search).__name__.lower()
            task = replace(task, options=phrase_writer(self._model, owner).read_phrases(sources))
        step, state = steps.begin(sources)
        return search(step, state, task, trace=trace)
