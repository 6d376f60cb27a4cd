import sys
from pathlib import Path

import pytest

import saccade
from saccade.engines._open import load_pair
from saccade.errors import CheckpointError, RecipeError
from saccade.kernels import library
from saccade.predict.predictor import Predictor
from tests.engines.folders import write_noise

LINES = ["a b c", "c", "b a d a c b", "d d"]


def engine_of(opened: object) -> str:
    """Tell who searches what was opened."""
    assert isinstance(opened, Predictor)
    return type(opened._searcher).__name__


@pytest.mark.usefixtures("each_form")
def test_by_default_the_fastest_that_can_do_everything(tmp_path: Path, each_form: str) -> None:
    folder, native = write_noise(tmp_path), each_form == "kernels"
    opened = saccade.load(folder)
    assert engine_of(opened) == ("NativeSearcher" if native else "TorchSearcher")
    assert engine_of(saccade.load(folder, engine="torch")) == "TorchSearcher"
    torch = saccade.load(folder, engine="torch").translate(LINES)
    assert [one.text for one in opened.translate(LINES)] == [one.text for one in torch]


def test_no_such_engine(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    with pytest.raises(RecipeError, match=r"engines has no part 'onyx'. Did you mean 'onnx'\?"):
        saccade.load(folder, engine="onyx")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nowhere: no such model folder."):
        saccade.load(tmp_path / "nowhere", engine="auto")


def test_a_device_that_native_does_not_know_is_torchs(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"--device nowhere: cannot be used here"):
        saccade.load(write_noise(tmp_path), device="nowhere")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_noise(tmp_path)
    for module in ("saccade.engines.ctranslate2", "saccade.engines._ctranslate2_beam"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    told = r"ctranslate2: the package 'ctranslate2' is missing; .* pip install 'saccade\[fast\]'."
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2")
    assert isinstance(saccade.load(folder, engine="auto"), Predictor)


@pytest.mark.usefixtures("each_form")
def test_much_text_is_written_by_kernels_if_there_are_any(tmp_path: Path, each_form: str) -> None:
    pytest.importorskip("ctranslate2")
    folder, native = write_noise(tmp_path), each_form == "kernels"
    assert isinstance(saccade.load(folder, engine="auto", much=True), Predictor) is native
    assert not isinstance(saccade.load(folder, engine="auto"), Predictor)
    rounded = saccade.load(folder, engine="auto", quantise="int8", much=True)
    kernels = library.found().kernels
    assert isinstance(rounded, Predictor) is (kernels is not None and kernels.rounds)


def test_what_no_engine_can_do_is_told_of_all_of_them(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as raised:
        saccade.load(write_noise(tmp_path), engine="auto", quantise="int3")
    assert "the engine native does not know it" in str(raised.value)
    assert "the engine torch rounds no weights" in str(raised.value)


@pytest.mark.parametrize("engine", [None, "native", "torch", "ctranslate2"])
def test_a_pair_shares_what_it_can(tmp_path: Path, engine: str | None) -> None:
    folder = write_noise(tmp_path)
    pair = load_pair(folder, engine=engine)
    assert (pair.writer is None) == (engine != "ctranslate2")
    found = (pair.writer or pair.predictor).translate(LINES)
    assert [one.text for one in found] == [x.text for x in pair.predictor.translate(LINES)]
