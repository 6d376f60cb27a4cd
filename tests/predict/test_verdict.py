"""What is said of a model beside an answer that needs no model."""

import pytest

from saccade.metrics.base import Metric
from saccade.nouns import pair
from saccade.parts import Part
from saccade.predict.baselines import MOST_FREQUENT, StandIn
from saccade.predict.verdict import ADVICE, Rivals, Verdict, tells, without_model
from tests.predict.test_values import predictor

WRONG = Verdict("error_rate", 100.0, 99.0, higher_is_better=False, answer="the x ('a')")


@pytest.mark.parametrize(
    ("model", "constant", "higher", "better"),
    [(1, 2, False, True), (2, 2, False, False), (1, 2, True, False), (3, 2, True, True)],
)
def test_only_the_better_one_is_better(
    model: float, constant: float, higher: bool, better: bool
) -> None:
    found = Verdict("m", model, constant, higher_is_better=higher, answer="x")
    assert found.better == better
    assert (found.alarm == "") == better


def test_the_alarm_names_both_figures_and_what_to_try() -> None:
    assert WRONG.alarm == (
        "NO BETTER THAN A CONSTANT ANSWER: on the validation set its error_rate is 100.000, that of"
        f" the x ('a') 99.000. {ADVICE}"
    )
    for option in ("max_steps", "max_epochs", "batch_tokens", "learning_rate"):
        assert f"training.{option}" in ADVICE
    assert "saccade doctor RECIPE" in ADVICE


def test_a_metric_that_cannot_tell_is_left_out() -> None:
    examples = [pair("1", "one"), pair("2", "two")]
    constants = [StandIn(MOST_FREQUENT, "one")]
    assert tells(Part(Metric, "bleu"), constants, examples) is None  # single words have no 4-grams
    assert tells(Part(Metric, "exact_match"), constants, examples) == (constants[0], 50.0)


def test_a_folder_that_knows_nothing_has_nothing_to_compare() -> None:
    assert without_model(Rivals(), predictor(), [], []) is None
