"""Schedules: values by hand, and what holds for every one that is discovered."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.parts import find, kinds
from saccade.schedules.base import Schedule
from saccade.schedules.constant import Constant
from saccade.schedules.cosine import Cosine
from saccade.schedules.inverse_sqrt import InverseSqrt
from saccade.schedules.plateau import Plateau

figures = st.lists(st.floats(-100, 100), max_size=30)


@pytest.mark.parametrize("kind", kinds(Schedule))
@given(step=st.integers(0, 9_999), validations=figures)
def test_every_schedule_is_a_positive_finite_pure_function(
    kind: str, step: int, validations: list[float]
) -> None:
    factor = find(Schedule, kind)().factor(step, validations)
    assert 0 < factor <= 1
    assert math.isfinite(factor)
    assert find(Schedule, kind)().factor(step, tuple(validations)) == factor


def test_constant() -> None:
    assert [Constant(warmup=4).factor(step, []) for step in (0, 1, 3, 9)] == [0.25, 0.5, 1.0, 1.0]
    assert Constant().factor(0, []) == 1.0


def test_inverse_sqrt() -> None:
    schedule = InverseSqrt(warmup=4)
    assert [schedule.factor(step, []) for step in (0, 3, 15, 63)] == [0.25, 1.0, 0.5, 0.25]


def test_cosine() -> None:
    schedule = Cosine(steps=104, warmup=4, floor=0.2)
    assert [schedule.factor(step, []) for step in (0, 3)] == [0.25, 1.0]
    assert schedule.factor(4, []) == pytest.approx(1.0)
    assert schedule.factor(54, []) == pytest.approx(0.6)
    assert schedule.factor(104, []) == schedule.factor(999, []) == pytest.approx(0.2)


def test_plateau() -> None:
    schedule = Plateau(decay=0.5, patience=2)
    assert schedule.factor(9, []) == 1.0
    assert schedule.factor(9, [3.0, 2.0, 2.5]) == 1.0
    assert schedule.factor(9, [3.0, 2.0, 2.5, 2.0]) == 0.5  # equal is not better
    assert schedule.factor(9, [3.0, 2.0, 2.5, 2.0, 1.0, 2.0, 2.0]) == 0.25
    assert Plateau(warmup=10).factor(4, [1.0]) == 0.5


@given(validations=figures)
def test_plateau_never_rises(validations: list[float]) -> None:
    schedule = Plateau(decay=0.5, patience=1)
    factors = [schedule.factor(0, validations[:n]) for n in range(len(validations) + 1)]
    assert factors == sorted(factors, reverse=True)
