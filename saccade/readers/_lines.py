"""Lines of text files, one at a time: what every reader of files stands on.

Only a line feed ends a line, as in other tools of the trade; one carriage return before it is
dropped, so that files from Windows work, and so is a byte order mark at the start of the file.
Names ending in `.gz` are unpacked.
"""

import csv
import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from pathlib import Path

from saccade.errors import DataError, RecipeError, suggest
from saccade.readers._remote import Remote, address, is_url, open_remote

_MARK = b"\xef\xbb\xbf"
_MAGIC = {
    b"\xff\xfe": "UTF-16 text; convert it with iconv -f utf-16 -t utf-8",
    b"\xfe\xff": "UTF-16 text; convert it with iconv -f utf-16 -t utf-8",
    b"\x1f\x8b": "packed by gzip; put .gz behind its name",
    b"PAR1": "Parquet; read it with kind: parquet",
    b"PK\x03\x04": "a ZIP archive or a workbook; unpack it, or save the sheet as CSV",
}


def place(root: Path, name: str) -> Path:
    """Find the file below `root` that a recipe calls `name`; no name, no path."""
    if is_url(name):
        raise RecipeError(
            f"{name}: is a URL, and this reader reads files of this machine; expected a path. Copy"
            " the files here. Readers of text, tables and shards take URLs."
        )
    return address(root, name)


def is_broken(text: str) -> bool:
    """Tell whether a text holds half a character: a lone surrogate, as JSON may write one."""
    return any("\ud800" <= character <= "\udfff" for character in text)


def read_lines(path: Path) -> Iterator[str]:
    """Yield every line of a UTF-8 file without its end; an empty file has none."""
    with open_bytes(path) as file:
        yield from decoded(file, path)


def decoded(raw_lines: Iterable[bytes], path: Path) -> Iterator[str]:
    """Decode raw lines, ends included, of a file or of a stream that is to be called `path`."""
    number = 0
    try:
        for number, raw in enumerate(raw_lines, start=1):
            yield decoded_line(raw, path, number)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{path}: not a whole gzip file, broken behind line {number} ({error}); a name"
            " ending in .gz promises one. Pack it again, or drop .gz from its name."
        ) from None


def decoded_line(raw: bytes, path: Path, number: int) -> str:
    """Decode one raw line, its end included."""
    line = raw.removeprefix(_MARK) if number == 1 else raw
    return _text(line.removesuffix(b"\n").removesuffix(b"\r"), path, number)


def numbered(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, line); raise DataError if there is none, or a NUL in one."""
    number = 0
    for number, line in enumerate(read_lines(path), start=1):
        if "\0" in line:
            raise DataError(_null(path, number, line))
        yield number, line
    if number == 0:
        raise DataError(f"{path}: the file is empty; expected one example a line. Check the path.")


def numbered_rows(path: Path, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its last line, cells) of every row, with quotes as in other CSV files."""
    rows = csv.reader((line for _, line in numbered(path)), delimiter=delimiter)
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        raise DataError(
            f"{path}:{rows.line_num}: cannot be cut into cells ({error}); expected them between"
            f" {delimiter!r}. Mend the line."
        ) from None


def open_bytes(path: Path, *, unpack: bool = True) -> BufferedIOBase:
    """Open a file for reading, or say what is wrong with its path."""
    if not path.name:
        raise DataError("no file was named; expected a path. Set the reader's path in the recipe.")
    if isinstance(path, Remote):
        return open_remote(path, unpack=unpack)
    try:
        if path.is_dir():
            raise DataError(f"{path}: this is a folder; expected a file. Name a file in it.")
        if unpack and path.suffix == ".gz":
            return gzip.open(path, "rb")
        return path.open("rb")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file; expected text.{_neighbour(path)}") from None
    except OSError as error:
        raise DataError(
            f"{path}: cannot be opened ({error.strerror}); expected a readable file."
            " Check its name and its permissions."
        ) from None
    except ValueError as error:  # NUL, or half a character
        raise DataError(
            f"{str(path)!r}: cannot be the name of a file ({error}); expected one. Change the path."
        ) from None


def fingerprint(paths: Iterable[Path], *options: object) -> str:
    """Hash the content of files, as stored, and options; names and places do not count."""
    total = hashlib.blake2b(repr(options).encode(), digest_size=16)
    for path in paths:
        with open_bytes(path, unpack=False) as file:
            total.update(hashlib.file_digest(file, hashlib.blake2b).digest())
        total.update(path.suffix.encode() if path.suffix == ".gz" else b"")
    return total.hexdigest()


def _text(raw: bytes, path: Path, number: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if number == 1 and (other := _other(path, raw)):
            raise DataError(other) from None
        raise DataError(
            f"{path}:{number}: byte {error.start + 1} of the line is 0x{raw[error.start]:02x},"
            " which is not UTF-8 here; expected UTF-8 text."
            " Convert the file, for example with iconv -f latin1 -t utf-8."
        ) from None


def _null(path: Path, number: int, line: str) -> str:
    other = _other(path, line.encode()) if number == 1 else ""
    return other or (
        f"{path}:{number}: character {line.index(chr(0)) + 1} is NUL, which is no text; expected"
        " UTF-8. If it is UTF-16, convert it with iconv -f utf-16 -t utf-8; else drop what is NUL:"
        " tr -d '\\000'."
    )


def _other(path: Path, start: bytes) -> str:
    """Say what a file is that begins like no text; nothing if nobody knows."""
    found = next((said for magic, said in _MAGIC.items() if start.startswith(magic)), "")
    return f"{path}: begins like no UTF-8 text: it is {found}." if found else ""


def _neighbour(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f" There is no folder {folder} either; relative paths start where you run saccade."
    near = suggest(path.name, sorted(entry.name for entry in folder.iterdir()))
    return near or " Check the path; relative paths start where you run saccade."
