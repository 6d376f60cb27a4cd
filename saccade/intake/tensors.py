"""What a safetensors file says that it holds, read from its header alone and checked."""

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from saccade.intake.files import open_regular, parse_json

_LARGEST = 1 << 50  # bytes of a file: there is no limit but its own size
_LONGEST_HEADER = 16 << 20  # bytes
_MOST_AXES = 8
_BYTES = {
    **dict.fromkeys(("F64", "I64", "U64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 2),
    **dict.fromkeys(("U8", "I8", "BOOL"), 1),
}


class StoredTensor(NamedTuple):
    """A tensor in a file: its type, as the file calls it, and its shape."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def numel(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def read_header(path: Path) -> dict[str, StoredTensor]:
    """Read which tensors a file holds; OSError or ValueError if it is no whole safetensors file.

    Nothing but the header is read. Together the tensors fill the rest of the file, without gaps.
    """
    with open_regular(path, _LARGEST) as file:
        total = file.seek(0, 2) - 8
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        if total < 0 or length > total:
            raise ValueError("the file ends within its header")
        if length > _LONGEST_HEADER:
            raise ValueError(f"a header of {length:,} bytes; at most {_LONGEST_HEADER:,} are read")
        raw = parse_json(file.read(length))
    if not isinstance(raw, dict):
        raise ValueError("its header is no list of tensors")
    raw.pop("__metadata__", None)
    found = {name: _tensor(name, one) for name, one in raw.items()}
    _check_places(raw, found, total - length)
    return found


def _tensor(name: str, raw: Any) -> StoredTensor:
    match raw:
        case {"dtype": str(dtype), "shape": list(shape)} if dtype in _BYTES:
            whole = all(type(n) is int and 0 <= n < 1 << 48 for n in shape)
            if whole and len(shape) <= _MOST_AXES:
                return StoredTensor(dtype, tuple(shape))
    raise ValueError(f"{name[:80]} is no tensor of a known type: {str(raw)[:80]}")


def _check_places(raw: Mapping[str, Any], found: Mapping[str, StoredTensor], n_bytes: int) -> None:
    spans = {name: one.get("data_offsets") for name, one in raw.items()}
    odd = [name for name, span in spans.items() if not _is_span(span)]
    if odd:
        raise ValueError(f"{odd[0][:80]} has no place in the file")
    end = 0
    for name, (begin, behind) in sorted(spans.items(), key=lambda one: one[1]):
        size = found[name].numel * _BYTES[found[name].dtype]
        if begin != end or behind - begin != size:
            raise ValueError(f"{name[:80]} does not lie where its size says")
        end = behind
    if end != n_bytes:
        raise ValueError(f"its tensors have {end:,} bytes, but {n_bytes:,} are there")


def _is_span(span: Any) -> bool:
    return isinstance(span, list) and len(span) == 2 and all(type(n) is int for n in span)
