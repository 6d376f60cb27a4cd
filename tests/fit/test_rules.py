"""The rules by which sizes follow from the data."""

import pytest

from saccade.fit.jobs import JOBS
from saccade.fit.rules import sizes_for
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
