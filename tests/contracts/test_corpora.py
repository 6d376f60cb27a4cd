"""What every embedded corpus keeps: the same pairs each time, splits apart, clean lines of text."""

import inspect
from itertools import chain, islice
from typing import get_args

import pytest

from saccade.corpora.base import Corpus, Split
from saccade.errors import RecipeError
from saccade.parts import Part, find, kinds, schema

SPLITS: tuple[Split, ...] = get_args(Split)
SIZE = 1500


def build(kind: str, **options: int) -> Corpus:
    return Part(Corpus, kind, options).build()


@pytest.fixture(params=kinds(Corpus))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_there_are_corpora() -> None:
    assert {"dates", "english_french"} <= set(kinds(Corpus))


def test_says_what_it_is(kind: str) -> None:
    corpus = find(Corpus, kind)
    assert inspect.getdoc(corpus)
    assert {"seed", "size"} <= set(schema(corpus))


def test_same_pairs_each_time(kind: str) -> None:
    for split in SPLITS:
        once = list(islice(build(kind).pairs(split), 80))
        assert once == list(islice(build(kind).pairs(split), 80))
        corpus = build(kind)
        assert list(islice(corpus.pairs(split), 80)) == list(islice(corpus.pairs(split), 80))


def test_another_seed_gives_other_pairs(kind: str) -> None:
    one = set(islice(build(kind, seed=1).pairs("train"), 80))
    assert len(one & set(islice(build(kind, seed=2).pairs("train"), 80))) < 16


def test_splits_share_no_source(kind: str) -> None:
    pairs = {split: build(kind, size=SIZE).pairs(split) for split in SPLITS}
    train, valid, test = ({source for source, _ in pairs[split]} for split in SPLITS)
    assert not train & valid
    assert not train & test
    assert not valid & test
    assert not test & {source for source, _ in build(kind, size=SIZE, seed=2).pairs("train")}


def test_sizes_as_asked_and_sources_distinct(kind: str) -> None:
    for split, size in zip(SPLITS, (SIZE, 1000, 1000), strict=True):
        pairs = list(build(kind, size=SIZE).pairs(split))
        assert len(pairs) == size
        assert len({source for source, _ in pairs}) == size


def test_more_is_the_same_and_more(kind: str) -> None:
    few, many = (list(build(kind, size=size).pairs("train")) for size in (50, 100))
    assert many[:50] == few
    tests = [list(islice(build(kind, size=size).pairs("test"), 50)) for size in (50, 100)]
    assert tests[0] == tests[1]


def test_text_is_clean(kind: str) -> None:
    for split in SPLITS:
        for pair in build(kind, size=SIZE).pairs(split):
            for text in chain.from_iterable(one.split("\t") for one in pair):  # features, say
                assert text
                assert text == " ".join(text.split())
                assert text.isprintable()


@pytest.mark.parametrize("size", [0, -3, 1_000_001])
def test_size_out_of_range(kind: str, size: int) -> None:
    message = f"{kind}.size: found {size}; expected 1 to 1000000 training pairs; give a number"
    with pytest.raises(RecipeError, match=message):
        build(kind, size=size)
