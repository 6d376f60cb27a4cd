"""Picture and sound files as text: a data URI, whose kind the first bytes of the file say.

Nothing is decoded here. Names of files and what a sender calls their kind are not believed.
"""

import base64
from pathlib import Path

from saccade.errors import DataError

KINDS = "PNG, JPEG, GIF or WebP"
SOUNDS = "WAVE, FLAC, Ogg or MP3"
MOST_BYTES = 1 << 26  # of a file that is read

_MAGIC = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}
_SOUND_MAGIC = {b"fLaC": "flac", b"OggS": "ogg", b"ID3": "mpeg"}


def kind_of(data: bytes) -> str:
    """Return the kind of a picture by its first bytes; "" if it is none that is known.

    >>> kind_of(b"GIF89a..."), kind_of(b"RIFF1234WEBPVP8 "), kind_of(b"hello")
    ('gif', 'webp', '')
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), "")


def sound_kind(data: bytes) -> str:
    """Return the kind of a sound by its first bytes; "" if it is none that is known.

    >>> sound_kind(b"RIFF1234WAVEfmt "), sound_kind(b"fLaC..."), sound_kind(b"hello")
    ('wav', 'flac', '')
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "wav"
    if len(data) > 1 and data[0] == 0xFF and data[1] & 0xE6 == 0xE2:  # a frame of MPEG, layer 3
        return "mpeg"
    return next((kind for magic, kind in _SOUND_MAGIC.items() if data.startswith(magic)), "")


def is_media(data: bytes) -> bool:
    """Tell whether a file is a picture or a sound that is known."""
    return bool(kind_of(data) or sound_kind(data))


def to_uri(data: bytes, where: str) -> str:
    """Return the bytes of a file as a data URI; `where` is what a message calls it."""
    picture, sound = kind_of(data), sound_kind(data)
    if not picture and not sound:
        raise DataError(
            f"{where}: begins with {data[:8]!r}; expected a picture: {KINDS}, or a sound: {SOUNDS}."
            " Save it as one of them."
        )
    media = f"image/{picture}" if picture else f"audio/{sound}"
    return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"


def file_uri(path: Path) -> str:
    """Read a file as a data URI. Only for paths that the user of this machine names."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(
                f"{path}: has {size:,} bytes; expected a picture of at most {MOST_BYTES:,}. Scale"
                " it down; of a sound, cut it."
            )
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}); expected a picture or a sound. Check the"
            " path."
        ) from None
    return to_uri(data, str(path))
