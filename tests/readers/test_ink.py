import json
from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError
from saccade.readers.ink import Ink

LINE = {"text": "hi", "strokes": [[[1, 1], [2.5, 3, 17]], [[5, 1]]]}


def reader(folder: Path, *entries: Any, **options: Any) -> Ink:
    lines = (entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)
    (folder / "a.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Ink(folder, path="a.jsonl", **options)


def test_a_line_is_a_text_and_its_strokes(tmp_path: Path) -> None:
    (one, other) = reader(tmp_path, LINE, "", {**LINE, "strokes": "M0 0L1 1"}).read()
    assert one.source == "hi"
    assert [s.tolist() for s in one.target] == [[[0, 0], [1.5, 2]], [[4, 0], [4, 0]]]
    assert other.origin.endswith("a.jsonl:3")
    assert len(other.target) == 2


def test_the_other_way_round_with_other_keys(tmp_path: Path) -> None:
    line = {"word": "hi", "ink": LINE["strokes"]}
    (one,) = reader(tmp_path, line, text="word", strokes="ink", task="read").read()
    assert one.target == "hi"
    assert len(one.source) == 4


def test_what_is_read_decides_on_the_fingerprint(tmp_path: Path) -> None:
    assert reader(tmp_path, LINE).fingerprint() == reader(tmp_path, LINE).fingerprint()
    assert reader(tmp_path, LINE).fingerprint() != reader(tmp_path, LINE, task="read").fingerprint()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", r"a.jsonl:1: found \[1\]; expected an object such as"),
        ("{", r"a.jsonl:1: found {; expected an object"),
        ({"text": "a"}, r"a.jsonl:1: no key 'strokes'. Keys found: text. Name the right one"),
        ({**LINE, "text": 5}, r"a.jsonl:1: 'text' is 5; expected text. Put it in quotes."),
        ({**LINE, "strokes": 5}, r"a.jsonl:1: found 5 for strokes; expected a list of them"),
        ({**LINE, "strokes": []}, r"a.jsonl:1: no point at all"),
        ({**LINE, "strokes": [[[1, "x"]]]}, r"a.jsonl:1: found .* for a stroke"),
        ({**LINE, "strokes": [[[1, 1e99]]]}, r"a.jsonl:1: found .* for a stroke"),
    ],
)
def test_what_cannot_be_read_is_named(line: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        list(reader(tmp_path, line).read())
