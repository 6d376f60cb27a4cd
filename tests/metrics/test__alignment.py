from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.metrics._alignment import EXACT, PARAPHRASE, STEM, SYNONYM, align, chunks_of
from saccade.metrics._meteor_tables import Tables, tables
from tests.metrics.meteor_tables import write_tables

lines = st.lists(st.sampled_from("abc"), max_size=3)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder: Path = tmp_path_factory.mktemp("tables") / "meteor"
    return tables(write_tables(folder))


def _pairs(own: str, wanted: str, known: Tables | None = None) -> list[tuple[int, str, str]]:
    ours, theirs = own.split(), wanted.split()
    return [
        (
            match.module,
            " ".join(ours[match.own_start : match.own_start + match.own_length]),
            " ".join(theirs[match.start : match.start + match.length]),
        )
        for match in align(ours, theirs, known)
    ]


def test_equal_words_and_stems() -> None:
    assert _pairs("the dogs ran", "a dog ran") == [(STEM, "dogs", "dog"), (EXACT, "ran", "ran")]
    assert _pairs("hound", "dog") == []


def test_synonyms_and_paraphrases(known: Tables) -> None:
    found = _pairs("the hound is beside a guy", "a dog next to the man", known)
    assert (SYNONYM, "hound", "dog") in found
    assert (SYNONYM, "guy", "man") in found
    assert (PARAPHRASE, "beside", "next to") in found
    turned = _pairs("a very large dog", "a big dog", known)
    assert (PARAPHRASE, "very large", "big") in turned


def test_fewest_chunks_decide() -> None:
    """The second "the" continues the chunk "the mat"; the first would make one more."""
    found = align(["the", "cat", "the", "mat"], ["on", "the", "mat"], None)
    assert [(match.start, match.own_start) for match in found] == [(1, 2), (2, 3)]
    assert chunks_of(found) == 1


def test_chunks_by_hand() -> None:
    """Banerjee & Lavie 2005, section 2.2: "the president spoke to the audience" against "the
    president then spoke to the audience" has two chunks."""
    own, wanted = "the president spoke to the audience", "the president then spoke to the audience"
    assert chunks_of(align(own.split(), wanted.split(), None)) == 2
    assert chunks_of(align(own.split(), own.split(), None)) == 1
    assert chunks_of([]) == 0


def _best(own: list[str], wanted: list[str]) -> tuple[int, int]:
    """Try every set of pairs: most words, then fewest chunks."""
    pairs = [(i, j) for i, a in enumerate(wanted) for j, b in enumerate(own) if a == b]
    best = (0, 0)
    for size in range(len(pairs) + 1):
        for chosen in combinations(pairs, size):
            if len({i for i, _ in chosen}) == len({j for _, j in chosen}) == size:
                ends = {(i + 1, j + 1) for i, j in chosen}
                chunks = sum(pair not in ends for pair in chosen)
                best = min(best, (-size, chunks))
    return best


@settings(deadline=None, max_examples=200)
@given(lines, lines)
def test_equals_brute_force(own: list[str], wanted: list[str]) -> None:
    """Three words have fewer than forty alignments: the beam holds all of them."""
    found = align(own, wanted, None)
    assert (-len(found), chunks_of(found)) == _best(own, wanted)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from("abcd"), max_size=9), st.lists(st.sampled_from("abcd"), max_size=9))
def test_no_word_is_used_twice(own: list[str], wanted: list[str]) -> None:
    found = align(own, wanted, None)
    assert len({match.start for match in found}) == len(found)
    assert len({match.own_start for match in found}) == len(found)
