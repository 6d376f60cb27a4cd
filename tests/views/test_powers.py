"""Charts of powers: slopes, places of points, the table below."""

from xml.etree import ElementTree

import pytest

from saccade.errors import ShapeError
from saccade.views import powers
from saccade.views.powers import Powers

SVG = "{http://www.w3.org/2000/svg}"
SQUARE = [(float(n), 3.0 * n * n) for n in (2, 4, 8)]
LINE = [(float(n), 5.0 * n) for n in (2, 4, 8)]
BOTH = Powers({"n": {"<a>": SQUARE, "b": LINE}}, [("layer", "order"), ("<a>", "n²")], "ms")


def test_an_exponent_is_the_slope_between_logarithms() -> None:
    assert powers.exponent(SQUARE) == pytest.approx(2)
    assert powers.exponent([(1, 2.0), (2, 4.0), (4, 2.0)]) == pytest.approx(0)
    with pytest.raises(ShapeError, match=r"powers.exponent: 2 points stand at one place; expected"):
        powers.exponent([(3, 1.0), (3, 2.0)])


def test_points_of_a_power_stand_on_its_line() -> None:
    root = ElementTree.fromstring(powers.to_svg(BOTH, title="Cost"))
    circles = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iter(f"{SVG}circle")]
    lines = [one for one in root.iter(f"{SVG}line") if "line" in one.attrib["class"]]
    ends = [float(lines[0].attrib[key]) for key in ("x1", "y1", "x2", "y2")]
    assert ends == pytest.approx([*circles[0], *circles[2]], abs=0.02)
    rises = [circles[i][1] - circles[i + 2][1] for i in (0, 3)]
    assert rises[0] == pytest.approx(2 * rises[1], abs=0.05)
    tips = [one.text for one in root.iter(f"{SVG}title")]
    assert tips == ["<a>: power 2.00", "b: power 1.00"]


def test_the_table_is_in_every_form() -> None:
    drawing = powers.draw(BOTH, title="Cost", said="It grows.")
    texts = [one.text for one in ElementTree.fromstring(drawing.svg).iter(f"{SVG}text")]
    assert {"layer", "order", "n²", "<a>"} <= set(texts)
    assert drawing.terminal(60).splitlines() == [
        "layer  order",
        "<a>    n²",
        "",
        "n 2 to 8: <a> 12 to 192 ms",
        "n 2 to 8: b 10 to 40 ms",
    ]
    assert max(map(len, drawing.terminal(12).splitlines())) <= 12


def test_a_series_that_does_not_grow_has_a_chart() -> None:
    flat = Powers({"d": {"a": [(1.0, 2.0), (2.0, 2.0)]}}, [("layer",)], "ms")
    assert "power 0.00" in powers.to_svg(flat, title="Flat")
