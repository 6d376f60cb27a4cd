"""A part of a corpus in an order of chance."""

import random
from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.shuffled import Shuffled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.tsv").write_text("".join(f"{n}\t{n}\n" for n in range(10)), encoding="utf-8")
    return tmp_path


def reader(folder: Path, **options: Any) -> Shuffled:
    return Shuffled(folder, corpus=Part(Reader, "tsv", {"path": "t.tsv"}), **options)


def texts(one: Reader) -> list[str]:
    return [example.source for example in one.read()]


def test_it_is_the_shuffle_of_python(folder: Path) -> None:
    expected = [str(n) for n in range(10)]
    random.Random(3).shuffle(expected)
    assert texts(reader(folder, seed=3)) == expected
    assert texts(reader(folder, seed=3, stop=7)) == expected[:7]
    assert texts(reader(folder, seed=3, start=7)) == expected[7:]


def test_parts_have_fingerprints_of_their_own(folder: Path) -> None:
    options: list[dict[str, int]] = [{}, {"seed": 1}, {"start": 1}, {"stop": 9}]
    assert len({reader(folder, **one).fingerprint() for one in options}) == 4


def test_numbers_out_of_range_are_refused(folder: Path) -> None:
    with pytest.raises(RecipeError, match="shuffled: start is 3 and stop 3; expected 0 or more"):
        reader(folder, start=3, stop=3)
    for options in ({"stop": 11}, {"start": 10}):
        with pytest.raises(DataError, match="the corpus has 10 examples, but start is"):
            texts(reader(folder, **options))
