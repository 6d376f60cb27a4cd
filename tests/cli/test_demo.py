from pathlib import Path

import pytest

from saccade import starters
from tests.cli.conftest import Call


def test_the_demo_trains_measures_draws_and_reports(
    call: Call, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = (work / "tiny.yaml").read_text(encoding="utf-8")
    assert "english_french" in starters.demos()  # which it remembers
    monkeypatch.setattr(starters, "text_of", lambda _: tiny)
    said = call("demo", "-o", "shown")
    assert said.code == 0
    for text in ("Sentences the model has never seen:", "a cat sleeps", "before training"):
        assert text in said.out
    assert "open it in a browser. What to type next:" in said.err
    assert "saccade translate shown" in said.err
    report = (tmp_path / "shown" / "report.html").read_text(encoding="utf-8")
    assert "Before" in report
    assert "<svg" in report
