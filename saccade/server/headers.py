"""What stands around every answer: security headers, the right host, a body that is not too big."""

import asyncio
import json
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.server.limits import Limits

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


async def refuse(send: Send, status: int, message: str) -> None:
    """Send an error without going through the application."""
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Secured:
    """Adds HEADERS to every answer and answers only to its own name.

    A server for one's own machine answers to localhost alone, so that a web page whose name is
    made to point at this machine (DNS rebinding) cannot use it. `hosts` empty means any name.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app, self._hosts = app, {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
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
    """Reads the whole body before the application sees it, as long as it is not too big or slow."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 413 or 408."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await self._read(Headers(scope=scope), receive)
        except TimeoutError:
            await refuse(
                send,
                408,
                f"body: not all there after {self._limits.seconds:g} seconds; expected it sooner;"
                " send it in one go.",
            )
            return
        if body is None:
            await refuse(
                send,
                413,
                f"body: more than {self._limits.body} bytes; expected at most that; send the texts"
                " in several requests.",
            )
            return
        waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """Return the body, or None if it is too big."""
        announced = headers.get("content-length", "0")
        if not announced.isdigit() or int(announced[:20]) > self._limits.body:
            return None
        chunks: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._limits.body:
                return None
            more = message["type"] == "http.request" and message.get("more_body", False)
        return b"".join(chunks)


def _name(host: str) -> str:
    """Take the port off a Host header.

    >>> _name("Localhost:8000"), _name("[::1]:80"), _name("[::1]")
    ('localhost', '[::1]', '[::1]')
    """
    end = host.find("]") + 1
    return (host[:end] if end else host.partition(":")[0]).lower()
