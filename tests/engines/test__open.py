import sys
from pathlib import Path

import pytest

import saccade
from saccade.errors import CheckpointError, RecipeError
from saccade.kernels import library
from saccade.kernels.library import KernelStatus
from saccade.predict.predictor import Predictor
from tests.engines.folders import write_noise

LINES = ["a b c", "c", "b a d a c b", "d d"]


def test_torch_is_the_default_and_gives_a_translator(tmp_path: Path) -> None:
    assert isinstance(saccade.load(write_noise(tmp_path)), Predictor)


def test_no_such_engine(tmp_path: Path) -> None:
    folder = write_noise(tmp_path)
    with pytest.raises(RecipeError, match=r"engines has no part 'onyx'. Did you mean 'onnx'\?"):
        saccade.load(folder, engine="onyx")


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"nowhere: no such model folder."):
        saccade.load(tmp_path / "nowhere", engine="auto")


def test_torch_rounds_by_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, kernels = write_noise(tmp_path), library.found().kernels
    told = r"--quantise int4: the engine torch does not know it; expected int8. Use that."
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="torch", quantise="int4")
    if kernels is not None and kernels.rounds:
        exact = saccade.load(folder).translate(LINES)
        rounding = saccade.load(folder, engine="torch", quantise="int8")
        rounded = rounding.translate(LINES)
        assert [one.score for one in rounded] != [one.score for one in exact]
        assert [one.score for one in rounded] == pytest.approx([x.score for x in exact], rel=0.2)
        one_by_one = [
            saccade.load(folder, engine="torch", quantise="int8").translate(x) for x in LINES
        ]
        assert [one.text for one in rounded] == [one.text for one in one_by_one]
    without = KernelStatus(None, "no C compiler was found")
    monkeypatch.setattr("saccade.engines.torch.found", lambda: without)
    told = r"--quantise int8: the engine torch .* has none: no C compiler was found. Use --engine"
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="torch", quantise="int8")
    told = r"--quantise int8: bytes are multiplied on the processor, but --device is meta"
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, device="meta", engine="torch", quantise="int8")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_noise(tmp_path)
    for module in ("saccade.engines.ctranslate2", "saccade.engines._ctranslate2_beam"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    told = r"ctranslate2: the package 'ctranslate2' is missing; .* pip install 'saccade\[fast\]'."
    with pytest.raises(RecipeError, match=told):
        saccade.load(folder, engine="ctranslate2")
    assert isinstance(saccade.load(folder, engine="auto"), Predictor)


@pytest.mark.parametrize("kernels", [True, False])
def test_much_text_is_written_by_kernels_if_there_are_any(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels: bool
) -> None:
    pytest.importorskip("ctranslate2")
    folder, without = write_noise(tmp_path), KernelStatus(None, "none")
    if not kernels:
        monkeypatch.setattr(library, "found", lambda: without)
    elif library.found().kernels is None:
        pytest.skip(library.found().told)
    assert isinstance(saccade.load(folder, engine="auto", much=True), Predictor) is kernels
    assert not isinstance(saccade.load(folder, engine="auto"), Predictor)
    rounded = saccade.load(folder, engine="auto", quantise="int8", much=True)
    rounds = kernels and library.found().kernels.rounds  # type: ignore[union-attr]
    assert isinstance(rounded, Predictor) is rounds
