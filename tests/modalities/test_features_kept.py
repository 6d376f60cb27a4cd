"""Features: the model folder keeps the network that made them, and needs nobody else's."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from saccade import run as runs
from saccade.embedders.vgg import Vgg
from saccade.errors import CheckpointError, RecipeError
from saccade.folders import model as folders
from saccade.folders.home import home_of
from saccade.modalities._picture import Picture, to_text
from tests.train import small

MODEL = {
    "kind": "encoder_decoder",
    "embedding": 8,
    "encoder": "none",
    "decoder": {"kind": "rnn", "hidden": 8},
}


def rows() -> list[list[str]]:
    chance = np.random.default_rng(0)
    drawn = [chance.integers(0, 256, (64, 64, 3), dtype=np.uint8) for _ in range(8)]
    return [
        [to_text(Picture(one)), "a dog" if i % 2 else "two cats"] for i, one in enumerate(drawn)
    ]


def data(source: dict[str, Any]) -> dict[str, Any]:
    return {
        "train": {"kind": "pairs", "pairs": rows()},
        "valid": {"kind": "pairs", "pairs": rows()[:2]},
        "source": source,
        "target": {"tokenizer": "word"},
    }


def options(weights: Path) -> dict[str, Any]:
    network = {"kind": "vgg", "width": 2, "weights": str(weights)}
    own = data({"kind": "features", "network": network, "size": 64})
    return {"data": own, "model": MODEL, "batch_tokens": 16}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose network had its weights from a file that is gone."""
    place = tmp_path_factory.mktemp("made")
    given = place / "vgg.safetensors"
    save_file(dict(Vgg(width=2).named_parameters()), given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(place / "home"))
        small.run(place / "run", **options(given), max_steps=2)
    given.rename(place / "gone.safetensors")
    return place / "run"


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def captions(folder: Path) -> list[str]:
    return [str(p.output) for p in folders.load(folder).translate([row[0] for row in rows()])]


def test_a_folder_keeps_the_network_once(folder: Path, made: Path) -> None:
    kept = load_file(folder / "source.safetensors")
    assert kept.keys() == dict(Vgg(width=2).named_parameters()).keys()
    for path in folder.glob("checkpoints/*/*.safetensors"):
        assert not any("network" in name or "trunk" in name for name in load_file(path))
    assert not (made.parent / "vgg.safetensors").exists()
    assert len(captions(folder)) == 8


def test_a_folder_without_the_network_reads_it_where_it_came_from(folder: Path, made: Path) -> None:
    wanted, given = captions(folder), made.parent / "vgg.safetensors"
    (folder / "source.safetensors").unlink()
    with pytest.raises(RecipeError, match=r"vgg\.safetensors cannot be read as a safetensors file"):
        captions(folder)
    try:
        shutil.copy(made.parent / "gone.safetensors", given)
        assert captions(folder) == wanted
    finally:
        given.unlink()


def test_a_network_that_is_not_that_of_training_is_refused(folder: Path) -> None:
    path = folder / "source.safetensors"
    kept = load_file(path)
    first = next(iter(kept))
    save_file({**kept, first: kept[first] + 1}, path)
    with pytest.raises(
        CheckpointError, match=r"source\.safetensors: the weights of vgg are .* Copy"
    ):
        captions(folder)
    save_file({**kept, first: kept[first][:1].clone()}, path)
    with pytest.raises(
        CheckpointError, match=rf"safetensors: {first} has shape .* the network needs"
    ):
        captions(folder)
    save_file({first: kept[first]}, path)
    with pytest.raises(CheckpointError, match="cannot be read as the weights of the network"):
        captions(folder)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match="cannot be read as the weights of the network"):
        captions(folder)


def test_copies_of_a_folder_keep_the_network_too(folder: Path, tmp_path: Path) -> None:
    wanted, kept = captions(folder), (folder / "source.safetensors").read_bytes()
    runs.average(folder, tmp_path / "mean", last=1)
    assert (tmp_path / "mean" / "source.safetensors").read_bytes() == kept
    assert captions(tmp_path / "mean") == wanted
    predictor = folders.load(folder)
    home_of(folder).save(predictor, tmp_path / "saved")
    assert (tmp_path / "saved" / "source.safetensors").read_bytes() == kept
    assert captions(tmp_path / "saved") == wanted


def test_an_old_run_that_goes_on_gets_the_network(folder: Path, made: Path) -> None:
    given, kept = made.parent / "vgg.safetensors", (folder / "source.safetensors").read_bytes()
    (folder / "source.safetensors").unlink()
    try:
        shutil.copy(made.parent / "gone.safetensors", given)
        small.run(folder, resume=True, **options(given), max_steps=3)
    finally:
        given.unlink()
    assert (folder / "source.safetensors").read_bytes() == kept
