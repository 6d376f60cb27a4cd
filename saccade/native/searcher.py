"""The door of this room: a model that the kernels search."""

import torch

from saccade.flow import Sources, only
from saccade.inference.freshness import Derived
from saccade.inference.searcher import TorchSearcher
from saccade.inference.steps import symbol_model
from saccade.kernels import library
from saccade.kernels.library import Kernels
from saccade.models.base import Model
from saccade.native.batch import NativeModel
from saccade.native.panels import PanelMaker
from saccade.native.rnn_decoder import NativeRnn
from saccade.native.transformer_decoder import NativeTransformer
from saccade.search.base import Found, Search, Searcher, Task


class NativeSearcher:
    """Searches a model in C as far as its parts are known; see `Searcher`.

    Of a model whose every step is computed in C, plain beam searches run there as a whole, and
    others step through it. Of other models torch takes the steps, and the kernels compute the
    linear layers; so too for a search that must know what was read.

    Args:
        model: what was trained.
        kernels: who computes.
        int8: whether to multiply by matrices in bytes.
    """

    def __init__(self, model: Model, kernels: Kernels, *, int8: bool = False) -> None:
        make = PanelMaker(kernels, int8=int8)
        self._native = Derived(model, lambda: native_model(model, make))
        self._torch = TorchSearcher(model, make)

    def batch_places(self, lines: int) -> int:
        """Return how many source places a batch should have at most."""
        return (self._native.current or self._torch).batch_places(lines)

    def search(
        self, sources: Sources, search: Search, task: Task, *, trace: bool = False
    ) -> list[Found]:
        """Read the sources and search for their outputs; `trace` asks for the trees."""
        native = self._native.current if search.once and not search.looks else None
        if native is None:
            return self._torch.search(sources, search, task, trace=trace)
        batch = native.read(only(sources))
        if search.beam is not None and task.plain and not trace:
            return batch.beam(search.beam, task)
        return search(batch.step, batch.start, task, trace=trace)


def native_model(model: Model, make: PanelMaker) -> NativeModel | None:
    """Lay a model out for the kernels; None if they do not know one of its parts."""
    whole = symbol_model(model)
    if whole is None:
        return None
    return NativeTransformer.of(whole, make) or NativeRnn.of(whole, make)


def fastest_searcher(model: Model) -> Searcher:
    """Return who searches a model fastest here: the kernels, or torch if there are none."""
    with torch.no_grad():  # who only predicts does not wait for another process to compile them
        kernels = library.found().kernels
    return TorchSearcher(model) if kernels is None else NativeSearcher(model, kernels)
