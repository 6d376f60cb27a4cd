"""From files to a model in one call."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from saccade.engines._open import load
from saccade.errors import CheckpointError, RecipeError
from saccade.fit import fitting
from saccade.fit.candidates import Candidate
from saccade.fit.fitting import Fitted, fit, seconds_in
from saccade.fit.halving import Shares, Timed
from saccade.fit.outline import Outline
from saccade.fit.plan import PLAN, FitPlan, read_plan
from saccade.folders import claims
from saccade.learners._bench import Bench
from saccade.learners._timing import Timing, time_updates
from saccade.recipe import load as load_recipe
from saccade.train.files import aside
from tests.fit.small import shrunk


@pytest.fixture(scope="module")
def fitted(made: Outline, tmp_path_factory: pytest.TempPathFactory) -> Fitted:
    folder = tmp_path_factory.mktemp("runs") / "words"
    return fit(shrunk(made, 60), folder, within=60.0, console=Console(quiet=True))


def test_a_model_comes_out(fitted: Fitted) -> None:
    assert fitted.evaluation.figures
    assert len(fitted.evaluation.examples) == fitted.outline.counts["test"]
    assert [one.name for one in fitted.standings] == ["recurrent", "transformer"] or fitted.verdict
    model = load(fitted.folder)
    assert model.predict("bake").score < 0


def test_the_time_is_kept_if_everything_takes_longer_than_was_timed(
    made: Outline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Timing sees one of a thousand seconds: runs are planned that cannot end in time."""

    def hasty(bench: Bench, *_: int, **__: float) -> Timing:
        timing = time_updates(bench, 4)
        return Timing(timing.seconds_per_update / 1000, timing.seconds_per_validation / 1000)

    monkeypatch.setattr(fitting, "time_updates", hasty)
    begun = time.monotonic()
    found = fit(shrunk(made, 200_000), tmp_path / "m", within=8.0, console=Console(quiet=True))
    assert time.monotonic() - begun < 16.0
    plan = json.loads((found.folder / PLAN).read_text(encoding="utf-8"))
    assert plan["candidates"][0]["updates"] >= 100_000
    assert "max_minutes" in (found.folder / "train.log").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("within", "said"),
    [
        (60.0, "This takes about 45 s of the 60 s allowed: a 24 updates of 0.5 s."),
        (40.0, "This takes about 45 s, more than the 40 s allowed, which only suffice to time and"),
    ],
)
def test_a_promise_over_the_time_allowed_says_so(within: float, said: str) -> None:
    one = Timed(Candidate("a", {}, ""), Timing(0.5, 1.0), 24)
    plan = FitPlan(Shares([one], (1.0,)), {"timing": 15.0, "training": 10.0, "evaluation": 20.0})
    assert fitting._promised(plan, within).startswith(said)


def test_the_plan_and_the_recipe_are_kept(fitted: Fitted) -> None:
    plan = json.loads((fitted.folder / PLAN).read_text(encoding="utf-8"))
    assert plan["task"] == "pronunciation"
    assert plan["seconds"] > 0
    recipe = load_recipe(fitted.folder / "fit.yaml")
    text = (fitted.folder / "fit.yaml").read_text(encoding="utf-8")
    assert text.startswith("# Chosen by the rules of `saccade fit`")
    assert recipe.name == plan["chosen"]


def test_every_stage_says_what_it_promised_and_took(fitted: Fitted) -> None:
    plan = json.loads((fitted.folder / PLAN).read_text(encoding="utf-8"))
    stages = {one["stage"]: one for one in plan["stages"]}
    assert next(iter(stages)) == "timing"
    assert list(stages)[-1] == "evaluation"
    assert len(stages) >= 3
    assert sum(one["promised"] for one in stages.values()) == pytest.approx(plan["promised"])
    taken = sum(one["taken"] for one in stages.values())
    assert taken <= plan["seconds"] <= taken + 2.0, "nothing takes time that no stage counts"


def test_the_report_names_the_folder_of_now(fitted: Fitted) -> None:
    for name in ("report.html", "README.md"):
        text = (fitted.folder / name).read_text(encoding="utf-8")
        assert f"saccade predict {fitted.folder}\n" in text or f"{fitted.folder}<" in text
        assert "-candidates" not in text


def test_a_second_fit_does_not_write_over_the_first(fitted: Fitted, made: Outline) -> None:
    with pytest.raises(
        CheckpointError, match=r"already holds files. Choose another -o, or give --o"
    ):
        fit(made, fitted.folder, console=Console(quiet=True))


def test_resuming_nothing(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match=r"holds no plan to resume; expected fit.json of an"):
        read_plan(tmp_path)


def test_the_plan_of_an_interrupted_fit_is_read_back(fitted: Fitted) -> None:
    plan = read_plan(fitted.folder)
    assert plan.seconds == fitted.plan.seconds
    assert plan.taken == fitted.plan.taken
    names = {one.candidate.name for one in plan.shares.timed}
    assert names == {one.name for one in fitted.standings}


def test_a_folder_of_somebody_else_stays(made: Outline, tmp_path: Path) -> None:
    mine = tmp_path / "x-candidates" / "thesis.txt"
    mine.parent.mkdir()
    mine.write_text("years of work", encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"x-candidates: exists already; .* Choose another"):
        fit(made, tmp_path / "x", overwrite=True, console=Console(quiet=True))
    assert mine.exists()


def _stopped_at(where: str, made: Outline, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit until `where`, a function of the module, is called; it is not called."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(fitting, where, stop)
        with pytest.raises(KeyboardInterrupt):
            fit(made, folder, within=60.0, console=Console(quiet=True))


def test_a_fit_that_was_killed_while_its_plan_was_written_begins_again(
    made: Outline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = shrunk(made, 8)
    _stopped_at("Planner", few, tmp_path / "m", monkeypatch)
    mine = aside(tmp_path / "m-candidates" / PLAN)
    left = mine.with_name(mine.name.replace(f".{os.getpid()}@", f".{_dead()}@"))
    left.write_text("half", encoding="utf-8")
    monkeypatch.setattr(fitting, "_UPDATES", 4)
    found = fit(few, tmp_path / "m", within=600.0, console=Console(quiet=True))
    assert not left.exists()
    for name in ("report.html", "README.md"):
        text = (found.folder / name).read_text(encoding="utf-8")
        assert f"saccade predict {found.folder}" in text


def test_a_fit_goes_on_with_a_candidate_that_had_no_checkpoint_yet(
    made: Outline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = shrunk(made, 8)
    monkeypatch.setattr(fitting, "_UPDATES", 4)
    _stopped_at("Contest", few, tmp_path / "m", monkeypatch)
    first = read_plan(tmp_path / "m-candidates").shares.timed[0].candidate.name
    claims.begin(tmp_path / "m-candidates" / first)
    found = fit(few, tmp_path / "m", within=600.0, resume=True, console=Console(quiet=True))
    assert load(found.folder).predict("bake").score < 0


def _dead() -> int:
    """Return the number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize("text", ["soon", "5s", ""])
def test_times_that_are_none(text: str) -> None:
    with pytest.raises(RecipeError, match=r"--within .*: expected"):
        seconds_in(text)
