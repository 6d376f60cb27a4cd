"""What requests leave in cycles is collected, without a look through models and modules."""

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

from saccade.server.service import tidy
from tests.server.live import until

SCRIPT = """
import gc
from saccade.server.service import keep_what_stays
stays = [[n] for n in range(100_000)]
keep_what_stays()
assert gc.get_freeze_count() > 100_000
assert len(gc.get_objects(generation=2)) < 1000
"""


def test_what_stays_is_no_longer_looked_through() -> None:
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, cwd=root)


class Node:
    """Something that knows itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


def test_a_server_tidies_now_and_then() -> None:
    ends = threading.Event()
    thread = threading.Thread(target=tidy, args=(ends, 0.01))
    gc.collect()
    gc.disable()
    try:
        node = weakref.ref(Node())
        assert node() is not None
        thread.start()
        until(lambda: node() is None)
    finally:
        gc.enable()
        ends.set()
        thread.join(timeout=30)
    assert not thread.is_alive()
