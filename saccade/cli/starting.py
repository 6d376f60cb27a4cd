"""Starting soon, and ending soon: what is imported stays, so nobody looks for garbage in it."""

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
