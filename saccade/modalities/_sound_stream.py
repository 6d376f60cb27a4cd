"""Sounds that come in chunks: from a file, a pipe or a microphone, however long they last."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from saccade.errors import DataError
from saccade.modalities._hearing import Mono, finite, opened
from saccade.modalities._uri import SOUNDS, sound_kind
from saccade.modalities._wave import (
    STREAMED,
    WaveForm,
    check_header,
    cut_off,
    is_wave,
    read_form,
)

_HEAD = 1 << 20  # bytes of a WAVE file before its samples, at most
_PLAIN = (1, 16)  # coding and bits of samples without a header


@dataclass(frozen=True, slots=True)
class SoundStream:
    """Samples a second, and the samples: chunks `[n]` in the scale of 16 bits, channels mixed."""

    rate: int
    chunks: Iterator[Mono]


def open_stream(file: BinaryIO, where: str, *, rate: int = 0, seconds: float = 0.2) -> SoundStream:
    """Read a sound as it comes; only a chunk of it is in memory.

    Args:
        file: a WAVE file, whose header need not know how long it is. FLAC, Ogg and MP3 must lie in
            a file that can be read from any place; a pipe cannot.
        where: what an error message calls it.
        rate: samples a second, if there is no header: signed 16 bits, one channel, low byte first.
        seconds: how long a chunk is.
    """
    head = file.read(12)
    if is_wave(head):
        form, size = _header(file, where)
        if form.readable:
            count = max(int(form.rate * seconds), 1)
            return SoundStream(form.rate, _plain(file, form, size, count, where))
    if is_wave(head) or sound_kind(head):
        return _decoded(file, sound_kind(head), seconds, where)
    if not rate:
        raise DataError(
            f"{where}: begins with {head[:8]!r}, which is no sound that is known here; expected"
            f" {SOUNDS}. If it is plain samples of 16 bits, say with --rate how many a second."
        )
    check_header(rate, 1, where)
    form, count = WaveForm(rate, 1, *_PLAIN), max(int(rate * seconds), 1)
    first, rest = head, file.read

    def read(n: int) -> bytes:
        nonlocal first
        found, first = first[:n], first[n:]
        return found + rest(n - len(found))

    return SoundStream(rate, _chunks(read, form, count, where))


def _header(file: BinaryIO, where: str) -> tuple[WaveForm, int]:
    """Read a WAVE file up to its samples; return how they are coded and how many bytes they are."""
    form, left = b"", _HEAD
    while left > 0 and len(chunk := file.read(8)) == 8:
        name, size = chunk[:4], int.from_bytes(chunk[4:], "little")
        if name == b"data":
            return read_form(form, where), size
        if size > left:
            break
        body = file.read(size + size % 2)
        form = body[:40] if name == b"fmt " else form
        left -= 8 + len(body)
    raise DataError(
        f"{where}: a WAVE file without samples in its first {_HEAD:,} bytes; expected a chunk"
        " `data`. Is it cut off? Copy or save it anew."
    )


def _plain(file: BinaryIO, form: WaveForm, size: int, count: int, where: str) -> Iterator[Mono]:
    """Yield the samples of a WAVE file; say so at its end if there are fewer than promised."""
    there = 0

    def read(n: int) -> bytes:
        nonlocal there
        found = file.read(n if size >= STREAMED else min(n, size - there))
        there += len(found)
        return found

    yield from _chunks(read, form, count, where)
    if there < size < STREAMED:
        raise cut_off(where, there, size)


def _chunks(read: Callable[[int], bytes], form: WaveForm, count: int, where: str) -> Iterator[Mono]:
    while data := read(count * form.wide):
        yield finite(form.mono(data[: len(data) // form.wide * form.wide]), where)


def _decoded(file: BinaryIO, kind: str, seconds: float, where: str) -> SoundStream:
    if not file.seekable():
        raise DataError(
            f"{where}: a sound of kind {kind} in a pipe; expected a WAVE file there. Name the file"
            " instead, or decode it before."
        )
    file.seek(0)
    with opened(file, kind, where) as sound:
        rate = int(sound.samplerate)
    return SoundStream(rate, _blocks(file, kind, max(int(rate * seconds), 1), where))


def _blocks(file: BinaryIO, kind: str, count: int, where: str) -> Iterator[Mono]:
    file.seek(0)
    with opened(file, kind, where) as sound:
        while len(block := sound.read(count, always_2d=True)):
            yield finite(block.mean(axis=1) * 32768.0, where)
