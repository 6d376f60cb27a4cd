"""Forms in parts with files, for /v1/predict: turned into the JSON that the route reads anyway.

So there is one schema, one set of limits and one kind of error. A picture or a sound becomes a data
URI, whose kind its first bytes say; any other file is text. The body is in memory already: nothing
is written to a disk.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json
from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.modalities._uri import KINDS, SOUNDS, is_media, to_uri
from saccade.server.headers import refuse
from saccade.server.limits import Limits
from saccade.server.refusal import Refused

PATHS = ("/v1/predict", "/v1/predict/stream")
INPUTS = ("text", "file")  # fields that hold what a model with one source reads
LISTS = ("want", "views")
VALUES = ("beam", "nbest", "length_penalty", "bias", "seed", "words", "smooth")  # no texts
WORDS = ("model", "prefix", "head", "split")

_FIELDS = 64  # beside the inputs
_HEADERS = 4096  # bytes of those of a part
_FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class FormPart:
    """One field of a form; a file has a name, "" if its sender gave it none."""

    name: str
    body: bytes
    file: str | None = None


class Uploaded:
    """Rewrites forms to JSON before the application sees them; the body has been read whole."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say what is wrong with its form."""
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        kind = headers.get("content-type", "")
        if scope.get("path") not in PATHS or not kind.lower().startswith(_FORM):
            await self._app(scope, receive, send)
            return
        body = (await receive()).get("body", b"")
        try:
            written = await asyncio.to_thread(_rewritten, kind, body, self._limits)
        except Refused as refused:
            await refuse(send, refused.status, str(refused))
            return
        del body
        scope = {**scope, "headers": list(scope["headers"])}
        changed = MutableHeaders(scope=scope)
        changed["content-type"] = "application/json"
        changed["content-length"] = str(len(written))
        waiting: list[Message] = [{"type": "http.request", "body": written, "more_body": False}]
        del written

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, replayed, send)


def _rewritten(kind: str, body: bytes, limits: Limits) -> bytes:
    return to_json(request_of(parts_of(kind, body, limits.items + _FIELDS), limits))


def parts_of(kind: str, body: bytes, most: int) -> list[FormPart]:
    """Cut a form into its parts (RFC 7578); refuse one that has no end, or too many parts.

    Args:
        kind: the Content-Type of the request.
        body: all of it.
        most: how many parts there may be.
    """
    boundary = parse_options_header(kind)[1].get(b"boundary", b"")
    if not boundary or len(boundary) > 70:
        raise Refused(
            400,
            f"body: a form with a boundary of {len(boundary)} characters in its Content-Type;"
            " expected 1 to 70; let your client write that header.",
        )
    cut = b"\r\n--" + boundary
    pieces = (b"\r\n" + body).split(cut, most + 2)
    if len(pieces) > most + 2:
        raise Refused(
            413, f"body: more than {most} parts; expected at most that; send several requests."
        )
    if not pieces[-1].startswith(b"--"):
        raise Refused(
            400,
            f"body: a form of {len(pieces) - 1} parts without its end; expected the boundary and"
            " -- last; send all of it.",
        )
    return [_part(piece) for piece in pieces[1:-1]]


def _part(piece: bytes) -> FormPart:
    head, gap, body = piece.partition(b"\r\n\r\n")
    name: bytes | None = None
    options: Mapping[bytes, bytes] = {}
    if gap and len(head) <= _HEADERS:
        for line in head.split(b"\r\n"):
            title, _, value = line.partition(b":")
            if title.strip().lower() == b"content-disposition":
                options = parse_options_header(value.strip())[1]
                name = options.get(b"name")
    if name is None:
        raise Refused(
            400,
            f"body: a part that begins with {piece[2:40]!r}; expected a Content-Disposition with a"
            " name; let your client write the form.",
        )
    file = options.get(b"filename")
    shown = None if file is None else file.decode("utf-8", "replace")[:60]
    return FormPart(name.decode("utf-8", "replace")[:100], body, shown)


def request_of(parts: Sequence[FormPart], limits: Limits) -> dict[str, Any]:
    """Return what the parts of a form say, as the JSON of /v1/predict says it.

    `text` or `file` is the input, given once or several times. A field that /v1/predict does not
    know is a source of the model by its name.
    """
    rows: dict[str, list[Any]] = {}
    for part in parts:
        rows.setdefault(part.name, []).append(_value(part, limits))
    inputs = [value for name in INPUTS for value in rows.pop(name, [])]
    asked: dict[str, Any] = {name: rows.pop(name) for name in LISTS if name in rows}
    for name in (*VALUES, *WORDS):
        if name in rows:
            values = rows.pop(name)
            asked[name] = values[0] if len(values) == 1 else values
    named = _named(rows)
    if named and inputs:
        raise Refused(
            400,
            f"body: the fields {', '.join(INPUTS)} and {', '.join(rows)[:100]}; expected an input,"
            " or sources by their names; leave one out.",
        )
    found = named or inputs
    if not found:
        raise Refused(
            400,
            "body: a form without an input; expected a field `file` or `text`, or the names of the"
            " model's sources; send one.",
        )
    return {**asked, "text": found[0] if len(found) == 1 else found}


def _named(rows: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return inputs of several sources: the first of each, the second of each, and so on."""
    counts = {len(values) for values in rows.values()}
    if len(counts) > 1:
        said = ", ".join(f"{name[:20]} {len(values)}" for name, values in [*rows.items()][:8])
        raise Refused(
            400, f"body: sources given unequally often: {said}; expected as many of each; add some."
        )
    return [dict(zip(rows, values, strict=True)) for values in zip(*rows.values(), strict=True)]


def _value(part: FormPart, limits: Limits) -> Any:
    """Return what a part holds: a file as a data URI, a number, true or false, or text."""
    where = part.name if part.file is None else f"{part.name} {part.file!r}"
    if part.file is not None and is_media(part.body):
        limits.check_picture(where, len(part.body))
        return to_uri(part.body, where)
    try:
        text = part.body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(
            400,
            f"{where}: begins with {part.body[:8]!r}; expected a picture ({KINDS}), a sound"
            f" ({SOUNDS}) or text in UTF-8; save it as one of them.",
        ) from None
    if part.name not in VALUES:
        return text
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        return text  # the schema says what is wrong with it
