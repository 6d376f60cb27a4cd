from pathlib import Path
from typing import Any

import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.data.files import check_files, named_files, readers_of, readers_to_train, tables_of
from saccade.errors import DataError
from saccade.experiments.comparison import Variant, train_all
from saccade.recipe import Recipe
from tests.train import small

RECIPES = Path(__file__).parents[2] / "recipes"
TSV = {"kind": "tsv", "path": "t.tsv"}


def recipe_of(**data: Any) -> Recipe:
    full = {"train": TSV, "valid": TSV, **data}
    return recipes.from_plain({"data": full, "training": {"max_steps": 1}})


def keys(recipe: Recipe) -> dict[str, str]:
    return {file.key: str(file.path) for file in named_files(readers_of(recipe))}


def test_keys_are_those_of_the_recipe() -> None:
    text = {"kind": "text", "source": "a", "target": "b"}
    both = {"kind": "without", "corpus": TSV, "others": [text, {"kind": "noisy", "corpus": TSV}]}
    assert keys(recipe_of(train=[TSV, both], test={"one": text})) == {
        "data.train[0].path": "t.tsv",
        "data.train[1].corpus.path": "t.tsv",
        "data.train[1].others[0].source": "a",
        "data.train[1].others[0].target": "b",
        "data.train[1].others[1].corpus.path": "t.tsv",
        "data.valid.path": "t.tsv",
        "data.test.one.source": "a",
        "data.test.one.target": "b",
    }
    assert "data.test.path" in keys(recipe_of(test=TSV))


def test_a_reader_that_needs_no_file() -> None:
    pairs = {"kind": "pairs", "pairs": [["a", "b"]]}
    assert keys(recipe_of(train=pairs, valid={"kind": "joined"})) == {}


def test_training_does_without_the_test_sets_behind_the_first() -> None:
    recipe = recipe_of(test={"one": TSV, "two": TSV})  # two that are the same
    assert list(readers_to_train(recipe)) == ["data.train", "data.valid", "data.test.one"]


def test_a_path_that_was_left_out(tmp_path: Path) -> None:
    recipe = recipe_of(train={"kind": "split"}, valid={"kind": "pairs", "pairs": [["a", "b"]]})
    with pytest.raises(DataError) as caught:
        check_files(recipe, readers_of(recipe), tmp_path)
    assert str(caught.value).splitlines()[0] == (
        "data.train.corpus.path: no file is named; expected one for reader tsv. Write its path"
        " there."
    )


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*/*.yaml")), ids=lambda path: path.stem)
def test_a_recipe_that_needs_files_says_how_to_get_them(path: Path) -> None:
    recipe = recipes.load(path)
    if named_files(readers_of(recipe)):
        assert recipe.data.obtain
    else:
        assert not recipe.data.obtain


def test_how_to_get_files_does_not_make_another_recipe(tmp_path: Path) -> None:
    small.run(tmp_path / "run", max_steps=1)
    plain = small.recipe(max_steps=2).plain()
    plain["data"]["obtain"] = "ask Peter"
    run.train(recipes.from_plain(plain), tmp_path / "run", resume=True, console=small.quiet())
    asked = recipes.from_plain(plain)
    plain["data"]["obtain"] = "ask Mary"
    other = recipes.from_plain(plain)
    assert asked.same(other)
    for recipe in (asked, other):  # the second finds what the first has trained
        train_all([Variant("run", recipe)], tmp_path / "out", console=small.quiet())
    plain["seed"] = 7
    assert not asked.same(recipes.from_plain(plain))


def test_tables_are_found_inside_other_readers(tmp_path: Path) -> None:
    text = {"kind": "text", "source": "a", "target": "b"}
    other = {"kind": "csv", "path": "c.csv"}
    both = {"kind": "without", "corpus": TSV, "others": [text, {"kind": "noisy", "corpus": other}]}
    recipe = recipe_of(train=[both, {"kind": "split", "corpus": TSV}], valid=text)
    found = [table.paths for table in tables_of(readers_of(recipe), tmp_path)]
    assert found == [(tmp_path / "t.tsv",), (tmp_path / "c.csv",)]
