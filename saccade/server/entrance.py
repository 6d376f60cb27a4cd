"""Where requests come in: the key is checked and the rate counted before a body is read."""

import ipaddress

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from saccade.server.clients import CLIENT
from saccade.server.headers import refuse
from saccade.server.keys import Door
from saccade.server.neighbours import Neighbours
from saccade.server.refusal import Refused

OPEN = frozenset(
    ("/", "/health", "/ready", "/languages", "/frontend/settings", "/suggest", "/openapi.json")
)
OPEN_BELOW = ("/static/", "/download_file/")
KEY_IN_BODY = frozenset(("/translate", "/detect", "/translate_file"))  # as LibreTranslate has it
_ADMITTED = "saccade.admitted"


class Entrance:
    """Lets a request in by its headers, or answers 401 or 429; notes who it is from.

    Where the key may stand in the body, a request without one in its headers is let through to its
    route, which calls `admit_late`.
    """

    def __init__(self, app: ASGIApp, door: Door, neighbours: Neighbours) -> None:
        self._app, self._door, self._neighbours = app, door, neighbours

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        known = self._neighbours.client(scope)
        if known is not None:
            CLIENT.set(known)
            scope[_ADMITTED] = True
            await self._app(scope, receive, send)
            return
        path, key, address = scope["path"], key_of(Headers(scope=scope)), address_of(scope)
        CLIENT.set(address)
        late = path in KEY_IN_BODY and self._door.keyed and not key
        if not late and not is_open(path):
            try:
                CLIENT.set(self._door.admit(key, address))
            except Refused as refused:
                status = libre_status(refused) if path in KEY_IN_BODY else refused.status
                await refuse(send, status, str(refused), refused.retry)
                return
            scope[_ADMITTED] = True
        await self._app(scope, receive, send)


def admit_late(door: Door, request: Request, key: str) -> None:
    """Let a request in by the key of its body, unless its headers have done so."""
    if request.scope.get(_ADMITTED):
        return
    try:
        CLIENT.set(door.admit(key, address_of(request.scope)))
    except Refused as refused:
        raise Refused(libre_status(refused), str(refused), retry=refused.retry) from None


def libre_status(refused: Refused) -> int:
    """Return the status that LibreTranslate's clients know: 403, not 401."""
    return 403 if refused.status == 401 else refused.status


def is_open(path: str) -> bool:
    """Tell whether a path needs no key."""
    return path in OPEN or path.startswith(OPEN_BELOW)


def key_of(headers: Headers) -> str:
    """Return the key that headers bring, or nothing."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")


def address_of(scope: Scope) -> str:
    """Return where a request comes from."""
    return network_of(scope["client"][0]) if scope.get("client") else ""


def network_of(host: str) -> str:
    """Return the address of a client, or the network that one client has to itself.

    >>> network_of("192.0.2.7"), network_of("2001:db8::1:2:3:4")
    ('192.0.2.7', '2001:db8::')
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:
        return host
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False).network_address)
