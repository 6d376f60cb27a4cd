import json
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
        ('{"sourc": "a", "target": "b"}', "a.jsonl:1: cannot tell which keys to read; keys found:"),
        ('{"x": {"y": 1}, "z": 2}', "keys found: x.y, z; expected one of the pairs source/target,"),
        ("{}", "keys found: none; expected one of the pairs"),
        ('{"source": 3, "target": "b"}', "a.jsonl:1: 'source' is 3; expected text. Put it in"),
        ('{"source": null, "target": "b"}', "'source' is null; expected text. Name a key to read"),
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


def test_a_key_is_read_where_another_is_null(tmp_path: Path) -> None:
    rows = [{"long": "a", "short": "b", "code": "c"}, {"long": None, "short": "d", "code": "e"}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    one = Jsonl(tmp_path, path="a.json", source="long|short", target="code")
    assert [(found.source, found.target) for found in one.read()] == [("a", "c"), ("d", "e")]
    assert one.unread() == []
    other = Jsonl(tmp_path, path="a.json", source="long|shrt", target="code")
    with pytest.raises(DataError, match=r"object 2: no key 'shrt'\. Did you mean 'short'"):
        list(other.read())
    (tmp_path / "b.jsonl").write_text('{"a|b": "x", "a": "y", "code": "z"}')
    assert next(Jsonl(tmp_path, path="b.jsonl", source="a|b", target="code").read()).source == "x"


def test_the_first_texts_of_a_list_are_joined_to_a_source(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"source": ["a b.", "c ", "d"], "target": "e"}')
    two, more = (Jsonl(tmp_path, path="a.jsonl", join=n) for n in (2, 9))
    assert [next(one.read()).source for one in (two, more)] == ["a b. c", "a b. c d"]
    assert two.fingerprint() != more.fingerprint()


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


@pytest.mark.parametrize("keys", [("source", "target"), ("src", "tgt"), ("Input", "Output")])
def test_usual_keys_are_found(tmp_path: Path, keys: tuple[str, str]) -> None:
    (found,) = reader(tmp_path, json.dumps({keys[1]: "b", keys[0]: "a", "id": 3})).read()
    assert (found.source, found.target) == ("a", "b")


def test_the_first_object_decides_which_keys_are_read(tmp_path: Path) -> None:
    lines = '{"src": "a", "tgt": "b"}\n{"source": "c", "target": "d"}\n'
    with pytest.raises(DataError, match=r"a\.jsonl:2: no key 'src'\..* Keys found: source, target"):
        list(reader(tmp_path, lines).read())


def test_one_key_may_be_named_alone(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"source": "a", "target": "b", "best": "c"}')
    (found,) = Jsonl(tmp_path, path="a.jsonl", target="best").read()
    assert (found.source, found.target) == ("a", "c")
    (found,) = Jsonl(tmp_path, path="a.jsonl", sources={"x": "best"}).read()
    assert (found.sources, found.target) == ({"x": "c"}, "b")
    (tmp_path / "a.jsonl").write_text('{"a": "a", "best": "c"}')
    with pytest.raises(DataError, match=r"keys found: a, best; .* Name source in the reader's opt"):
        list(Jsonl(tmp_path, path="a.jsonl", target="best").read())


def test_named_keys_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"sourc": "a", "target": "b"}')
    one = Jsonl(tmp_path, path="a.jsonl", source="source", target="target")
    with pytest.raises(DataError, match=r"no key 'source'\. Did you mean 'sourc'\? Keys found: so"):
        list(one.read())


def test_keys_inside_an_object(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"translation": {"en": "a", "fr": "b"}, "x.y": "z"}')
    one = Jsonl(tmp_path, path="a.jsonl", source="translation.en", target="x.y")
    (found,) = one.read()
    assert (found.source, found.target) == ("a", "z")
    assert [(u.column, u.value) for u in one.unread()] == [("translation.fr", "b")]
    wrong = Jsonl(tmp_path, path="a.jsonl", source="translation.de", target="x.y")
    with pytest.raises(DataError, match=r"no key 'translation.de'\. Did you mean 'translation.en'"):
        list(wrong.read())


@pytest.mark.parametrize("features", ['"V;PST"', '["V", "PST"]'])
def test_features_stand_behind_the_source(tmp_path: Path, features: str) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"lemma": "run", "form": "ran", "tags": {features}}}')
    one = Jsonl(tmp_path, path="a.jsonl", features="tags")
    (found,) = one.read()
    assert (found.source, found.target) == ("run\tV;PST", "ran")
    plain = Jsonl(tmp_path, path="a.jsonl")
    assert one.fingerprint() != plain.fingerprint()
    assert [u.column for u in plain.unread()] == ["tags"]
    assert one.unread() == []


def test_nesting_without_end(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a\.jsonl:1: lists or objects stand too deep in each ot"):
        list(reader(tmp_path, "[" * 100_000).read())


def _list(root: Path, content: str, name: str = "a.json") -> Jsonl:
    (root / name).write_text(content, encoding="utf-8")
    return Jsonl(root, path=name)


def test_a_list_of_objects(tmp_path: Path) -> None:
    rows = [{"intent": "sort `a`", "snippet": "sorted(a)"}, {"intent": "b", "snippet": "c"}]
    found = list(_list(tmp_path, "\ufeff" + json.dumps(rows, indent=2)).read())
    assert [(one.source, one.target) for one in found] == [("sort `a`", "sorted(a)"), ("b", "c")]
    assert found[1].origin == f"{tmp_path}/a.json, object 2"
    (one,) = _list(tmp_path, '{"source": "a", "target": "b"}\n').read()
    assert one.target == "b", "a .json of lines is read by lines"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "a.json: the list is empty; expected some objects"),
        ('[{"source": "a"', "a.json: not a JSON list ("),
        ('[{"source": "a", "target": "b"}, 3]', "a.json, object 2: found 3; expected an object"),
        ('[{"source": "a", "target": null}]', "a.json, object 1: 'target' is null; expected text"),
        ("[" * 100_000, "a.json: not a JSON list ("),
    ],
)
def test_lists_that_are_none(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(_list(tmp_path, content).read())
    assert message in str(caught.value)
