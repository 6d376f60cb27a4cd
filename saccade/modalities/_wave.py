"""WAVE files to samples and back, by the standard library alone.

The files may come from strangers. The header is checked before samples are touched. Integers of 8,
16, 24 and 32 bits and floats of 32 and 64 are read; whoever meets another coding asks libsndfile.
"""

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError

Samples = NDArray[np.int16]  # [n]

SLOWEST, FASTEST = 1_000, 192_000
"""Samples a second of a sound that is read."""
MOST_CHANNELS = 32
STREAMED = 0x7FFF0000
"""A size in the header from which on its writer did not know it: a stream."""

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_TYPES = {
    (_PCM, 8): "u1",
    (_PCM, 16): "<i2",
    (_PCM, 24): "u1",
    (_PCM, 32): "<i4",
    (_FLOAT, 32): "<f4",
    (_FLOAT, 64): "<f8",
}
_FULL = 32768.0


@dataclass(frozen=True, slots=True)
class WaveForm:
    """How the samples of a WAVE file are coded.

    coding: 1 for integers, 3 for floats, anything else for what is not read here.
    """

    rate: int
    channels: int
    coding: int
    bits: int

    @property
    def readable(self) -> bool:
        """Whether such samples are read here."""
        return (self.coding, self.bits) in _TYPES

    @property
    def wide(self) -> int:
        """Bytes of a sample of every channel."""
        return self.bits // 8 * self.channels

    def mono(self, data: bytes) -> NDArray[np.float64]:
        """Return the mean of all channels, `[n]`, of bytes that hold whole samples.

        Integers keep the scale of 16 bits; floats from -1 to 1 are brought to it.
        """
        flat: Any = np.frombuffer(data, dtype=_TYPES[self.coding, self.bits])
        values = _scaled(flat, self.coding, self.bits).reshape(-1, self.channels)
        return values[:, 0] if self.channels == 1 else values.mean(axis=1)


@dataclass(frozen=True, slots=True)
class WaveFile:
    """A WAVE file, and where in `data` its samples lie."""

    data: bytes
    form: WaveForm
    begin: int
    size: int

    @property
    def frames(self) -> int:
        """Samples of each channel."""
        return self.size // self.form.wide

    def mono(self, start: int, count: int) -> NDArray[np.float64]:
        """Return the mean of all channels, at most `count` samples from `start` on: `[n]`."""
        wide = self.form.wide
        first = self.begin + min(start, self.frames) * wide
        stop = min(first + count * wide, self.begin + self.frames * wide)
        return self.form.mono(self.data[first:stop])


def is_wave(data: bytes) -> bool:
    """Tell whether a file begins like a WAVE file."""
    return data[:4] == b"RIFF" and data[8:12] == b"WAVE"


def open_wave(data: bytes, where: str) -> WaveFile:
    """Read the header of a WAVE file; refuse one that is broken or asks for too much."""
    place, form = 12, b""
    while place + 8 <= len(data):
        name, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        place += 8
        if name == b"fmt ":
            form = data[place : place + min(size, 40)]
        if name == b"data":
            return _opened(data, form, place, size, where)
        place += size + size % 2
    raise DataError(
        f"{where}: a WAVE file of {len(data):,} bytes without samples; expected a chunk `data`. Is"
        " it cut off? Copy or save it anew."
    )


def write_wave(samples: Samples, rate: int) -> bytes:
    """Write a WAVE file of one channel and 16 bits.

    >>> len(write_wave(np.zeros(5, np.int16), 8000))
    54
    """
    body = np.asarray(samples, dtype="<i2").tobytes()
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, _PCM, 1, rate, 2 * rate, 2, 16)
    head = struct.pack("<4sI4s", b"RIFF", 28 + 8 + len(body), b"WAVE")
    return head + form + struct.pack("<4sI", b"data", len(body)) + body


def check_header(rate: int, channels: int, where: str) -> None:
    """Refuse rates and numbers of channels that no recording has."""
    if not SLOWEST <= rate <= FASTEST:
        raise DataError(
            f"{where}: has {rate:,} samples a second; expected {SLOWEST:,} to {FASTEST:,}. Is the"
            " header damaged? Save it anew."
        )
    if not 1 <= channels <= MOST_CHANNELS:
        raise DataError(
            f"{where}: has {channels:,} channels; expected 1 to {MOST_CHANNELS}. Is the header"
            " damaged? Save it anew."
        )


def read_form(form: bytes, where: str) -> WaveForm:
    """Read the chunk `fmt ` of a WAVE file; refuse one that is broken or asks for too much."""
    if len(form) < 16:
        raise DataError(
            f"{where}: the WAVE file does not say how its samples are coded; expected a chunk"
            " `fmt ` before `data`. Save it anew."
        )
    coding, channels, rate, _, block, bits = struct.unpack("<HHIIHH", form[:16])
    if coding == _EXTENSIBLE and len(form) >= 26:
        coding = int.from_bytes(form[24:26], "little")
    check_header(rate, channels, where)
    found = WaveForm(rate, channels, coding, bits)
    if found.readable and block != found.wide:
        raise DataError(
            f"{where}: {channels} channels of {bits} bits in blocks of {block} bytes; expected"
            f" {found.wide}. The header is damaged: save the file anew."
        )
    return found


def cut_off(where: str, there: int, size: int) -> DataError:
    """Say that a file has fewer bytes of samples than its header promises."""
    return DataError(
        f"{where}: has {there:,} of the {size:,} bytes of samples that its header promises;"
        " expected all of them. It is cut off: copy it again."
    )


def _opened(data: bytes, form: bytes, begin: int, size: int, where: str) -> WaveFile:
    found, there = read_form(form, where), len(data) - begin
    if size > there and size < STREAMED:
        raise cut_off(where, there, size)
    return WaveFile(data, found, begin, min(size, there))


def _scaled(flat: Any, coding: int, bits: int) -> NDArray[np.float64]:
    """Bring samples of any coding to the scale of 16 bits."""
    if coding == _FLOAT:
        with np.errstate(invalid="ignore"):  # a NaN that signals; whoever hears it refuses any
            return np.asarray(flat, dtype=np.float64) * _FULL
    if bits == 24:
        low, middle, high = (flat[i::3].astype(np.int32) for i in range(3))
        signed = (high << 24 | middle << 16 | low << 8) >> 8
        return np.asarray(signed / 256.0)
    if bits == 8:
        return np.asarray((flat.astype(np.float64) - 128.0) * 256.0)
    return np.asarray(flat.astype(np.float64) / (1.0 if bits == 16 else 65536.0))
