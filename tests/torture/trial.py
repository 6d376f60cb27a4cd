"""One trial: a scene in which faults happen, gone on with until it is done, and then compared."""

import json
import os
import select
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from saccade.errors import Interrupted, SaccadeError
from tests.torture.faults import Blow, Call, Fault
from tests.torture.interposed import Calls
from tests.torture.scenes import Scene, set_home

_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_PATIENCE = 900.0  # seconds, after which a process hangs


@dataclass(frozen=True, slots=True)
class Life:
    """What became of one process.

    word: done, killed, stopped, told (a refusal in words), system (an error of the operating
    system as it is), crashed or hung.  hit: the call that was spoilt, and its file.  counts:
    of calls by kind.  modules: that it imported.  marks: of what it left, if nothing was to happen
    to it.  seconds: by the clock.  work: seconds of a processor.
    """

    word: str
    hit: str = ""
    said: str = ""
    counts: dict[Call, int] = field(default_factory=dict)
    modules: tuple[str, ...] = ()
    marks: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    work: float = 0.0


def live(scene: Scene, place: Path, trouble: Fault | Blow | None = None) -> Life:
    """Do the work of a scene in a copy of this process, in which something may go wrong."""
    here, there = os.pipe()
    began = time.monotonic()
    sys.stdout.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # until it has its own handlers
    child = os.fork()
    if child == 0:
        os.close(here)
        _child(scene, place, trouble, there)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    os.close(there)
    blow = trouble if isinstance(trouble, Blow) else None
    try:
        said, hung = _heard(child, here, blow)
    except KeyboardInterrupt:
        os.kill(child, signal.SIGKILL)
        raise
    _, status, used = os.wait4(child, 0)
    life = _life(os.waitstatus_to_exitcode(status), said, hung=hung)
    return replace(life, seconds=time.monotonic() - began, work=used.ru_utime + used.ru_stime)


def _child(scene: Scene, place: Path, trouble: Fault | Blow | None, there: int) -> None:
    code, known = 6, set(sys.modules)
    try:
        calls = Calls([place, scene.desk])
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        torch.set_num_threads(1)
        set_home(place)
        _silence(place)
        scene.check(place)
        calls.begin(trouble if isinstance(trouble, Fault) else None, there)
        try:
            scene.work(place)
        finally:
            counts = calls.end()
        _tell(there, "counts", json.dumps({str(int(c)): n for c, n in counts.items()}))
        _tell(there, "modules", " ".join(set(sys.modules) - known))
        if trouble is None:
            _tell(there, "marks", json.dumps(scene.marks(place)))
        code = 0
    except (Interrupted, KeyboardInterrupt) as error:
        code = _told(there, 3, error)
    except SaccadeError as error:
        code = _told(there, 4, error)
    except OSError as error:
        _tell(there, "trace", traceback.format_exc())
        code = _told(there, 5, error)
    except BaseException:
        _tell(there, "said", traceback.format_exc())
    finally:
        os._exit(code)


def _silence(place: Path) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.chdir(place)


def _told(there: int, code: int, error: BaseException) -> int:
    _tell(there, "said", f"{type(error).__name__}: {error}")
    return code


def _tell(there: int, key: str, text: str) -> None:
    os.write(there, f"{key}\t{json.dumps(text)}\n".encode())


def _heard(child: int, here: int, blow: Blow | None) -> tuple[str, bool]:
    """Read what a process tells until it ends; kill it when it is time, or if it hangs."""
    text, began, hung = b"", time.monotonic(), False
    struck = blow is None
    while True:
        spent = time.monotonic() - began
        wait = (_PATIENCE if struck or blow is None else blow.after) - spent
        ready, _, _ = select.select([here], [], [], max(wait, 0.0))
        if ready:
            more = os.read(here, 1 << 16)
            if not more:
                break
            text += more
        elif not struck and blow:
            os.kill(child, blow.signal)
            struck = True
        else:
            hung = True
            os.kill(child, signal.SIGKILL)
            break
    os.close(here)
    return text.decode(errors="replace"), hung


def _life(code: int, text: str, *, hung: bool) -> Life:
    rows = dict(line.split("\t", 1) for line in text.splitlines() if "\t" in line)
    said = json.loads(rows.pop("said", '""'))
    trace = json.loads(rows.pop("trace", '""'))
    counts = {
        Call(int(c)): n for c, n in json.loads(json.loads(rows.pop("counts", '"{}"'))).items()
    }
    marks = json.loads(json.loads(rows.pop("marks", '"{}"')))
    modules = tuple(json.loads(rows.pop("modules", '""')).split())
    hit = next((f"{call} {path}" for call, path in rows.items()), "")
    words = {0: "done", 3: "stopped", 4: "told", 5: "system", -signal.SIGTERM: "stopped"}
    word = "hung" if hung else "killed" if code == -signal.SIGKILL else words.get(code, "crashed")
    return Life(word, hit, f"{said}\n{trace}".strip(), counts, modules, marks)
