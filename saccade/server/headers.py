"""What stands around every answer: security headers, the right host, a body that is not too big."""

import asyncio
import json
from collections.abc import Collection, Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.intake.numbers import whole
from saccade.server.limits import Limits
from saccade.server.refusal import Refused

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " media-src data:; connect-src 'self'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)
PERMISSIONS = "camera=(), microphone={}, geolocation=()"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS.format("()"),
    "Cache-Control": "no-store",
}


async def refuse(send: Send, status: int, message: str, retry: int = 0) -> None:
    """Send an error without going through the application."""
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    headers += [(b"retry-after", b"%d" % retry)] if retry else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Secured:
    """Adds HEADERS to every answer and answers only to its own name.

    A server for one's own machine answers to localhost alone, so that a web page whose name is
    made to point at this machine (DNS rebinding) cannot use it. `hosts` empty means any name. With
    `microphone` its own page may ask for one.
    """

    def __init__(
        self, app: ASGIApp, hosts: Sequence[str] = (), *, microphone: bool = False
    ) -> None:
        self._app, self._hosts = app, {host.lower() for host in hosts}
        allowed = {"Permissions-Policy": PERMISSIONS.format("(self)")} if microphone else {}
        self._headers = {**HEADERS, **allowed}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
            await send(message)

        host = _name(Headers(scope=scope).get("host", ""))
        if self._hosts and host not in self._hosts:
            await refuse(
                headed,
                400,
                f"host: {host[:100]!r} is not a name of this server; expected one of"
                f" {', '.join(sorted(self._hosts))}; add it with --allow-host.",
            )
            return
        await self._app(scope, receive, headed)


class Bounded:
    """Reads the whole body before the application sees it, as long as it is not too big or slow.

    `wide` are the paths whose bodies may hold pictures. The bodies of all requests together are
    bounded too, until they are answered.
    """

    def __init__(self, app: ASGIApp, limits: Limits, wide: Collection[str] = ()) -> None:
        self._app, self._limits, self._wide = app, limits, frozenset(wide)
        self._held = 0  # bytes of all bodies that were read and not answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413 or 408."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._limits.upload if scope["path"] in self._wide else self._limits.body
        chunks: list[bytes] = []
        size = 0
        try:
            body = await self._read(Headers(scope=scope), receive, chunks, most)
            size = len(body)
            chunks.clear()
            waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
            del body

            async def replayed() -> Message:
                return waiting.pop() if waiting else await receive()

            await self._app(scope, replayed, send)
        except _Unread as unread:
            await refuse(send, unread.status, str(unread), unread.retry)
        finally:
            self._held -= size + sum(map(len, chunks))

    async def _read(
        self, headers: Headers, receive: Receive, chunks: list[bytes], most: int
    ) -> bytes:
        """Return the body; refuse it as soon as it is too big, or if it takes too long."""
        announced = headers.get("content-length", "0")
        size = whole(announced)
        if size is None or size > most:
            raise _too_big(most)
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._gather(receive, chunks, most)
        except TimeoutError:
            raise _Unread(
                408,
                f"body: not all there after {self._limits.seconds:g} seconds; expected it sooner;"
                " send it in one go.",
            ) from None
        return b"".join(chunks)

    async def _gather(self, receive: Receive, chunks: list[bytes], most: int) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            self._held += len(chunks[-1])
            if size > most:
                raise _too_big(most)
            if self._held > self._limits.held:
                raise _Unread(
                    429,
                    f"server: requests of {self._limits.held:,} bytes in all are being answered;"
                    " expected less; try again in 5 seconds.",
                    retry=5,
                )
            more = message["type"] == "http.request" and message.get("more_body", False)


class _Unread(Refused):
    """A body that is not read to its end."""


def _too_big(most: int) -> _Unread:
    return _Unread(
        413,
        f"body: more than {most} bytes; expected at most that; send the texts in several requests.",
    )


def _name(host: str) -> str:
    """Take the port off a Host header.

    >>> _name("Localhost:8000"), _name("[::1]:80"), _name("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    end = host.find("]") + 1
    return (host[:end] if end else host.partition(":")[0]).lower()
