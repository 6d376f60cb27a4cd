from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.nouns import pair
from saccade.readers.jsonl import Jsonl


def reader(root: Path, content: str) -> Jsonl:
    (root / "a.jsonl").write_text(content)
    return Jsonl(root, path="a.jsonl")


def test_objects_become_pairs(tmp_path: Path) -> None:
    found = reader(tmp_path, '{"source": "a\\nb", "target": "é", "more": 1}\n\n').read()
    assert list(found) == [pair("a\nb", "é", f"{tmp_path}/a.jsonl:1")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"sourc": "a", "target": "b"}', "a.jsonl:1: no key 'source'. Did you mean 'sourc'? Keys"),
        ('{"src": "a", "tgt": "b"}', "no key 'source'. Did you mean 'src'? Keys found: src, tgt."),
        ("{}", "no key 'source'. Keys found: none."),
        ('{"source": 3, "target": "b"}', "a.jsonl:1: 'source' is 3; expected text. Put it in"),
        ('["a", "b"]', 'a.jsonl:1: found ["a", "b"]; expected an object such as'),
        ('{"source": "a",}', "a.jsonl:1: not JSON at character 16"),
        ('{"source": "\\ud800", "target": ""}', "a.jsonl:1: 'source' holds half a character"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(reader(tmp_path, content).read())
    assert message in str(caught.value)


def test_fingerprint_depends_on_keys(tmp_path: Path) -> None:
    one = reader(tmp_path, "{}")
    assert one.fingerprint() != Jsonl(tmp_path, path="a.jsonl", source="x").fingerprint()
