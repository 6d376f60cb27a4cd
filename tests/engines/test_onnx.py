from pathlib import Path

import numpy as np
import pytest

from saccade.engines.base import EngineOptions
from saccade.engines.onnx import Onnx
from saccade.folders import model as folders
from saccade.predict.predictor import Predictor
from tests.export.graphs import small_run


@pytest.fixture
def run() -> Path:
    return small_run()


def test_a_model_folder_is_converted_once_and_looked_into_by_torch(run: Path) -> None:
    torch, engine = folders.load(run), Onnx()
    assert engine.refusals(run, EngineOptions()) == []
    graph = run / "engines" / "onnx-float32" / "step.onnx"
    written = graph.stat().st_mtime_ns
    found = engine.open(run, EngineOptions())
    assert graph.stat().st_mtime_ns == written
    ours, theirs = torch.translate("365"), found.translate("365")
    assert theirs.text == ours.text
    assert found.attention_names == torch.attention_names
    assert found.self_attention_names == torch.self_attention_names
    assert [*theirs.self_attention] == [*ours.self_attention]
    assert theirs.attention is not None
    assert ours.attention is not None
    assert np.allclose(theirs.attention, ours.attention)
    assert isinstance(found, Predictor)
    (one,), (other,) = torch.score(["12"], ["ot"]), found.score(["12"], ["ot"])
    assert one.token_scores == pytest.approx(other.token_scores, abs=1e-5)
    assert [flag.kind for flag in theirs.flags] == [flag.kind for flag in ours.flags]


def test_other_devices_are_refused(run: Path) -> None:
    assert (
        "--device cuda: the engine onnx runs on the cpu"
        in Onnx().refusals(run, EngineOptions(device="cuda"))[0]
    )
