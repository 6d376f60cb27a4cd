"""Numbers as text, and their scale."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import CheckpointError, DataError
from saccade.modalities._numbers import Scale, Scales, parse, written

numbers = st.floats(-1e6, 1e6, allow_nan=False)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_what_is_written_is_read(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows)
    assert np.array_equal(parse(written(values, digits=17)), values)


@pytest.mark.parametrize("text", ["1 two", "1 nan", "1 inf", "1 ,", "1 2,"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"line 3: '.*' is no number; expected numbers, as 12.5 or"):
        parse(text, "line 3")


def test_every_place_has_the_same_columns() -> None:
    said = "here: a place has 2 columns but the first has 1; expected as many in every place"
    with pytest.raises(DataError, match=said):
        parse("1 2,3", "here")
    assert parse("").shape == (0, 0)


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=9))
def test_scaled_data_has_mean_nought_and_spread_one(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows)
    scale = Scale.of([values[:1], values[1:]])
    scaled = (values - scale.mean) / scale.spread
    assert np.allclose(scaled.mean(axis=0), 0, atol=1e-6)
    wide = np.ptp(values, axis=0) > 1e-3
    assert np.allclose(scaled.std(axis=0)[wide], 1, atol=1e-6)
    assert np.allclose(scale.undo(scale.apply(values)), values, rtol=1e-5, atol=1.0)


def test_a_column_that_never_changes_stays_finite() -> None:
    scale = Scale.of([np.full((4, 1), 7.0)])
    assert scale == Scale((7.0,), (1.0,))
    assert scale.apply(np.array([[9.0]])).tolist() == [[2.0]]


def test_other_columns_are_refused() -> None:
    with pytest.raises(DataError, match="a series has 1 columns; expected 2, as in training"):
        Scale((0.0, 0.0), (1.0, 1.0)).apply(np.ones((3, 1)))
    with pytest.raises(DataError, match=r"data.train: no numbers at all; expected some to learn"):
        Scale.of([])


def test_scales_are_saved(tmp_path: Path) -> None:
    scales = Scales(Scale((1.5, 2.0), (0.1, 3.0)), 1, 12)
    scales.save(tmp_path / "scales.json")
    again = Scales.load(tmp_path / "scales.json")
    assert again == scales
    assert again.fingerprint == scales.fingerprint
    assert again.target == Scale((1.5,), (0.1,))
    (tmp_path / "scales.json").write_text("{}")
    with pytest.raises(CheckpointError, match="cannot be read as the scale of a forecaster"):
        Scales.load(tmp_path / "scales.json")
