"""Processes of one server that ask each other: what one of them keeps, all of them can give.

A sound that is being heard, a translated file and a blind test are in the memory of one process. A
request for one of them that reaches another process is passed on through a socket in a folder that
is closed to other users.
"""

import asyncio
import hmac
import secrets
import socket
from pathlib import Path
from typing import Any

import h11
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from saccade.server.clients import CLIENT
from saccade.server.memory import CommonMemory

FILES, CHUNKS, BLIND = "/download_file/", "/v1/listen/chunk", "/v1/blind"
_PASSED_ON, _OF = "x-saccade-passed-on", "x-saccade-client"
_OWN = frozenset(("connection", "content-length", "transfer-encoding", "expect", _PASSED_ON, _OF))


class Neighbours:
    """The processes of a server as one of them sees them: its own number, and where the others are.

    folder: of their sockets; None if there is one process.  home: the number of the process that
    keeps what there is once, such as a blind test; the supervisor sets it.
    """

    def __init__(self, memory: CommonMemory, folder: Path | None = None, slot: int = 0) -> None:
        self.folder, self.slot = folder, slot
        self._home = memory.section(8).cast("q")
        self._secret = secrets.token_urlsafe(24)

    @property
    def home(self) -> int:
        """The number of the process that keeps what there is once."""
        return self._home[0]

    @home.setter
    def home(self, slot: int) -> None:
        self._home[0] = slot

    def place(self, slot: int) -> Path | None:
        """Return where another process listens."""
        return self.folder / str(slot) if self.folder else None

    def listen(self) -> list[socket.socket]:
        """Return the socket at which this process can be asked by the others, if there are."""
        place = self.place(self.slot)
        if place is None:
            return []
        place.unlink(missing_ok=True)
        own = socket.socket(socket.AF_UNIX)
        own.bind(str(place))
        own.listen()
        return [own]

    def ticket(self, name: str = "") -> str:
        """Make a name that nobody can guess, of something that this process keeps."""
        return f"{self.slot}-{secrets.token_urlsafe(24)}{name}"

    def client(self, scope: Scope) -> str | None:
        """Return whose request it is if another process has passed it on, which let it in."""
        headers = Headers(scope=scope)
        given = headers.get(_PASSED_ON, "")
        known = hmac.compare_digest(given.encode(), self._secret.encode())
        return headers.get(_OF, "") if known else None

    def signed(self) -> list[tuple[str, str]]:
        """Return the headers that let a request in which is passed on."""
        return [(_PASSED_ON, self._secret), (_OF, CLIENT.get())]


class PassedOn:
    """Passes a request on to the process that keeps what it asks for; its body has been read."""

    def __init__(self, app: ASGIApp, neighbours: Neighbours) -> None:
        self._app, self._neighbours = app, neighbours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, or another process."""
        ours = self._neighbours
        path = scope.get("path", "")
        if not ours.folder or not path.startswith((FILES, CHUNKS, BLIND)) or ours.client(scope):
            await self._app(scope, receive, send)
            return
        message = await receive()
        body = message.get("body", b"")
        slot = self._keeper(path, body)
        if slot != ours.slot and await self._asked(slot, scope, body, send):
            return
        waiting = [message]

        async def replayed() -> Any:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, send)

    def _keeper(self, path: str, body: bytes) -> int:
        """Return the number of the process that keeps what is asked for."""
        if path.startswith(BLIND):
            return self._neighbours.home
        ticket: object = path.removeprefix(FILES)
        if path == CHUNKS:
            try:
                told = from_json(body)
            except ValueError:  # the route will say so
                return self._neighbours.slot
            ticket = told.get("stream") if isinstance(told, dict) else None
        digits = str(ticket).partition("-")[0][:4]
        known = digits.isascii() and digits.isdigit()
        return int(digits) if known else self._neighbours.slot

    async def _asked(self, slot: int, scope: Scope, body: bytes, send: Send) -> bool:
        """Let another process answer; False if it is gone, with all that it kept."""
        try:
            reader, writer = await asyncio.open_unix_connection(self._neighbours.place(slot))
        except OSError:
            return False
        connection = h11.Connection(h11.CLIENT)
        headers = [(n, v) for n, v in Headers(scope=scope).items() if n not in _OWN]
        headers += [*self._neighbours.signed(), ("content-length", str(len(body)))]
        target = scope["raw_path"] + (b"?" + scope["query_string"]) * bool(scope["query_string"])
        asked = h11.Request(
            method=scope["method"],
            target=target,
            headers=[(n.encode("latin-1"), v.encode("latin-1")) for n, v in headers],
        )
        try:
            for event in (asked, h11.Data(data=body), h11.EndOfMessage()):
                writer.write(connection.send(event) or b"")
            await writer.drain()
            await _copied(connection, reader, send)
        finally:
            writer.close()
        return True


async def _copied(connection: h11.Connection, reader: asyncio.StreamReader, send: Send) -> None:
    """Pass an answer back as it comes."""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65536))
        elif isinstance(event, h11.Response):
            kept = [(n, v) for n, v in event.headers if n not in (b"date", b"connection")]
            start = {"type": "http.response.start", "status": event.status_code, "headers": kept}
            await send(start)
        elif isinstance(event, h11.Data):
            await send({"type": "http.response.body", "body": bytes(event.data), "more_body": True})
        elif isinstance(event, h11.EndOfMessage):
            await send({"type": "http.response.body", "body": b""})
            return
