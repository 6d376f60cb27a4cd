from pathlib import Path

import pytest
import torch
from torch import nn

from saccade.errors import CheckpointError
from saccade.train import weights


def test_round_trip(tmp_path: Path) -> None:
    model = nn.Linear(3, 2)
    weights.save(tmp_path / "a", weights.of(model))
    other = nn.Linear(3, 2)
    weights.put(other, weights.load(tmp_path / "a"), "a")
    assert torch.equal(model.weight, other.weight)
    assert weights.count(model) == 8


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("own", [torch.float32, torch.bfloat16])
def test_numbers_of_another_kind_are_rounded(dtype: torch.dtype, own: torch.dtype) -> None:
    model, given = nn.Linear(300, 200, dtype=own), nn.Linear(300, 200, dtype=dtype)
    before = model.weight._version
    weights.put(model, {"weight": given.weight, "bias": given.bias}, "here")
    assert torch.equal(model.weight, given.weight.to(own))
    assert model.weight.requires_grad
    assert model.weight._version > before  # who keeps a packed form can tell


def test_average_is_the_mean() -> None:
    both = [{"w": torch.tensor([1.0, 2.0])}, {"w": torch.tensor([3.0, 6.0])}]
    assert weights.average(both)["w"].tolist() == [2.0, 4.0]
    assert weights.average(both[:1])["w"].dtype == torch.float32


def test_another_models_weights() -> None:
    with pytest.raises(CheckpointError) as caught:
        weights.put(nn.Linear(3, 2), {"weight": torch.zeros(2, 3), "x": torch.zeros(1)}, "here")
    assert str(caught.value) == (
        "here: the weights are another model's: 1 (such as bias) missing, 1 (such as x)"
        " unknown. Use the folder as it was written."
    )


def test_another_shape() -> None:
    found = {"weight": torch.zeros(2, 4), "bias": torch.zeros(2)}
    with pytest.raises(CheckpointError) as caught:
        weights.put(nn.Linear(3, 2), found, "here")
    assert str(caught.value) == (
        "here: weight has shape [2, 4]; the recipe's model needs [2, 3]. The vocabulary or the"
        " recipe is another model's."
    )


def test_missing_and_truncated(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(CheckpointError) as caught:
        weights.load(path)
    assert str(caught.value) == f"{path}: missing; this checkpoint is not whole. Use another."
    weights.save(path, {"w": torch.zeros(100)})
    for size in (0, 4, 50, 300):
        path.write_bytes(path.read_bytes()[:size])
        with pytest.raises(CheckpointError) as caught:
            weights.load(path)
        assert str(caught.value).startswith(f"{path}: not a whole safetensors file (")
        assert str(caught.value).endswith("it was cut short or damaged. Use another checkpoint.")
        weights.save(path, {"w": torch.zeros(100)})
