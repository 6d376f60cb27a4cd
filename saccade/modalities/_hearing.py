"""Sounds of any kind to samples at one rate: what a model hears."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._resample import resample
from saccade.modalities._sound import (
    Sound,
    SoundFile,
    SplicedSound,
    bytes_of,
    read_bytes,
    rounded,
)
from saccade.modalities._uri import SOUNDS, sound_kind
from saccade.modalities._wave import check_header, is_wave, open_wave
from saccade.nouns import Raw

Long = Literal["refuse", "cut"]
Mono = NDArray[np.float64]  # [n], in the scale of 16 bits

_FORMATS = ("WAV", "WAVEX", "RF64", "FLAC", "OGG", "MP3")
_BLOCK = 1 << 16  # samples of each channel that are decoded at once


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Samples of a file, as they are there: `[n]`, how many a second, whether there are more."""

    samples: Mono
    rate: int
    more: bool = False


@dataclass(frozen=True, slots=True)
class Hearing:
    """Sounds at `rate`, of at most `seconds`; longer ones are refused, or cut there.

    What is at this rate with one channel of 16 bits already stays as it is. Channels are mixed to
    their mean, other rates are resampled, floats are brought to 16 bits.
    """

    rate: int
    seconds: float
    long: Long = "refuse"

    @property
    def most(self) -> int:
        """Samples of the longest sound."""
        return int(self.rate * self.seconds)

    def sound(self, raw: Raw, where: str) -> Sound:
        """Return a raw value as a model hears it.

        Args:
            raw: a sound, a file or several, its text, or an array of samples at this rate.
            where: what an error message calls it.
        """
        if isinstance(raw, SplicedSound):
            return self._checked(self._spliced(raw, where), raw.speaker, where)
        if isinstance(raw, SoundFile):
            where = f"{where}: {raw.path}"
            excerpt = self._excerpt(read_bytes(raw.path, where), where, raw.start, raw.seconds)
            return self._heard(excerpt, raw.speaker, where)
        if isinstance(raw, str):
            text = bytes_of(raw, where)
            return self._heard(self._excerpt(text.data, where), text.speaker, where)
        if isinstance(raw, Sound):
            check_header(raw.rate, 1, where)
            excerpt = Excerpt(finite(np.asarray(raw.samples, np.float64), where), raw.rate)
            return self._heard(excerpt, raw.speaker, where)
        return self._heard(Excerpt(samples_of(raw, where), self.rate), "", where)

    def _excerpt(
        self, data: bytes, where: str, start: float = 0.0, seconds: float = 0.0
    ) -> Excerpt:
        """Decode a part of a file, no more than a little beyond what is allowed."""
        most = self.seconds + 1.0
        found = decode(data, where, start, min(seconds, most) if seconds else most)
        return Excerpt(found.samples, found.rate, found.more and not 0 < seconds <= self.seconds)

    def _heard(self, excerpt: Excerpt, speaker: str, where: str) -> Sound:
        wanted = int(excerpt.rate * (self.seconds + 1.0))
        known = excerpt.samples[:wanted]
        more = excerpt.more or len(known) < len(excerpt.samples)
        return self._checked(resample(known, excerpt.rate, self.rate), speaker, where, more=more)

    def _checked(self, samples: Mono, speaker: str, where: str, *, more: bool = False) -> Sound:
        if not len(samples):
            raise DataError(
                f"{where}: a sound without samples; expected some. Record it again, or leave it"
                " out."
            )
        long = len(samples) > self.most
        if (long or more) and self.long == "refuse":
            said = "more than " if more else ""
            raise DataError(
                f"{where}: lasts {said}{len(samples) / self.rate:.1f} seconds; expected at most"
                f" {self.seconds:g}. Cut it, raise max_seconds, or set long: cut."
            )
        return Sound(rounded(samples[: self.most]), self.rate, speaker)

    def _spliced(self, raw: SplicedSound, where: str) -> Mono:
        found = [self.sound(file, where).samples.astype(np.float64) for file in raw.files]
        silent = [np.zeros(round(gap * self.rate)) for gap in raw.gaps]
        parts = [part for pair in zip(silent, found, strict=False) for part in pair]
        return np.concatenate([*parts, *silent[len(found) :]])


def decode(data: bytes, where: str, start: float = 0.0, seconds: float = 3600.0) -> Excerpt:
    """Decode a part of a sound file; its channels are mixed to their mean.

    WAVE files of plain samples are read by the standard library, so they are the same everywhere;
    all others by libsndfile.
    """
    if not data:
        raise DataError(f"{where}: the file is empty; expected a sound. Copy it again.")
    if not sound_kind(data):
        raise DataError(
            f"{where}: begins with {data[:8]!r}, which is no sound that is known here; expected"
            f" {SOUNDS}. Is it damaged, or another kind of file? Save it anew."
        )
    if is_wave(data):
        wave = open_wave(data, where)
        if wave.form.readable:
            rate = wave.form.rate
            first, count = int(start * rate), int(seconds * rate)
            samples = wave.mono(first, count)
            return Excerpt(finite(samples, where), rate, first + len(samples) < wave.frames)
    return _by_libsndfile(data, where, start, seconds)


def _by_libsndfile(data: bytes, where: str, start: float, seconds: float) -> Excerpt:
    with opened(BytesIO(data), sound_kind(data), where) as file:
        return _read(file, where, int(start * file.samplerate), int(seconds * file.samplerate))


@contextmanager
def opened(data: BinaryIO, kind: str, where: str) -> Iterator[Any]:
    """Open a sound by libsndfile; refuse what is no sound, or turns out to be broken."""
    try:
        import soundfile  # noqa: PLC0415 - an extra
    except (ImportError, OSError):
        raise DataError(
            f"{where}: a sound of kind {kind}, which needs the package soundfile; expected a WAVE"
            " file of plain samples without it. Install it: pip install 'saccade[sound]'."
        ) from None
    try:
        with soundfile.SoundFile(data) as file:
            if file.format not in _FORMATS:
                raise DataError(
                    f"{where}: a sound of format {file.format}; expected {SOUNDS}. Save it as one"
                    " of them."
                )
            check_header(file.samplerate, file.channels, where)
            yield file
    except DataError:
        raise
    except Exception as error:  # a decoder may raise anything on broken bytes
        said = str(error).rstrip(".")[:100] or type(error).__name__
        raise DataError(
            f"{where}: cannot be decoded ({said}); expected a whole sound. Copy or save it anew."
        ) from None


def _read(file: Any, where: str, start: int, count: int) -> Excerpt:
    """Read blocks of an open file until there are enough; memory holds one channel of it."""
    if start:
        file.seek(min(start, file.frames))
    found, n = list[Mono](), 0
    while n <= count:
        block = file.read(min(_BLOCK, count + 1 - n), dtype="float64", always_2d=True)
        if not len(block):
            break
        found.append(block.mean(axis=1) * 32768.0)
        n += len(block)
    samples = np.concatenate(found)[:count] if found else np.zeros(0)
    if n <= count and start + n < file.frames and file.format == "FLAC":
        raise DataError(
            f"{where}: has {start + n:,} of the {file.frames:,} samples that its header promises;"
            " expected all of them. It is cut off: copy it again."
        )
    return Excerpt(finite(samples, where), int(file.samplerate), n > count)


def finite(samples: Mono, where: str) -> Mono:
    """Refuse samples that are no numbers."""
    if not np.isfinite(samples).all():
        odd = int((~np.isfinite(samples)).sum())
        raise DataError(
            f"{where}: {odd:,} of {len(samples):,} samples are no numbers (NaN or infinite);"
            " expected numbers from -1 to 1. Save it anew, or leave it out."
        )
    return samples


def samples_of(raw: Any, where: str) -> Mono:
    """Return an array of samples at the rate of the model: 16 bits, or floats from -1 to 1."""
    found = np.asarray(raw)
    if found.ndim != 1 or not (found.dtype == np.int16 or found.dtype.kind == "f"):
        raise DataError(
            f"{where}: an array {list(found.shape)} of {found.dtype}; expected a sound [n] of"
            " int16, or of floats from -1 to 1. Convert it."
        )
    scale = 1.0 if found.dtype == np.int16 else 32768.0
    return finite(found.astype(np.float64) * scale, where)


def is_time(seconds: float) -> bool:
    """Tell whether a number is a time in a recording."""
    return 0 <= seconds <= 1e6
