"""The way of an eye, from a picture to the view."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade.errors import RecipeError
from saccade.look.gaze import glances
from saccade.look.pictures import draw
from tests.readers.test_idx import idx
from tests.views.pictures import parts


@pytest.fixture(scope="module")
def eye(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("eye")
    (folder / "images").write_bytes(idx(12, 8, 8))
    (folder / "labels").write_bytes(idx(12))
    digits = {"kind": "idx", "images": str(folder / "images"), "labels": str(folder / "labels")}
    recipe = {
        "data": {
            "train": digits,
            "valid": digits,
            "source": {"kind": "image", "grey": True, "most": 8},
            "target": {"tokenizer": "word"},
        },
        "model": {
            "kind": "recurrent_attention",
            "glimpse": {"kind": "retina", "size": 4, "scales": 2},
            "glimpses": 3,
            "embedding": 8,
            "hidden": 8,
        },
        "training": {"max_steps": 4, "validate_every": 4, "batch_tokens": 512},
        "decoding": {"search": "greedy", "max_ratio": 0.0, "max_extra": 2},
    }
    return saccade.train(recipe, folder=folder / "run")


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
