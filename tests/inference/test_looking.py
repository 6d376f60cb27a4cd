"""What a search with a coverage penalty is told is what the model looks at in a second pass."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch.testing import assert_close

from saccade.errors import RecipeError
from saccade.flow import reorder, tensor
from saccade.inference.looking import LookingSteps
from saccade.inference.searcher import TorchSearcher
from saccade.models.base import Model
from saccade.native.searcher import NativeSearcher
from saccade.parts import Part
from saccade.search.base import COVERED, Found
from saccade.search.beam import Beam
from saccade.search.exhaustive import Exhaustive
from tests.inference.searches import task_for
from tests.inference.walk import SOURCES, build, source
from tests.native.kernels import kernels, needs_kernels
from tests.native.test_rnn_decoder import part as lstm
from tests.native.test_transformer_decoder import part as transformer
from tests.samples import batch_of, name

GNMT = lstm().plain() | {"decoder": {"kind": "gnmt", "hidden": 32, "layers": 3}}
KINDS = [
    Part(Model, "encoder_decoder", {k: v for k, v in GNMT.items() if k != "kind"}),
    lstm(),
    transformer(),
]
COVERING = Beam(width=3, n_best=3, length_penalty=0.6, length_offset=5.0, coverage_penalty=0.5)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_the_count_is_the_sum_of_the_weights(kind: Part[Model]) -> None:
    model, said = build(kind), [5, 9, 4]
    step, state = LookingSteps(model).begin(source())
    for token in (2, *said):
        _, state = step(torch.full((len(SOURCES),), token), state)
    batch = batch_of(*((ids, said) for ids in SOURCES))
    weights = model(batch, look=True).weights  # [B, T, A, S]
    expected = weights.mean(dim=2).sum(dim=1)
    kept = batch.source.mask
    assert_close(tensor(state, COVERED)[kept], expected[kept])
    assert (tensor(state, COVERED)[~kept] == 1).all()
    moved = reorder(state, torch.tensor([2, 0]))
    assert_close(tensor(moved, COVERED), tensor(state, COVERED)[[2, 0]])


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_scores_are_those_of_a_second_pass(kind: Part[Model]) -> None:
    """Score what was found anew: log-probabilities and weights of the whole output at once.

    What was cut at its limit has read once more, with the step that might have written END.
    """
    model = build(kind)
    found = TorchSearcher(model).search(source(), COVERING, task_for(COVERING))
    for ids, one in zip(SOURCES, found, strict=True):
        for hypothesis in one.hypotheses:
            batch = batch_of((ids, list(hypothesis.tokens)))
            decoded = model(batch, look=True)
            gains = model.head.log_probs(decoded.features)[0]
            n = len(hypothesis.tokens) + hypothesis.finished
            log_prob = gains.gather(1, batch.target.values.T)[:n].sum()
            covered = decoded.weights[0].mean(dim=1).sum(dim=0).clamp(max=1.0).log().sum()
            lp = ((5 + n) / 6) ** 0.6
            assert hypothesis.score == pytest.approx(float(log_prob / lp + 0.5 * covered), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_a_wide_beam_is_exhaustive(kind: Part[Model]) -> None:
    model = build(kind)
    penalties: dict[str, Any] = {"length_offset": 5.0, "coverage_penalty": 0.5}
    every = Exhaustive(n_best=2, **penalties)
    beam = Beam(width=600, n_best=2, **penalties)
    searcher, task = TorchSearcher(model), task_for(every)
    _assert_same(searcher.search(source(), beam, task), searcher.search(source(), every, task))


@needs_kernels
@pytest.mark.parametrize("kind", KINDS, ids=name)
def test_native_hands_it_over_and_finds_the_same(kind: Part[Model]) -> None:
    model = build(kind)
    native, clear = NativeSearcher(model, kernels()), TorchSearcher(model)
    for search in (COVERING, Beam(width=1, coverage_penalty=1.0)):
        task = task_for(search)
        _assert_same(native.search(source(), search, task), clear.search(source(), search, task))


@needs_kernels
@pytest.mark.parametrize("kind", KINDS[1:], ids=name)
def test_the_length_of_gnmt_is_counted_in_c(kind: Part[Model]) -> None:
    model, search = build(kind), Beam(width=3, n_best=3, length_penalty=0.6, length_offset=5.0)
    native, clear = NativeSearcher(model, kernels()), TorchSearcher(model)
    task = task_for(search)
    _assert_same(native.search(source(), search, task), clear.search(source(), search, task))


def _assert_same(found: list[Found], expected: list[Found]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert [h.tokens for h in one.hypotheses] == [h.tokens for h in other.hypotheses]
        scores = [h.score for h in other.hypotheses]
        assert [h.score for h in one.hypotheses] == pytest.approx(scores, abs=1e-4)


def test_models_that_look_nowhere_are_refused() -> None:
    told = r"search.coverage_penalty: the model has no attention, so nobody knows what it read;"
    with pytest.raises(RecipeError, match=told):
        TorchSearcher(build(lstm(attention="none", wiring="luong", input_feeding=False))).search(
            source(), COVERING, task_for(COVERING)
        )


def test_models_that_weigh_other_places_are_refused() -> None:
    """A pyramid has fewer states, but shares their weights out; a model that does not cannot."""
    model = build(lstm())
    steps = LookingSteps(model)
    step, state = steps.begin(source())
    state = {**state, COVERED: torch.zeros(len(SOURCES), 9)}
    told = r"the model weighs 6 places of a source that has 9; expected a weight for each. Set it"
    with pytest.raises(RecipeError, match=told):
        step(torch.full((len(SOURCES),), 4), state)
