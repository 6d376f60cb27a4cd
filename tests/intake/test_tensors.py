"""The header of a safetensors file: what we say of it is what the library says."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from saccade.intake.tensors import StoredTensor, read_header

TENSORS = {
    "a": torch.zeros(2, 3),
    "b": torch.zeros(0, 4, dtype=torch.int64),
    "c": torch.zeros((), dtype=torch.float64),
    "d": torch.zeros(5, dtype=torch.bool),
}


def test_names_types_and_shapes(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "f", metadata={"x": "y"})
    assert read_header(tmp_path / "f") == {
        "a": StoredTensor("F32", (2, 3)),
        "b": StoredTensor("I64", (0, 4)),
        "c": StoredTensor("F64", ()),
        "d": StoredTensor("BOOL", (5,)),
    }


def write(path: Path, header: Any, n: int = 8) -> None:
    raw = json.dumps(header).encode()
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(n))


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ([], "its header is no list of tensors"),
        ({"a": 3}, "a is no tensor of a known type: 3"),
        ({"a": {"dtype": "F4", "shape": [2], "data_offsets": [0, 8]}}, "no tensor of a known type"),
        ({"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}, "no tensor of a known"),
        ({"a": {"dtype": "F32", "shape": [1] * 9, "data_offsets": [0, 8]}}, "no tensor of a known"),
        ({"a": {"dtype": "F32", "shape": [2]}}, "a has no place in the file"),
        ({"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, "does not lie where its"),
        ({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, "does not lie where its"),
        (
            {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}},
            "its tensors have 4 bytes, but 8 are there",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, header: Any, said: str) -> None:
    write(tmp_path / "f", header)
    with pytest.raises(ValueError, match=said):
        read_header(tmp_path / "f")


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_is_an_error_of_ours_and_no_tensor_changes_its_size(
    tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "f"
    save_file(TENSORS, path)
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    try:
        ours = read_header(path)
    except ValueError:
        return
    try:
        with safe_open(path, framework="pt") as file:
            theirs = {name: tuple(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    except SafetensorError:
        return
    assert {name: one.shape for name, one in ours.items()} == theirs
