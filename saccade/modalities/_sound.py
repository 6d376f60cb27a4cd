"""A sound: samples of 16 bits, how many there are a second, and who speaks; as text and as a file.

As text a sound is a data URI that holds a WAVE file; those that hold FLAC, Ogg or MP3 are read too.
Who speaks, if it is known, stands in a parameter of the URI: `data:audio/wav;speaker=ann;base64,`;
so do the seconds of silence that a model puts around it.
A reader hands over a `SoundFile` or a `SplicedSound`, which is not opened before it is encoded.
"""

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError
from saccade.modalities._wave import Samples, write_wave

PREFIX = "data:audio/wav;base64,"
MOST_BYTES = 1 << 28
"""Bytes of a file."""
MOST_TEXT = 1 << 26
"""Bytes of a sound that is given as text."""
MOST_NAME = 200
"""Characters of a speaker's name."""

_URI = re.compile(r"data:audio/[\w.+-]{1,40}((?:;[\w-]{1,40}=[^;,\s]{0,600})*);base64,", re.I)
_HEAD = 2000  # characters that a prefix may have


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """Samples `[n]` of 16 bits, `rate` of them a second; speaker: "" if nobody knows."""

    samples: Samples
    rate: int
    speaker: str = ""

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / self.rate


@dataclass(frozen=True, slots=True)
class SoundFile:
    """A sound that lies in a file; it is opened when its samples are asked for.

    name: what the data calls it: the same wherever its folder lies.  start, seconds: which part of
    the file it is; all from `start` on if `seconds` is 0.
    """

    path: Path
    name: str = ""
    speaker: str = ""
    start: float = 0.0
    seconds: float = 0.0

    def __str__(self) -> str:
        return self.name or self.path.name

    @property
    def digest(self) -> str:
        """A hash of the file's bytes and of the part; of the part alone if there is no file."""
        try:
            about = self.path.stat()
            content = _hashed(self.path, (about.st_size, about.st_mtime_ns))
        except OSError:
            content = ""
        return f"{content} {self.start:g} {self.seconds:g}"


@dataclass(frozen=True, slots=True)
class SplicedSound:
    """Sounds one after the other; gaps: seconds of silence before, between and behind them."""

    files: tuple[SoundFile, ...]
    gaps: tuple[float, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.files))

    @property
    def speaker(self) -> str:
        """Who speaks, if it is one."""
        found = {file.speaker for file in self.files}
        return found.pop() if len(found) == 1 else ""

    @property
    def digest(self) -> str:
        """A hash of all files."""
        return f"{' '.join(file.digest for file in self.files)} {self.gaps}"


@lru_cache(maxsize=1 << 20)
def _hashed(path: Path, stamp: tuple[int, int]) -> str:  # noqa: ARG001 - a part of the key
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:32]


class SoundText(NamedTuple):
    """What a sound as text holds: a file, who speaks, and the silence that a model puts around."""

    data: bytes
    speaker: str
    silence: float


def to_text(sound: Sound, silence: float = 0.0) -> str:
    """Write a sound as text, for a page, a request or a line of a file.

    silence: seconds that a model puts before and behind it, so that views can do so too.
    """
    data = base64.b64encode(write_wave(sound.samples, sound.rate)).decode("ascii")
    speaker = f";speaker={quote(sound.speaker, safe='')}" if sound.speaker else ""
    around = f";silence={silence:g}" if silence else ""
    return f"data:audio/wav{speaker}{around};base64,{data}"


def bytes_of(text: str, where: str = "sound") -> SoundText:
    """Return what a sound as text holds. No other file is opened."""
    text = text.strip()
    found = _URI.match(text[:_HEAD])
    if found is None:
        raise DataError(
            f"{where}: found {text[:40]!r}; expected a sound as text that begins with {PREFIX} or"
            " the like for flac, ogg or mpeg. Paths and addresses are not opened; encode the file"
            " with base64."
        )
    if len(text) > MOST_TEXT * 4 // 3 + _HEAD:
        raise DataError(
            f"{where}: has {len(text):,} characters; expected a sound of at most {MOST_TEXT:,}"
            " bytes. Cut it, or save it as FLAC."
        )
    said = dict(part.split("=", 1) for part in found.group(1).split(";")[1:])
    try:
        data = base64.b64decode(text[found.end() :], validate=True)
    except (binascii.Error, ValueError) as error:
        raise DataError(
            f"{where}: the sound is not base64 ({str(error).rstrip('.')}); expected A-Z, a-z, 0-9,"
            f" + and / behind {found.group()[:60]}. Encode it anew."
        ) from None
    silence = re.fullmatch(r"\d(?:\.\d{1,6})?", said.get("silence", ""))
    speaker = unquote(said.get("speaker", ""))[:MOST_NAME]
    return SoundText(data, speaker, float(silence.group()) if silence else 0.0)


def read_bytes(path: Path, where: str) -> bytes:
    """Read a sound file that is not too large."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(
                f"{where}: has {size:,} bytes; expected a sound of at most {MOST_BYTES:,}. Cut it,"
                " or save it as FLAC."
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(
            f"{where}: no such file; expected a sound. Put it there, or leave it out."
        ) from None
    except OSError as error:
        raise DataError(
            f"{where}: cannot be read ({error.strerror}); expected a sound. Check the path and its"
            " permissions."
        ) from None


def rounded(values: NDArray[np.float64]) -> Samples:
    """Round to 16 bits; what is louder than they can hold is clipped.

    >>> rounded(np.array([1.4, -40000.0])).tolist()
    [1, -32768]
    """
    return np.asarray(np.clip(np.rint(values), -32768, 32767), dtype=np.int16)
