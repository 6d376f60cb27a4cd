from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.nouns import pair
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.pairs import Pairs


def test_pairs_are_read_from_a_recipe() -> None:
    part = Part(Reader, "pairs", {"pairs": [["a", "b"]]})
    assert list(part.build(Path()).read()) == [pair("a", "b", "pairs:1")]


def test_no_pairs_are_an_error() -> None:
    with pytest.raises(DataError, match="pairs: the list is empty; expected"):
        list(Pairs(Path()).read())


def test_other_than_two_texts_are_an_error() -> None:
    with pytest.raises(DataError, match=r"pairs:2: found 1 texts, \['c'\]; expected \[source, t"):
        list(Pairs(Path(), pairs=[["a", "b"], ["c"]]).read())


def test_fingerprint_is_of_content() -> None:
    one, other = Pairs(Path(), pairs=[["a", "b"]]), Pairs(Path(), pairs=[["a", "c"]])
    assert one.fingerprint() == Pairs(Path("x"), pairs=[["a", "b"]]).fingerprint()
    assert one.fingerprint() != other.fingerprint()
