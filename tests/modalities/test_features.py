"""Features of pictures: each picture's are its own, whatever stands beside it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from saccade.embedders._trunk import Trunk
from saccade.errors import CheckpointError, DataError, RecipeError
from saccade.modalities._picture import Picture
from saccade.modalities.base import Codec
from saccade.modalities.features import Features
from saccade.parts import Part

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
