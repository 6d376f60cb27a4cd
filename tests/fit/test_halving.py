"""Who goes on, and how the time is shared out."""

import dataclasses

import pytest

from saccade import recipe as recipes
from saccade.fit.candidates import VALIDATIONS, Candidate, with_updates
from saccade.fit.halving import COSTS, STOPS, WHOLE, Shares, Timed, halve, share_out
from saccade.learners._timing import Timing
from saccade.recipe import Recipe
from saccade.train.progress import Progress, Validation

PLAIN = {
    "data": {"train": {"kind": "embedded"}, "valid": {"kind": "embedded"}},
    "training": {"max_steps": 1200, "schedule": {"kind": "cosine", "warmup": 60, "steps": 1200}},
}
TIMING = Timing(0.1, 1.0)  # a whole run: 132 s


def _found(n: int, around: float = 0.0) -> list[Timed]:
    return [Timed(Candidate(f"c{i}", PLAIN, ""), TIMING, 1200, around) for i in range(n)]


def _promised(shares: Shares) -> float:
    return sum(shares.stages().values())


@pytest.mark.parametrize(
    ("seconds", "n", "stops"),
    [
        (30.0, 1, WHOLE),
        (110.0, 1, WHOLE),
        (150.0, 2, STOPS[2]),
        (200.0, 3, STOPS[3]),
        (400.0, 3, WHOLE),
    ],
)
def test_as_many_candidates_as_there_is_time_for(
    seconds: float, n: int, stops: tuple[float, ...]
) -> None:
    shares = share_out(_found(3), seconds)
    assert (len(shares.timed), shares.stops) == (n, stops)
    assert _promised(shares) <= max(seconds, 19.0) * 1.01
    assert all(one.updates % VALIDATIONS == 0 for one in shares.timed)


def test_nobody_gets_more_updates_than_the_rules_say() -> None:
    (one,) = share_out(_found(1), 1e6).timed
    assert one.updates == 1200
    (longer,) = share_out(_found(1), 1e6, longer=2.0).timed
    assert longer.updates == 2400


def test_time_that_is_left_is_spent_on_updates() -> None:
    shares = share_out(_found(2), 400.0, longer=2.0)
    assert shares.stops == WHOLE
    assert 1200 < shares.timed[0].updates < 2400
    assert _promised(shares) == pytest.approx(400.0, rel=0.02)


def test_starts_and_ends_are_counted_at_every_stop() -> None:
    quick, slow = share_out(_found(2), 150.0), share_out(_found(2, around=5.0), 160.0)
    assert quick.stops == slow.stops == STOPS[2]
    named = slow.stages()
    first = slow.timed[0]
    assert named["training of c0, to 25%"] == pytest.approx(first.seconds(0.0, 0.25))
    assert first.seconds(0.0, 0.25) == pytest.approx(5.0 + (first.seconds() - 5.0) / 4)
    assert sum(named.values()) <= 160.0


def test_who_wins_is_not_known_before() -> None:
    short, long = (Timed(Candidate(c, PLAIN, ""), TIMING, n) for c, n in (("a", 600), ("b", 1200)))
    promised = _promised(Shares([short, long], STOPS[2]))
    begun = short.seconds(0, 0.25) + long.seconds(0, 0.25)
    for winner in (short, long):
        assert promised == pytest.approx(begun + winner.seconds(0.25, 1.0), rel=0.25)


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


FIGURES = {"a": 3.0, "b": 1.0, "c": 2.0}


def _contest(stops: tuple[float, ...]) -> tuple[list[str], list[tuple[str, int]], list[str]]:
    asked: list[tuple[str, int]] = []

    def train(name: str, recipe: Recipe, stop: float) -> Progress:
        assert recipe.training.max_steps == stop * 1200
        asked.append((name, recipe.training.max_steps))
        return _progress(recipe.training.max_steps, FIGURES[name], 0.0)

    said: list[str] = []
    standings = halve(_recipes("abc"), stops, train, said.append)
    return [one.name for one in standings], asked, said


def test_the_worst_stops_first_and_the_best_runs_to_the_end() -> None:
    names, asked, said = _contest(STOPS[3])
    assert names == ["b", "c", "a"]
    assert asked == [("a", 300), ("b", 300), ("c", 300), ("b", 600), ("c", 600), ("b", 1200)]
    assert "a stops here" in said[0]


def test_all_run_to_the_end_if_there_is_time() -> None:
    names, asked, said = _contest(WHOLE)
    assert names == ["b", "c", "a"]
    assert asked == [("a", 1200), ("b", 1200), ("c", 1200)]
    assert said == []


def test_the_loss_decides_between_equals() -> None:
    losses = {"a": 0.9, "b": 0.5}

    def train(name: str, recipe: Recipe, _: float) -> Progress:
        return _progress(recipe.training.max_steps, 100.0, losses[name])

    found = halve(_recipes("ab"), STOPS[2], train, lambda _: None)
    assert [one.name for one in found] == ["b", "a"]
