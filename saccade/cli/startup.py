"""Starting soon, and ending soon: what is imported stays, so nobody looks for garbage in it."""

import atexit
import gc
import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import saccade

_SPINS = "3000"
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

    The demo's training on two cores of Zen 5, in target symbols/s alone and beside one busy
    process: with 30,000 turns 24,800 and 4,100 to 7,300, with 3,000 23,700 and 8,300, with 1,000
    22,100 and 12,000. What the user chose stays. Works until torch is imported.
    """
    if os.environ.get("GOMP_SPINCOUNT") == saccade.SPINS:
        os.environ["GOMP_SPINCOUNT"] = _SPINS


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
