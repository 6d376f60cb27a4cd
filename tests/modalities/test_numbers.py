"""Numbers as one side of an example: their scale, and how series are laid out."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.batching import collate as make_batch
from saccade.data.codecs import Codecs
from saccade.data.store import build
from saccade.errors import CheckpointError, DataError
from saccade.modalities.numbers import NumbersCodec, NumbersModality, Scale
from saccade.readers.pairs import Pairs

numbers = st.floats(-1e6, 1e6, allow_nan=False)


def fitted(*pairs: tuple[str, str]) -> tuple[NumbersCodec, NumbersCodec]:
    """Fit both sides."""
    source = NumbersModality().fit([[one for one, _ in pairs]])
    target = NumbersModality().fit([[one for _, one in pairs]], source)
    assert isinstance(source, NumbersCodec)
    assert isinstance(target, NumbersCodec)
    return source, target


@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=9))
def test_scaled_data_has_mean_nought_and_spread_one(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows)
    scale = Scale.of([values[:1], values[1:]])
    scaled = (values - scale.mean) / scale.spread
    assert np.allclose(scaled.mean(axis=0), 0, atol=1e-6)
    wide = np.ptp(values, axis=0) > 1e-3
    assert np.allclose(scaled.std(axis=0)[wide], 1, atol=1e-6)
    moved = np.abs(scale.undo(scale.apply(values)) - values)
    assert (moved <= 1e-4 * np.array(scale.spread) + 1e-9).all()


def test_a_column_that_never_changes_stays_finite() -> None:
    scale = Scale.of([np.full((4, 1), 7.0)])
    assert scale == Scale((7.0,), (1.0,))
    assert scale.apply(np.array([[9.0]])).tolist() == [[2.0]]


def test_other_columns_are_refused() -> None:
    with pytest.raises(DataError, match="a series has 1 columns; expected 2, as in training"):
        Scale((0.0, 0.0), (1.0, 1.0)).apply(np.ones((3, 1)))
    with pytest.raises(DataError, match=r"data.train: no numbers at all; expected some to learn"):
        Scale.of([])


def test_scales_come_from_the_sources_and_series_are_on_them(tmp_path: Path) -> None:
    pairs = ("0,5 2,5", "4 6"), ("2,5 4,5", "6")
    source, target = fitted(*pairs)
    assert source.scale.mean == (2.0, 5.0)
    assert source.scale.spread == pytest.approx((2**0.5, 1.0))
    assert (source.side.size, target.side.size, target.horizon) == (2, 1, 2)
    assert target.scale == source.scale.first(1)
    reader = Pairs(Path(), pairs=[list(pair) for pair in pairs])
    store = build(reader, Codecs({"source": source}, target), tmp_path)
    assert len(store) == 2
    read, written = store.pair(1)
    assert np.allclose(read["source"], [[0.0, 0.0], [math.sqrt(2), 0.0]])
    assert np.allclose(written, [[4 / math.sqrt(2)]])
    assert store.lengths["source"].tolist() == [2, 2]
    assert store.lengths["target"].tolist() == [2, 1]
    assert store.origin(0) != store.origin(1)


def test_padding_is_nought_and_masked() -> None:
    source, target = (NumbersCodec(Scale((0.0,) * n, (1.0,) * n), 2) for n in (2, 1))
    batch = make_batch(
        Codecs({"source": source}, target),
        {"source": [np.ones((2, 2)), np.ones((3, 2))]},
        [np.full((1, 1), 5.0), np.ones((2, 1))],
    )
    assert batch.source.lengths.tolist() == [2, 3]
    assert batch.source.values[0, 2].tolist() == [0.0, 0.0]
    assert batch.prefix.tolist() == [[[1.0], [0.0]], [[1.0], [1.0]]]
    assert batch.target.values.tolist() == [[[5.0], [0.0]], [[1.0], [1.0]]]


def test_the_first_step_reads_the_last_place_of_the_source() -> None:
    target = NumbersCodec(Scale((0.0,), (1.0,)), 2)
    sources = [np.array([[1.0, 7.0], [2.0, 8.0]]), np.array([[3.0, 9.0]])]
    assert target.first(sources).tolist() == [[2.0], [3.0]]


def test_targets_are_columns_of_the_source() -> None:
    with pytest.raises(DataError, match=r"data.train: targets have 2 columns but sources 1"):
        fitted(("1 2", "3,4"))
    source, _ = fitted(("1 2", "3"))
    with pytest.raises(DataError, match=r"here:1: a series has 2 columns; expected 1, as in trai"):
        source.encode(["1,1 2,2"], ["here:1"])


def test_what_cannot_be_encoded_says_where_it_is() -> None:
    source, _ = fitted(("1 2", "3"))
    with pytest.raises(DataError, match="series 2: is empty; expected numbers parted by spaces"):
        source.encode(["1", " "])
    with pytest.raises(DataError, match="series 1: 'x' is no number; expected numbers"):
        source.encode(["1 x"])


def test_places_are_named_by_their_numbers() -> None:
    source, _ = fitted(("1,5 2,7", "3"))
    assert source.labels("1,5 2.25,7", source.encode(["1,5 2.25,7"])[0]) == ("1,5", "2.25,7")


def test_scales_are_saved(tmp_path: Path) -> None:
    codec = NumbersCodec(Scale((1.5, 2.0), (0.1, 3.0)), 12)
    codec.save(tmp_path / "source.json")
    again = NumbersModality().load(tmp_path / "source.json")
    assert isinstance(again, NumbersCodec)
    assert (again.scale, again.horizon) == (codec.scale, 12)
    assert again.fingerprint == codec.fingerprint
    assert NumbersCodec(codec.scale, 13).fingerprint != codec.fingerprint
    (tmp_path / "source.json").write_text("{}")
    with pytest.raises(CheckpointError, match="cannot be read as the scale of numbers"):
        NumbersModality().load(tmp_path / "source.json")


@pytest.mark.parametrize(
    "wrong",
    [
        {"mean": [0.0], "spread": [0.0]},
        {"mean": [0.0], "spread": [-1.0]},
        {"mean": [0.0, 1.0], "spread": [1.0]},
        {"mean": [math.inf], "spread": [1.0]},
        {"mean": [0.0], "spread": [math.nan]},
    ],
)
def test_a_scale_that_no_data_has_is_refused(tmp_path: Path, wrong: dict[str, list[float]]) -> None:
    path = tmp_path / "source.json"
    path.write_text(json.dumps({"scale": wrong, "horizon": 3}))
    with pytest.raises(CheckpointError, match="a mean and a positive spread of every column"):
        NumbersModality().load(path)


@pytest.mark.parametrize("horizon", [-1, 2.5, 10**9, True])
def test_a_folder_cannot_ask_for_an_endless_forecast(tmp_path: Path, horizon: object) -> None:
    path = tmp_path / "target.json"
    path.write_text(json.dumps({"scale": {"mean": [0.0], "spread": [1.0]}, "horizon": horizon}))
    said = "places; expected 0 to 1,000,000"
    with pytest.raises(CheckpointError, match=said):
        NumbersModality().load(path)


def test_numbers_that_are_too_large_are_refused() -> None:
    with pytest.raises(DataError, match=r"data.train: numbers are too large to measure their spr"):
        Scale.of([np.array([[1e300], [-1e300]])])


@given(
    st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=6),
    numbers,
    st.floats(1e-6, 1e9),
)
def test_what_a_model_wrote_is_read_again_as_it_was(
    values: list[float], mean: float, spread: float
) -> None:
    """As text a forecast loses nothing, and rounding moves it by little of the spread."""
    codec = NumbersCodec(Scale((mean,), (spread,)), 3)
    found = codec.decode(np.array(values, dtype=np.float32))
    assert np.array_equal(codec.read(codec.write(found)), found)
    exact = np.array(values, dtype=np.float32).astype(np.float64)[:, None] * spread + mean
    assert (np.abs(found - exact) <= 0.51e-4 * spread + np.spacing(np.abs(exact))).all()


def test_forecasts_are_short_as_text_and_sources_stay_as_they_were() -> None:
    codec = NumbersCodec(Scale((20.0,), (4.0,)), 3)
    wrote = np.array([1 / 3, 0.5], dtype=np.float32)
    assert codec.write(codec.decode(wrote)) == "21.3333 22"
    given = "1234567.125 0.1 100000000000000.3"
    assert codec.write(codec.read(given)) == given


def test_noise_of_float32_does_not_show() -> None:
    codec = NumbersCodec(Scale((20.0,), (3.5,)), 3)
    wrote = np.array([-0.39929, 0.12345], dtype=np.float32)
    near = np.nextafter(wrote, np.float32(9.0))
    assert codec.write(codec.decode(near)) == codec.write(codec.decode(wrote))
