"""Picture files as text: a data URI, whose kind the first bytes of the file say.

Nothing is decoded here. Names of files and what a sender calls their kind are not believed.
"""

import base64
from pathlib import Path

from saccade.errors import DataError

KINDS = "PNG, JPEG, GIF or WebP"
MOST_BYTES = 1 << 26  # of a file that is read

_MAGIC = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF87a": "gif", b"GIF89a": "gif"}


def kind_of(data: bytes) -> str:
    """Return the kind of a picture by its first bytes; "" if it is none that is known.

    >>> kind_of(b"GIF89a..."), kind_of(b"RIFF1234WEBPVP8 "), kind_of(b"hello")
    ('gif', 'webp', '')
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for magic, kind in _MAGIC.items() if data.startswith(magic)), "")


def to_uri(data: bytes, where: str) -> str:
    """Return the bytes of a picture file as a data URI; `where` is what a message calls it."""
    kind = kind_of(data)
    if not kind:
        raise DataError(
            f"{where}: begins with {data[:8]!r}; expected a picture: {KINDS}. Save it as one of"
            " them."
        )
    return f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}"


def file_uri(path: Path) -> str:
    """Read a picture file as a data URI. Only for paths that the user of this machine names."""
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise DataError(
                f"{path}: has {size:,} bytes; expected a picture of at most {MOST_BYTES:,}. Scale"
                " it down."
            )
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror}); expected a picture file. Check the path."
        ) from None
    return to_uri(data, str(path))
