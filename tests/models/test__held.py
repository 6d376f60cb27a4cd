"""Arrays that are held as parameters."""

import numpy as np
import pytest
import torch

from saccade.errors import CheckpointError
from saccade.models._held import HeldArrays


def test_they_keep_their_kind_and_may_grow() -> None:
    held = HeldArrays({"a": np.zeros(0, np.int32), "b": np.ones((2, 3), np.float32)})
    held.put({"a": np.array([1, 2], np.int32)})
    assert held.arrays()["a"].dtype == np.int32
    assert held.arrays()["a"].tolist() == [1, 2]
    assert [name for name, _ in held.named_parameters()] == ["a", "b"]
    assert not any(one.requires_grad for one in held.parameters())


def test_what_a_file_lacks_is_named() -> None:
    held = HeldArrays({"a": np.zeros(1)})
    assert held.given({"x.a": torch.ones(2)}, "x.", "file")["a"].tolist() == [1.0, 1.0]
    with pytest.raises(CheckpointError, match=r"file: the weights are another model's: x.a is mis"):
        held.given({}, "x.", "file")
