"""Who goes on, and how the time is shared out."""

import dataclasses

import pytest

from saccade import recipe as recipes
from saccade.fit.candidates import VALIDATIONS, Candidate, with_updates
from saccade.fit.halving import COSTS, STOPS, halve, promised, share_out
from saccade.learners.timing import Timing
from saccade.recipe import Recipe
from saccade.train.progress import Progress, Validation

PLAIN = {
    "data": {"train": {"kind": "embedded"}, "valid": {"kind": "embedded"}},
    "training": {"max_steps": 1200, "schedule": {"kind": "cosine", "warmup": 60, "steps": 1200}},
}
TIMING = Timing(0.1, 1.0)


def _found(n: int) -> list[tuple[Candidate, Timing]]:
    return [(Candidate(f"c{i}", PLAIN, ""), TIMING) for i in range(n)]


@pytest.mark.parametrize(("seconds", "n"), [(30.0, 1), (110.0, 1), (150.0, 2), (400.0, 3)])
def test_as_many_candidates_as_there_is_time_for(seconds: float, n: int) -> None:
    timed = share_out(_found(3), seconds)
    assert len(timed) == n
    assert promised(timed) <= max(seconds, 19.0) * 1.01
    assert all(one.updates % VALIDATIONS == 0 for one in timed)


def test_nobody_gets_more_updates_than_the_rules_say() -> None:
    (one,) = share_out(_found(1), 1e6)
    assert one.updates == 1200


def test_costs_are_the_sums_of_the_stops() -> None:
    assert {n: sum(stops) for n, stops in STOPS.items()} == COSTS
    assert all(len(stops) == n for n, stops in STOPS.items())


def test_a_shorter_run_has_a_shorter_schedule() -> None:
    training = with_updates(PLAIN, 240)["training"]
    assert training["max_steps"] == training["schedule"]["steps"] == 240
    assert training["schedule"]["warmup"] == 24
    assert training["validate_every"] == 20


def _recipes(names: str) -> dict[str, Recipe]:
    recipe = recipes.from_plain(with_updates(PLAIN, 1200))
    return {name: dataclasses.replace(recipe, name=name) for name in names}


def _progress(step: int, figure: float, loss: float) -> Progress:
    figures = {"loss": loss, "error_rate": figure}
    return Progress(step=step, validations=[Validation(step, figure, figures)])


def test_the_worst_stops_first_and_the_best_runs_to_the_end() -> None:
    asked: list[tuple[str, int]] = []
    figures = {"a": 3.0, "b": 1.0, "c": 2.0}

    def train(name: str, recipe: Recipe) -> Progress:
        asked.append((name, recipe.training.max_steps))
        return _progress(recipe.training.max_steps, figures[name], 0.0)

    said: list[str] = []
    standings = halve(_recipes("abc"), train, said.append)
    assert [one.name for one in standings] == ["b", "c", "a"]
    assert asked == [("a", 300), ("b", 300), ("c", 300), ("b", 600), ("c", 600), ("b", 1200)]
    assert "a stops here" in said[0]


def test_the_loss_decides_between_equals() -> None:
    losses = {"a": 0.9, "b": 0.5}

    def train(name: str, recipe: Recipe) -> Progress:
        return _progress(recipe.training.max_steps, 100.0, losses[name])

    assert [one.name for one in halve(_recipes("ab"), train, lambda _: None)] == ["b", "a"]
