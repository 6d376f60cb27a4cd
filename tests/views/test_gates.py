"""Strips of gates below a text."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import ShapeError
from saccade.views import gates
from saccade.views.gates import GatesPanel
from tests.views.pictures import BAD, anything, parts, plain, sound, tips, words

PANEL = GatesPanel("decoder 1", list("ab"), {"input": [0.0, 0.5], "forget": [1.0, 1.0]})


def test_a_cell_for_every_gate_and_symbol() -> None:
    drawn = gates.to_svg([PANEL], title="t")
    cells = [one for one in parts(drawn, "rect") if one.get("data-gate")]
    assert [one.get("fill-opacity") for one in cells] == ["0.05", "1", "0.53", "1"]
    assert tips(drawn) == [
        *("input at a: 0.000", "forget at a: 1.000"),
        *("input at b: 0.500", "forget at b: 1.000"),
    ]
    assert "input 0.25" in drawn
    assert "forget 1.00" in drawn


def test_the_terminal() -> None:
    drawn = gates.to_terminal([PANEL], colour=False)
    assert drawn == "decoder 1\n            ab\ninput 0.25  ▁▅\nforget 1.00 ██\n"


def test_lines_end_at_the_width() -> None:
    panel = GatesPanel("x", ["y"] * 30, {"z": [0.5] * 30})
    drawn = gates.to_terminal([panel], colour=True, width=20)
    assert [line.strip() for line in plain(drawn).splitlines()[1::2]] == [
        "y" * 13,
        "y" * 13,
        "yyyy",
    ]


def test_values_are_those_of_the_text() -> None:
    with pytest.raises(ShapeError, match="f of x has 1 values; the text has 2 symbols"):
        gates.to_svg([GatesPanel("x", "ab", {"f": [1.0]})])
    assert gates.to_terminal([], colour=False) == "no gate to show\n"


@settings(deadline=None, max_examples=40)
@given(words, anything, st.floats(), st.booleans(), st.integers(20, 60))
def test_any_text_gives_sound_pictures(
    symbols: list[str], name: str, value: float, colour: bool, width: int
) -> None:
    panels = [
        GatesPanel(name, symbols, {name: [value] * len(symbols), BAD: [np.nan] * len(symbols)})
    ]
    drawn = gates.to_svg(panels, title=name)
    ElementTree.fromstring(drawn)
    assert "<script" not in drawn
    sound(gates.to_terminal(panels, colour=colour, width=width), width)
