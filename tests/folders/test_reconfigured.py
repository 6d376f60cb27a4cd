"""The same weights decode in another way."""

import shutil
from pathlib import Path

import pytest

import saccade
from saccade.errors import CheckpointError, RecipeError
from saccade.folders.fusion import carried, read_confusions, write_confusions
from saccade.folders.identity import read_plan
from saccade.folders.model import read_weights
from saccade.folders.reconfigured import reconfigure
from tests.engines.folders import SOURCES, write_noise


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noise(tmp_path_factory.mktemp("noise") / "model")


def test_weights_stay_and_the_search_is_another(folder: Path, tmp_path: Path) -> None:
    recipe = reconfigure(folder, tmp_path / "new", ["decoding.search=greedy"])
    assert recipe.decoding.search.kind == "greedy"
    assert read_plan(tmp_path / "new").recipe.same(recipe)
    old, new = (read_weights(place)[0] for place in (folder, tmp_path / "new"))
    assert all(old[name].equal(new[name]) for name in old.keys() | new.keys())
    before, after = saccade.load(folder), saccade.load(tmp_path / "new")
    for source in SOURCES:
        assert after.translate(source).text == before.translate(source, beam=1).text


def test_a_language_model_comes_along_and_goes(folder: Path, tmp_path: Path) -> None:
    write_noise(tmp_path / "lm", {"kind": "language_model"})
    named = [f"decoding.language_model={tmp_path / 'lm'}"]
    reconfigure(folder, tmp_path / "fused", named)
    assert carried(tmp_path / "fused") is not None
    reconfigure(tmp_path / "fused", tmp_path / "heavier", ["decoding.language_model_weight=0.9"])
    assert carried(tmp_path / "heavier") is not None
    reconfigure(tmp_path / "fused", tmp_path / "alone", ["decoding.language_model=''"])
    assert carried(tmp_path / "alone") is None


def test_what_is_not_of_decoding_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"--set model.dropout=0.2: the weights were trained as"):
        reconfigure(folder, tmp_path / "new", ["decoding.search=greedy", "model.dropout=0.2"])
    with pytest.raises(RecipeError, match="reconfigure: nothing is to be changed"):
        reconfigure(folder, tmp_path / "new", [])
    with pytest.raises(RecipeError, match="has no option 'serach'"):
        reconfigure(folder, tmp_path / "new", ["decoding.serach=greedy"])
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    with pytest.raises(CheckpointError, match=r"already holds files. Choose a new folder"):
        reconfigure(folder, tmp_path, ["decoding.search=greedy"])


def test_a_table_of_confusions_comes_along(folder: Path, tmp_path: Path) -> None:
    write_noise(tmp_path / "lm", {"kind": "language_model"})
    write_confusions(tmp_path / "read.tsv", {("u", "n"): 3, ("n", "n"): 30, ("", "x"): 1})
    named = [f"decoding.repair={tmp_path / 'read.tsv'}"]
    with pytest.raises(RecipeError, match=r"read.tsv says what is misread, and a language model"):
        reconfigure(folder, tmp_path / "new", named)
    reconfigure(folder, tmp_path / "new", [*named, f"decoding.language_model={tmp_path / 'lm'}"])
    reconfigure(tmp_path / "new", tmp_path / "newer", ["decoding.language_model_weight=2.0"])
    for place in ("new", "newer"):
        found = read_confusions(tmp_path / place / "language_model" / "confusions.tsv")
        assert found == {("n", "n"): 30, ("u", "n"): 3, ("", "x"): 1}
        assert saccade.load(tmp_path / place).translate("one").text
    shutil.rmtree(tmp_path / "newer" / "language_model")
    with pytest.raises(RecipeError, match="needs a language model beside it"):
        saccade.load(tmp_path / "newer")
