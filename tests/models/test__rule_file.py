"""Files of rules are read with limits, and errors name the line."""

from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.models import _rule_file
from saccade.models._rule_file import parse_rules, read_rules


def refused(text: str) -> str:
    with pytest.raises(RecipeError) as caught:
        parse_rules(text, "r.yaml")
    return str(caught.value)


def test_every_value_is_text_and_has_a_line() -> None:
    found = parse_rules("words:\n  no: {to: non}\n  2:\n    to: deux\n", "r.yaml")
    assert found.plain == {"words": {"no": {"to": "non"}, "2": {"to": "deux"}}}
    assert found.at("words", "2", "to") == "r.yaml, line 4: words.2.to"
    assert found.at("words", "2", "class") == "r.yaml, line 3: words.2.class"
    assert parse_rules("", "r.yaml").plain == {}


def test_what_stands_twice_is_refused() -> None:
    said = refused("words:\n  cat: {to: chat}\n  dog: {to: chien}\n  cat: {to: minou}\n")
    assert said == "r.yaml, line 4: 'cat' stands twice; it is in line 2 too. Keep one."


def test_aliases_tags_and_broken_files_are_refused(tmp_path: Path) -> None:
    assert refused("a: &x {to: b}\nc: *x\n").startswith("r.yaml, line 2: an alias (*x); expected")
    assert "line 2: not valid YAML" in refused("a: [1,\nb: {")
    assert refused("- a\n").startswith("r.yaml: expected sections such as words and order; found")
    assert parse_rules("a: !!python/object:os.system x\n", "r.yaml").plain == {"a": "x"}  # no code
    with pytest.raises(RecipeError, match=r"model.rules: .*nothing.yaml: no such file; expected a"):
        read_rules(tmp_path / "nothing.yaml")
    (tmp_path / "odd.yaml").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(RecipeError, match=r"odd.yaml: cannot be read as UTF-8 text"):
        read_rules(tmp_path / "odd.yaml")


def test_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("a: b\n" * 100, encoding="utf-8")
    monkeypatch.setattr(_rule_file, "_LARGEST", 99)
    with pytest.raises(RecipeError, match="has 500 bytes; expected a file of rules of at most 99"):
        read_rules(path)
    monkeypatch.setattr(_rule_file, "_MOST", 5)
    assert "too many values" in refused("a: [1, 2, 3, 4, 5, 6]\n")
    monkeypatch.undo()
    assert "nested too deeply" in refused("[" * 12 + "]" * 12)
