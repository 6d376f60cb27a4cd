"""What guards a connection: how many there may be, how long a request may take to arrive.

The body has a time limit of its own, see `headers.Bounded`.
"""

import asyncio
import ipaddress
import json
import socket
import sys
from collections.abc import Sequence
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from saccade.errors import RecipeError
from saccade.server.entrance import network_of
from saccade.server.limits import Limits
from saccade.server.memory import HeldCounts

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_CLOSE = (b"connection", b"close")
_REASONS = {408: "Request Timeout", 429: "Too Many Requests", 503: "Service Unavailable"}


class Guard:
    """Counts connections, of all processes of a server and of each address.

    The addresses of `proxies` stand for many clients and are not limited.
    """

    def __init__(self, limits: Limits, held: HeldCounts, proxies: Sequence[Network] = ()) -> None:
        self.limits, self._held, self._proxies = limits, held, proxies

    def enter(self, host: str) -> tuple[int, str]:
        """Count a connection; return a status and a message if there are too many."""
        counts, limits = self._held.counts, self.limits
        own = f"connections {network_of(host)}"
        with self._held.memory.locked():
            n, of_own = counts.total("connections"), counts.total(own)
            if n >= limits.connections:
                return 503, f"server: {n} connections; expected fewer; try again in 5 seconds."
            if of_own >= limits.of_address and not self._trusts(host):
                return 429, (
                    f"server: {of_own} connections from {host}; expected at most"
                    f" {limits.of_address}; close some, or use one for several requests."
                )
            counts.add(self._held.slot, "connections", 1)
            counts.add(self._held.slot, own, 1)
        return 0, ""

    def leave(self, host: str) -> None:
        """Count a connection that was counted no longer."""
        self._held.add(-1, "connections", f"connections {network_of(host)}")

    def _trusts(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return not host  # a socket of this machine has no address
        return any(address in network for network in self._proxies)


class Guarded(H11Protocol):
    """Uvicorn's protocol, with a guard: `of` makes the class for it.

    A request line and headers must arrive within `limits.header` seconds of the first byte, or of
    the connection. An answer that nobody reads is given up after `limits.seconds`. At a shutdown a
    connection that waits for a request is left open for `limits.linger` seconds, and told to close
    with its next answer: its client may be just about to ask.
    """

    guard: Guard

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._host = ""
        self._counted = self._draining = False
        self._arriving: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, guard: Guard) -> "type[Guarded]":
        """Return the class whose connections a guard counts."""
        return type(cls.__name__, (cls,), {"guard": guard})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a connection in, or close it at once."""
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self._host = str(peer[0]) if isinstance(peer, tuple) else ""
        status, message = self.guard.enter(self._host)
        if status:
            self._refuse(status, message)
            return
        self._counted = True
        _give_up_on_silence(transport, self.guard.limits.seconds)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._head_is_there()
        self.resume_writing()
        if self._counted:
            self._counted = False
            self.guard.leave(self._host)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; while the headers are not all there, the time runs."""
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._is_idle:
            self._head_is_there()
            if self._draining:
                self._last_answer()
        elif self._arriving is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """Be ready for the next request, which may have begun.

        What still comes of a body that was refused is read for a while.
        """
        super().on_response_complete()
        more = self.conn.their_state is h11.SEND_BODY or self.conn.trailing_data[0]
        if more and self.cycle.response_complete and not self.transport.is_closing():
            self._await_head()

    def shutdown(self) -> None:
        """Answer what has come, and what is on its way."""
        self._draining = True
        linger = self.guard.limits.linger
        if not self._is_idle:
            self._last_answer()
        elif linger:
            self.loop.call_later(linger, self._close_if_idle)
        else:
            super().shutdown()

    def pause_writing(self) -> None:
        """Wait until the client reads, but not for ever."""
        super().pause_writing()
        if self._unread is None:
            seconds = self.guard.limits.seconds
            self._unread = self.loop.call_later(seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Write on."""
        if self._unread is not None:
            self._unread.cancel()
        self._unread = None
        super().resume_writing()

    @property
    def _is_idle(self) -> bool:
        """Whether no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first
        return cycle is None or cycle.response_complete

    def _await_head(self) -> None:
        self._head_is_there()
        self._arriving = self.loop.call_later(self.guard.limits.header, self._too_slow)

    def _head_is_there(self) -> None:
        if self._arriving is not None:
            self._arriving.cancel()
        self._arriving = None

    def _too_slow(self) -> None:
        self._arriving = None
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY:  # of a request that was refused
            self.transport.close()
            return
        self._refuse(
            408,
            f"request: no whole header after {self.guard.limits.header:g} seconds; expected it"
            " sooner; send it in one go.",
        )

    def _refuse(self, status: int, message: str) -> None:
        body = json.dumps({"error": message}).encode()
        head = (
            f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        )
        retry = "" if status == 408 else "Retry-After: 5\r\n"
        self.transport.write(f"{head}{retry}\r\n".encode() + body)
        self.transport.close()

    def _last_answer(self) -> None:
        """Let the connection end with the answer that is being written."""
        self.cycle.keep_alive = False
        if _CLOSE not in self.cycle.default_headers:
            self.cycle.default_headers = [*self.cycle.default_headers, _CLOSE]

    def _close_if_idle(self) -> None:
        if self._is_idle:
            super().shutdown()


def trusted(proxies: Sequence[str]) -> list[Network]:
    """Return the networks of proxies, or refuse what is not an address."""
    found: list[Network] = []
    for text in proxies:
        try:
            found.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            raise RecipeError(
                f"--proxy {text}: not an address; expected one or a network; write it as 10.0.0.2"
                " or 10.0.0.0/24."
            ) from None
    return found


def _give_up_on_silence(transport: asyncio.Transport, seconds: float) -> None:
    """Let the system end a connection whose other side takes nothing any more."""
    own = transport.get_extra_info("socket")
    if sys.platform == "linux" and own.family in (socket.AF_INET, socket.AF_INET6):
        own.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * seconds))
