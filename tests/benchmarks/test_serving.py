"""The benchmark of the server runs, and finds nothing wrong, in a moment."""

from pathlib import Path

import pytest

from benchmarks import serving
from tests.cli.conftest import TARGETS
from tests.server.conftest import make_run


def test_a_short_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_run(tmp_path / "tiny", TARGETS)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    found = serving.measure(folder, clients=4, seconds=0.4, alone=0.2)
    serving.show(found)
    for name in ("alone", "together"):
        row = found[name]
        assert isinstance(row, dict)
        assert set(row["statuses"]) == {"200"}
        assert row["wrong"] == 0
        assert row["sentences_per_second"] > 0
        assert row["p50"] <= row["p95"] <= row["p99"]
    assert "gain" in capsys.readouterr().err
