"""Runs the application with uvicorn until a signal asks it to stop; then it finishes its work."""

import ipaddress
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from saccade.server.limits import Limits


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


def server_of(app: FastAPI, address: Address, limits: Limits) -> uvicorn.Server:
    """Make the server; `run` runs it."""
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=address.host,
            port=address.port,
            log_level="warning",
            access_log=False,  # what people translate is nobody's business
            server_header=False,
            date_header=True,
            lifespan="on",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=int(limits.seconds) + 5,
        )
    )
