"""Self-attention and attention by hand, as they are asked for."""

import re
from xml.etree import ElementTree

import pytest

from saccade.errors import RecipeError
from saccade.inspections.base import draw
from tests.look.test_inspection import translator

PATH = "{http://www.w3.org/2000/svg}path"


@pytest.mark.parametrize("head", ["encoder layer 2 head 3", "decoder layer 1", "decoder max"])
@pytest.mark.parametrize("view", ["attention", "lines", "heads"])
def test_self_attention_is_in_every_view_of_attention(view: str, head: str) -> None:
    drawing = draw(translator("pre"), "two cats", view, head=head)
    ElementTree.fromstring(drawing.svg)
    assert drawing.terminal(60)
    if view != "heads":
        title = head if head.endswith("head 3") else head.removesuffix(" max")
        assert title in drawing.svg


def test_heads_of_a_side_are_all_of_it() -> None:
    drawn = draw(translator("pre"), "two cats", "heads", head="encoder").terminal(200)
    assert re.findall(r"encoder layer \d head \d", drawn) == [
        f"encoder layer {i} head {j}" for i in (1, 2) for j in (1, 2, 3, 4)
    ]


def test_several_heads_have_a_colour_each_and_a_key() -> None:
    drawing = draw(translator("pre"), "two cats", "lines", head="encoder layer 1 all")
    threads = ElementTree.fromstring(drawing.svg).iter(PATH)
    classes = {path.get("class") for path in threads}
    assert {f"thread s{i}" for i in range(4)} <= classes
    assert all(f"encoder layer 1 head {i}" in drawing.svg for i in (1, 2, 3, 4))


def test_one_word_alone_has_lines() -> None:
    asked = translator("pre")
    drawing = draw(asked, "two cats", "lines", head="encoder", word="w")
    rows = {path.get("data-row") for path in ElementTree.fromstring(drawing.svg).iter(PATH)}
    assert rows == {"1"}
    assert len(drawing.terminal(80).splitlines()) == 1
    pieces = draw(asked, "two cats", "lines", head="encoder", word="cats").terminal(80)
    assert [line.strip()[0] for line in pieces.splitlines()] == [*"cats"]
    assert len(draw(asked, "two cats", "lines", head="encoder").terminal(80).splitlines()) == 9
    with pytest.raises(RecipeError, match="--word: 'x' is not there"):
        _ = draw(asked, "two cats", "lines", head="encoder", word="x")


def test_steps_of_a_word() -> None:
    drawing = draw(translator("pre"), "two cats", "steps", word="cats")
    assert "c of cats, encoder layer 1 head 1" in drawing.terminal(80)
    assert "4. e = q·k / √d" in drawing.svg
    assert drawing.said.startswith("two cats")
    bahdanau = draw(translator("bahdanau"), "two cats", "steps").terminal(120)
    assert "e = v·tanh(W q + U h + b)" in bahdanau
