"""What can go wrong with a file call, and how one of these faults is drawn and named."""

import errno
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from random import Random


class Call(IntEnum):
    """Kinds of file calls, in the order of calls.c. `open` is for writing; a look is a read."""

    open = 0
    write = 1
    sync = 2
    rename = 3
    remove = 4
    mkdir = 5
    truncate = 6
    read = 7


class How(IntEnum):
    """What happens at the call, in the order of calls.c."""

    nothing = 0
    fail = 1
    short = 2  # it does half of its work, and says so
    half = 3  # the same, and then the error comes
    before = 4  # the process is killed before it
    after = 5  # behind it
    torn = 6  # with half of it done
    power = 7  # killed before it, and what was not synced is gone
    signal = 8  # the process is sent a signal before it


CHANGES = (Call.open, Call.write, Call.sync, Call.rename, Call.remove, Call.mkdir, Call.truncate)
NAMES = (Call.open, Call.rename, Call.remove, Call.mkdir)


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault: which calls it hits, what happens there, and which error they return.

    error: its number, or that of a signal.
    lasts: whether all such calls behind it fail too.
    keep: percent of what was not synced that a power cut leaves.  often: how often it is drawn.
    """

    name: str
    calls: tuple[Call, ...]
    how: How
    error: int = 0
    lasts: bool = False
    keep: int = 0
    often: int = 1


KINDS = (
    FaultKind("killed before the call", CHANGES, How.before, often=3),
    FaultKind("killed behind the call", CHANGES, How.after, often=3),
    FaultKind("killed in the middle of a write", (Call.write,), How.torn, often=3),
    FaultKind("power cut, nothing unsynced is left", CHANGES, How.power, often=2),
    FaultKind("power cut, half of it is left", CHANGES, How.power, keep=50, often=2),
    FaultKind(
        "disk full", (Call.open, Call.write, Call.mkdir), How.fail, errno.ENOSPC, True, often=2
    ),
    FaultKind(
        "disk full in the middle of a write", (Call.write,), How.half, errno.ENOSPC, True, often=2
    ),
    FaultKind("error of the device, once", CHANGES, How.fail, errno.EIO, often=2),
    FaultKind("error of the device, lasting", CHANGES, How.fail, errno.EIO, lasts=True),
    FaultKind("read-only from then on", NAMES, How.fail, errno.EROFS, lasts=True),
    FaultKind("error while reading", (Call.read,), How.fail, errno.EIO, often=2),
    FaultKind("SIGTERM at the call", CHANGES, How.signal, signal.SIGTERM),
    FaultKind("SIGTERM at the call and all behind it", CHANGES, How.signal, signal.SIGTERM, True),
    FaultKind("Ctrl-C at the call", (*CHANGES, Call.read), How.signal, signal.SIGINT, often=2),
    FaultKind("Ctrl-C at the call and all behind it", CHANGES, How.signal, signal.SIGINT, True),
    FaultKind("short write", (Call.write,), How.short),
    FaultKind("short read", (Call.read,), How.short),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault at call number `at`, from 1, of the calls of one kind; or a signal after seconds."""

    kind: FaultKind
    call: Call
    at: int


@dataclass(frozen=True, slots=True)
class Blow:
    """A signal from outside, so many seconds after the start."""

    signal: int
    after: float


def draw(chance: Random, counts: Mapping[Call, int]) -> Fault:
    """Draw a fault for work that makes so many calls of each kind.

    The kind of call is drawn before its number, so that rare ones are hit as often as common ones.
    """
    possible = [kind for kind in KINDS if any(counts.get(call) for call in kind.calls)]
    (kind,) = chance.choices(possible, [kind.often for kind in possible])
    call = chance.choice([one for one in kind.calls if counts.get(one)])
    return Fault(kind, call, chance.randint(1, counts[call]))
