"""Answers and forecasts that need no model."""

import numpy as np
import pytest

from saccade.errors import DataError, RecipeError
from saccade.metrics.base import Metric
from saccade.modalities._numbers import parse
from saccade.nouns import Example, pair
from saccade.parts import Part
from saccade.predict.baselines import (
    EVERYWHERE,
    LAST,
    MEAN,
    MOST_FREQUENT,
    StandIn,
    constant_answer,
    last_season,
    last_value,
    naive_forecasts,
)
from tests.predict.test_values import WINDOWS, predictor


def test_forecasts_that_need_no_model() -> None:
    window = parse("1,9 2,8 3,7 4,6")
    assert last_value(window, 2, 1).tolist() == [[4.0], [4.0]]
    assert last_season(window, 5, 2, season=2).tolist() == [[3, 7], [4, 6], [3, 7], [4, 6], [3, 7]]
    with pytest.raises(DataError, match=r"decoding.season: 5 steps, but a window has 4; expected"):
        last_season(window, 2, 1, season=5)


def test_baselines_are_as_far_as_the_forecasts() -> None:
    found = predictor().predict([WINDOWS[0], WINDOWS[3]], steps=2)
    naive = naive_forecasts(found, 3)
    assert [one.tolist() for one in naive["last value"]] == [[[14.0]] * 2, [[33.0]] * 2]
    assert [one.ravel().tolist() for one in naive["last season"]] == [[10.0, 12.0], [31.0, 32.0]]
    assert set(naive_forecasts(found, 0)) == set(naive_forecasts(found, 1)) == {"last value"}


def parts(*kinds: str) -> list[Part[Metric]]:
    return [Part(Metric, kind) for kind in kinds]


def test_labels_are_answered_by_the_most_frequent() -> None:
    train = [pair(f"a {n}", label) for n, label in enumerate(["no", "yes", "yes", "maybe"])]
    valid = [pair("x y", "yes"), pair("x z", "no"), pair("y z", "yes"), pair("z x", "no")]
    found = constant_answer(train, valid, parts("error_rate", "exact_match"))
    assert found.constant == StandIn(MOST_FREQUENT, "yes")
    assert found.outputs == ["yes"] * 4
    assert {name: score.value for name, score in found.figures.items()} == {
        "error_rate": 50.0,
        "exact_match": 50.0,
    }
    assert str(found.constant) == "the most frequent target ('yes')"


def test_every_reference_of_the_training_data_counts() -> None:
    train = [Example({"source": "a"}, ("x", "y")), pair("b", "y")]
    found = constant_answer(train, [pair("c", "y")], parts("exact_match"))
    assert found.constant.value == "y"


def test_tags_are_answered_by_the_most_frequent_tag_everywhere() -> None:
    train = [pair("the cat", "D N"), pair("cats and dogs", "N C N"), pair("sleep", "V")]
    valid = [pair("a b c", "N V N"), pair("d e", "N N")]
    found = constant_answer(train, valid, parts("accuracy"))
    assert found.constant == StandIn(EVERYWHERE, "N")
    assert found.outputs == ["N N N", "N N"]
    assert found.figures["accuracy"].value == pytest.approx(80)


def test_numbers_are_answered_by_their_mean_or_by_the_last_value() -> None:
    train = [pair(parse("1 2"), parse("3 5")), pair(parse("1 2"), parse("4"))]
    steady = [pair(parse("9 2"), parse("4 4 4")), pair(parse("8 1"), parse("5"))]
    found = constant_answer(train, steady, parts("mae"))
    assert found.constant == StandIn(MEAN, "4")
    assert [np.asarray(one).ravel().tolist() for one in found.outputs] == [[4.0] * 3, [4.0]]
    assert found.figures["mae"].value == pytest.approx(0.25)
    walk = [pair(parse("98 99"), parse("99 100"))]
    found = constant_answer(train, walk, parts("rmse"))
    assert found.constant == StandIn(LAST)
    assert str(found.constant) == "last value"


def test_a_mean_of_several_columns() -> None:
    train = [pair(parse("0,0"), parse("1,10 3,20"))]
    found = constant_answer(train, [pair(parse("0,0"), parse("2,15 2,15"))], parts("mae"))
    assert found.constant == StandIn(MEAN, "2,15")
    assert found.figures["mae"].value == 0


def test_an_answer_is_cut_in_messages() -> None:
    assert str(StandIn(MOST_FREQUENT, "x" * 99)) == f"the most frequent target ('{'x' * 39}…')"


def test_without_a_metric_nobody_can_choose() -> None:
    with pytest.raises(RecipeError, match="constant_answer: no metric; expected one or more"):
        constant_answer([pair("a", "b")], [pair("a", "b")], [])
