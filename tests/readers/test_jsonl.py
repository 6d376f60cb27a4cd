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
        ('{"source": "a", "target": []}', "a.jsonl:1: 'target' is an empty list; expected at"),
        ('{"source": "a", "target": ["b", 3]}', "a.jsonl:1: 'target' is 3; expected text."),
        ('{"source": ["a"], "target": "b"}', "a.jsonl:1: 'source' is [\"a\"]; expected text."),
        ('["a", "b"]', 'a.jsonl:1: found ["a", "b"]; expected an object such as'),
        ('{"source": "a",}', "a.jsonl:1: not JSON at character 16"),
        ('{"source": "\\ud800", "target": ""}', "a.jsonl:1: 'source' holds half a character"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(reader(tmp_path, content).read())
    assert message in str(caught.value)


def test_a_list_is_several_references(tmp_path: Path) -> None:
    (found,) = reader(tmp_path, '{"source": "a", "target": ["b", "c d"]}').read()
    assert (found.source, found.references) == ("a", ("b", "c d"))


def test_sources_have_keys_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"q": "who", "context": "me", "answer": "I"}')
    keys = {"question": "q", "context": "context"}
    one = Jsonl(tmp_path, path="a.jsonl", sources=keys, target="answer")
    (found,) = one.read()
    assert found.sources == {"question": "who", "context": "me"}
    assert found.references == ("I",)
    turned = Jsonl(tmp_path, path="a.jsonl", sources={"question": "context"}, target="answer")
    assert one.fingerprint() != turned.fingerprint()


def test_fingerprint_depends_on_keys(tmp_path: Path) -> None:
    one = reader(tmp_path, "{}")
    assert one.fingerprint() != Jsonl(tmp_path, path="a.jsonl", source="x").fingerprint()
