"""Targets for the routes of the server: a request as it goes over the wire, without a wire.

POST /v1/predict HTTP/1.1
content-type: application/json

{"text": "12"}
"""

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import unquote_to_bytes

from saccade.server.app import Settings, create_app
from saccade.server.blind import Rival
from saccade.server.keys import Door, Keys
from saccade.server.limits import Limits
from saccade.server.models import open_models
from tests.fuzz.folder_targets import STORED
from tests.fuzz.target import Target

_LIMITS = Limits(characters=60, items=4, beam=3, cells=2_000, body=20_000, seconds=5.0)
_SECONDS = 60.0  # on a machine that may be busy
_WORDS = (
    *(
        b"GET ",
        b"POST ",
        b"PUT ",
        b"OPTIONS ",
        b"HEAD ",
        b"/v1/predict",
        b"/v1/score",
        b"/translate",
    ),
    *(
        b"/v1/predict/stream",
        b"/v1/listen",
        b"/v1/listen/chunk",
        b"/v1/models",
        b"/v1/models/rnn/curves",
    ),
    *(b"/detect", b"/suggest", b"/translate_file", b"/download_file/x", b"/languages", b"/metrics"),
    *(b"/v1/blind", b"/v1/blind/next", b"/v1/blind/summary", b"/health", b"/ready", b"/?a=%ff"),
    *(b"/static/page.js", b"/static/../app.py", b"/frontend/settings", b"/openapi.json", b"/"),
    *(b"content-type: application/json", b"content-type: multipart/form-data; boundary=x", b"\n\n"),
    *(b"content-type: application/x-www-form-urlencoded", b"content-length: 5", b"host: a", b"--x"),
    *(b"transfer-encoding: chunked", b"origin: http://evil.example", b"authorization: Bearer a"),
    *(b"x-forwarded-for: 1.2.3.4", b"x-api-key: a", b"accept-language: fr;q=0.5", b"cookie: a=b"),
    *(b'"text"', b'"model"', b'"beam"', b'"nbest"', b'"views"', b'"prefix"', b'"bias"', b'"split"'),
    *(b'"source"', b'"target"', b'"q"', b'"format"', b'"alternatives"', b'"api_key"', b'"rater"'),
)
_METHODS = ("GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH")


def route_targets() -> list[Target]:
    """Return a target for servers with a model of each kind, open and with keys."""
    return [
        Target("routes", _asked(_open), words=_WORDS),
        Target("keys-routes", _asked(_keyed), words=_WORDS),
    ]


def _asked(app: Callable[[], Any]) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        found = _loop().run_until_complete(asyncio.wait_for(_answer(app(), data), _SECONDS))
        assert found.status, "no answer"
        assert found.status < 500 or found.status in (503, 504), (
            f"{found.status} {found.body[:300]!r}"
        )
        if found.status >= 400 and found.body:
            told = json.loads(found.body)
            assert set(told) == {"error"}, told

    return run


class _Found:
    """What comes back."""

    def __init__(self) -> None:
        self.status, self.body = 0, b""
        self.done = asyncio.Event()

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                self.done.set()


async def _answer(app: Any, data: bytes) -> _Found:
    """Ask as a connection does: the body in two pieces, and then nothing more."""
    scope, body = request_of(data)
    found = _Found()
    half = len(body) // 2
    pieces = [(body[:half], True), (body[half:], False)]

    async def receive() -> dict[str, Any]:
        if pieces:
            piece, more = pieces.pop(0)
            return {"type": "http.request", "body": piece, "more_body": more}
        await found.done.wait()
        return {"type": "http.disconnect"}

    await app(scope, receive, found.send)
    return found


def request_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Read a request, as a server does that forgives much."""
    head, _, body = data.replace(b"\r\n", b"\n").partition(b"\n\n")
    first, *rest = head.split(b"\n")
    method, _, target = first.partition(b" ")
    target = target.split(b" ")[0] or b"/"
    path, _, query = target.partition(b"?")
    told = method.decode("latin-1").upper()
    pairs = [line.partition(b":") for line in rest if b":" in line]
    headers = [(name.strip().lower(), value.strip()) for name, _, value in pairs]
    if not any(name == b"host" for name, _ in headers):
        headers.append((b"host", b"localhost"))
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": told if told in _METHODS else "POST",
        "scheme": "http",
        "path": _unquoted(path),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "state": {},
    }
    return scope, body


def _unquoted(path: bytes) -> str:
    found = unquote_to_bytes(path).decode("utf-8", "replace")
    return found if found.startswith("/") else f"/{found}"


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


@cache
def _open() -> Any:
    return _app(Door(), "models")


@cache
def _keyed() -> Any:
    return _app(Door(Keys(["secret"])), "reference")


def _app(door: Door, blind: Rival) -> Any:
    kinds = ("rnn", "transformer", "ctc", "forecaster")
    models = open_models([f"{kind}={STORED / kind}" for kind in kinds])
    return create_app(models, Settings(limits=_LIMITS, door=door, blind=blind))
