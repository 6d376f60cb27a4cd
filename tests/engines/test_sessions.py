from pathlib import Path

import pytest

from saccade.engines._sessions import Sessions
from saccade.errors import CheckpointError


def test_graphs_that_are_missing_are_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"encode\.onnx: no such file; .* --to onnx"):
        Sessions(tmp_path)


def test_damaged_graphs_are_told(tmp_path: Path) -> None:
    (tmp_path / "encode.onnx").write_bytes(b"no graph")
    with pytest.raises(CheckpointError, match=r"encode\.onnx: damaged \(.*Export the model again"):
        Sessions(tmp_path)
