"""A searcher finds what a search over the clear model finds, with the weights as they are now."""

from collections.abc import Iterator

import pytest
import torch

from saccade.inference.searcher import TorchSearcher
from saccade.models.base import Model
from saccade.parts import Part
from saccade.search.base import Search
from saccade.search.beam import Beam
from saccade.search.exhaustive import Exhaustive
from saccade.search.greedy import Greedy
from saccade.search.sample import Sample
from tests.inference.searches import assert_finds_the_same, assert_follows_the_weights
from tests.inference.walk import build
from tests.native.test_rnn_decoder import part as lstm
from tests.native.test_transformer_decoder import part as transformer
from tests.samples import name

MODELS = [transformer(), lstm(), lstm(cell="gru")]
SEARCHES = [Beam(width=3, n_best=2), Beam(width=1), Greedy(), Sample(n=3), Exhaustive()]


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.mark.parametrize("kind", MODELS, ids=name)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda one: type(one).__name__)
def test_torch_finds_what_the_clear_model_finds(kind: Part[Model], search: Search) -> None:
    model = build(kind)
    assert_finds_the_same(TorchSearcher(model), model, search)


@pytest.mark.parametrize("kind", MODELS, ids=name)
def test_torch_follows_the_weights(kind: Part[Model]) -> None:
    model = build(kind)
    assert_follows_the_weights(TorchSearcher(model), model)


def test_double_precision_is_searched_too() -> None:
    model = build(transformer()).double()
    assert_finds_the_same(TorchSearcher(model), model, Beam(width=3))


def test_lines_without_a_past_go_many_at_a_time() -> None:
    grid, width = 7 * 7 + 1, 3
    few, many = TorchSearcher(build(transformer())), TorchSearcher(build(lstm()))
    assert few.batch_places(width) // grid == 12
    assert many.batch_places(width) // grid == 64
    assert few.batch_places(1) == 1024
    assert [many.batch_places(lines) * lines for lines in (1, 3, 5)] == [9600] * 3


def test_what_is_read_once_may_come_in_large_batches() -> None:
    label = TorchSearcher(build(Part(Model, "classifier", {"embedding": 8, "hidden": 8})))
    assert label.batch_places(1) > 1_000_000
