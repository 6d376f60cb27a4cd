"""Keeps pages of other origins from using a browser to send forms here."""

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from saccade.errors import RecipeError
from saccade.server.headers import refuse

_READING = ("GET", "HEAD", "OPTIONS")


class SameOrigin:
    """Refuses what a browser sends for a page of another origin, unless that origin is allowed.

    A browser says so in Sec-Fetch-Site, an older one in Origin; programs send neither.
    """

    def __init__(self, app: ASGIApp, allowed: Collection[str] = ()) -> None:
        self._app, self._allowed = app, frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 403."""
        if scope["type"] == "http" and scope["method"] not in _READING:
            headers = Headers(scope=scope)
            if not self._is_ours(headers):
                found = headers.get("origin", "another site")
                await refuse(
                    send,
                    403,
                    f"origin: {found[:100]!r} is another site; expected a page of this server, or"
                    " a program; allow it with --allow-origin.",
                )
                return
        await self._app(scope, receive, send)

    def _is_ours(self, headers: Headers) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin in self._allowed or site in ("same-origin", "none"):
            return True
        if origin is None:
            return site is None
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def check_origin(text: str) -> str:
    """Return an origin as browsers write it, or refuse it."""
    found = urlsplit(text)
    if found.scheme not in ("http", "https") or not found.netloc or found.path.strip("/"):
        raise RecipeError(
            f"--allow-origin {text}: not an origin; expected a scheme and a name without a path;"
            " write it as https://www.example.org."
        )
    return f"{found.scheme}://{found.netloc}".lower()
