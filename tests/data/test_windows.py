"""Windows of numbers: what is read, how it is scaled, how it is joined."""

import math
from pathlib import Path

import numpy as np
import pytest

from saccade.data.windows import collate, measured, read_windows
from saccade.errors import DataError
from saccade.readers.pairs import Pairs


def test_scales_come_from_the_sources_and_windows_are_on_them() -> None:
    reader = Pairs(Path(), pairs=[["0,5 2,5", "4 6"], ["2,5 4,5", "6"]])
    scales = measured([reader])
    assert (scales.source.mean, scales.n_target, scales.horizon) == ((2.0, 5.0), 1, 2)
    assert scales.source.spread == pytest.approx((2**0.5, 1.0))
    windows = read_windows(reader, scales)
    assert len(windows) == 2
    source, target = windows.pair(1)
    assert np.allclose(source, [[0.0, 0.0], [math.sqrt(2), 0.0]])
    assert np.allclose(target, [[4 / math.sqrt(2)]])
    assert windows.source_lengths.tolist() == [2, 2]
    assert windows.target_lengths.tolist() == [2, 1]
    assert windows.origin(0) != windows.origin(1)


def test_padding_is_nought_and_masked() -> None:
    batch = collate([np.ones((2, 2)), np.ones((3, 2))], [np.full((1, 1), 5.0), np.ones((2, 1))])
    assert batch.source.lengths.tolist() == [2, 3]
    assert batch.source.values[0, 2].tolist() == [0.0, 0.0]
    assert batch.prefix.tolist() == [[[1.0], [0.0]], [[1.0], [1.0]]]
    assert batch.target.values.tolist() == [[[5.0], [0.0]], [[1.0], [1.0]]]


def test_targets_are_columns_of_the_source() -> None:
    with pytest.raises(DataError, match=r"data.train: targets have 2 columns but sources 1"):
        measured([Pairs(Path(), pairs=[["1 2", "3,4"]])])
    scales = measured([Pairs(Path(), pairs=[["1 2", "3"]])])
    with pytest.raises(DataError, match=r"a series has 2 columns; expected 1, as in training"):
        read_windows(Pairs(Path(), pairs=[["1,1 2,2", "3"]]), scales)
