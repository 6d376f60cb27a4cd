"""Searches of one model by two searchers."""

import pytest
import torch

from saccade.models.base import Writer
from saccade.search.base import Found, Search, Searcher, Task
from saccade.search.beam import Beam
from saccade.train import weights
from tests.inference.walk import source


def task_for(search: Search, **options: object) -> Task:
    """Return a task of four sentences, short enough for a search that goes back."""
    limits = [7, 3, 9, 30] if search.once else [2, 1, 2, 0]
    given = {"keys": [1, 2, 3, 4], **options}
    return Task(2, 3, torch.tensor(limits), (0, 2), **given)  # type: ignore[arg-type]


def assert_finds_the_same(
    searcher: Searcher, model: Writer, search: Search, *, trace: bool = False, **options: object
) -> None:
    """Check that what is found is what the clear model finds."""
    task = task_for(search, **options)
    expected = search(model.step, model.start(source()), task, trace=trace)
    _assert_same(searcher.search(source(), search, task, trace=trace), expected)


def assert_follows_the_weights(searcher: Searcher, model: Writer) -> None:
    """Check that what is found changes with the weights."""
    search = Beam(width=3)
    assert_finds_the_same(searcher, model, search)
    weights.put(model, {name: -value for name, value in weights.of(model).items()}, "here")
    assert_finds_the_same(searcher, model, search)


def _assert_same(found: list[Found], expected: list[Found]) -> None:
    for one, other in zip(found, expected, strict=True):
        for mine, theirs in zip(one.hypotheses, other.hypotheses, strict=True):
            assert mine.tokens == theirs.tokens
            assert mine.score == pytest.approx(theirs.score, abs=1e-4)
            assert mine.token_scores == pytest.approx(theirs.token_scores, abs=1e-4)
        assert [[b.token for b in level] for level in one.tree] == [
            [b.token for b in level] for level in other.tree
        ]
