"""Probes of sense, read from a file."""

from importlib.resources import files

import pytest

from saccade.errors import DataError
from saccade.guards.sense import InContext, Meaning, parse

BEFORE = '{source: a, readings: [b, c], before: [[d, e], [f, "g"]]}'


def test_three_kinds_are_read() -> None:
    found = parse(f"- {{source: a, right: b, wrong: c}}\n- {BEFORE}\n- {{nonsense: d}}", "x")
    assert found.meanings == (Meaning("a", "b", "c"),)
    assert found.contexts == (InContext("a", ("b", "c"), (("d", "e"), ("f", "g"))),)
    assert found.nonsense == ("d",)
    pairs = [found.contexts[0].joined(c, r) for c in (0, 1) for r in (0, 1)]
    assert pairs == [("d a", "e b"), ("d a", "e c"), ("f a", "g b"), ("f a", "g c")]


def test_the_shipped_file_has_all_of_them() -> None:
    found = parse((files("saccade.guards") / "sense.yaml").read_text(encoding="utf-8"), "shipped")
    assert found.meanings[0].source == "The paper jam stopped the printer."
    assert found.contexts
    assert found.nonsense


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", r"(?s)x: not YAML: .*Write a list of probes"),
        ("a: b", r"x: holds no list of probes; expected entries that begin with"),
        ("- {source: a, right: b}", r"x: probe 1: found \{'source': 'a', 'right': 'b'\}; expected"),
        ("- {nonsense: no}", r"probe 1: found nonsense False; expected a text.*quotation marks"),
        ("- {nonsense: ' '}", r"found nonsense ' '; expected a text"),
        (f"- {BEFORE.replace('[b, c]', '[b]')}", r"found readings \['b'\]; expected two texts"),
        (f"- {BEFORE.replace('[d, e]', 'd')}", r"found before \['d', .*; expected two pairs"),
    ],
)
def test_what_is_no_probe_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse(text, "x")
