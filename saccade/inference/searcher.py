"""The door of this room: a model that torch searches."""

from dataclasses import replace
from functools import partial

from saccade.flow import Sources
from saccade.inference.freshness import Derived
from saccade.inference.linear import BlockedLinear, LayOut, packed
from saccade.inference.looking import LookingSteps
from saccade.inference.model import ClearSteps, steps_of
from saccade.inference.steps import ModelSteps
from saccade.models.base import Model, Writer, phrase_writer, trellis_writer, writer
from saccade.search.base import Found, Search, Task


class TorchSearcher:
    """Searches a model that is laid out for it; see `Searcher`.

    A search that steps from one state twice gets the model as it is, and one that `looks` gets it
    with a count of what was read.

    Args:
        model: what was trained.
        lay_out: how its matrices are laid out.
    """

    def __init__(self, model: Model, lay_out: LayOut = BlockedLinear) -> None:
        self._model = model
        self._packed = Derived(model, partial(steps_of, model, lay_out))
        self._looking = Derived(model, lambda: LookingSteps(packed(self._writer, lay_out)))

    @property
    def _writer(self) -> Writer:
        return writer(self._model)

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
        steps: ModelSteps = self._packed.current if search.once else ClearSteps(self._writer)
        if search.looks:
            steps = self._looking.current
        if search.phrases:
            owner = type(search).__name__.lower()
            task = replace(task, options=phrase_writer(self._model, owner).read_phrases(sources))
        step, state = steps.begin(sources)
        return search(step, state, task, trace=trace)
