"""Recipes for other people's lines: they load, hold lines out, suit their number, and train."""

from pathlib import Path

import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.data.files import check_files, held_out, readers_of
from saccade.errors import DataError, RecipeError
from saccade.recipe import Recipe
from saccade.starters.lines import LineFolder, look_at_lines, recipe_for_lines
from tests import lines
from tests.train.small import quiet

WORDS = lines.words(60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "my scans"
    lines.save(place, {f"{n}.png": word for n, word in enumerate(WORDS)})
    rows = "".join(f"{n}.png\t{word}\n" for n, word in enumerate(WORDS))
    (tmp_path / "t.tsv").write_text(rows, encoding="utf-8")
    return tmp_path


def made(folder: LineFolder, path: Path = Path("mine.yaml")) -> Recipe:
    recipe = recipes.parse(recipe_for_lines(folder, path))
    check_files(recipe, readers_of(recipe))
    return recipe


def texts(recipe: Recipe) -> dict[str, set[str]]:
    parts = {"train": recipe.data.train[0], **held_out(recipe)}
    return {
        split: {str(example.target) for example in part.build(Path()).read()}
        for split, part in parts.items()
    }


def test_lines_are_held_out(folder: Path) -> None:
    found = texts(made(look_at_lines(folder / "my scans", folder / "t.tsv")))
    assert list(found) == ["train", "valid", "test"]
    assert all(found.values())
    assert sum(map(len, found.values())) == len(set.union(*found.values())) == 60


def test_texts_beside_pictures_and_names_are_found(folder: Path) -> None:
    place = folder / "my scans"
    named = look_at_lines(place)
    assert named.about["format"] == "names"
    assert set.union(*texts(made(named)).values()) == {str(n) for n in range(60)}
    for n, word in enumerate(WORDS):
        (place / f"{n}.gt.txt").write_text(word + "\n", encoding="utf-8")
    beside = look_at_lines(place)
    assert beside.about["format"] == "beside"
    assert set.union(*texts(made(beside)).values()) == set(WORDS)


def test_lines_that_are_not_there_are_skipped(folder: Path) -> None:
    (folder / "my scans" / "7.png").unlink()
    found = look_at_lines(folder / "my scans", folder / "t.tsv")
    assert (found.n_lines, found.n_lost) == (59, 1)
    assert set.union(*texts(made(found)).values()) == set(WORDS) - {WORDS[7]}
    (folder / "none").mkdir()
    with pytest.raises(
        RecipeError, match=r"--images .*none: holds none of the 60 lines that .*tsv"
    ):
        look_at_lines(folder / "none", folder / "t.tsv")
    with pytest.raises(DataError, match=r"lost: no such folder"):
        look_at_lines(folder / "lost", folder / "t.tsv")


def test_sizes_suit_the_lines(folder: Path) -> None:
    found = look_at_lines(folder / "my scans", folder / "t.tsv")
    widths = sorted(round(4 * lines.printed(word).shape[1]) for word in WORDS)  # 32 pixels high
    assert found.widest == widths[-1]
    assert widths[20] <= found.width <= widths[40]
    assert found.longest == 4
    small, large = made(found), made(LineFolder(found.about, 20_000, 0, 600, 3000, 400, 12.5))
    assert small.training.max_steps == 1500
    assert large.training.max_steps == 18_500
    assert large.training.schedule.options["steps"] == 18_500
    assert large.data.source.options["max_width"] == 3750
    assert large.data.target.options["max_length"] == 400
    assert large.name == "mine"
    strides = {room: LineFolder({}, 9, 0, 9, 9, 9, room).stride for room in (25.0, 12.5, 6.0, 3.0)}
    assert strides == {25.0: 8, 12.5: 4, 6.0: 2, 3.0: 1}
    assert large.model.options["embedder"].options["stride"] == 4
    assert small.model.options["embedder"].options["stride"] == 8  # 4 x 8 columns a letter
    assert (large.decoding.max_ratio, small.decoding.max_ratio) == (0.25, 0.125)
    assert large.data.test["test"].options["test"] == 0.05


def test_the_recipe_trains(folder: Path) -> None:
    path = folder / "mine.yaml"
    path.write_text(recipe_for_lines(look_at_lines(folder / "my scans", folder / "t.tsv"), path))
    assert f"# Lines of print of {folder / 'my scans'}: 60 of them" in path.read_text()
    small = [
        *("model.embedding=8", "model.embedder.width=16", "model.upper.hidden=16"),
        *("training.max_steps=2", "training.validate_every=2"),
    ]
    found = run.train(recipes.load(path, small), folder / "run", console=quiet())
    assert found.progress.step == 2
