"""A real server on a real socket, in a thread."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import uvicorn

from saccade.server.app import Settings, create_app
from saccade.server.desk import Desk
from saccade.server.models import Served
from saccade.server.uvicorn_server import Address, server_of


@dataclass(frozen=True)
class Live:
    """A server that runs, where it is, and its insides."""

    url: str
    port: int
    desk: Desk
    server: uvicorn.Server
    thread: threading.Thread

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keep the models from computing for the time of a `with`."""
        self.desk.turn.acquire()
        try:
            yield
        finally:
            self.desk.turn.release()

    @property
    def held(self) -> int:
        return sum(engine.held for engine in self.desk.engines.values())


@contextmanager
def running(
    *models: Served, settings: Settings | None = None, linger: float = 0.0
) -> Iterator[Live]:
    """Run a server for the time of a `with`."""
    settings = settings or Settings()
    settings = replace(settings, limits=replace(settings.limits, linger=linger))
    app = create_app(models, settings)
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        place.listen()  # connections wait here until the server accepts them
        port = place.getsockname()[1]
        server = server_of(app, Address(port=port), settings)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            yield Live(f"http://127.0.0.1:{port}", port, app.state.desk, server, thread)
        finally:
            server.should_exit = True
            thread.join(timeout=30)
            assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    pause = threading.Event()
    for _ in range(4000):
        if condition():
            return
        pause.wait(0.005)
    raise AssertionError("it did not happen")
