from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.noisy import Noisy

TEXTS = ["abcdefgh"] * 400
CORPUS = Part(Reader, "pairs", {"pairs": [[text, text.upper()] for text in TEXTS]})


def sources(**options: object) -> list[str]:
    return [e.source for e in Noisy(Path(), corpus=CORPUS, **options).read()]  # type: ignore[arg-type]


def test_no_rate_no_slips() -> None:
    assert sources(rate=0.0) == TEXTS


def test_targets_stay_and_copies_differ() -> None:
    examples = list(Noisy(Path(), corpus=CORPUS, copies=2, rate=0.2).read())
    assert [e.target for e in examples] == ["ABCDEFGH"] * 800
    assert examples[:400] != examples[400:]


def test_slips_are_as_often_as_the_rate_says() -> None:
    kept = Counter(sources(rate=0.1))["abcdefgh"] / len(TEXTS)
    assert abs(kept - 0.9**8) < 0.08  # 0.43, and a few that replaced a letter by itself


def test_all_five_kinds_of_slip_happen() -> None:
    found = set(sources(rate=0.1))
    assert {"bcdefgh", "aabcdefgh", "bacdefgh"} <= found
    assert any(len(text) == 8 and sorted(text) != sorted("abcdefgh") for text in found)
    assert any(len(text) == 9 and text[1:] == "abcdefgh" and text[0] != "a" for text in found)


def test_the_same_seed_gives_the_same_slips() -> None:
    assert sources(rate=0.3, seed=1) == sources(rate=0.3, seed=1) != sources(rate=0.3, seed=2)


def test_nothing_is_left_empty() -> None:
    assert all(sources(rate=1.0))


def test_the_fingerprint_knows_all_that_matters() -> None:
    options: list[dict[str, Any]] = [{}, {"copies": 2}, {"rate": 0.2}, {"seed": 1}]
    readers = [Noisy(Path(), corpus=CORPUS, **some) for some in options]
    assert len({reader.fingerprint() for reader in readers}) == 4


def test_numbers_that_make_no_sense() -> None:
    with pytest.raises(RecipeError, match=r"noisy: copies 0 and rate 0\.1; expected 1 or more"):
        Noisy(Path(), corpus=CORPUS, copies=0)


def test_features_stay_as_they_are() -> None:
    corpus = Part(Reader, "pairs", {"pairs": [["abcdef\tV;PST", "x"]] * 50})
    found = [e.source.partition("\t") for e in Noisy(Path(), corpus=corpus, rate=0.5).read()]
    assert {features for _, _, features in found} == {"V;PST"}
    assert len({text for text, _, _ in found}) > 40
    assert not {*"VPST;"} & {*"".join(text for text, _, _ in found)}
