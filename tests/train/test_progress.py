import json
import math

from saccade.train.progress import Progress, Validation


def progress(*figures: float) -> Progress:
    found = [Validation(step, figure, {"loss": figure}) for step, figure in enumerate(figures)]
    return Progress(step=len(found) - 1, validations=found)


def tied(*losses: float) -> Progress:
    """Validations of which none gets an output right: the metric is the same, the loss is not."""
    found = [
        Validation(step, 100.0, {"loss": loss, "error_rate": 100.0})
        for step, loss in enumerate(losses)
    ]
    return Progress(step=len(found) - 1, validations=found)


def best_step(whole: Progress) -> int:
    assert whole.best is not None
    return whole.best.step


def test_best_is_the_first_of_equals() -> None:
    assert best_step(progress(3.0, 1.0, 1.0, 2.0)) == 1
    assert Progress().best is None


def test_the_loss_decides_among_equal_figures() -> None:
    assert best_step(tied(3.0, 1.0, 2.0)) == 1
    assert best_step(tied(3.0, 1.0, 1.0)) == 1
    assert best_step(tied(math.nan, math.inf, 9.0)) == 2
    better = Validation(9, 99.0, {"loss": 50.0})
    assert best_step(Progress(validations=[*tied(3.0, 1.0).validations, better])) == 9


def test_stale_counts_since_the_best() -> None:
    for figures, stale in {(): 0, (1.0,): 0, (1.0, 2.0): 1, (1.0, 1.0, 0.5): 0}.items():
        assert progress(*figures).stale() == stale
    assert progress(1.0, 1.0, 1.0).stale() == 2
    assert tied(3.0, 2.0, 1.0).stale() == 0
    assert tied(1.0, 2.0, 3.0).stale() == 2


def test_stale_does_not_count_what_was_too_early() -> None:
    whole = progress(1.0, 2.0, 3.0, 4.0)
    assert [whole.stale(after) for after in (-1, 0, 1, 2, 3, 9)] == [3, 3, 2, 1, 0, 0]


def test_grades_are_the_figures_unless_the_loss_decides() -> None:
    assert progress(3.0, 1.0, 2.0).grades == [3.0, 1.0, 2.0]
    first, second, third, worse = tied(3.0, 2.0, 1.0, 4.0).grades
    assert first == worse == 100.0
    assert third < second < first
    assert math.isclose(third, 100.0)
    more = [*tied(3.0, 2.0).validations, Validation(9, 99.0, {"loss": 7.0})]
    assert Progress(validations=more).grades[-1] == 99.0


def test_last_is_of_this_step() -> None:
    assert progress(1.0).last == Validation(0, 1.0, {"loss": 1.0})
    assert Progress(step=9, validations=progress(1.0).validations).last is None


def test_round_trip_through_json() -> None:
    whole = progress(3.0, 0.1)
    whole.first_loss, whole.high = 3.2, 4
    assert Progress.from_plain(json.loads(json.dumps(whole.plain()))) == whole


def test_a_file_of_an_older_version_is_read() -> None:
    raw = progress(3.0, 0.1).plain()
    del raw["first_loss"], raw["high"]
    assert Progress.from_plain(raw) == progress(3.0, 0.1)
