"""The tasks of memory machines: what each asks, and that the answer is right."""

from itertools import islice

import pytest

from saccade.corpora.associative_recall import AssociativeRecall
from saccade.corpora.copy import Copy
from saccade.corpora.latch import Latch
from saccade.corpora.priority_sort import PrioritySort
from saccade.corpora.repeat_copy import RepeatCopy
from saccade.errors import RecipeError


def test_a_copy_is_the_same() -> None:
    lengths = set()
    for source, target in islice(Copy(longest=6).pairs("train"), 200):
        assert source == target
        assert {len(place) for place in source.split()} == {8}
        lengths.add(len(source.split()))
    assert lengths == {1, 2, 3, 4, 5, 6}


def test_a_test_set_may_be_longer() -> None:
    corpus = Copy(shortest=80, longest=80)
    assert {len(source.split()) for source, _ in islice(corpus.pairs("test"), 20)} == {80}


def test_a_repeated_copy_is_as_often_as_its_last_place_says() -> None:
    seen = set()
    for source, target in islice(RepeatCopy(longest=4, most=3).pairs("train"), 200):
        *places, last = source.split()
        assert last[-1] == "1"
        assert {place[-1] for place in places} == {"0"}
        times = int(last[:-1], 2)
        assert target.split() == [place[:-1] for place in places] * times
        seen.add(times)
    assert seen == {1, 2, 3}


def test_the_item_behind_the_one_asked_for_is_wanted() -> None:
    for source, target in islice(AssociativeRecall(longest=4).pairs("train"), 100):
        rows = source.split()
        starts = [n for n, row in enumerate(rows) if row.endswith("10") and set(row[:6]) == {"0"}]
        (asked,) = (n for n, row in enumerate(rows) if row == "00000001")
        items = [[row[:6] for row in rows[n + 1 : n + 4]] for n in starts if n < asked]
        wanted = [row[:6] for row in rows[asked + 1 :]]
        assert 2 <= len(items) <= 4
        assert items[items.index(wanted) + 1] == target.split()


def test_vectors_are_sorted_by_falling_priority() -> None:
    for source, target in islice(PrioritySort().pairs("train"), 100):
        rows = [row.split(",") for row in source.split()]
        order = sorted(rows, key=lambda row: -float(row[-1]))
        assert target.split() == ["".join(row[:-1]) for row in order]
        assert len({row[-1] for row in rows}) == len(rows)


def test_the_first_place_is_to_be_remembered() -> None:
    for source, target in islice(Latch(longest=9).pairs("train"), 100):
        first, *noise = source.split()
        assert first == f"{target}1"
        assert 5 <= len(noise) <= 9
        assert {place[-1] for place in noise} == {"0"}


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Copy(bits=0), r"copy: bits 0, shortest 1, longest 20; expected 1 to 64 bits"),
        (lambda: Copy(shortest=9, longest=8), r"copy: bits 8, shortest 9, longest 8; expected"),
        (lambda: Copy(bits=1, longest=2), r"and 12 bits or more in the longest. Change them"),
        (lambda: RepeatCopy(bits=3, most=8), r"repeat_copy: fewest 1, most 8 with 3 bits; expec"),
        (lambda: AssociativeRecall(shortest=1), r"associative_recall: shortest 1, places 3; expec"),
        (lambda: PrioritySort(longest=1001), r"priority_sort.longest: found 1001; expected up to"),
        (lambda: Latch(longest=3000), r"latch: bits 4, shortest 5, longest 3000; expected"),
    ],
)
def test_what_cannot_be_is_refused(build: object, message: str) -> None:
    assert callable(build)
    with pytest.raises(RecipeError, match=message):
        build()
