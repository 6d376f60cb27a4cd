"""A picture in the making, from a model to the view."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade.errors import DataError, RecipeError
from saccade.inspections.base import draw
from saccade.inspections.canvas import canvas_steps
from tests.drawers import BITS, drawer
from tests.views.pictures import parts


@pytest.fixture(scope="module")
def artist(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return drawer(tmp_path_factory.mktemp("artist"))


def test_what_is_invented_ends_as_the_output(artist: Any) -> None:
    model = artist.whole()
    found = model.predict("3")
    steps = canvas_steps(model, found)
    assert len(steps) == 3
    assert np.array_equal(steps[-1].shades > 0.5, np.asarray(found.output) > 0)
    assert all(one.write and not one.read for one in steps)


def test_a_seed_draws_the_latents_of_predict(artist: Any) -> None:
    model = artist.whole()
    seen = [canvas_steps(model, model.predict("3"), seed=seed)[-1].shades for seed in (1, 1, 2)]
    assert np.array_equal(seen[0], seen[1])
    assert not np.allclose(seen[0], seen[2])
    drawn = model.predict("3", sample={"seed": 2})
    certain = np.abs(seen[2] - 0.5) > 0.4999
    assert np.array_equal(np.asarray(drawn.output)[certain] > 0, seen[2][certain] > 0.5)


def test_a_copy_reads_too(artist: Any) -> None:
    drawing = draw(artist, "3", "canvas", gold=BITS)
    assert len(parts(drawing.svg, "image")) == 1 + 3
    assert len(parts(drawing.svg, "rect")) == 1 + 6
    assert "copied in 3 steps" in drawing.svg
    assert drawing.said == "3"


def test_without_attention_there_are_no_windows(tmp_path: Path) -> None:
    model = drawer(tmp_path, attention=False).whole()
    assert not any(one.write for one in canvas_steps(model, model.predict("3")))


def test_a_picture_of_another_size_is_refused(artist: Any) -> None:
    with pytest.raises(DataError, match="places have 2 bits; expected 5"):
        draw(artist, "3", "canvas", gold="01 10")


def test_other_models_have_no_canvas(tmp_path: Path) -> None:
    other = saccade.train(pairs=[("a b", "b a")] * 4, folder=tmp_path / "run", max_steps=2)
    with pytest.raises(RecipeError, match="does not draw on a canvas"):
        draw(other, "a b", "canvas")
