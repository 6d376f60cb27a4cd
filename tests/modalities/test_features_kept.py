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
from saccade.learners._bench import Bench
from saccade.modalities._picture import Picture, to_text
from saccade.predict.evaluation import loss_of
from saccade.train import weights
from tests.train import small
from tests.train.small import unseal

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
    with pytest.raises(CheckpointError, match=r"source\.safetensors: damaged or changed: its SHA"):
        captions(folder)
    unseal(folder)
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


def tuned(**embedder: Any) -> dict[str, Any]:
    model = {**MODEL, "embedder": {"kind": "vgg", "width": 2, "train": 2, **embedder}}
    source = {"kind": "image", "size": 64, "fit": "crop"}
    return {"data": data(source), "model": model, "batch_tokens": 9999}


def started(folder: Path, **given: Any) -> Bench:
    return Bench(small.recipe(**given), Path(), "cpu", None, folder)


def test_a_network_is_tuned_from_where_its_features_were_learned_from(folder: Path) -> None:
    bench, kept = started(folder, **tuned()), load_file(folder / "source.safetensors")
    assert bench.started == (
        f"Started from {folder / 'model.safetensors'}. 26 are those of the network that made its"
        " features."
    )
    found, inside = weights.of(bench.model), "reading.embedders.source.trunk."
    wanted = {inside + name: tensor for name, tensor in kept.items()}
    wanted |= load_file(folder / "model.safetensors")
    small.equal(found, wanted)
    learns = [
        name for name, p in bench.model.named_parameters() if inside in name and p.requires_grad
    ]
    assert {name.split(".")[-2] for name in learns} == {"conv5_2", "conv5_3"}
    assert bench.codecs.source.describe() == "pictures of 64 x 64 pixels (squash)"  # not crop


def test_a_tuned_model_begins_where_the_old_one_ended(folder: Path, made: Path) -> None:
    one, other = started(folder, **options(made)), started(folder, **tuned())
    trunk = other.model.get_submodule("reading.embedders.source.trunk")
    trunk.register_forward_hook(lambda *given: given[-1].half().float())  # as they are stored
    losses = [loss_of(bench.objective, bench.model, bench.valid) for bench in (one, other)]
    assert losses[0] == pytest.approx(losses[1], abs=2e-6)
    drawn = Bench(small.recipe(**tuned()), Path(), "cpu", None, None)
    assert abs(loss_of(drawn.objective, drawn.model, drawn.valid) - losses[0]) > 1e-3


def test_another_network_is_refused_by_name(folder: Path) -> None:
    with pytest.raises(CheckpointError, match=r"embedders\.source\.trunk\.\S+ has shape"):
        started(folder, **tuned(width=3))
    with pytest.raises(
        CheckpointError, match=r"embedders\.source\.projection\.C\.weight\) missing"
    ):
        started(folder, **tuned(places=True))
    lite = {
        **tuned(),
        "model": {**MODEL, "embedder": {"kind": "efficientnet_lite", "weights": "none"}},
    }
    with pytest.raises(CheckpointError, match=r"embedders\.source\.trunk\.\S+\) unknown"):
        started(folder, **lite)
