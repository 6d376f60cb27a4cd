"""A picture in every form."""

import io
from base64 import b64encode
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.image import imread, imsave

from saccade.errors import RecipeError
from saccade.views import (
    alignment,
    beam_tree,
    curves,
    edit_table,
    heatmap,
    lines,
    paper,
    positions,
    svg,
)
from saccade.views.drawing import FORMS, Drawing
from tests.views.pictures import BAD

WEIGHTS = np.array([[0.8, 0.2], [0.0, 1.0]])


def drawing(said: str = "le chat → the cat") -> Drawing:
    words = (["le", "chat"], ["the", "cat"])
    return Drawing(
        "Attention",
        lambda: heatmap.to_svg(WEIGHTS, *words),
        lambda width, *, colour: heatmap.to_terminal(WEIGHTS, *words, colour=colour, width=width),
        said=said,
    )


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_saved(tmp_path: Path, form: str) -> None:
    path = drawing().save(tmp_path / f"x{form.upper()}")
    heads = {".svg": b"<svg", ".html": b"<!DOCTYPE html>", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert path.read_bytes().startswith(heads[form])


def test_saving_twice_gives_the_same_bytes() -> None:
    for form in FORMS:
        assert drawing().encoded(form) == drawing().encoded(form)


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"ends in '.gif'; expected .svg, .html, .png or .pdf\."):
        drawing().save(tmp_path / "x.gif")


def test_a_notebook_and_a_terminal_show_it() -> None:
    assert "<svg" in drawing()._repr_html_()
    ElementTree.fromstring(drawing()._repr_html_())
    assert str(drawing()) == drawing().terminal(100)
    assert "chat"[0] in str(drawing())


def test_what_is_said_is_only_text() -> None:
    page = drawing(BAD).encoded(".html").decode()
    assert "<script" not in page


def test_print_knows_every_shape_that_views_draw() -> None:
    node = beam_tree.TreeNode(1, "a$b", -1, -0.5, "kept")
    more = [beam_tree.TreeNode(2, "c", 0, -0.7, fate) for fate in ("completed", "pruned")]
    for drawn in (
        lines.to_svg(WEIGHTS, ["a", "b"], ["c", "d"], title="t"),
        beam_tree.to_svg([[node], more], winner=["a$b"], greedy=["a$b", "c"]),
        alignment.to_svg(["a"], ["b"], [(0, 0)], gold=alignment.Gold(possible=[(0, 0)])),
        edit_table.to_svg("ab", "b"),
        positions.to_svg(np.sin(np.arange(12.0)).reshape(3, 4)),
        curves.to_svg({"a": [(0, 1), (1, 2)], "b": [(0, 1)]}),
        heatmap.to_svg(np.array([[np.nan]]), ["long word"], [""]),
        heatmap.to_svg(np.zeros((0, 0)), [], []),
    ):
        assert paper.printed(drawn, "png").startswith(b"\x89PNG")


def test_print_is_as_dark_as_the_weight() -> None:
    pixels = imread(io.BytesIO(drawing().encoded(".png")))  # [y, x, RGBA]
    assert pixels[..., 3].min() == 1.0
    reds = {round(float(value), 1) for value in np.unique(pixels[..., 0])}
    assert {0.0, 1.0} <= reds


def test_print_shows_images_where_they_stand() -> None:
    pixels = np.zeros((2, 2, 3), dtype=np.uint8)
    pixels[0, 1], pixels[1, 0] = (255, 0, 0), (0, 0, 255)
    file = io.BytesIO()
    imsave(file, pixels, format="png")
    uri = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
    look = 'width="96" height="48" style="image-rendering:pixelated"'
    image = f'<g transform="translate(96 0)"><image href="{uri}" {look}/></g>'
    found = imread(io.BytesIO(paper.printed(svg.document(192, 96, image, name="x"), "png")))
    height, width = found.shape[:2]
    rows, columns = (int(height * part) for part in (1 / 8, 3 / 8)), (5 / 8, 7 / 8)
    seen = [[found[y, int(width * part), :3].tolist() for part in columns] for y in rows]
    assert seen == [[[0, 0, 0], [1, 0, 0]], [[0, 0, 1], [0, 0, 0]]]
    assert (found[-1] == 1).all()  # paper


def test_a_drawing_says_what_it_shows() -> None:
    assert repr(drawing()) == "<Drawing Attention: le chat → the cat>"
    assert repr(drawing("")) == "<Drawing Attention>"
