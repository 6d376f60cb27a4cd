"""Features of pictures: each picture's are its own, whatever stands beside it."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from saccade.data.prepare import batches_of, prepare
from saccade.embedders._trunk import Trunk
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._picture import Picture, to_text
from saccade.modalities.base import Codec
from saccade.modalities.features import Features
from saccade.parts import Part
from tests.train import small

DRAWN = Part(Trunk, "efficientnet_lite", {"weights": "none"})


def pictures(n: int = 5) -> list[Picture]:
    random = np.random.default_rng(0)
    sizes = [(40, 30), (33, 64), (64, 64), (1, 1), (20, 90)][:n]
    return [Picture(random.integers(0, 256, (*size, 3), dtype=np.uint8)) for size in sizes]


def codec(**options: Any) -> Codec:
    return Features(**{"network": DRAWN, "size": 64, **options}).fit([[]])


def test_a_grid_of_features_for_every_picture() -> None:
    fitted = codec()
    found = fitted.encode(pictures())
    assert [one.shape for one in found] == [(2, 2, 1280)] * 5
    assert {one.dtype for one in found} == {np.dtype("float16")}
    assert fitted.side.size == 1280
    assert fitted.lengths(np.array([[7, 7, 1280]], dtype=np.int32)).tolist() == [49]
    laid = fitted.pad(found)
    assert laid.values.shape == (5, 2, 2, 1280)
    assert laid.mask.all()
    assert fitted.pad([]).values.shape == (0, 0, 0, 1280)


@pytest.mark.parametrize("threads", [1, 2])
def test_bits_depend_on_the_picture_alone(threads: int) -> None:
    fitted, before = codec(), torch.get_num_threads()
    together = fitted.encode(pictures())
    try:
        torch.set_num_threads(threads)
        turned = fitted.encode(pictures()[::-1])[::-1]
        alone = [fitted.encode([one])[0] for one in pictures()]
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    for one, other, third in zip(together, turned, alone, strict=True):
        assert np.array_equal(one, other)
        assert np.array_equal(one, third)


def test_drawn_weights_are_always_the_same() -> None:
    torch.manual_seed(1)
    one = codec()
    torch.manual_seed(2)
    other = codec()
    assert one.fingerprint == other.fingerprint
    assert np.array_equal(one.encode(pictures(1))[0], other.encode(pictures(1))[0])


@pytest.mark.parametrize(
    "options",
    [
        {"size": 96},
        {"fit": "crop"},
        {"network": Part(Trunk, "efficientnet_lite", {"weights": "none", "variant": 1})},
    ],
)
def test_other_features_have_another_fingerprint(options: dict[str, Any]) -> None:
    assert codec(**options).fingerprint != codec().fingerprint


def test_weights_that_are_not_those_of_training_are_refused(tmp_path: Path) -> None:
    path, modality = tmp_path / "source.json", Features(network=DRAWN, size=64)
    path.write_text(json.dumps({"weights": "0" * 32, "channels": 1280}))
    with pytest.raises(CheckpointError, match=r"the model was trained with 000000000000\. Install"):
        modality.load(path).encode(pictures(1))
    path.write_text(json.dumps({"weights": 3, "channels": 1280}))
    with pytest.raises(CheckpointError, match="has weights '3' and 1280 channels; expected a hash"):
        modality.load(path)
    path.write_text("{")
    with pytest.raises(CheckpointError, match="cannot be read as features"):
        modality.load(path)


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(RecipeError, match=r"features\.size: found 0; expected 1 to 1024 pixels"):
        Features(size=0)
    with pytest.raises(DataError, match="a picture cannot be made of its features"):
        codec().decode(np.zeros((1, 1, 1280), np.float16))
    with pytest.raises(DataError, match=r"here: an array \[2\] of float64; expected a picture"):
        codec().encode([np.zeros(2)], ["here"])


def test_flips_store_what_the_network_sees_in_the_mirror() -> None:
    plain, flipped = codec(), codec(random_flip=True)
    assert plain.fingerprint != flipped.fingerprint
    assert (plain.varies, plain.heeds, flipped.varies, flipped.heeds) == (False, False, True, True)
    (picture,) = pictures(1)
    (grid,) = plain.encode([picture])
    (mirrored,) = plain.encode([Picture(np.ascontiguousarray(picture.pixels[:, ::-1]))])
    (both,) = flipped.variants([picture])
    assert np.array_equal(both, np.stack([grid, mirrored]))
    assert np.array_equal(flipped.encode([picture])[0], grid)
    assert np.array_equal(plain.variants([picture])[0], grid)
    assert np.array_equal(flipped.pad([both]).values[0], grid)
    assert flipped.lengths(np.array([both.shape], np.int32)) == grid.shape[0] * grid.shape[1]
    found = [flipped.vary(both, random.Random(seed), "a dog") for seed in range(100)]
    turned = [np.array_equal(one, mirrored) for one in found]
    assert all(np.array_equal(one, grid) for one, t in zip(found, turned, strict=True) if not t)
    assert 30 < sum(turned) < 70
    for seed in range(20):
        assert np.array_equal(flipped.vary(both, random.Random(seed), "a dog, Left"), grid)
        assert np.array_equal(plain.vary(grid, random.Random(seed), "a dog"), grid)


def test_flips_are_an_option_of_the_recipe_not_of_the_folder(tmp_path: Path) -> None:
    codec(random_flip=True).save(tmp_path / "source.json")
    assert not Features(network=DRAWN, size=64).load(tmp_path / "source.json").varies
    other = Features(network=DRAWN, size=64, random_flip=True)
    assert other.varies
    assert other.load(tmp_path / "source.json").varies
    adopted = other.adopt(codec())
    assert adopted.varies
    assert adopted.fingerprint == other.fit([]).fingerprint


CAPTIONS = ["a dog", "dog on the left", "a cat", "the right cat"]
MODEL = {
    "kind": "encoder_decoder",
    "embedding": 8,
    "encoder": "none",
    "decoder": {"kind": "rnn", "hidden": 8},
}


def data(**options: Any) -> dict[str, Any]:
    chance = np.random.default_rng(0)
    drawn = [chance.integers(0, 256, (64, 64, 3), dtype=np.uint8) for _ in range(8)]
    rows = [[to_text(Picture(one)), CAPTIONS[i % 4]] for i, one in enumerate(drawn)]
    network = {"kind": "vgg", "width": 2}
    return {
        "train": {"kind": "pairs", "pairs": rows},
        "valid": {"kind": "pairs", "pairs": rows[:2]},
        "source": {"kind": "features", "network": network, "size": 64, **options},
        "target": {"tokenizer": "word"},
    }


def test_an_epoch_mirrors_grids_by_seed_epoch_and_example() -> None:
    recipe = small.recipe(data=data(random_flip=True), model=MODEL)
    prepared = prepare(recipe, Path())
    batches = batches_of(recipe, prepared.train, prepared.codecs, 9999)
    plain = batches.batch(range(8)).sources["source"].values
    epochs = [batches.batch(range(8), e).sources["source"].values for e in (0, 0, 1, 2, 3, 4)]
    assert epochs[0].equal(epochs[1])
    assert epochs[0].equal(batches.batch(range(7, -1, -1), 0).sources["source"].values.flip(0))
    for i, caption in enumerate(CAPTIONS * 2):
        kinds = {one[i].equal(plain[i]) for one in epochs}
        assert kinds <= ({True} if "left" in caption or "right" in caption else {True, False})
    assert not all(one.equal(plain) for one in epochs)


def test_a_resumed_run_sees_the_grids_it_would_have_seen(tmp_path: Path) -> None:
    options: dict[str, Any] = {"data": data(random_flip=True), "model": MODEL, "batch_tokens": 16}
    small.run(tmp_path / "whole", **options, max_steps=7)
    small.run(tmp_path / "parts", **options, max_steps=3)
    small.run(tmp_path / "parts", resume=True, **options, max_steps=7)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")
    small.run(tmp_path / "plain", **{**options, "data": data()}, max_steps=7)
    losses = [[row.get("loss") for row in small.rows(tmp_path / n)] for n in ("whole", "plain")]
    assert losses[0] != losses[1]
