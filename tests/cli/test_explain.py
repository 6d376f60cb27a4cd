"""The verb that answers questions: it lists topics, draws, and says what is seen."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.explanations.base import questions


def test_topics_are_listed_as_they_are_typed() -> None:
    found = CliRunner().invoke(app, ["explain"], env={"COLUMNS": "200"})
    assert found.exit_code == 0
    for topic, question in questions().items():
        assert topic in found.stdout
        assert question in found.stdout


@pytest.mark.parametrize("form", [".svg", ".html"])
def test_a_picture_is_written_and_its_two_sentences_said(form: str, tmp_path: Path) -> None:
    target = tmp_path / f"one{form}"
    small = "scaling:draws=20,widest=64"
    found = CliRunner().invoke(app, ["explain", small, "-o", str(target)])
    assert found.exit_code == 0
    assert "At width 64" in found.stdout
    assert "<svg" in target.read_text(encoding="utf-8")
    drawn = CliRunner().invoke(app, ["explain", small])
    assert "q . k / sqrt(d)" in drawn.stdout
