"""Pictures go the way of every other source: from a recipe to captions, and to where it looked."""

from pathlib import Path

import numpy as np
import pytest
import torch

import saccade
from saccade import recipe, run, starters
from saccade.corpora._scenes import SHAPES
from saccade.folders import model as folders
from saccade.modalities._picture import as_picture
from saccade.predict.prediction import Prediction
from saccade.train import weights
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


DRAWN = "{kind: efficientnet_lite, weights: none}"
FEATURES = (
    *(one for one in SMALL if "embedder" not in one),
    f"data.source={{kind: features, size: 64, network: {DRAWN}}}",
    "model.embedder=projected",
)
TUNED = (
    *(one for one in SMALL if "embedder" not in one),
    "data.source={kind: image, size: 64}",
    "model.embedder={kind: efficientnet_lite, weights: none, train: 1}",
    "training.batch_tokens=32768",
)


def test_features_of_a_frozen_network_are_read_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))
    run.train(recipe.parse(starters.text_of("captions"), overrides=FEATURES), tmp_path / "run")
    model = saccade.load(tmp_path / "run")
    reader = recipe.load(tmp_path / "run" / "recipe.yaml").data.valid.build(tmp_path)
    pictures = [example.sources for example, _ in zip(reader.read(), range(4), strict=False)]
    together = model.predict(pictures)
    for picture, found in zip(pictures, together, strict=True):
        assert found.grid == (2, 2)
        assert found.text == model.predict(picture).text
        assert model.predict(found.source_text).text == found.text
        drawn = found.drawing()
        assert found.hypothesis.tokens == () or (drawn is not None and "<image" in drawn.svg)


def test_the_last_layers_of_a_network_learn_and_a_folder_holds_all(tmp_path: Path) -> None:
    chosen = recipe.parse(starters.text_of("captions"), overrides=TUNED)
    made = run.train(chosen, tmp_path / "run")
    trained = weights.load(tmp_path / "run" / "model.safetensors")
    drawn = weights.of(folders.build_model(chosen, made.bench.codecs))
    moved = {name for name in drawn if not torch.equal(trained[name], drawn[name])}
    inside = {name.partition("trunk.")[2] for name in moved if "trunk." in name}
    assert inside == {"head.weight", "head.bias"}
    assert any("projection" in name for name in moved)
    assert len([name for name in trained if "trunk." in name]) == 2 * (2 + 16 * 3 - 1)


@pytest.mark.slow
def test_the_demonstration_reaches_its_figures(tmp_path: Path) -> None:
    run.train(recipe.parse(starters.text_of("captions")), tmp_path / "run")
    found = run.evaluate(tmp_path / "run", "test")
    assert found.figures["exact_match"].score.value >= 95.0
    looked = [share for one in found.predictions[:300] for share in shares(one, SHAPES)]
    assert len(looked) > 500
    assert np.mean(looked) >= 0.6
