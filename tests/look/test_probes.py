"""Probes on a model that has learned nothing, and on one whose answers are known."""

from pathlib import Path

import pytest

from saccade.guards.bias import parse
from saccade.look.probes import probe_bias, probe_nonsense
from saccade.run import Run
from tests.train import small

PROBES = """
- template: "{a}{b}"
  swap: {a: ["1", "2"]}
  vary: {b: ["3", "4", "5"]}
- source: "12"
  readings: ["1", "2"]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("probing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        return small.run(folder / "run", max_steps=3)


def test_nonsense(run: Run) -> None:
    probes = probe_nonsense(run.predictor, "12345")
    assert [probe.name for probe in probes] == [
        *("repeated", "another script", "punctuation", "shuffled")
    ]
    for probe in probes:
        warned = any(flag.severity == "warning" for flag in probe.translation.flags)
        assert probe.noticed == (warned or not probe.translation.text.strip())
    assert probes[1].noticed


def test_bias(run: Run) -> None:
    found = probe_bias(run.predictor, parse(PROBES, "x"))
    assert [one.pair.first for one in found.pairs] == ["13", "14", "15"]
    for one in found.pairs:
        assert one.outputs[0] == run.predictor.translate(one.pair.first).text
        assert set(one.odd) <= set(one.changes)
    (read,) = found.readings
    first, second = run.predictor.score(["12", "12"], ["1", "2"])
    assert read.difference == pytest.approx(first.score - second.score, abs=1e-4)
    assert found.preference.value == read.difference
    assert found.confidence.n == 3


def test_nothing_to_probe(run: Run) -> None:
    found = probe_bias(run.predictor, parse("- {source: '1', readings: ['1', '1']}", "x"))
    assert found.pairs == ()
    assert found.confidence.n == 0
    assert found.readings[0].difference == pytest.approx(0.0, abs=1e-5)
