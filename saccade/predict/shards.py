"""Shards of a corpus: which files they are, who writes the output of one, and when it is there.

In the folder of the outputs, for a shard NAME:

    NAME              the output, whole: it is written aside, synced and renamed
    NAME.errors       the lines that could not be read or predicted, if there are any
    .NAME.part        an output that is being written
    .NAME.lock        held, by flock, by the process that writes it; the lock ends with the process
    .predict.json     the model and the options that all outputs of the folder are made with

So a process that is killed leaves no claim and no half output, and any process that sees the
folder, on this machine or on another, may go on. Imports no torch.
"""

import glob
import gzip
import hashlib
import json
import os
import socket
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, cast

from saccade.errors import DataError, RecipeError

if sys.platform != "win32":
    import fcntl

ERRORS: Final = ".errors"
_MANIFEST: Final = ".predict.json"
_FORMAT: Final = 1
_WEIGHTS: Final = (".safetensors", ".json", ".yaml", ".bin", ".onnx")  # what makes a model
_KINDS: Final = {".tsv": "tsv", ".jsonl": "jsonl", ".json": "jsonl", ".parquet": "parquet"}


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of inputs, and the file that its outputs go to."""

    path: Path
    output: Path

    @property
    def kind(self) -> str:
        """What the file is, by its ending: text, tsv, jsonl or parquet."""
        name = self.path.name.lower().removesuffix(".gz")
        return _KINDS.get(Path(name).suffix, "text")

    @property
    def errors(self) -> Path:
        """The file that names lines without an output."""
        return self.output.with_name(self.output.name + ERRORS)

    def is_table(self) -> bool:
        """Tell whether its rows have columns."""
        return self.kind != "text"

    def is_done(self) -> bool:
        """Whether the output is there, and so whole."""
        return self.output.exists()


def list_shards(given: str, folder: Path) -> list[Shard]:
    """List the shards that a folder or a pattern names, in the order of their names.

    Args:
        given: a folder, whose files are meant, or a pattern such as `data/**/*.jsonl.gz`; hidden
            files are not.
        folder: where the outputs go; below it they are called as the shards are called below the
            folder that was given, or below the last one before the first wildcard.
    """
    named = Path(given).expanduser()
    root = named if named.is_dir() else _fixed(named)
    found = root.iterdir() if named == root else root.glob(str(named.relative_to(root)))
    paths = sorted(
        path
        for path in (found if root.is_dir() else ())
        if path.is_file() and not path.name.startswith(".") and path.suffix != ERRORS
    )
    if not paths:
        raise DataError(
            f"--shards {given}: no file is there; expected a folder with files, or a pattern of"
            " names as 'data/*.jsonl.gz', in quotes. Check the path."
        )
    if folder.resolve() in {path.parent.resolve() for path in paths}:
        raise RecipeError(
            f"--shards {given} {folder}: outputs would take the names of the shards themselves;"
            " expected another folder for them. Name one."
        )
    return [Shard(path, folder / path.relative_to(root)) for path in paths]


@contextmanager
def claimed(shard: Shard) -> Iterator[bool]:
    """Try to claim a shard; False if another process, wherever it runs, has it or has done it.

    The claim ends with the process at the latest.
    """
    shard.output.parent.mkdir(parents=True, exist_ok=True)
    path = _lock_of(shard)
    if shard.is_done():
        yield False
        return
    with path.open("a+", encoding="utf-8") as file:
        if not _lock(file, path) or not _is_at(file, path):
            yield False
            return
        if shard.is_done():  # by another process, meanwhile
            path.unlink()
            yield False
            return
        file.truncate(0)
        file.write(f"{socket.gethostname()} {os.getpid()}\n")
        file.flush()
        try:
            yield True
        finally:
            path.unlink(missing_ok=True)


def _lock_of(shard: Shard) -> Path:
    return shard.output.with_name(f".{shard.output.name}.lock")


@contextmanager
def published(shard: Shard) -> Iterator[BinaryIO]:
    """Open the output of a shard that is claimed; it takes its name when all is written.

    An output whose name ends in `.gz` is packed, with the same bytes for the same content.
    """
    aside = shard.output.with_name(f".{shard.output.name}.part")
    try:
        with aside.open("wb") as file:
            if shard.output.suffix == ".gz" and shard.kind != "parquet":
                with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                    yield cast("BinaryIO", packed)
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(shard.output)
    finally:
        aside.unlink(missing_ok=True)


def note_errors(shard: Shard, problems: list[str]) -> None:
    """Write down the lines without an output, before the output takes its name."""
    if not problems:
        shard.errors.unlink(missing_ok=True)
        return
    aside = shard.errors.with_name(f".{shard.errors.name}.part")
    text = "".join(f"{problem}\n" for problem in problems)
    try:
        _write_synced(aside, text)
        aside.replace(shard.errors)
    finally:
        aside.unlink(missing_ok=True)


def count_errors(shard: Shard) -> int:
    """Return how many lines of a finished shard have no output."""
    try:
        with shard.errors.open("rb") as file:
            return sum(1 for _ in file)
    except FileNotFoundError:
        return 0


def check_manifest(folder: Path, model: Path, options: Mapping[str, Any]) -> None:
    """Write down what makes the outputs of a folder; refuse one that was made by something else."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {"format": _FORMAT, "model": _digest(model), "options": dict(options)}
    path = folder / _MANIFEST
    aside = path.with_name(f"{_MANIFEST}.{socket.gethostname()}.{os.getpid()}")
    _sweep_asides(folder)
    try:
        _write_synced(aside, json.dumps(wanted, ensure_ascii=False))
        os.link(aside, path)  # fails if it is there
    except FileExistsError:
        _compare(_read_manifest(path), wanted, folder)
    finally:
        aside.unlink(missing_ok=True)


def sweep_locks(shards: Iterable[Shard]) -> None:
    """Remove the locks of finished shards, whose processes were killed before they could."""
    for shard in shards:
        path = _lock_of(shard)
        if shard.is_done() and path.exists():
            with suppress(OSError), path.open("a+", encoding="utf-8") as file:
                if _lock(file, path):
                    path.unlink(missing_ok=True)


def _sweep_asides(folder: Path) -> None:
    """Remove manifests that processes of this machine were writing when they were killed."""
    for aside in folder.glob(f"{_MANIFEST}.{socket.gethostname()}.*"):
        number = aside.name.rpartition(".")[2]
        if number.isdecimal() and not _is_alive(int(number)):
            aside.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("no dictionary")
    except ValueError as error:
        raise DataError(
            f"{path}: damaged ({error}); expected what the outputs beside it are made with. If you"
            " know that, delete it and run the same command again; or choose another folder."
        ) from None
    return found


def _write_synced(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="replace") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _compare(found: dict[str, Any], wanted: dict[str, Any], folder: Path) -> None:
    if found == json.loads(json.dumps(wanted)):
        return
    there, here = found.get("options", {}), wanted["options"]
    odd = [
        f"{name} {there.get(name)!r}, not {here.get(name)!r}"
        for name in sorted({*there, *here})
        if there.get(name) != here.get(name)
    ]
    raise RecipeError(
        f"{folder}: holds outputs made with {', '.join(odd) or 'another model'}; expected one model"
        " and the same options for all shards. Choose another folder, or remove this one."
    )


def _digest(model: Path) -> str:
    """Hash the files that a model is made of."""
    total = hashlib.blake2b(digest_size=16)
    files = [path for path in model.iterdir() if path.is_file()] if model.is_dir() else []
    for path in sorted(path for path in files if path.suffix in _WEIGHTS):
        total.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, hashlib.blake2b).digest())
    return total.hexdigest()


def _fixed(pattern: Path) -> Path:
    """Return the part of a pattern before the first wildcard; of a plain file its folder."""
    parts: list[str] = []
    for part in pattern.parts[:-1]:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)


def _lock(file: IO[str], path: Path) -> bool:
    """Take a lock, or say that another process has it."""
    if sys.platform == "win32":
        raise RecipeError(
            "--shards: needs locks that end with their process, which Windows does not have here;"
            " expected Linux or macOS. Use WSL."
        )
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise RecipeError(
            f"{path}: cannot be locked ({error.strerror}); expected a file system with locks, as"
            " a local disk or NFS with a lock service. Choose another folder for the outputs."
        ) from None
    return True


def _is_at(file: IO[str], path: Path) -> bool:
    """Tell whether a file that was locked is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
