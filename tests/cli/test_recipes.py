from pathlib import Path

import pytest
import yaml

from saccade import recipe as recipes
from saccade import starters
from tests.cli.conftest import Call


def test_show_fills_in_every_default(call: Call, work: Path) -> None:
    said = call("recipe", "show", work / "tiny.yaml", "--set", "seed=5")
    shown = yaml.safe_load(said.out)
    assert shown["seed"] == 5
    assert shown["model"]["decoder"]["attention"]["kind"] == "additive"
    assert call("recipe", "show", work / "model").code == 0


def test_check_reports_all_errors_of_all_recipes(call: Call, work: Path, tmp_path: Path) -> None:
    text = (work / "tiny.yaml").read_text(encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(
        text.replace("embedding: 16", "embeding: 16").replace("hidden: 16", "hidden: '16'"),
        encoding="utf-8",
    )
    said = call("recipe", "check", work / "tiny.yaml", "bad.yaml", "none.yaml")
    assert said.code == 2
    assert said.out == f"{work / 'tiny.yaml'}: good\n"
    assert "Did you mean 'embedding'?" in said.err
    assert "expected a whole number, found '16'. Remove the quotes." in said.err
    assert "none.yaml: no such recipe. `saccade init TASK` writes a starter." in said.err
    assert "4 errors in 3 recipes." in said.err


def test_parts_lists_families_and_options(call: Call) -> None:
    said = call("parts", "attention")
    assert said.code == 0
    assert "additive" in said.out
    assert "hidden: 128" in said.out
    everything = call("parts").out
    for family in ("cells", "encoders", "metrics", "readers", "search", "tokenizers"):
        assert f"\n{family} " in f"\n{everything}"
    typo = call("parts", "atention")
    assert typo.code == 2
    assert "parts: no family 'atention'. Did you mean 'attention'?" in typo.err


@pytest.mark.parametrize("task", starters.tasks())
def test_every_starter_is_a_good_recipe(call: Call, task: str) -> None:
    said = call("init", task)
    assert said.code == 0
    assert "Wrote recipe.yaml." in said.err
    assert call("recipe", "check", "recipe.yaml").code == 0


def test_init_fits_a_starter_to_your_pairs(call: Call, tmp_path: Path) -> None:
    rows = "".join(f"word{i}\tmot{i}\n" for i in range(200))
    (tmp_path / "it's.tsv").write_text(rows, encoding="utf-8")
    said = call("init", "transliteration", "--tsv", "it's.tsv", "-o", "names.yaml")
    assert said.code == 0
    assert "The recipe splits your pairs by their source:" in said.err
    data = recipes.load(tmp_path / "names.yaml").data
    splits = {"train": data.train[0], "valid": data.valid, "test": data.test["test"]}
    sources = {n: {e.source for e in part.build(Path()).read()} for n, part in splits.items()}
    assert sum(map(len, sources.values())) == 200
    assert len(set.union(*sources.values())) == 200
    assert all(sources.values())
    assert call("train", "names.yaml", "--dry-run").code == 0


def test_init_refuses(call: Call, tmp_path: Path) -> None:
    (tmp_path / "few.tsv").write_text("a\tb\n", encoding="utf-8")
    cases = {
        ("translatoin",): "init: no starter 'translatoin'. Did you mean 'translation'?",
        ("translation", "--source", "a"): "init: give --source and --target, or --tsv alone.",
        ("translation", "-o", "few.tsv"): "few.tsv: exists already. Choose another name",
        ("language", "--tsv", "few.tsv"): "init: a language model reads one text and no pairs;",
        ("dates", "--tsv", "few.tsv"): "init: dates brings its own pairs; leave out --source",
    }
    for arguments, message in cases.items():
        said = call("init", *arguments)
        assert said.code == 2
        assert message in said.err
    few = call("init", "translation", "--tsv", "few.tsv")
    assert few.code == 1
    assert "init: 1 pairs are too few to hold some out" in few.err
    assert not (tmp_path / "recipe.yaml").exists()
