"""Files at URLs, as `s3://bucket/pairs.jsonl.gz`: which they are, and how they are read.

The package fsspec does it; it is an extra, and so is the package of a scheme, as s3fs of `s3`. Who
may read is for them to know, from the environment. Nobody is asked anything before a reader opens
what a recipe names, and only readers of files of a recipe come here.
"""

import gzip
import io
import re
import sys
from glob import has_magic
from pathlib import Path
from typing import Any, Final, final

from saccade.errors import DataError, RecipeError
from saccade.readers._paths import local_path

if sys.platform == "win32":
    from pathlib import WindowsPath as Local
else:
    from pathlib import PosixPath as Local

_URL: Final = re.compile(r"([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_SECRET: Final = re.compile(r"[a-z0-9+.-]+://[^/]*:[^/]*@", re.IGNORECASE)
_FILE: Final = "file://"
_BLOCK: Final = 1 << 20  # bytes that are asked for at once


@final
class Remote(Local):
    """A URL that is passed on as a path: it has a name, an ending and a folder, and is no file."""

    def __str__(self) -> str:
        scheme, _, rest = super().__str__().replace("\\", "/").partition(":/")
        return f"{scheme}://{rest}"


def address(root: Path, name: str) -> Path:
    """Find what a recipe calls `name`: a URL, or a file below `root`; no name, no path."""
    if name.startswith(_FILE):
        return local_path(Path(), name.removeprefix(_FILE))
    if not _URL.match(name):
        return local_path(root, name)
    if _SECRET.match(name):
        scheme, host = name.partition("://")[0], name.partition("@")[2]
        raise RecipeError(
            f"{scheme}://...@{host}: holds a password, and recipes are kept and shown; expected a"
            " URL without. Give the password as the package of the scheme asks for it, in the"
            " environment."
        )
    found = Remote(name)
    if str(found) != name:
        raise RecipeError(
            f"{name}: means {found} here; expected a URL without empty parts and without '.'."
            " Write that, or rename what it names."
        )
    return found


def is_url(name: str) -> bool:
    """Tell whether a name is that of a file elsewhere."""
    return bool(_URL.match(name)) and not name.startswith(_FILE)


def is_there(path: Path) -> bool:
    """Tell whether there is such a file, here or at a URL."""
    if not isinstance(path, Remote):
        return path.exists()
    system, key = _found(path)
    try:
        return bool(system.exists(key))
    except Exception as error:  # whatever the package of the scheme raises
        raise DataError(_unread(path, error)) from None


def size_of(path: Path) -> int:
    """Return the bytes of a file, here or at a URL; 0 if nobody says."""
    if not isinstance(path, Remote):
        return path.stat().st_size
    system, key = _found(path)
    try:
        return int(system.size(key) or 0)
    except Exception as error:  # as above
        raise DataError(_unread(path, error)) from None


def matching(pattern: Path) -> list[Path]:
    """List the files of a pattern, here or at URLs, by name; none if it has no wildcard."""
    if not isinstance(pattern, Remote):
        parts = pattern.parts
        first = next((i for i, part in enumerate(parts) if has_magic(part)), len(parts))
        fixed, rest = Path(*parts[:first]), parts[first:]
        return sorted(fixed.glob(str(Path(*rest)))) if rest and fixed.is_dir() else []
    if not {"*", "["} & set(str(pattern)):  # ? begins the query of a URL
        return []
    system, key = _found(pattern)
    try:
        keys = system.glob(key)
    except Exception as error:  # as above
        raise DataError(_unread(pattern, error)) from None
    return sorted(Remote(system.unstrip_protocol(one)) for one in keys)


def open_remote(path: Remote, *, unpack: bool) -> io.BufferedIOBase:
    """Open what is at a URL for reading, or say why that cannot be."""
    system, key = _found(path)
    try:
        file = system.open(key, "rb")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; expected text. Check the URL.") from None
    except Exception as error:  # whatever the package of the scheme raises
        raise DataError(_unread(path, error)) from None
    raw: io.BufferedIOBase = io.BufferedReader(_Raw(path, file), _BLOCK)
    return _Packed(raw) if unpack and path.suffix == ".gz" else raw


def _found(path: Remote) -> tuple[Any, str]:
    """Return the file system of a URL, and what it calls the file."""
    scheme = str(path).partition(":")[0]
    try:
        import fsspec.core  # noqa: PLC0415 - an extra
    except ImportError:
        raise DataError(
            f"{path}: is a URL, and the package fsspec is not installed; expected it beside"
            " saccade. Install it: pip install saccade[remote]."
        ) from None
    try:
        system, key = fsspec.core.url_to_fs(str(path))
    except ImportError as error:
        raise DataError(
            f"{path}: the package that reads {scheme}:// is not installed ({error}); expected it"
            " beside fsspec. Install it with pip, or copy the files here."
        ) from None
    except ValueError as error:
        raise DataError(
            f"{path}: fsspec cannot take this URL ({error}); expected one such as"
            " s3://bucket/pairs.jsonl. Change it."
        ) from None
    return system, str(key)


def _unread(path: Path, error: Exception) -> str:
    said = " ".join(str(error).split())[:200] or type(error).__name__
    return (
        f"{path}: cannot be read ({said}); expected a file that can be. Check the URL, the network"
        " and who may read it, and run the same command again."
    )


class _Raw(io.RawIOBase):
    """The bytes at a URL; whatever goes wrong names it."""

    def __init__(self, path: Path, file: Any) -> None:
        self._path, self._file = path, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, room: Any) -> int:
        try:
            found = self._file.read(len(room))
        except Exception as error:  # as in open_remote
            raise DataError(_unread(self._path, error)) from None
        room[: len(found)] = found
        return len(found)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(place, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        self._file.close()
        super().close()


class _Packed(gzip.GzipFile):
    """A gzip file that closes what it is read from."""

    def __init__(self, raw: io.BufferedIOBase) -> None:
        super().__init__(fileobj=raw, mode="rb")
        self._raw_file = raw

    def close(self) -> None:
        super().close()
        self._raw_file.close()
