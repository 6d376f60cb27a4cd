import json
from pathlib import Path

import pytest

from benchmarks import pen
from tests.server.pens import make_pen


def test_what_is_written_is_read_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in ("write", "read"):
        make_pen(tmp_path / task, task)
    monkeypatch.chdir(tmp_path / "write")
    capsys.readouterr()
    reader = str(tmp_path / "read" / "run")
    pen.main(["run", reader, "--texts", "2", "--part", "valid", "--biases", "1", "inf"])
    corpus, biased, mode = map(json.loads, capsys.readouterr().out.splitlines())
    assert (corpus["texts"], corpus["strokes"]) == (2, "of the corpus")
    assert (biased["strokes"], mode["strokes"]) == ("bias 1", "the mode")
    assert biased["centres_forward"] == 100.0  # by the equation
    assert all(0 <= row["right"] <= 100 for row in (corpus, biased, mode))
