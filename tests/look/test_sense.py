"""Probes of sense on a model that has learned little: the figures are those of its scores."""

from pathlib import Path

import pytest

from saccade.guards.sense import parse
from saccade.look.sense import probe_sense
from saccade.run import Run
from tests.train import small

PROBES = """
- {source: "12", right: "1", wrong: "2"}
- source: "3"
  readings: ["4", "5"]
  before: [["1", "1"], ["2", "2"]]
- nonsense: "11"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("sense")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        return small.run(folder / "run", max_steps=3)


def test_all_is_scored_and_written(run: Run) -> None:
    predictor, found = run.predictor, probe_sense(run.predictor, parse(PROBES, "x"))

    def difference(source: str, first: str, second: str) -> float:
        a, b = predictor.score([source, source], [first, second])
        return a.score - b.score

    (meant,), (behind,), (nothing,) = found.meanings, found.contexts, found.nonsense
    assert meant.difference == pytest.approx(difference("12", "1", "2"), abs=1e-4)
    assert meant.translation.text == predictor.translate("12").text
    wanted = (difference("1 3", "1 4", "1 5"), difference("2 3", "2 4", "2 5"))
    assert behind.differences == pytest.approx(wanted, abs=1e-4)
    assert behind.moved == pytest.approx(wanted[0] - wanted[1], abs=1e-4)
    assert behind.outputs[1] == predictor.translate("2 3").text
    assert nothing.name == "11"
