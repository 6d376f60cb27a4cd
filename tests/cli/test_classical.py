"""Every verb that takes a model takes the models without a network too."""

import json
from pathlib import Path

import pytest

from saccade.models.base import CountedModel, Model
from saccade.parts import find, kinds
from tests import classical
from tests.classical import SOURCES, TARGETS
from tests.cli.conftest import Call

ALIGNERS = ("ibm1", "ibm2", "ibm3", "hmm_alignment")
EVERY = ("beam", "distribution")  # of every model of text
VIEWS: dict[str, tuple[str, ...]] = dict.fromkeys(
    (*ALIGNERS, "noisy_channel", "rules"), (*EVERY, "attention")
)
VIEWS["phrase_based"] = (*EVERY, "attention", "phrases")
VIEWS["hmm"] = (*EVERY, "trellis")
VIEWS["kalman"] = ("output", "attention")


@pytest.fixture(scope="module", params=classical.KINDS)
def model(request: pytest.FixtureRequest, classical_runs: Path) -> Path:
    folder: Path = classical_runs / request.param
    return folder


def test_none_is_left_out() -> None:
    counted = [kind for kind in kinds(Model) if issubclass(find(Model, kind), CountedModel)]
    assert sorted(classical.KINDS) == sorted(counted)


def test_predict_writes_a_line_for_a_line(call: Call, model: Path) -> None:
    lines = "".join(f"{classical.asked(model.name)}\n" for _ in range(3))
    said = call("predict", model, stdin=lines.encode())
    assert said.code == 0, said.err
    assert said.out.count("\n") == 3
    if model.name != "ngram":
        assert len(set(said.out.splitlines())) == 1


def test_evaluate_measures_it(call: Call, model: Path) -> None:
    said = call("evaluate", model, "--split", "valid", "--json", "-")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert found["split"] == "valid"
    figures = [one["value"] for one in found["metrics"].values()]
    assert bool(figures) is (model.name != "ngram")
    if model.name in ("rules", "phrase_based", "hmm"):
        assert figures == [100.0]


@pytest.mark.parametrize("view", [*EVERY, "attention", "output", "trellis", "phrases"])
def test_inspect_draws_what_suits_the_model(
    call: Call, model: Path, tmp_path: Path, view: str
) -> None:
    text = classical.asked(model.name)
    said = call("inspect", model, text, "--view", view)
    if view in VIEWS.get(model.name, EVERY):
        assert said.code == 0, said.err
        assert said.out.strip()
        assert call("inspect", model, text, "--view", view, "-o", "x.svg").code == 0
        assert (tmp_path / "x.svg").read_text("utf-8").startswith("<svg")
    else:
        assert said.code == 2
        assert said.err.startswith("saccade: ")


def test_report_is_written_anew(call: Call, model: Path) -> None:
    page = model / "report.html"
    page.unlink()
    said = call("report", model)
    assert said.code == 0, said.err
    assert "<svg" in page.read_text(encoding="utf-8")


def test_score_says_how_likely_a_pair_is(call: Call, model: Path, tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text(f"{classical.asked(model.name)}\n", encoding="utf-8")
    (tmp_path / "target.txt").write_text(f"{classical.wanted(model.name)}\n", encoding="utf-8")
    files = ["target.txt"] if model.name == "ngram" else ["source.txt", "target.txt"]
    said = call("score", model, *files)
    if model.name == "kalman":
        assert said.code == 2
        assert "this model writes values, which have no probability" in said.err
    else:
        assert said.code == 0, said.err
        assert float(said.out.split()[0]) < 0


@pytest.mark.parametrize("kind", ALIGNERS)
def test_align_links_the_words(call: Call, classical_runs: Path, tmp_path: Path, kind: str) -> None:
    pairs = "".join(f"{s}\t{t}\n" for s, t in zip(SOURCES, TARGETS, strict=True))
    (tmp_path / "pairs.tsv").write_text(pairs, encoding="utf-8")
    said = call("align", classical_runs / kind, "pairs.tsv", "-o", "links.txt")
    assert said.code == 0, said.err
    assert len((tmp_path / "links.txt").read_text("utf-8").splitlines()) == len(SOURCES)


def test_they_stand_beside_each_other(call: Call, classical_runs: Path) -> None:
    pairs = [classical_runs / kind for kind in classical.SEARCHES]
    said = call("compare", *pairs, "--split", "valid", "-o", "both")
    assert said.code == 0, said.err
    assert all(kind in said.out for kind in classical.SEARCHES)


def test_one_rescores_another(call: Call, classical_runs: Path) -> None:
    runs = [classical_runs / kind for kind in ("phrase_based", "hmm_alignment")]
    said = call("rescore", *runs, "--nbest", "2", "--split", "valid")
    assert said.code == 0, said.err


def test_bands_of_forecasts_are_three_columns(classical_runs: Path, call: Call) -> None:
    said = call("forecast", classical_runs / "kalman", "--band", "0.9", stdin=b"0 1 2 3 0 1\n")
    assert said.code == 0, said.err
    middle, low, high = (list(map(float, part.split())) for part in said.out.split("\t"))
    alone = call("forecast", classical_runs / "kalman", stdin=b"0 1 2 3 0 1\n").out
    assert middle == [float(x) for x in alone.split()]
    assert all(a < b < c for a, b, c in zip(low, middle, high, strict=True))
