"""Pictures go the way of every other source: from a recipe to captions, and to where it looked."""

from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade import recipe, run, starters
from saccade.corpora._scenes import SHAPES
from saccade.modalities._picture import as_picture
from saccade.predict.prediction import Prediction
from saccade.views.cells import share_in_box
from saccade.views.words import label

SMALL = (
    "data.train.corpus.size=200",
    "data.valid.corpus.size=100",
    "data.valid.split=train",
    "model.embedding=16",
    "model.embedder.width=16",
    "model.decoder.hidden=16",
    "training.max_steps=4",
    "training.validate_every=2",
)


def shares(found: Prediction, kind: tuple[str, ...]) -> list[float]:
    """Return the share in its box of every word of a kind that names a region of the picture."""
    picture = as_picture(found.source)
    words = tuple(label(token) for token in found.tokens)
    weights = found.attention
    assert weights is not None
    grids = weights.reshape(len(words), *found.grid)
    size = picture.pixels.shape
    boxes = picture.boxes(words)
    return [share_in_box(grids[i], box, size) for i, box in boxes.items() if words[i] in kind]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("captions") / "run"
    run.train(recipe.parse(starters.text_of("captions"), overrides=SMALL), place)
    return place


def test_a_model_of_pictures_writes_and_tells_where_it_looked(folder: Path) -> None:
    model = saccade.load(folder)
    reader = recipe.load(folder / "recipe.yaml").data.valid.build(folder)
    examples = [example for example, _ in zip(reader.read(), range(3), strict=False)]
    several = model.predict([example.sources for example in examples])
    for example, found in zip(examples, several, strict=True):
        assert found.grid == (10, 10)
        assert found.source_text == example.source
        assert found.text == model.predict(example.sources).text
        if found.hypothesis.tokens:
            drawn = found.drawing()
            assert drawn is not None
            assert "<image" in drawn.svg
            assert drawn.terminal(80)


def test_pictures_of_unequal_size_share_a_batch(folder: Path) -> None:
    model = saccade.load(folder)
    sizes = [(40, 40), (7, 33), (1, 1), (24, 5)]
    random = np.random.default_rng(0)
    pictures = [random.integers(0, 256, (*size, 3), dtype=np.uint8) for size in sizes]
    together = model.predict(pictures)
    for picture, found in zip(pictures, together, strict=True):
        alone = model.predict(picture)
        assert found.hypothesis.tokens == alone.hypothesis.tokens
        assert found.score == pytest.approx(alone.score, abs=1e-4)
        assert found.grid == (-(-picture.shape[0] // 4), -(-picture.shape[1] // 4))


@pytest.mark.slow
def test_the_demonstration_reaches_its_figures(tmp_path: Path) -> None:
    run.train(recipe.parse(starters.text_of("captions")), tmp_path / "run")
    found = run.evaluate(tmp_path / "run", "test")
    assert found.figures["exact_match"].score.value >= 95.0
    looked = [share for one in found.predictions[:300] for share in shares(one, SHAPES)]
    assert len(looked) > 500
    assert np.mean(looked) >= 0.6
