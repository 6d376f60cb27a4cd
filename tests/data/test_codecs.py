"""The codecs of all sides: several sources by name, several references each."""

import numpy as np
import pytest

from saccade.data.codecs import TARGET, Codecs
from saccade.errors import DataError
from saccade.modalities.numbers import NumbersCodec, Scale
from saccade.modalities.text import TextCodec
from saccade.nouns import Example
from saccade.tokenizers.character import Character

LETTERS = TextCodec(Character().fit(["abc"], []))
COUNTS = NumbersCodec(Scale((0.0,), (2.0,)), 3)
BOTH = Codecs({"story": LETTERS, "heat": COUNTS}, LETTERS)


def test_every_side_is_encoded_and_every_reference() -> None:
    examples = [
        Example({"heat": "2 4", "story": "ab"}, ("a", "bb")),
        Example({"heat": np.array([[6.0]]), "story": "c"}, ("c",)),
    ]
    found = BOTH.encode(examples)
    assert list(found) == ["story", "heat", TARGET]
    assert [len(array) for array in found["story"]] == [2, 1]
    assert [array.ravel().tolist() for array in found["heat"]] == [[1.0, 2.0], [3.0]]
    assert [LETTERS.decode(array) for array in found[TARGET]] == ["a", "bb", "c"]


def test_what_a_model_must_know() -> None:
    sources, target = BOTH.shape
    assert {name: side.embedder for name, side in sources.items()} == {
        "story": "symbols",
        "heat": "linear",
    }
    assert target.size == len(LETTERS.vocabulary)
    assert BOTH.source is LETTERS
    assert list(BOTH.sides) == ["story", "heat", TARGET]
    assert BOTH.describe() == "story 7 symbols; heat 1 columns, up to 3 places; target 7 symbols"


def test_an_example_without_a_source_is_named() -> None:
    said = r"f:3: has no source 'heat'; it has story. Name the sources of the reader as in data.s"
    with pytest.raises(DataError, match=said):
        BOTH.encode([Example({"story": "a"}, ("b",), "f:3")])
