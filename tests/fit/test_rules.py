"""The rules by which sizes follow from the data."""

import pytest

from saccade.fit.jobs import JOBS
from saccade.fit.rules import RunSizes, relative_cost, sizes_for, smaller
from saccade.fit.survey import survey
from saccade.nouns import pair

FOUND = survey([pair("abcdefgh", "x y z u v w")])


@pytest.mark.parametrize("n", [100, 200, 800, 4000, 30_000, 300_000])
@pytest.mark.parametrize("task", ["pronunciation", "translation", "labels"])
def test_few_pairs_still_have_many_updates(n: int, task: str) -> None:
    sizes = sizes_for(JOBS[task], FOUND, n)
    assert sizes.updates >= 1500
    assert sizes.warmup <= sizes.updates / 4
    row = max(sizes.batch_tokens / 12, 1)
    assert n / row >= 6, "an epoch is more than a handful of updates"


def test_more_pairs_more_of_everything() -> None:
    small, large = (sizes_for(JOBS["translation"], FOUND, n) for n in (500, 50_000))
    assert small.updates < large.updates
    assert small.pieces < large.pieces
    assert small.dropout > large.dropout
    assert small.batch_tokens < large.batch_tokens


def test_longest_texts_fit_into_a_batch() -> None:
    found = survey([pair("a " * 300, "b")])
    sizes = sizes_for(JOBS["labels"], found, 200)
    assert sizes.batch_tokens >= 300
    assert sizes.max_length["source"] >= 300


def _steps(task: str, n: int) -> list[RunSizes]:
    sizes: RunSizes | None = sizes_for(JOBS[task], FOUND, n)
    found = []
    while sizes is not None:
        found.append(sizes)
        sizes = smaller(JOBS[task], sizes)
    return found


def test_short_times_make_batches_and_models_smaller() -> None:
    steps = _steps("translation", 50_000)
    assert len(steps) > 3
    costs = [relative_cost(one) for one in steps]
    assert costs == sorted(costs, reverse=True)
    assert steps[-1].width == 128
    assert 1000 <= steps[-1].batch_tokens < 2000
    assert all(one.updates == steps[0].updates for one in steps)


def test_small_sizes_stay() -> None:
    assert len(_steps("pronunciation", 800)) == 1
    assert {one.width for one in _steps("labels", 50_000)} == {256}, "labels have one width"


def test_updates_may_double_where_text_is_written() -> None:
    assert sizes_for(JOBS["pronunciation"], FOUND, 800).longer == 2.0
    assert sizes_for(JOBS["labels"], FOUND, 800).longer == 1.0
