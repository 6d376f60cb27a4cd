"""Limits of outputs are learned where sources are no text and the recipe does not say."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from saccade import recipe as recipes
from saccade import run, starters
from saccade.data.codecs import TARGET, Codecs
from saccade.data.limits import settled
from saccade.data.prepare import Prepared
from saccade.errors import RecipeError
from tests.captions import SMALL


class Lengths:
    """A store of which only the lengths are known."""

    def __init__(self, **sides: list[int]) -> None:
        self.lengths = {name: np.array(sizes, np.int32) for name, sizes in sides.items()}


def prepared(sources: list[int], targets: list[int]) -> Prepared:
    nothing: Any = None
    store: Any = Lengths(**{"source": sources, TARGET: targets})
    return Prepared(Codecs({}, nothing), [store], store, {})


def recipe(kind: str, **decoding: Any) -> recipes.Recipe:
    reader = {"kind": "tsv", "path": "x"}
    data = {"train": reader, "valid": reader, "source": {"kind": kind}}
    model = {"kind": "encoder_decoder"}
    if kind in ("image", "features", "video", "line", "sound"):
        embedder = {"line": "columns", "features": "projected", "video": "frames"}
        model["embedder"] = embedder.get(kind, "spectrogram" if kind == "sound" else "cnn")
    training = {"max_steps": 1}
    return recipes.from_plain(
        {"data": data, "model": model, "training": training, "decoding": decoding}
    )


@pytest.mark.parametrize("kind", ["image", "features", "video"])
def test_a_caption_does_not_grow_with_its_picture(kind: str) -> None:
    given = recipe(kind)
    assert given.decoding.max_ratio < 0
    found = settled(given, prepared([16, 12, 9], [11, 20, 3])).decoding
    assert (found.max_ratio, found.max_extra) == (0.0, 10 + 30)


@pytest.mark.parametrize("kind", ["sound", "line", "strokes"])
def test_a_transcript_grows_with_what_is_read(kind: str) -> None:
    found = settled(recipe(kind, max_extra=7), prepared([99, 49, 9], [9, 9, 0])).decoding
    assert found.max_ratio == pytest.approx(1.5 * 10 / 50)
    assert found.max_extra == 7
    densest = settled(recipe(kind), prepared([1, 49], [90, 9])).decoding
    assert densest.max_ratio == 2.0


def test_pairs_that_are_left_out_do_not_count() -> None:
    found = settled(recipe("strokes"), prepared([99, 2000, 99], [9, 1999, 1999])).decoding
    assert found.max_ratio == pytest.approx(1.5 * 10 / 100)


def test_what_a_recipe_says_stays_and_text_has_its_rule() -> None:
    said = recipe("image", max_ratio=2.0)
    assert settled(said, prepared([16], [2])) == said
    assert recipe("text").decoding.max_ratio == 2.0


def test_a_run_keeps_its_limits_when_it_goes_on(tmp_path: Path) -> None:
    text = starters.text_of("captions").replace("  max_ratio: 0.0", "  #").replace("max_extra", "#")
    few = [one for one in SMALL if "max_steps" not in one]
    quiet = Console(quiet=True)
    short, long = (recipes.parse(text, overrides=[*few, f"training.max_steps={n}"]) for n in (1, 2))
    run.train(short, tmp_path / "run", console=quiet)
    kept = recipes.load(tmp_path / "run" / "recipe.yaml").decoding
    assert kept.max_ratio == 0.0
    assert 10 < kept.max_extra < 40
    made = run.train(long, tmp_path / "run", resume=True, console=quiet)
    found = made.predictor.decoding
    assert (found.max_ratio, found.max_extra) == (0.0, kept.max_extra)
    assert recipes.load(tmp_path / "run" / "recipe.yaml").decoding == kept
    older = dataclasses.replace(long, decoding=dataclasses.replace(kept, max_ratio=1.0))
    with pytest.raises(RecipeError, match=r"decoding\.max_ratio: was 0\.0, is 1\.0"):
        run.train(older, tmp_path / "run", resume=True, console=quiet)
