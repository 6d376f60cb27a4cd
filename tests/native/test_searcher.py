"""What is searched in C is what torch finds, and torch is asked where C does not know enough."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from saccade.inference.searcher import TorchSearcher
from saccade.kernels import library
from saccade.kernels.library import KernelStatus
from saccade.models.base import Model
from saccade.native.batch import NativeBatch
from saccade.native.searcher import NativeSearcher, fastest_searcher
from saccade.parts import Part
from saccade.search.base import Search
from saccade.search.beam import Beam
from saccade.search.exhaustive import Exhaustive
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from tests.inference.searches import assert_finds_the_same, assert_follows_the_weights, task_for
from tests.inference.walk import build, source
from tests.native.kernels import kernels, needs_bytes, needs_kernels
from tests.native.test_rnn_decoder import part as lstm
from tests.native.test_transformer_decoder import part as transformer
from tests.samples import name

IN_C = [transformer(), lstm()]
OTHERS = [lstm(cell="gru"), transformer(embedding=24), Part(Model, "language_model")]
SEARCHES = [Beam(width=3, n_best=2), Beam(width=1), Greedy(), Sample(n=3), Exhaustive()]


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.fixture
def beams(monkeypatch: pytest.MonkeyPatch) -> list[NativeBatch]:
    """Note which batches run a beam by themselves."""
    seen: list[NativeBatch] = []
    inner = NativeBatch.beam

    def beam(self: NativeBatch, *given: Any) -> Any:
        seen.append(self)
        return inner(self, *given)

    monkeypatch.setattr(NativeBatch, "beam", beam)
    return seen


@needs_kernels
@pytest.mark.parametrize("kind", [*IN_C, *OTHERS], ids=name)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda one: type(one).__name__)
def test_it_finds_what_the_clear_model_finds(kind: Part[Model], search: Search) -> None:
    model = build(kind)
    assert_finds_the_same(NativeSearcher(model, kernels()), model, search)


@needs_kernels
@pytest.mark.parametrize("kind", IN_C, ids=name)
def test_a_plain_beam_runs_in_c_as_a_whole(kind: Part[Model], beams: list[NativeBatch]) -> None:
    model = build(kind)
    searcher = NativeSearcher(model, kernels())
    assert_finds_the_same(searcher, model, Beam(width=3))
    assert len(beams) == 1
    assert_finds_the_same(searcher, model, Beam(width=3), prefixes=[(), (), (), ()])
    assert len(beams) == 2


@needs_kernels
@pytest.mark.parametrize("kind", IN_C, ids=name)
@pytest.mark.parametrize(
    "options",
    [
        {"trace": True},
        {"watch": lambda *_: None},
        {"shapers": [lambda _, log_probs: log_probs.index_fill(1, torch.tensor([5]), -9.0)]},
        {"prefixes": [(4,), (), (5, 6), ()]},
    ],
    ids=lambda one: next(iter(one)),
)
def test_other_beams_step_through_it(
    kind: Part[Model], options: dict[str, Any], beams: list[NativeBatch]
) -> None:
    model = build(kind)
    assert_finds_the_same(NativeSearcher(model, kernels()), model, Beam(width=3), **options)
    assert not beams


@needs_kernels
@pytest.mark.parametrize("kind", [*IN_C, *OTHERS], ids=name)
def test_it_follows_the_weights(kind: Part[Model]) -> None:
    model = build(kind)
    assert_follows_the_weights(NativeSearcher(model, kernels()), model)


@needs_bytes
@pytest.mark.parametrize("kind", [*IN_C, *OTHERS], ids=name)
def test_weights_may_be_rounded(kind: Part[Model]) -> None:
    model, search = build(kind), Beam(width=1)
    task = task_for(search)
    exact, rounded = (
        NativeSearcher(model, kernels(), int8=int8).search(source(), search, task)
        for int8 in (False, True)
    )
    scores = [[one.hypotheses[0].token_scores[0] for one in found] for found in (exact, rounded)]
    assert scores[0] != scores[1]
    assert scores[1] == pytest.approx(scores[0], abs=0.3)


@needs_kernels
def test_a_model_that_moves_is_searched_by_torch() -> None:
    model = build(transformer())
    searcher = NativeSearcher(model, kernels())
    assert_finds_the_same(searcher, model, Beam(width=3))
    model.double()
    assert_finds_the_same(searcher, model, Beam(width=3))


def test_the_fastest_is_native_if_there_are_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    model = build(lstm())
    if library.found().kernels is not None:
        assert isinstance(fastest_searcher(model), NativeSearcher)
    monkeypatch.setattr(library, "found", lambda: KernelStatus(None, "none"))
    assert isinstance(fastest_searcher(model), TorchSearcher)
