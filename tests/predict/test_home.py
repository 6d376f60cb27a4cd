"""What a model tells of itself, in a terminal and in a notebook."""

from pathlib import Path

import pytest

import saccade
from saccade.engines.base import Opened
from saccade.errors import CheckpointError
from saccade.folders import model as folders
from tests.engines.folders import SOURCES, TARGETS, write_noise

PAIRS = list(zip(SOURCES, TARGETS, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noise(tmp_path_factory.mktemp("noise") / "model")


def count(opened: Opened) -> int:
    vocabulary = opened.sources["source"].vocabulary
    assert vocabulary is not None
    return len(vocabulary)


@pytest.mark.parametrize("engine", ["torch", "native", "onnx", "ctranslate2"])
def test_a_model_says_what_it_is(folder: Path, engine: str) -> None:
    opened = saccade.load(folder, engine=engine)
    told = opened.describe()
    assert told["name"] == "noise"
    assert told["engine"].startswith(engine)
    assert str(folder) in told["folder"]
    assert told["reads"] == f"source ({count(opened):,} symbols)"
    for text in told.values():
        assert text in repr(opened)
    assert "0x" not in repr(opened)
    assert "noise" in opened._repr_html_()  # type: ignore[attr-defined]


def test_torch_knows_the_parameters(folder: Path) -> None:
    opened = saccade.load(folder)
    n = sum(parameter.numel() for parameter in opened.model.parameters())
    assert opened.describe()["parameters"] == f"{n:,}"
    assert opened.describe()["model"] == "EncoderDecoder"
    assert opened.folder == folder


def test_a_model_without_a_folder_says_so(folder: Path) -> None:
    alone = folders.load(folder)
    assert alone.folder is None
    assert "folder" not in alone.describe()
    with pytest.raises(CheckpointError, match=r"evaluate: the weights of this model are not at"):
        alone.evaluate(PAIRS)
    with pytest.raises(CheckpointError, match=r"save: the weights .* Load it from there"):
        alone.save(folder / "new")


@pytest.mark.parametrize("engine", [None, "ctranslate2", "onnx"])
def test_any_engine_writes_what_is_measured(folder: Path, engine: str | None) -> None:
    opened = saccade.load(folder, engine=engine)
    found = opened.evaluate(PAIRS, metrics="chrf", beam=2)
    ours = saccade.load(folder, engine="torch").translate(SOURCES, beam=2)
    assert [one.text for one in found.predictions] == [one.text for one in ours]
    assert found.likelihood is not None
