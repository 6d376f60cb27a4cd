"""A server as a whole: its socket, its processes, and what each of them does."""

import gc
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import uvicorn

from saccade.errors import RecipeError
from saccade.kernels.allocator import give_back, share_arenas
from saccade.server.app import Settings, create_app
from saccade.server.models import Served, open_models
from saccade.server.uvicorn_server import Address, server_of

if sys.platform != "win32":
    from saccade.server.supervisor import Post, Supervisor

_TIDY = 30.0  # seconds
_WAITING = 2048  # connections that nobody has accepted yet


@dataclass(frozen=True)
class Service:
    """What to serve, where and how.

    places: model folders, see `open_models`.  opening: its options.  settings: their `shared` has
    room for all processes.  workers: how many processes.  threads: that compute in each.
    """

    places: Sequence[str]
    opening: dict[str, Any]
    settings: Settings
    address: Address
    workers: int = 1
    threads: int = 1

    def run(self, tell: Callable[[str], None], begun: Callable[[], None]) -> None:
        """Serve until a signal ends it. Where no process can be forked there is one, this one."""
        share_arenas()
        with listening(self.address) as sockets, self._folder() as folder:
            if sys.platform == "win32":
                begun()
                self.server(self.settings).run(sockets)
                return

            self.settings.shared.neighbours.folder = folder

            def work(post: Post) -> None:
                shared = self.settings.shared.of(post.slot)
                server = self.server(replace(self.settings, shared=shared))
                keep_what_stays()
                post.await_go()
                threading.Thread(target=_end_with, args=(post.life, server), daemon=True).start()
                own = shared.neighbours.listen()
                with _tidied():
                    server.run([*sockets, *own])

            shared, seconds = self.settings.shared, self.settings.limits.seconds + 15
            Supervisor(self.workers, work, shared, tell, begun, seconds).run(sockets)

    @contextmanager
    def _folder(self) -> Iterator[Path | None]:
        """Make a folder that only this user may enter, if there is more than one process."""
        if self.workers == 1:
            yield None
            return
        with tempfile.TemporaryDirectory(prefix="saccade-") as name:
            yield Path(name)

    def server(self, settings: Settings) -> uvicorn.Server:
        """Open the models and make the server of one process."""
        torch.set_num_threads(self.threads)
        models = open_models(self.places, **self.opening)
        for model in models:
            try_out(model)
        return server_of(create_app(models, settings), self.address, settings)


@contextmanager
def _tidied() -> Iterator[None]:
    """Let a thread tidy for the time of a `with`."""
    ends = threading.Event()
    threading.Thread(target=tidy, args=(ends,), daemon=True).start()
    try:
        yield
    finally:
        ends.set()


def keep_what_stays() -> None:
    """Look for garbage among what requests leave, and no longer in models and modules.

    Python waits with a full collection until there is a quarter as much new as was found to stay by
    the one before: 30,000 objects of requests lay there in cycles.
    """
    gc.collect()
    gc.freeze()
    gc.collect()  # finds that nothing is to stay


def tidy(ends: threading.Event, seconds: float = _TIDY) -> None:
    """Collect garbage now and then, and give the system the memory that lies free.

    Requests are of all sizes, so what they free lies in pieces, and what is free grew for an hour.
    """
    while not ends.wait(seconds):
        gc.collect()
        give_back()


def try_out(model: Served) -> None:
    """Predict something, so that a model which cannot is told of before anyone asks it."""
    for example in model.examples[:1]:
        list(model.translator.stream([model.translator.given(example)]))


@contextmanager
def listening(address: Address) -> Iterator[list[socket.socket]]:
    """Listen for the time of a `with`, on all addresses that a name has."""
    try:
        found = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        with ExitStack() as stack:
            sockets = []
            for family, kind, protocol, _, place in dict.fromkeys(found):
                one = stack.enter_context(socket.socket(family, kind, protocol))
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, sys.platform != "win32")
                if family == socket.AF_INET6:
                    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                one.bind(place)
                one.listen(_WAITING)
                sockets.append(one)
            opened = stack.pop_all()
    except OSError as error:
        raise RecipeError(
            f"serve: cannot listen at {address.host}, port {address.port} ({error}); expected an"
            " address of this machine and a free port; name others with --host and --port."
        ) from None
    with opened:
        yield sockets


def _end_with(life: int, server: uvicorn.Server) -> None:
    """Let a server end when its supervisor is no more."""
    os.read(life, 1)
    server.should_exit = True
