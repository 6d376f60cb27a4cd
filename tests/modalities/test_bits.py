"""Bits as one side of an example: END behind them, or one length for all."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from saccade.errors import CheckpointError, DataError
from saccade.modalities._bits import as_bits, parse_bits, written_bits
from saccade.modalities.bits import BitsCodec, BitsModality
from saccade.nouns import Side

sequences = st.tuples(st.integers(1, 6), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.uint8, shape, elements=st.integers(0, 1))
)


@given(sequences)
def test_text_is_the_same_bits(bits: np.ndarray[tuple[int, int], np.dtype[np.uint8]]) -> None:
    assert np.array_equal(parse_bits(written_bits(bits)), bits)
    codec = BitsModality().fit([[bits]])
    assert np.array_equal(codec.decode(codec.encode([bits])[0]), bits)


def test_end_is_a_place_and_a_column() -> None:
    codec = BitsModality().fit([["01 11"]])
    assert codec.encode(["01 11"])[0].tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert codec.side == Side(3, "linear", "bernoulli_end")
    assert (codec.horizon, codec.describe()) == (3, "2 bits, up to 2 places")
    assert codec.labels("01 11", codec.encode(["01 11"])[0]) == ("01", "11", "</s>")


def test_nothing_behind_end_is_read() -> None:
    codec = BitsCodec(2, 9)
    assert codec.decode(np.array([[1, 0, 0], [0, 0, 1], [1, 1, 0]])).tolist() == [[1, 0]]
    assert codec.decode(np.array([[1, 0, 0], [0, 1, 0]])).tolist() == [[1, 0], [0, 1]]
    assert codec.decode(np.array([[1, 1, 1]])).tolist() == []
    assert codec.write(codec.decode(np.array([[1, 1, 1]]))) == ""


def test_fixed_sequences_have_no_end() -> None:
    codec = BitsModality(fixed=True).fit([["01 11", "00 10"]])
    assert codec.encode(["01 11"])[0].tolist() == [[0, 1], [1, 1]]
    assert codec.side == Side(2, "linear", "bernoulli") == BitsModality(fixed=True).sketch()
    assert (codec.horizon, codec.describe()) == (2, "2 bits, 2 places")
    assert codec.decode(np.array([[0.9, 0.1], [1, 1]])).tolist() == [[1, 0], [1, 1]]
    assert codec.labels("01 11", codec.encode(["01 11"])[0]) == ("01", "11")
    with pytest.raises(DataError, match=r"bits 1: found 1 places; expected 2, as all have in"):
        codec.encode(["01"])
    with pytest.raises(DataError, match=r"data.train: sequences have 1 to 2 places; expected one"):
        BitsModality(fixed=True).fit([["01 11", "00"]])


def test_a_saved_form_is_read(tmp_path: Path) -> None:
    BitsCodec(3, 4, fixed=True).save(tmp_path / "target.json")
    codec = BitsModality().load(tmp_path / "target.json")
    assert codec.fingerprint == BitsCodec(3, 4, fixed=True).fingerprint
    assert codec.fingerprint != BitsCodec(3, 4).fingerprint


def test_bits_of_another_width_are_refused() -> None:
    codec = BitsCodec(3, 9)
    with pytest.raises(DataError, match=r"a.txt:2: places have 2 bits; expected 3, as in training"):
        codec.encode(["01 11"], ["a.txt:2"])
    with pytest.raises(DataError, match=r"data.train: places have 2, 3 bits; expected as many"):
        BitsModality().fit([["01 11", "010"]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("012 110", r"input: '012' is no place of bits; expected 0s and 1s, places parted by"),
        ("01 011", r"input: a place has 3 bits but the first has 2; expected as many in every"),
    ],
)
def test_other_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        BitsCodec(3, 9).read(text)


def test_other_arrays_are_refused() -> None:
    with pytest.raises(DataError, match=r"x: found an array of shape \(2,\); expected places of"):
        as_bits(np.array([0, 1]), "x")
    with pytest.raises(DataError, match=r"bits: found an array of shape \(1, 2\); expected places"):
        as_bits(np.array([[0, 2]]))
    with pytest.raises(DataError, match=r"bits 1: is empty; expected bits, as 0110 1010"):
        BitsCodec(3, 9).encode([""])
    with pytest.raises(DataError, match=r"data.train: no bits at all; expected some to learn"):
        BitsModality().fit([[]])


@pytest.mark.parametrize(
    "held",
    [
        {"columns": 0, "horizon": 3, "fixed": False},
        {"columns": 9999, "horizon": 3, "fixed": False},
        {"columns": 2, "horizon": -1, "fixed": False},
        {"columns": 2, "horizon": 3, "fixed": 1},
        {"columns": 2},
        [],
    ],
)
def test_a_damaged_folder_is_refused(held: object, tmp_path: Path) -> None:
    (tmp_path / "target.json").write_text(json.dumps(held))
    with pytest.raises(CheckpointError, match=r"target.json: cannot be read as a form of bits"):
        BitsModality().load(tmp_path / "target.json")
