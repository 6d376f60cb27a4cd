"""Connections of real sockets: too slow, too many, and those that are open at a shutdown."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from saccade.errors import RecipeError
from saccade.server.app import Settings
from saccade.server.connections import Guard, trusted
from saccade.server.keys import Door, Rates
from saccade.server.limits import Limits
from saccade.server.memory import HeldCounts
from saccade.server.models import Served
from tests.server.live import Live, running, until

HEALTH = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"


@contextmanager
def connected(live: Live) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", live.port), timeout=20) as found:
        yield found


def everything(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    return b"".join(iter(lambda: connection.recv(4096), b""))


def test_a_header_that_does_not_come_is_not_waited_for(tiny: Served) -> None:
    with running(tiny, settings=Settings(limits=Limits(header=0.1))) as live, ExitStack() as stack:
        silent, slow, second, refused = (stack.enter_context(connected(live)) for _ in range(4))
        slow.sendall(HEALTH[:20])
        second.sendall(HEALTH + HEALTH[:20])
        refused.sendall(b"POST /v1/predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n{")
        for one in (silent, slow):
            head, _, body = everything(one).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
            assert json.loads(body)["error"] == (
                "request: no whole header after 0.1 seconds; expected it sooner; send it in one go."
            )
        told = everything(second)
        assert told.startswith(b"HTTP/1.1 200")
        assert b"HTTP/1.1 408" in told
        told = everything(refused)
        assert told.startswith(b"HTTP/1.1 413")
        assert b"408" not in told
        assert httpx.get(f"{live.url}/health").status_code == 200


def test_only_so_many_connections(tiny: Served) -> None:
    limits = Limits(connections=2)
    with running(tiny, settings=Settings(limits=limits)) as live, ExitStack() as stack:
        both = [stack.enter_context(connected(live)) for _ in range(2)]
        for one in both:
            one.sendall(HEALTH)
            assert one.recv(100).startswith(b"HTTP/1.1 200")
        with connected(live) as third:
            told = everything(third)
        assert told.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"server: 2 connections; expected fewer; try again in 5 seconds." in told
        both[0].close()

        def free() -> bool:
            return httpx.get(f"{live.url}/health").status_code == 200

        until(free)


def test_only_so_many_connections_of_an_address() -> None:
    held = HeldCounts.alone()
    guard = Guard(Limits(of_address=2), held, trusted(["127.0.0.1", "10.0.0.0/8"]))
    for host in ("192.0.2.1", "192.0.2.1", "192.0.2.2", *["10.1.2.3"] * 3):
        assert guard.enter(host) == (0, "")
    assert guard.enter("192.0.2.1") == (
        429,
        "server: 2 connections from 192.0.2.1; expected at most 2; close some, or use one for"
        " several requests.",
    )
    guard.leave("192.0.2.1")
    assert guard.enter("192.0.2.1") == (0, "")
    assert held.counts.total("connections") == 6
    for host in ("2001:db8::1", "2001:db8::2"):
        assert guard.enter(host) == (0, "")
    assert guard.enter("2001:db8::3")[0] == 429  # one network, one client


def test_a_proxy_is_an_address_or_a_network() -> None:
    with pytest.raises(RecipeError, match="--proxy example: not an address; expected one or a net"):
        trusted(["example"])


def test_a_proxy_says_whom_it_asks_for(tiny: Served) -> None:
    def ask(live: Live, client: str) -> int:
        headers = {"x-forwarded-for": client}
        return httpx.get(f"{live.url}/v1/models", headers=headers).status_code

    with running(tiny, settings=Settings(door=Door(None, Rates(1)))) as live:
        assert [ask(live, one) for one in ("192.0.2.1", "192.0.2.2", "192.0.2.1")] == [
            200,
            200,
            429,
        ]
    others = Settings(door=Door(None, Rates(1)), proxies=["192.0.2.9"])
    with running(tiny, settings=others) as live:
        assert [ask(live, one) for one in ("192.0.2.1", "192.0.2.2")] == [200, 429]


def test_a_connection_that_is_open_at_a_shutdown_may_still_ask(tiny: Served) -> None:
    with running(tiny, linger=20.0) as live, connected(live) as one, connected(live) as fresh:
        one.sendall(HEALTH)
        told = b""
        while b'"ok"' not in told:
            told += one.recv(4096)
        live.server.should_exit = True
        until(lambda: not live.server.servers[0].is_serving())
        for connection in (one, fresh):
            connection.sendall(HEALTH)
            told = everything(connection)
            assert told.startswith(b"HTTP/1.1 200")
            assert b"connection: close\r\n" in told
        live.thread.join(timeout=20)
        assert not live.thread.is_alive()
