"""The way of an eye, from a picture to the view."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade.errors import RecipeError
from saccade.inspections.base import draw
from saccade.inspections.gaze import glances
from tests.eyes import eye
from tests.views.pictures import parts


@pytest.fixture(scope="module", name="eye")
def trained_eye(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return eye(tmp_path_factory.mktemp("eye"))


def picture() -> np.ndarray[Any, Any]:
    return np.arange(64, dtype=np.uint8).reshape(8, 8, 1).repeat(3, axis=2)


def test_the_view_draws_every_glimpse(eye: Any) -> None:
    drawing = draw(eye, picture(), "gaze")
    assert len(parts(drawing.svg, "circle")) == 3
    assert "glimpses (down, across): 1 (4, 4)" in drawing.terminal(80)


def test_a_glance_holds_what_the_retina_saw(eye: Any) -> None:
    model = eye.whole()
    first, *_ = glances(model, model.predict(picture()))
    assert list(map(list, first.boxes)) == [[2, 2, 6, 6], [0, 0, 8, 8]]
    assert np.array_equal(first.patches[0], picture()[2:6, 2:6])


def test_maps_lie_over_the_pixels(eye: Any) -> None:
    found = eye.whole().predict(picture())
    assert found.grid == (8, 8)
    assert list(found.attention_maps) == ["glimpse 1", "glimpse 2", "glimpse 3"]
    assert len(draw(eye, picture(), "heads").svg) > 1000


def test_other_models_have_no_gaze(tmp_path: Path) -> None:
    other = saccade.train(pairs=[("a b", "b a")] * 4, folder=tmp_path / "run", max_steps=2)
    with pytest.raises(RecipeError, match="does not move an eye over a picture"):
        draw(other, "a b", "gaze")


def test_a_soft_eye_is_drawn_too(tmp_path: Path) -> None:
    soft = eye(tmp_path, glimpse={"kind": "filter_bank", "size": 3})
    drawing = draw(soft, picture(), "gaze")
    assert len(parts(drawing.svg, "circle")) == 3
    assert len(parts(drawing.svg, "image")) == 1 + 3
    model = soft.whole()
    found = model.predict(picture())
    first, *_ = glances(model, found)
    (box,) = first.boxes
    assert box[0] + box[2] == box[1] + box[3] == pytest.approx(8)  # around the middle
    maps = np.stack(list(found.attention_maps.values()))
    assert maps.shape[2] == 64
    assert maps.sum(axis=2).max() == pytest.approx(1, abs=1e-4)
    assert len(draw(soft, picture(), "heads").svg) > 1000
