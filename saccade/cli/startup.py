"""Starting soon, and ending soon: what is imported stays, so nobody looks for garbage in it."""

import atexit
import gc
import importlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

import saccade

_QUIET, _BUSY = "10000", "1000"  # turns of the loop in which a thread waits
_LOOKS, _PAUSE = 5, 0.004  # seconds between two looks at the running processes
_LOAD = Path("/proc/loadavg")
_SHAPES = "torch._meta_registrations"  # what operations do to tensors that have no values
_CHANCE = "torch._prims.rng_prims"  # imported by that one; torch.Generator does not work before it


@contextmanager
def uncollected() -> Iterator[None]:
    """Collect no garbage meanwhile, nor later among what there is by then.

    Modules and a model are a quarter of a million objects that stay, and collections would go
    through all of them again and again. Only for a process that is ours.
    """
    were = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if were:
            gc.enable()


def end_soon() -> None:
    """Go through nothing when the process ends: its memory is given back as a whole."""
    atexit.register(gc.freeze)


def spin_briefly() -> None:
    """Let waiting threads give up their core sooner than `import saccade` lets them, to train.

    How soon depends on whether other processes want the cores now. The library reads the choice
    once, when torch is imported. What the user chose stays. docs/performance.md has figures.
    """
    if os.environ.get("GOMP_SPINCOUNT") == saccade.SPINS:
        os.environ["GOMP_SPINCOUNT"] = _BUSY if others_run() else _QUIET


def others_run(load: Path = _LOAD) -> bool:
    """Tell whether other processes are running at each of several looks, so not for a moment only.

    The fourth field of Linux's load file counts what runs right now, this process included:
    `0.52 0.58 0.59 2/467 13521`. On other systems nobody knows, and the answer is no.
    """
    for look in range(_LOOKS):
        if look:
            time.sleep(_PAUSE)
        try:
            running = int(load.read_text(encoding="ascii").split()[3].partition("/")[0])
        except (OSError, IndexError, ValueError):
            return False
        if running < 2:
            return False
    return True


def lighten() -> None:
    """Let `import torch`, when it comes, leave out what only compilers and exporters read.

    That is a fifth of its time. Who traces a model imports it first, as export/_graphs.py does;
    torch does not do it by itself any more. Only for a process that is ours.
    """
    if "torch" not in sys.modules:
        sys.meta_path.insert(0, _Light())


class _Light(MetaPathFinder):
    """Finds torch, once, and has it loaded with an empty module in place of the one left out."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        found = PathFinder.find_spec(name, path, target)
        if found and found.loader:
            found.loader = _Without(found.loader)
        return found


class _Without(Loader):
    """Loads a module as its own loader does, and hands it back to that one."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__:
            module.__spec__.loader = module.__loader__ = self._loader
        sys.modules[_SHAPES] = ModuleType(_SHAPES)
        try:
            self._loader.exec_module(module)
        finally:
            del sys.modules[_SHAPES]
        vars(module).pop(_SHAPES.rpartition(".")[2], None)
        importlib.import_module(_CHANCE)
