import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from saccade.errors import CheckpointError
from saccade.look.report import (
    read_curves,
    samples,
    summary,
    write_report,
)
from saccade.run import Run, average, report
from saccade.train.progress import Progress
from saccade.views.report import ScoreRow
from tests.train import small


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(folder / "home"))
        return small.run(folder / "run", max_steps=3, name="<small>")


def test_the_report_is_one_page(run: Run) -> None:
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert "&lt;small&gt;" in page
    assert "<small></h1>" not in page
    assert "training loss" in page
    assert f"saccade predict {run.folder}" in page


def test_the_report_shows_what_nonsense_brings(run: Run) -> None:
    page = (run.folder / "report.html").read_text(encoding="utf-8")
    assert "Nonsense" in page
    assert "ag ag ag" in page
    assert "The model does not know" in page


def test_scores_can_be_given(run: Run) -> None:
    rows = [ScoreRow("test", "bleu", 1.25, 33.75, 30.0, 36.0, "sig")]
    path = write_report(run.folder, small.recipe(), run.predictor, run.progress, rows)
    assert "33.75" in path.read_text(encoding="utf-8")


def test_the_card(run: Run) -> None:
    card = (run.folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("# <small>\n")
    assert "| seed | 1 |" in card
    assert f"saccade predict {run.folder}\n" in card


def test_summary(run: Run) -> None:
    facts = summary(small.recipe(), run.predictor, run.progress)
    assert facts["steps"].startswith("3 (")
    assert facts["best validation"].startswith("loss ")


def test_the_cost_is_told_where_it_was_counted(run: Run) -> None:
    assert run.progress.flops > 0
    facts = summary(small.recipe(), run.predictor, run.progress)
    assert facts["training cost"] == f"about {run.progress.flops:.2e} FLOPs"
    older = Progress(lengths=[math.nan] * 6, price=run.progress.price)
    for uncounted in (Progress(), older):
        assert "training cost" not in summary(small.recipe(), run.predictor, uncounted)


def test_samples_show_where_the_model_looked(run: Run) -> None:
    found = samples(small.recipe(), run.predictor)
    assert len(found) == 8
    drawn = "".join(ElementTree.fromstring(found[0].picture).itertext())
    assert all(digit in drawn for digit in found[0].source)
    assert found[0].score is not None
    assert found[0].score < 0


def test_curves_of_a_step_written_twice(tmp_path: Path) -> None:
    assert read_curves(tmp_path) == {}
    (tmp_path / "metrics.jsonl").write_text(
        '{"kind": "train", "step": 1, "nll": 3.0, "learning_rate": 0.1}\n'
        '{"kind": "train", "step": 1, "nll": 2.0, "learning_rate": 0.1}\n'
        '{"kind": "valid", "step": 2, "loss": 1.5, "epoch": 0}\n',
        encoding="utf-8",
    )
    assert read_curves(tmp_path) == {
        "training loss": [(1, 2.0)],
        "learning rate": [(1, 0.1)],
        "validation loss": [(2, 1.5)],
    }


def test_a_line_that_is_still_being_written_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text(
        '{"kind": "valid", "step": 2, "loss": 1.5}\n{"kind": "valid", "st', encoding="utf-8"
    )
    assert read_curves(tmp_path) == {"validation loss": [(2, 1.5)]}


def test_a_report_of_a_run_that_still_trains(run: Run) -> None:
    finished = run.folder / "model.safetensors"
    aside = finished.rename(finished.with_suffix(".aside"))
    try:
        page = report(run.folder).read_text(encoding="utf-8")
    finally:
        aside.rename(finished)
    assert "3 (" in page
    assert "training loss" in page


def test_a_model_that_is_no_run_has_no_report(run: Run, tmp_path: Path) -> None:
    average(run.folder, tmp_path / "mean", last=1)
    with pytest.raises(CheckpointError, match=r"mean: has no checkpoints.*expected a run folder"):
        report(tmp_path / "mean")


def test_the_report_of_a_transformer_shows_its_self_attention(run: Run, tmp_path: Path) -> None:
    layers = {"kind": "transformer", "layers": 1, "feed_forward": 8, "attention": {"heads": 2}}
    model = {"kind": "encoder_decoder", "embedding": 8, "encoder": layers, "decoder": layers}
    found = small.run(tmp_path / "run", max_steps=1, model=model)
    page = (found.folder / "report.html").read_text(encoding="utf-8")
    assert "Self-attention" in page
    assert "encoder layer 1 head 2" in page
    assert "decoder layer 1 head 2" in page
    assert "Self-attention" not in (run.folder / "report.html").read_text(encoding="utf-8")
