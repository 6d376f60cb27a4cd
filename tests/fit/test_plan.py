"""The plan that a fit keeps: what every stage promised and took."""

import json
from pathlib import Path

import pytest

from saccade.errors import CheckpointError
from saccade.fit.candidates import Candidate
from saccade.fit.halving import WHOLE, Shares, Timed
from saccade.fit.outline import Outline, outline
from saccade.fit.plan import EVALUATION, PLAN, TIMING, FitPlan, read_plan
from saccade.learners._timing import Timing


@pytest.fixture
def made(tmp_path: Path) -> Outline:
    path = tmp_path / "a.tsv"
    rows = "".join(f"{a}{b}\t{a} {b}\n" for a in "abcdefgh" for b in "uvwxyz")
    path.write_text(rows, encoding="utf-8")
    return outline([path])


def _plan(made: Outline) -> FitPlan:
    one: Candidate = made.candidates[0]
    timed = Timed(one, Timing(0.01, 0.5), int(one.recipe["training"]["max_steps"]) // 12 * 12, 1.5)
    shares = Shares([timed], WHOLE)
    promised = {TIMING: 2.0, **shares.stages(), EVALUATION: 1.0}
    return FitPlan(shares, promised, {TIMING: 2.0}, 1)


def test_what_is_written_is_read_back(made: Outline, tmp_path: Path) -> None:
    plan = _plan(made)
    plan.write(tmp_path, made, chosen="recurrent")
    again = read_plan(tmp_path)
    assert (again.promised, again.taken, again.times_smaller) == (plan.promised, plan.taken, 1)
    assert again.shares.stops == WHOLE
    assert again.shares.timed[0].recipe == plan.shares.timed[0].recipe
    assert again.shares.timed[0].seconds() == plan.shares.timed[0].seconds()
    kept = json.loads((tmp_path / PLAN).read_text(encoding="utf-8"))
    assert kept["chosen"] == "recurrent"
    assert [one["taken"] for one in kept["stages"]] == [2.0, None, None]


def test_a_stage_that_was_interrupted_adds_up(made: Outline) -> None:
    plan = _plan(made)
    for _ in range(2):
        with plan.stage(TIMING):
            pass
    assert plan.taken[TIMING] > 2.0
    with pytest.raises(ValueError, match="stopped"), plan.stage(EVALUATION):
        raise ValueError("stopped")
    assert plan.taken[EVALUATION] >= 0.0


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"candidates": [], "stages": 3}'])
def test_plans_that_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / PLAN).write_text(text, encoding="utf-8")
    with pytest.raises(CheckpointError, match=r"holds no plan to resume; expected fit.json of an"):
        read_plan(tmp_path)
