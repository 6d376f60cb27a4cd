import json

from saccade.train.progress import Progress, Validation


def progress(*figures: float) -> Progress:
    found = [Validation(step, figure, {"loss": figure}) for step, figure in enumerate(figures)]
    return Progress(step=len(found) - 1, validations=found)


def test_best_is_the_first_of_equals() -> None:
    best = progress(3.0, 1.0, 1.0, 2.0).best
    assert best is not None
    assert best.step == 1
    assert Progress().best is None


def test_stale_counts_since_the_best() -> None:
    assert [progress(*f).stale for f in ((), (1.0,), (1.0, 2.0), (1.0, 1.0, 0.5))] == [0, 0, 1, 0]
    assert progress(1.0, 1.0, 1.0).stale == 2


def test_last_is_of_this_step() -> None:
    assert progress(1.0).last == Validation(0, 1.0, {"loss": 1.0})
    assert Progress(step=9, validations=progress(1.0).validations).last is None


def test_round_trip_through_json() -> None:
    whole = progress(3.0, 0.1)
    assert Progress.from_plain(json.loads(json.dumps(whole.plain()))) == whole
