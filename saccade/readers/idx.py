"""Pictures and labels in the files of MNIST."""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._picture import MOST, Picture
from saccade.nouns import Example, pair
from saccade.readers import _lines
from saccade.readers._lines import fingerprint, place
from saccade.readers.base import Reader

_BYTES = 0x08  # the only type of numbers that is read
_MOST_BYTES = 1 << 30


class Idx(Reader):
    """Grey pictures of one IDX file with the labels of another, plain or `.gz`.

    LeCun, Cortes & Burges describe the format: two zero bytes, 8 for bytes, the number of
    dimensions, the sizes as big-endian 32-bit numbers, then the numbers. A label is written as
    text, `0` to `255`. `inverted` makes ink black on white; MNIST has it white on black.
    """

    def __init__(
        self, root: Path, *, images: str = "", labels: str = "", inverted: bool = False
    ) -> None:
        self.images, self.labels, self.inverted = place(root, images), place(root, labels), inverted
        super().__init__(root, self.images, self.labels)

    def read(self) -> Iterator[Example]:
        """Yield every picture with its label."""
        pictures, labels = _numbers(self.images, 3), _numbers(self.labels, 1)
        if len(pictures) != len(labels):
            raise DataError(
                f"{self.images}: has {len(pictures):,} pictures, but {self.labels} has"
                f" {len(labels):,} labels; expected as many. Take both files of one set."
            )
        if self.inverted:
            pictures = 255 - pictures
        for number, (grey, label) in enumerate(zip(pictures, labels.tolist(), strict=True)):
            pixels = np.broadcast_to(grey[:, :, None], (*grey.shape, 3))
            yield pair(Picture(pixels), str(label), f"{self.images}:{number + 1}")

    def fingerprint(self) -> str:
        """Hash the files."""
        return fingerprint([self.images, self.labels], "idx", self.inverted)

    def count(self) -> int:
        """Count the labels."""
        return len(_numbers(self.labels, 1))


def _numbers(path: Path, n_dims: int) -> NDArray[np.uint8]:
    """Read an IDX file of bytes with so many dimensions."""
    with _lines.open_bytes(path) as file:
        try:
            head = file.read(4 + 4 * n_dims)
            if len(head) < 4 + 4 * n_dims or head[:4] != bytes([0, 0, _BYTES, n_dims]):
                raise DataError(
                    f"{path}: begins with {head[:4].hex(' ') or 'nothing'}; expected an IDX file of"
                    f" bytes with {n_dims} dimensions, 00 00 08 0{n_dims}. Check images and labels"
                    " of the reader; a packed file needs .gz behind its name."
                )
            shape = struct.unpack(f">{n_dims}I", head[4:])
            n_bytes = _checked(path, shape)
            data = file.read(n_bytes + 1)
        except (EOFError, OSError, zlib.error) as error:
            raise DataError(
                f"{path}: cannot be unpacked ({error}); expected a whole file. Get it again."
            ) from None
    if len(data) != n_bytes:
        found = "more" if len(data) > n_bytes else f"{len(data):,}"
        raise DataError(
            f"{path}: announces {n_bytes:,} bytes and has {found}; expected as many. Get it again."
        )
    return np.frombuffer(data, dtype=np.uint8).reshape(shape)


def _checked(path: Path, shape: tuple[int, ...]) -> int:
    n_bytes = 1
    for size in shape:  # Python's numbers do not overflow
        n_bytes *= size
    if not 0 < n_bytes <= _MOST_BYTES or any(side > MOST for side in shape[1:]):
        sizes = " x ".join(f"{size:,}" for size in shape)
        raise DataError(
            f"{path}: announces {sizes} bytes; expected some, at most {_MOST_BYTES:,}, and pictures"
            f" of at most {MOST} pixels each way. Check the file."
        )
    return n_bytes
