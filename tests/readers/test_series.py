"""Windows of a table: all of them, in time order, none over an edge."""

from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError, RecipeError
from saccade.modalities._numbers import written
from saccade.nouns import Example, pair
from saccade.readers.series import Series

TABLE = "day,rain,wind\n" + "".join(f"d{i},{i}.5,{-i}\n" for i in range(10))


def read(folder: Path, text: str = TABLE, **options: Any) -> list[Example]:
    """Read windows, and write their numbers as text."""
    (folder / "t.csv").write_text(text, encoding="utf-8")
    options = {"columns": ["rain"], "window": 3, "horizon": 2, **options}
    found = Series(folder, path="t.csv", **options).read()
    return [pair(written(e.source), written(e.target), e.origin) for e in found]


def test_windows_are_arrays(tmp_path: Path) -> None:
    read(tmp_path)
    columns, beside = ["rain"], ["wind"]
    reader = Series(tmp_path, path="t.csv", columns=columns, beside=beside, window=3, horizon=2)
    first = next(reader.read())
    assert first.source.tolist() == [[0.5, 0.0], [1.5, -1.0], [2.5, -2.0]]
    assert first.target.tolist() == [[3.5], [4.5]]


def test_every_window_and_what_came_next(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert len(found) == 10 - 3 - 2 + 1
    assert found[0] == pair("0.5 1.5 2.5", "3.5 4.5", f"{tmp_path / 't.csv'}:5")
    assert found[-1].target == "8.5 9.5"
    assert [e.source for e in read(tmp_path, stride=2)] == [e.source for e in found[::2]]


def test_columns_beside_come_behind(tmp_path: Path) -> None:
    (first, *_) = read(tmp_path, beside=["wind"])
    assert (first.source, first.target) == ("0.5,0 1.5,-1 2.5,-2", "3.5 4.5")
    (first, *_) = read(tmp_path, "1\t2\n3\t4\n5\t6\n", columns=[], window=1, horizon=1)
    assert (first.source, first.target) == ("1,2", "3,4")
    (first, *_) = read(tmp_path, "1,2\n3,4\n", columns=["2"], beside=["1"], window=1, horizon=1)
    assert (first.source, first.target) == ("2,1", "4")


def test_no_window_reaches_over_an_edge(tmp_path: Path) -> None:
    train = read(tmp_path, last=0.5)
    assert [e.target for e in train] == ["3.5 4.5"]
    valid = read(tmp_path, first=0.5)
    assert [(e.source, e.target) for e in valid] == [("5.5 6.5 7.5", "8.5 9.5")]
    back = read(tmp_path, first=0.5, reach_back=True)
    assert [e.target for e in back] == ["5.5 6.5", "6.5 7.5", "7.5 8.5", "8.5 9.5"]
    assert back[0].source == "2.5 3.5 4.5"


def test_every_option_is_in_the_fingerprint(tmp_path: Path) -> None:
    read(tmp_path)
    changes: list[dict[str, Any]] = [
        *({"columns": ["rain"]}, {"beside": ["wind"]}, {"window": 4}, {"horizon": 3}),
        *({"stride": 2}, {"first": 0.1}, {"last": 0.9}, {"reach_back": True}, {}),
    ]
    prints = {Series(tmp_path, path="t.csv", **change).fingerprint() for change in changes}
    assert len(prints) == len(changes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window": 0}, "series: window 0, horizon 2 and stride 1 are numbers of rows; expected 1"),
        ({"first": 0.9, "last": 0.5}, r"series: first 0.9 and last 0.5 are shares of the rows"),
    ],
)
def test_options_out_of_range(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        read(tmp_path, **options)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (
            TABLE,
            {"window": 9},
            "rows 1 to 10 of 10 hold no window of 9 and the next 2; expected 11",
        ),
        (TABLE, {"columns": ["snow"]}, "no column 'snow'; it has day, rain, wind. Change columns"),
        ("a,b\n1,2\n1\n", {"columns": ["b"]}, r"t.csv:3: no column 2; the line has 1. Mend"),
        ("a,b\n1,2\n1,\n", {"columns": ["b"]}, r"t.csv:3, column 2: '' is no number; expected"),
    ],
)
def test_malformed_tables(tmp_path: Path, text: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, text, **options)
