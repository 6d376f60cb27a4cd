import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml

from saccade import recipe as recipes
from saccade import starters
from saccade.data.files import named_files, readers_of
from saccade.modalities import _png
from tests import lines
from tests.cli.conftest import Call

MISSING = """
data:
  obtain: download them from example.org
  train:
    - {kind: split, corpus: {kind: tsv, path: train.tsv}}
    - {kind: text, source: more/a.en, target: more/a.fr}
  valid: {kind: tsv, path: valid.tsv}
  test: {first: {kind: tsv, path: valid.tsv}, second: {kind: jsonl, path: test.jsonl}}
training: {max_steps: 1}
"""


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


def test_check_lists_all_files_that_are_missing(call: Call, tmp_path: Path) -> None:
    (tmp_path / "valid.tsv").write_text("a\tb\n", encoding="utf-8")
    (tmp_path / "r.yaml").write_text(MISSING, encoding="utf-8")
    said = call("recipe", "check", "r.yaml")
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        "saccade: r.yaml: files are missing.\n"
        "train.tsv: no such file; reader tsv needs it (data.train[0].corpus.path)."
        " Did you mean 'valid.tsv'?\n"
        "more/a.en: no such file; reader text needs it (data.train[1].source).\n"
        "more/a.fr: no such file; reader text needs it (data.train[1].target).\n"
        "test.jsonl: no such file; reader jsonl needs it (data.test.second.path).\n"
        "To get them: download them from example.org\n"
        "1 of 1 recipes lack files; they are good otherwise.\n"
    )


def test_training_looks_for_its_files_before_it_begins(call: Call, tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(MISSING, encoding="utf-8")
    for arguments in (("train", "r.yaml"), ("train", "r.yaml", "--dry-run")):
        said = call(*arguments)
        assert said.code == 1
        assert "saccade: train.tsv: no such file; reader tsv needs it (data.train[0]." in said.err
        assert "valid.tsv: no such file; reader tsv needs it (data.valid.path, data" in said.err
        assert "test.jsonl" not in said.err  # training does without
        assert "To get them: download them from example.org" in said.err
    assert not (tmp_path / "runs").exists()
    assert "test.jsonl: no such file; reader jsonl" in call("doctor", "r.yaml").err


@pytest.mark.parametrize("verb", ["evaluate", "report"])
def test_data_that_has_gone_since_training(
    call: Call, work: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copytree(work / "model", tmp_path / "model")
    path = tmp_path / "model" / "recipe.yaml"
    text = path.read_text(encoding="utf-8").replace("train.source", "gone.source")
    path.write_text(text, encoding="utf-8")
    said = call(verb, "model")
    assert said.code == 1
    assert f"{work}/gone.source: no such file; reader text needs it (data.test.flickr" in said.err
    assert "To get it: check the recipe; relative paths start where you run saccade." in said.err


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
    checked = call("recipe", "check", "recipe.yaml")
    if not named_files(readers_of(recipes.load(Path("recipe.yaml")))):
        assert (checked.code, checked.out) == (0, "recipe.yaml: good\n")
        return
    assert (checked.code, checked.out) == (1, "")
    assert "1 of 1 recipes lack files; they are good otherwise." in checked.err
    assert "To get them: check the recipe; relative paths start where you run" in checked.err or (
        "To get it: check the recipe;" in checked.err
    )


def test_init_fits_a_starter_to_your_pairs(call: Call, tmp_path: Path) -> None:
    rows = "".join(f"word{i}\tmot{i}\n" for i in range(200))
    (tmp_path / "it's.tsv").write_text(rows, encoding="utf-8")
    said = call("init", "transliteration", "--tsv", "it's.tsv", "-o", "names.yaml")
    assert said.code == 0
    assert "200 pairs from it's.tsv: 1" in said.err
    assert "Task: characters." in said.err
    data = recipes.load(tmp_path / "names.yaml").data
    splits = {"train": data.train[0], "valid": data.valid, "test": data.test["test"]}
    sources = {n: {e.source for e in part.build(Path()).read()} for n, part in splits.items()}
    assert sum(map(len, sources.values())) == 200
    assert len(set.union(*sources.values())) == 200
    assert all(sources.values())
    assert call("train", "names.yaml", "--dry-run").code == 0


def test_init_takes_held_out_files_and_columns(call: Call, tmp_path: Path) -> None:
    rows = [f"w{i}e,V;PST,w{i}ed,{i}" for i in range(60)]
    for name, part in (("train", rows[:40]), ("dev", rows[40:50]), ("test", rows[50:])):
        text = "\n".join(["lemma,features,form,count", *part]) + "\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    files = ("--data", "train.csv", "--valid", "dev.csv", "--test", "test.csv")
    said = call("init", "inflection", *files, "--columns", "lemma,form,features")
    assert said.code == 0, said.err
    recipe = recipes.load(tmp_path / "recipe.yaml")
    assert recipe.model.kind == "pointer_generator"
    assert recipe.data.valid.options["path"] == "dev.csv"
    assert next(recipe.data.train[0].build(Path()).read()).source == "w0e\tV;PST"


def test_init_finds_features_and_tells_what_it_does_not_read(call: Call, tmp_path: Path) -> None:
    rows = "".join(f"w{i}e\tw{i}ed\tV;PST\n" for i in range(60))
    (tmp_path / "forms.tsv").write_text(rows, encoding="utf-8")
    said = call("init", "inflection", "--data", "forms.tsv", "-o", "forms.yaml")
    assert said.code == 0, said.err
    recipe = recipes.load(tmp_path / "forms.yaml")
    assert next(recipe.data.train[0].build(Path()).read()).source.endswith("e\tV;PST")
    (tmp_path / "noted.tsv").write_text(rows.replace("V;PST", "noted"), encoding="utf-8")
    said = call("init", "transliteration", "--data", "noted.tsv", "-o", "noted.yaml")
    assert "noted.tsv: column 3 is not read, as 'noted'." in said.err


def test_init_refuses(call: Call, tmp_path: Path) -> None:
    (tmp_path / "few.tsv").write_text("a\tb\n", encoding="utf-8")
    cases = {
        ("translatoin",): "init: no starter 'translatoin'. Did you mean 'translation'?",
        ("translation", "--source", "a"): "init: give --source and --target, or --data alone.",
        ("translation", "-o", "few.tsv"): "few.tsv: exists already. Choose another name",
        ("language", "--tsv", "few.tsv"): "--task language: reads texts without sources, but few",
        ("translation", "--columns", "1,2"): "init: --valid, --test and --columns need --data.",
        ("translation", "--data", "few.tsv", "--columns", "1"): "expected SOURCE,TARGET or SOURCE",
        ("dates", "--tsv", "few.tsv"): "init: dates brings its own pairs; leave out --source",
    }
    for arguments, message in cases.items():
        said = call("init", *arguments)
        assert said.code == 2
        assert message in said.err
    few = call("init", "translation", "--tsv", "few.tsv")
    assert few.code == 1
    assert "few.tsv: 1 different sources; expected 20 or more" in few.err
    assert not (tmp_path / "recipe.yaml").exists()


def test_init_captions_writes_a_recipe_for_a_folder(call: Call, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for n in range(40):
        pixels = np.full((9, 9, 3), n, dtype=np.uint8)
        (tmp_path / "photos" / f"{n}.png").write_bytes(_png.encode(pixels))
    (tmp_path / "c.tsv").write_text("".join(f"{n}.png\ta cat\n" for n in range(41)))
    said = call("init", "captions", "--images", "photos", "--captions", "c.tsv", "-o", "mine.yaml")
    assert said.code == 0, said.err
    assert "photos: 40 pictures with 40 captions." in said.err
    assert "1 pictures that captions name are not there; they are skipped." in said.err
    assert "Wrote mine.yaml. Next:  saccade doctor mine.yaml" in said.err
    assert call("recipe", "check", "mine.yaml").out == "mine.yaml: good\n"
    again = call("init", "captions", "--images", "photos", "--captions", "c.tsv", "-o", "mine.yaml")
    assert "mine.yaml: exists already" in again.err
    for wrong in (
        ("init", "captions", "--images", "photos"),
        ("init", "dates", "--images", "photos", "--captions", "c.tsv"),
        ("init", "captions", "--images", "photos", "--captions", "c.tsv", "--columns", "a,b"),
    ):
        assert "init: --images and --captions go together, for captions" in call(*wrong).err


def test_init_lines_writes_a_recipe_for_a_folder(call: Call, tmp_path: Path) -> None:
    words = lines.words(40)
    lines.save(tmp_path / "scans", {f"{n}.png": word for n, word in enumerate(words)})
    rows = "".join(f"{n}.png\tx\n" for n in range(41))
    (tmp_path / "t.tsv").write_text(rows)
    said = call("init", "lines", "--images", "scans", "--tsv", "t.tsv", "-o", "mine.yaml")
    assert said.code == 0, said.err
    assert "scans: 40 lines, texts of t.tsv; usually" in said.err
    assert "1 lines that are named are not there; they are skipped." in said.err
    assert "Wrote mine.yaml. Next:  saccade doctor mine.yaml" in said.err
    assert call("recipe", "check", "mine.yaml").out == "mine.yaml: good\n"
    named = call("init", "lines", "--images", "scans", "-o", "names.yaml")
    assert "scans: 40 lines, texts as their names; usually" in named.err
    wrong = call("init", "lines", "--images", "scans", "--captions", "t.tsv", "-o", "x.yaml")
    assert "init: lines takes --images DIR and, unless texts stand beside the pictures" in wrong.err
