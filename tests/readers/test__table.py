from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.readers._table import Unread, left_out, place_of, with_features


def test_features_follow_a_tab() -> None:
    assert with_features("run", "V;PST", "a:1") == "run\tV;PST"
    assert with_features("run", " ", "a:1") == "run"
    with pytest.raises(DataError, match=r"a:1: the source 'a\\tb' holds a tab; expected none, as"):
        with_features("a\tb", "V", "a:1")


def test_columns_are_names_before_they_are_numbers() -> None:
    assert place_of("2", ["x", "1", "2"], "source", "a:1") == 2
    assert place_of("2", ["x", "y"], "source", "a:1") == 1
    assert place_of(2, ["x", "y"], "source", "a:1") == 1


def test_columns_with_nothing_in_them_are_not_missed() -> None:
    rows = [["a", "b", ""], ["c", "d", " ", "e"]]
    assert left_out(Path("a"), rows, [0, 1]) == [Unread(Path("a"), "4", "e")]
