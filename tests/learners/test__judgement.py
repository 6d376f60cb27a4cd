"""A model that learned nothing says so; one that learned does not."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from saccade import recipe as recipes
from saccade.folders.rivals import RIVALS, read_rivals
from saccade.learners._judgement import judge
from saccade.predict.baselines import EVERYWHERE, MEAN, MOST_FREQUENT
from saccade.run import Run, average, evaluate, train
from tests.learners import sea
from tests.train import small

ALARM = "NO BETTER THAN A CONSTANT ANSWER: on the validation set its "


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))


def told(folder: Path, **training: Any) -> tuple[Run, str]:
    """Train the small recipe; return the run and what it said."""
    text = io.StringIO()
    run = train(small.recipe(**training), folder, console=Console(file=text, width=500))
    return run, text.getvalue()


def test_a_run_that_learned_nothing_says_so_everywhere(tmp_path: Path) -> None:
    options = {"metrics": ["error_rate"], "select": "error_rate", "learning_rate": 1e-9}
    run, said = told(tmp_path / "run", max_steps=1, **options)
    last = said.rstrip("\n").splitlines()[-1]
    assert last.startswith(f"{ALARM}error_rate is 100.000, that of {MOST_FREQUENT} ('")
    assert "') 100.000. Try more updates (training.max_steps or" in last
    assert run.verdict is not None
    assert not run.verdict.better
    for name in ("train.log", "report.html", "README.md"):
        assert "NO BETTER THAN A CONSTANT ANSWER" in (run.folder / name).read_text("utf-8")
    assert "Read this first" in (run.folder / "report.html").read_text("utf-8")


def test_a_run_that_learned_does_not(tmp_path: Path) -> None:
    run, said = told(tmp_path / "run", max_steps=60, learning_rate=0.01, schedule="constant")
    assert run.verdict is not None
    assert run.verdict.better, run.verdict
    assert run.verdict.metric == "chrf"  # BLEU cannot tell: an output is one word
    assert said.rstrip("\n").splitlines()[-1].startswith("Done: reached max_steps 60.")
    for name in ("report.html", "README.md"):
        page = (run.folder / name).read_text("utf-8")
        assert "NO BETTER" not in page
        assert "against a constant answer" in page


def test_the_folder_keeps_what_evaluate_compares_with(tmp_path: Path) -> None:
    run, _ = told(tmp_path / "run", max_steps=1)
    kept = read_rivals(run.folder)
    assert kept.constants[0].name == MOST_FREQUENT
    assert kept.frequencies is not None
    assert len(kept.frequencies.symbols) == run.predictor.target.side.size
    found = evaluate(run.folder, "valid")
    assert found.constant is not None
    assert set(found.constant.figures) == set(found.figures)
    assert found.constant.likelihood is not None
    assert found.likelihood is not None
    assert found.constant.likelihood.pieces == found.likelihood.pieces
    assert found.constant.likelihood.characters == found.likelihood.characters
    average(run.folder, tmp_path / "mean", last=1)
    assert read_rivals(tmp_path / "mean").constants == kept.constants
    assert read_rivals(tmp_path / "mean").verdict is None


def test_a_run_that_goes_on_forgets_the_verdict(tmp_path: Path) -> None:
    run, _ = told(tmp_path / "run", max_steps=1)
    (run.folder / RIVALS).write_text("of another run", encoding="utf-8")
    again = small.run(tmp_path / "run", resume=True, max_steps=2)
    assert again.verdict is not None
    assert read_rivals(run.folder).verdict == again.verdict


def test_the_averaged_weights_are_judged_not_the_best_checkpoint(tmp_path: Path) -> None:
    options: dict[str, Any] = {"metrics": ["cer"], "select": "cer", "average": 2}
    run, _ = told(tmp_path / "run", max_steps=3, validate_every=1, **options)
    assert run.verdict is not None
    assert run.verdict.model == run.bench.measure()["cer"]


def test_a_language_model_is_judged_by_its_loss(tmp_path: Path) -> None:
    reader = {"kind": "pairs", "pairs": [["", target] for _, target in small.pairs(0, 40)]}
    raw = small.recipe(max_steps=1, learning_rate=1e-9).plain()
    raw["data"] = {"train": [reader], "valid": reader, "target": raw["data"]["target"]}
    decoder = {"kind": "rnn", "hidden": 16, "attention": "none"}
    raw["model"] = {"kind": "language_model", "embedding": 16, "decoder": decoder}
    run = train(recipes.from_plain(raw), tmp_path / "lm", console=small.quiet())
    assert run.verdict is not None
    assert (run.verdict.metric, run.verdict.better) == ("loss", False)
    assert run.verdict.answer == "symbols by their frequency in the training data"
    assert 1 < run.verdict.constant < 2.5  # ten letters and an end
    found = evaluate(run.folder, "valid")
    assert found.constant is not None
    assert found.constant.answer == ""
    assert found.plain()["constant"]["perplexity"] > 2


def test_a_tagger_is_compared_with_its_most_frequent_tag(tmp_path: Path) -> None:
    rows = [["a b", "X Y"], ["a a b", "X X Y"], ["b", "Y"], ["a", "X"]]
    reader = {"kind": "pairs", "pairs": rows}
    side = {"tokenizer": {"kind": "word", "punctuation": False}}
    raw = small.recipe(max_steps=1, metrics=["accuracy"], select="accuracy").plain()
    raw |= {"data": {"train": [reader], "valid": reader, "source": side, "target": side}}
    raw["model"] = {"kind": "tagger", "embedding": 8, "hidden": 8}
    run = train(recipes.from_plain(raw), tmp_path / "run", console=small.quiet())
    assert run.verdict is not None
    assert run.verdict.answer == f"{EVERYWHERE} ('X')"
    assert run.verdict.constant == pytest.approx(100 * 4 / 7)


def test_a_forecaster_is_compared_with_the_mean(tmp_path: Path) -> None:
    folder = sea.trained(tmp_path, max_steps=12)
    kept = read_rivals(folder)
    assert kept.frequencies is None
    assert kept.verdict is not None
    assert kept.verdict.metric == "mae"
    found = evaluate(folder, root=tmp_path)
    assert found.constant is not None
    assert found.constant.answer.startswith(f"{MEAN} ('")
    assert set(found.baselines) == {"last value", "last season"}


def test_judging_reads_every_source_of_training_data(tmp_path: Path) -> None:
    side = {"tokenizer": "character"}
    few = [{"kind": "pairs", "pairs": [["1", "a"]]}, {"kind": "pairs", "pairs": [["2", "b"]] * 2}]
    data = {"train": few, "valid": few[0], "source": side, "target": side}
    run = small.run(tmp_path, data=data, max_steps=1, metrics=["cer"])
    rivals = judge(run.bench, {"loss": 1.0, "cer": 50.0})
    assert rivals.constants[0].value == "b"
    assert rivals.verdict is not None
    assert (rivals.verdict.metric, rivals.verdict.better) == ("cer", True)
