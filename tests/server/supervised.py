"""A supervisor of processes that do nothing but echo, for the tests: no torch, so it starts soon.

    python -m tests.server.supervised SOCKET PLAN N

The word in the file PLAN is what a process says to whoever connects; `bad` keeps it from beginning,
and `slow` words are said a while after the connection was made.
"""

import os
import signal
import socket
import sys
import threading
import time
from pathlib import Path

from saccade.errors import CheckpointError, SaccadeError
from saccade.server.shared import Shared
from saccade.server.supervisor import Post, Supervisor


def main() -> None:
    place, plan, n = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(100)
    shared = Shared.of_processes(n)

    def work(post: Post) -> None:
        word = plan.read_text().strip()
        if word == "bad":
            raise CheckpointError(f"{plan}: a bad plan; expected a good one; mend it.")
        over = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: over.set())
        shared.of(post.slot).held.add(1, "begun")
        post.await_go()
        threading.Thread(target=outlive, args=(post.life, over), daemon=True).start()
        listening.settimeout(0.02)
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            with connection:
                time.sleep(0.2 * word.startswith("slow"))
                held = shared.counts.total("begun")
                connection.sendall(f"{word} {os.getpid()} {held}".encode())

    def tell(text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()

    try:
        Supervisor(n, work, shared, tell, lambda: tell("begun"), 10.0).run([listening])
    except SaccadeError as error:
        tell(f"over: {error}")
        sys.exit(2)
    tell(shared.counters.text({}))


def outlive(life: int, over: threading.Event) -> None:
    os.read(life, 1)
    over.set()


if __name__ == "__main__":
    main()
