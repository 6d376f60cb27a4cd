import sys
from pathlib import Path

import pytest

import saccade
from saccade.errors import CheckpointError, RecipeError
from saccade.native import library
from saccade.native.library import Found
from saccade.translator import Translator
from tests.engines.folders import write_noise


def test_torch_is_the_default_and_gives_a_translator(tmp_path: Path) -> None:
    assert isinstance(saccade.load(write_noise(tmp_path)), Translator)


def test_no_such_engine(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    with pytest.raises(RecipeError, match=r"engines has no part 'onyx'. Did you mean 'onnx'\?"):
        saccade.load(folder, engine="onyx")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nowhere: no such model folder."):
        saccade.load(tmp_path / "nowhere", engine="auto")


def test_torch_rounds_nothing(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    told = r"--quantise int8: the engine torch does not round weights; expected an engine that does"
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="torch", quantise="int8")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_noise(tmp_path)
    for module in ("saccade.engines.ctranslate2", "saccade.engines._ctranslate2_beam"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    told = r"ctranslate2: the package 'ctranslate2' is missing; .* pip install 'saccade\[fast\]'."
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2")
    assert isinstance(saccade.load(folder, engine="auto"), Translator)


@pytest.mark.parametrize("kernels", [True, False])
def test_much_text_is_written_by_kernels_if_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels: bool
) -> None:
    pytest.importorskip("ctranslate2")
    folder, without = write_noise(tmp_path), Found(None, "none")
    if not kernels:
        monkeypatch.setattr(library, "found", lambda: without)
    elif library.found().kernels is None:
        pytest.skip(library.found().told)
    assert isinstance(saccade.load(folder, engine="auto", much=True), Translator) is kernels
    assert not isinstance(saccade.load(folder, engine="auto"), Translator)
    assert not isinstance(
        saccade.load(folder, engine="auto", quantise="int8", much=True), Translator
    )
