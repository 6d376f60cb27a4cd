from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from saccade.errors import CheckpointError
from saccade.train import weights
from saccade.train.files import sweep_leftovers


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


def test_what_the_library_writes_aside_is_swept_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[Path] = []

    def seen(tensors: dict[str, torch.Tensor], path: Path) -> None:
        places.append(Path(path).parent)
        save_file(tensors, path)

    monkeypatch.setattr(weights, "save_file", seen)
    weights.save(tmp_path / "a", {"w": torch.ones(2)})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    places[0].mkdir()  # as a kill leaves it
    (places[0] / ".tmpAbCdEf").write_bytes(b"half")
    sweep_leftovers(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_file_that_cannot_be_mapped_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights.save(tmp_path / "a", {"w": torch.ones(2)})

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("unable to open file <a> in read-only mode: Input/output error (5)")

    monkeypatch.setattr(weights, "safe_open", broken)
    with pytest.raises(CheckpointError, match=rf"{tmp_path / 'a'}: .*Input/output error \(5\)"):
        weights.load(tmp_path / "a")
