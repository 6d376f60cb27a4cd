"""Runs the application with uvicorn until a signal asks it to stop; then it finishes its work."""

import asyncio
import ipaddress
import socket
import sys
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from saccade.server.app import Settings
from saccade.server.connections import Guard, Guarded, trusted

_WAITING, _AT_ONCE = 2048, 8  # connections that wait to be accepted, and accepted in one go


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen."""

    host: str = "127.0.0.1"
    port: int = 8000

    @property
    def url(self) -> str:
        """How a browser on this machine finds it."""
        anywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}
        host = anywhere.get(self.host, self.host)
        return f"http://[{host}]:{self.port}/" if ":" in host else f"http://{host}:{self.port}/"

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


class Graceful(uvicorn.Server):
    """A server that drops no connection that has reached it when it ends.

    Several may accept from the same socket: each takes a few at a time, and many can wait.
    """

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept."""
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_WAITING)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no new connections; let those that were just taken begin; then end."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0)
        for server in self.servers:
            for place in server.sockets if sys.platform != "win32" else ():
                loop.remove_reader(place.fileno())
        for _ in range(3):  # a connection that was accepted becomes one of ours
            await asyncio.sleep(0)
        await super().shutdown(sockets)


def server_of(app: FastAPI, address: Address, settings: Settings) -> uvicorn.Server:
    """Make the server; `run` runs it."""
    limits, proxies = settings.limits, settings.proxies
    guard = Guard(limits, settings.shared.held, trusted(proxies))
    return Graceful(
        uvicorn.Config(
            app,
            host=address.host,
            port=address.port,
            http=Guarded.of(guard),
            ws="none",
            proxy_headers=True,
            forwarded_allow_ips=list(proxies),
            log_level="warning",
            access_log=False,  # what people translate is nobody's business
            server_header=False,
            date_header=True,
            lifespan="on",
            timeout_keep_alive=30,
            backlog=_AT_ONCE,
            timeout_graceful_shutdown=int(limits.seconds) + 5,
        )
    )
