"""Recipes for other people's pictures: they load, their splits do not overlap, they train."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.data.files import check_files, held_out, readers_of
from saccade.errors import RecipeError
from saccade.modalities import _png
from saccade.recipe import Recipe
from saccade.starters import photographs
from saccade.starters.photographs import has_features, look_at, recipe_for
from tests.train.small import quiet

NAMES = [f"{n}.png" for n in range(60)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "my photos"
    place.mkdir()
    for n, name in enumerate(NAMES):
        pixels = np.full((12, 16, 3), n * 4, dtype=np.uint8)
        (place / name).write_bytes(_png.encode(pixels))
    lines = [f"{name}\t{said}\n" for name in NAMES for said in ("A cat .", "A small cat .")]
    (tmp_path / "t.tsv").write_text("".join(lines))
    monkeypatch.setattr(photographs, "has_features", lambda: False)
    return tmp_path


def made(folder: Path, captions: str = "t.tsv", **lists: list[Path]) -> Recipe:
    found = look_at(folder / "my photos", folder / captions, **lists)
    recipe = recipes.parse(recipe_for(found, folder / "mine.yaml"))
    check_files(recipe, readers_of(recipe))
    return recipe


def names(recipe: Recipe) -> dict[str, set[str]]:
    parts = {"train": recipe.data.train[0], **held_out(recipe)}
    return {
        split: {str(example.source) for example in part.build(Path()).read()}
        for split, part in parts.items()
    }


def assert_apart(found: dict[str, set[str]]) -> None:
    assert all(found.values())
    assert sum(map(len, found.values())) == len(set.union(*found.values()))


def test_pictures_without_lists_are_parted_by_content(folder: Path) -> None:
    found = names(made(folder))
    assert_apart(found)
    assert set.union(*found.values()) == set(NAMES)
    assert len(found["train"]) > 35


def test_lists_that_are_named_are_held_out(folder: Path) -> None:
    for name, some in (("v.txt", NAMES[:5]), ("t.txt", NAMES[5:9])):
        (folder / name).write_text("\n".join(some))
    found = names(made(folder, valid=[folder / "v.txt"], test=[folder / "t.txt"]))
    assert_apart(found)
    assert found["valid"] == set(NAMES[:5])
    assert found["train"] == set(NAMES[9:])
    assert set(names(made(folder, valid=[folder / "v.txt"]))) == {"train", "valid"}
    with pytest.raises(RecipeError, match="--test needs --valid too"):
        made(folder, test=[folder / "t.txt"])


def test_lists_beside_the_captions_are_taken(folder: Path) -> None:
    for kind, some in (("train", NAMES[:40]), ("dev", NAMES[40:50]), ("test", NAMES[50:55])):
        (folder / f"Flickr_8k.{kind}Images.txt").write_text("\n".join(some))
    found = names(made(folder))
    assert [len(found[split]) for split in ("train", "valid", "test")] == [40, 10, 5]


def test_splits_of_the_captions_are_taken(folder: Path) -> None:
    splits = ["train"] * 30 + ["restval"] * 10 + ["val"] * 10 + ["test"] * 10
    images = [
        {"filename": name, "split": split, "sentences": [{"raw": "a cat"}]}
        for name, split in zip(NAMES, splits, strict=True)
    ]
    (folder / "k.json").write_text(json.dumps({"images": images}))
    found = names(made(folder, "k.json"))
    assert [len(found[split]) for split in ("train", "valid", "test")] == [40, 10, 10]


def test_pictures_that_are_not_there_are_skipped(folder: Path) -> None:
    (folder / "my photos" / NAMES[0]).unlink()
    found = look_at(folder / "my photos", folder / "t.tsv")
    assert (found.n_pictures, found.n_captions, found.n_lost) == (59, 118, 1)
    assert set.union(*names(made(folder)).values()) == set(NAMES[1:])
    (folder / "t.tsv").write_text("none.png\ta cat\n")
    with pytest.raises(RecipeError, match=r"holds none of the 1 pictures that .*as none\.png; exp"):
        made(folder)


def test_more_captions_are_trained_on_for_longer(folder: Path) -> None:
    found = look_at(folder / "my photos", folder / "t.tsv")
    few = recipes.parse(recipe_for(found, folder / "mine.yaml"))
    many: Any = photographs.PhotoFolder(found.images, 8000, 40_000, 0, found.readers, "")
    more = recipes.parse(recipe_for(many, folder / "mine.yaml"))
    assert few.training.max_steps == 300
    assert more.training.max_steps == 12_000
    assert few.data.target.plain()["tokenizer"]["min_count"] == 1
    assert more.data.target.plain()["tokenizer"]["min_count"] == 5


def test_the_recipe_trains(folder: Path, tmp_path: Path) -> None:
    (folder / "my photos" / NAMES[0]).unlink()
    path = folder / "mine.yaml"
    path.write_text(recipe_for(look_at(folder / "my photos", folder / "t.tsv"), path))
    small = [
        *("data.source.size=16", "model.embedding=8", "model.embedder.width=16"),
        *("model.decoder.hidden=8", "training.max_steps=2", "training.batch_tokens=4096"),
        *("training.validate_every=2", "decoding.metrics=[bleu]"),
    ]
    found = run.train(recipes.load(path, small), tmp_path / "run", console=quiet())
    assert found.progress.step == 2
    said = (tmp_path / "run" / "train.log").read_text()
    assert "Warning: data.train: 1 of 60 pictures are missing, empty or broken, and skip" in said


def test_features_are_used_if_they_are_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photographs, "has_features", lambda: True)
    found = look_at(folder / "my photos", folder / "t.tsv")
    text = recipe_for(found, folder / "mine.yaml")
    assert "{kind: features, network: efficientnet_lite, size: 224}" in text
    if has_features():
        assert recipes.parse(text).data.source.kind == "features"
    assert "pip install" not in text
