import sys
from pathlib import Path

import pytest

from saccade.errors import CheckpointError, RecipeError
from saccade.export.sessions import Sessions


def test_graphs_that_are_missing_are_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"encode\.onnx: no such file; .* --to onnx"):
        Sessions(tmp_path)


def test_what_is_not_installed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(RecipeError, match=r"onnxruntime is not installed; .*saccade\[export\]"):
        Sessions(tmp_path)
