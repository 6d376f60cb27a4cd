"""Compiling the kernels for the processor at hand, once for all processes, and keeping them.

    kernels-KEY.so      the library
    kernels-KEY.json    its hash; or why it could not be built, by which compiler, and when
    kernels-KEY.lock    held by the process that compiles; a process that dies lets go of it

The key names sources, flags, compiler and processor. A library is loaded only if its hash is right.
A failure is not tried again until the compiler or the sources change, or somebody asks for it by
`python -m saccade.kernels --again`.

**Who waits.** The process that finds nothing compiles, says so on stderr, and waits. While it does,
other processes that only predict go on without kernels: torch computes the same to rounding. A
process that learns waits for the one that compiles. So a run that was begun without kernels has
none because they could not be built or were turned off, which holds when it is resumed too, and no
run changes from one form to the other between two updates: resuming stays bit for bit. (Only who
has waited for half an hour goes on without.) Nothing here imports torch: a compile begins at once.
"""

import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

if sys.platform != "win32":
    import fcntl

SOURCES = sorted(Path(__file__).parent.glob("*.[ch]"))
SWITCH = (
    "SACCADE_NATIVE"  # "off": as if there were no compiler; otherwise the folder to keep them in
)
BUSY = "another process is compiling them"
MOST_SECONDS = 900  # of one call of the compiler
_FLAGS = ("-std=gnu11", "-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC")
_MOST_TEXT = 500  # of what a compiler said
_MOST_RECORD = 100_000  # bytes of a record that is read
_PAUSE = 0.1  # seconds between two looks at a lock


class Built(NamedTuple):
    """Where the library is, if it is, and a line that tells so or why not."""

    path: Path | None
    told: str


class _Place(NamedTuple):
    """Where everything about one library is kept, and who compiles it."""

    library: Path
    record: Path
    lock: Path
    compiler: str


def find(*, wait: bool, again: bool = False) -> Built:
    """Return the library, and compile it first where that has not been done.

    Args:
        wait: whether to wait for another process that compiles.
        again: whether to compile though there is a library or a failure.
    """
    if os.environ.get(SWITCH, "").lower() == "off":
        return Built(None, f"turned off by {SWITCH}")
    compiler = _compiler()
    if not compiler:
        return Built(None, "no C compiler was found: install gcc or clang, or set CC")
    try:
        name = _home() / f"kernels-{_key(compiler)}"
        library, record, lock = (name.with_suffix(x) for x in (".so", ".json", ".lock"))
        place = _Place(library, record, lock, compiler)
        known = None if again else _known(place)
        return known or _compile_once(place, wait=wait, again=again)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
        said = f"they cannot be kept: {error}. Name a folder of your own in {SWITCH}"
        _say(f"Kernels in C: {said}, or set it to off; going on without them.")
        return Built(None, said)


def _known(place: _Place) -> Built | None:
    """Return what is kept: a whole library, or a failure that would come again."""
    record = _read(place.record)
    with suppress(OSError):
        if record.get("sha256") == _hash(place.library):
            return Built(place.library, f"kept in {place.library}")
    if "failure" in record and record.get("compiler") == _identity(place.compiler):
        return Built(
            None,
            f"{place.compiler} could not build them on {record.get('time')}: {record['failure']}"
            " (python -m saccade.kernels --again tries once more)",
        )
    return None


def _compile_once(place: _Place, *, wait: bool, again: bool) -> Built:
    """Compile while no other process does, or take what another one has made meanwhile."""
    with _locked(place.lock, seconds=0) as mine:
        if mine:
            return (None if again else _known(place)) or _compile_and_keep(place)
    if not wait:
        _say("Kernels in C: another process is compiling them; going on without them meanwhile.")
        return Built(None, BUSY)
    _say(f"Kernels in C: waiting for another process that compiles them. {SWITCH}=off skips this.")
    with _locked(place.lock, seconds=2 * MOST_SECONDS) as waited:
        if waited:
            return _known(place) or _compile_and_keep(place)
    return Built(None, f"{BUSY} and has not ended in {2 * MOST_SECONDS} seconds")


def _compile_and_keep(place: _Place) -> Built:
    """Compile, and remember what came of it."""
    _say(
        "Compiling kernels in C, once: usually 20 s, on a busy machine minutes."
        f" {SWITCH}=off skips this; torch then computes the same, more slowly."
    )
    began = time.monotonic()
    try:
        digest = _compile(place)
    except (OSError, subprocess.SubprocessError) as error:
        failure = _told_of(error)
        when = time.strftime("%Y-%m-%d %H:%M")
        kept = {"failure": failure, "compiler": _identity(place.compiler), "time": when}
        _write(place.record, kept)
        told, _, _ = f"{place.compiler} could not build them: {failure}".partition("\n")
        _say(f"Kernels in C: {told}; going on without them.")
        return Built(None, f"{place.compiler} could not build them: {failure}")
    _write(place.record, {"sha256": digest, "compiler": _identity(place.compiler)})
    return Built(
        place.library, f"compiled in {place.library}, in {time.monotonic() - began:.0f} seconds"
    )


def _compile(place: _Place) -> str:
    """Compile beside where the library goes, with threads if they can be had, and move it there.

    Returns its hash.
    """
    prefix = f"{place.library.stem}-"
    for left in place.library.parent.glob(f"{prefix}*"):  # by a process that died
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=place.library.parent, prefix=prefix) as folder:
        made = Path(folder) / place.library.name
        sources = [str(one) for one in SOURCES if one.suffix == ".c"]
        command = [place.compiler, *_FLAGS, *sources, "-o", str(made), "-lm"]
        try:
            _run([*command, "-fopenmp"])
        except subprocess.CalledProcessError as error:
            if error.returncode < 0:  # it was killed, and not for its arguments
                raise
            _run(command)
        if not made.exists():
            raise FileNotFoundError("it said nothing and made no library")
        digest = _hash(made)
        _sync(made)
        made.replace(place.library)
    _sync(place.library.parent)
    return digest


def _run(command: list[str]) -> None:
    """Run a compiler; end it, and what it has started, if it takes too long or we are stopped."""
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            _, said = process.communicate(timeout=MOST_SECONDS)
        except BaseException:
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)


def _told_of(error: OSError | subprocess.SubprocessError) -> str:
    """Say in a few words why a compile came to nothing."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it took more than {MOST_SECONDS} seconds"
    if isinstance(error, subprocess.CalledProcessError) and error.returncode < 0:
        return f"it was killed by signal {-error.returncode}"
    if isinstance(error, subprocess.CalledProcessError):
        said = str(error.stderr or "").strip()
        return said[:_MOST_TEXT] or f"it ended with code {error.returncode} and said nothing"
    return str(error).strip()[:_MOST_TEXT]


@contextmanager
def _locked(path: Path, *, seconds: float) -> Iterator[bool]:
    """Hold a lock that ends with the process; yield False if another one holds it for so long."""
    with path.open("a") as file:
        held, last = _lock(file), time.monotonic() + seconds
        while not held and time.monotonic() < last:
            time.sleep(_PAUSE)
            held = _lock(file)
        yield held


def _lock(file: Any) -> bool:
    if sys.platform == "win32":
        return True  # two may compile at once there; each moves a whole library into place
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _compiler() -> str | None:
    named = os.environ.get("CC", "")
    return next((path for name in (named, "cc", "gcc", "clang") if (path := _which(name))), None)


def _which(name: str) -> str | None:
    return shutil.which(name) if name else None


def _home() -> Path:
    """Return the user's own folder for what can be made again; nobody else writes to it."""
    home = os.environ.get("SACCADE_HOME")
    named = os.environ.get(SWITCH) or (Path(home) / "native" if home else None)
    folder = Path(named or Path.home() / ".cache" / "saccade" / "native")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform != "win32":
        found = folder.stat()
        if found.st_uid != os.getuid():
            raise PermissionError(f"{folder} belongs to somebody else")
        if found.st_mode & 0o002:
            raise PermissionError(f"everybody may write to {folder}")
    return folder


def _key(compiler: str) -> str:
    """Name what the result depends on: the source, the flags, the compiler, the processor."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text("utf-8").splitlines() if cpu.exists() else [platform.processor()]
    can = next((x for x in lines if x.startswith(("flags", "Features"))), lines[0] if lines else "")
    what = (*(x.read_text("utf-8") for x in SOURCES), *_FLAGS, compiler, platform.machine(), can)
    return hashlib.sha256("\0".join(what).encode()).hexdigest()[:16]


def _identity(compiler: str) -> str:
    """Tell a compiler from one that was put in its place later."""
    found = Path(compiler).stat()
    return f"{Path(compiler).resolve()} {found.st_size} {found.st_mtime_ns}"


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path) -> dict[str, Any]:
    """Read a record; what is none is nothing."""
    try:
        with path.open(encoding="utf-8") as file:
            found = json.loads(file.read(_MOST_RECORD))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(path: Path, record: dict[str, str]) -> None:
    """Write a record aside, and move it into place whole."""
    aside = path.with_suffix(".json.aside")
    aside.write_text(json.dumps(record, indent=1), encoding="utf-8")
    _sync(aside)
    aside.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    """See to it that a file or a folder is on the disk."""
    if sys.platform == "win32":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - for whoever waits
