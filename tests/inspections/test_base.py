"""Views of a model at work, from Python: every one that suits a model draws it."""

from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.errors import RecipeError
from saccade.inspections.base import Inspection, draw, views_of_page
from saccade.look import inspection
from saccade.parts import find, kinds
from tests.look.test_inspection import translator


@pytest.mark.parametrize("view", kinds(Inspection))
def test_every_view_has_its_forms(view: str, tmp_path: Path) -> None:
    asked = translator("bahdanau")
    if not find(Inspection, view).suits(asked):
        pytest.skip("a view of other models, tested in a file of its own")
    drawing = draw(asked, "two cats", view)
    assert drawing.said.startswith("two cats")
    assert drawing.svg.startswith("<svg")
    assert drawing.terminal(60).endswith("\n")
    assert "<svg" in drawing._repr_html_()
    assert drawing.save(tmp_path / "x.svg").read_text("utf-8") == drawing.svg


def test_inspect_is_on_the_front() -> None:
    assert saccade.inspect is draw


def test_a_view_that_is_not_there() -> None:
    with pytest.raises(RecipeError, match=r"no view 'beams'. Did you mean 'beam'\? Views: add"):
        draw(translator("pre"), "two cats", "beams")


def test_words_are_joined_and_rows_still_sum_to_one() -> None:
    one = inspection.translated(translator("bahdanau"), "two cats")
    maps = inspection.attention_maps(one)
    pieces, whole = inspection.looked(one, maps), inspection.looked(one, maps, whole=True)
    assert (pieces.source, pieces.target) == (one.source_tokens, one.tokens)
    assert whole.source[0].strip() == "two"
    assert whole.source[1].strip() == "cats"
    assert len(whole.source) == 3  # END is a word of its own
    for name, joined in whole.maps.items():
        assert joined.shape == (len(whole.target), 3)
        np.testing.assert_allclose(joined.sum(axis=1), 1.0, atol=1e-5)
        first = [t for t, w in enumerate(one.looker.target.words(one.hypothesis.tokens)) if not w]
        by_hand = maps[name][first][:, :3].sum(axis=1).mean()
        assert joined[0, 0] == pytest.approx(by_hand, abs=1e-5)


def test_words_can_be_asked_for() -> None:
    drawn = draw(translator("bahdanau"), "two cats", "attention", words=True).terminal(80)
    assert len(drawn) < len(draw(translator("bahdanau"), "two cats").terminal(80))


def test_a_layer_is_the_mean_of_its_heads() -> None:
    one = inspection.translated(translator("pre"), "two cats")
    maps = inspection.attention_maps(one)
    of_layer = [m for name, m in maps.items() if name.startswith("layer 2 ")]
    assert len(of_layer) > 1
    np.testing.assert_allclose(inspection.attention(one, "layer 2"), np.mean(of_layer, axis=0))


def test_the_page_shows_views_in_an_order_of_their_own() -> None:
    pages = [find(Inspection, name).page for name in views_of_page()]
    assert pages == sorted(set(pages))
    assert {"attention", "beam", "gaze", "canvas"} <= set(views_of_page())
    assert "gradients" not in views_of_page()
