"""How answers leave: JSON, errors in words, and nothing at all for a client that has gone."""

import asyncio
import json
import re
from collections.abc import Coroutine
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from saccade.errors import SaccadeError
from saccade.server.refusal import Refused

_KIND = re.compile(r"str|int|float|list|dict|(?:list|dict|function-[a-z]+)\[.*\]")  # of a union
GONE = 499  # the client went away; nobody reads this


def encoded(told: object) -> bytes:
    """Write JSON as UTF-8."""
    return json.dumps(told, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def answer(body: bytes, status: int = 200) -> Response:
    """Wrap JSON that is already written."""
    return Response(body, status, media_type="application/json")


def error(status: int, message: str, retry: int = 0) -> Response:
    """Say why a request was not answered."""
    response = answer(encoded({"error": message}), status)
    if retry:
        response.headers["Retry-After"] = str(retry)
    return response


async def unless_gone(request: Request, work: Coroutine[Any, Any, Response]) -> Response:
    """Do the work, and stop it as soon as the client goes away."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            return doing.result()
        return Response(status_code=GONE)
    finally:
        doing.cancel()
        leaving.cancel()
        await asyncio.gather(doing, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def handle_errors(app: FastAPI) -> None:
    """Let every error of an application be `{"error": ...}`."""

    async def refused(_request: Request, found: Exception) -> Response:
        assert isinstance(found, Refused)
        return error(found.status, str(found), found.retry)

    async def wrong(_request: Request, found: Exception) -> Response:
        return error(400, str(found))

    async def invalid(_request: Request, found: Exception) -> Response:
        assert isinstance(found, RequestValidationError)
        return error(400, told(list(found.errors())))

    async def unknown(request: Request, found: Exception) -> Response:
        assert isinstance(found, HTTPException)
        path = request.url.path[:100]
        messages = {
            404: f"{path}: there is nothing here; expected a route of /openapi.json; look there.",
            405: f"{path}: {request.method} is not understood here; expected a method of"
            " /openapi.json; look there.",
        }
        message = messages.get(found.status_code, f"{path}: {found.detail}; see /openapi.json.")
        response = error(found.status_code, message)
        response.headers.update(found.headers or {})
        return response

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(SaccadeError, wrong)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, unknown)


def told(problems: list[Any]) -> str:
    """Say what is wrong with a body: every problem, where it is and what was expected.

    Of a value that may be of several kinds, what each expected stands in one sentence, and only
    where it is deepest: a number in a list of texts is told of the number.
    """
    rows: dict[tuple[str, ...], list[Any]] = {}
    for problem in problems[:20]:
        parts = [str(part) for part in problem["loc"] if not _KIND.fullmatch(str(part))]
        rows.setdefault(tuple(parts), []).append(problem)
    deep = {loc for loc in rows if not any(o[: len(loc)] == loc and o != loc for o in rows)}
    said = []
    for loc in [loc for loc in rows if loc in deep][:5]:
        messages = " or ".join(dict.fromkeys(problem["msg"] for problem in rows[loc]))
        found = ascii(rows[loc][0].get("input"))[:60]
        place = ".".join(loc[:6]) or "body"
        said.append(f"{place[:100]}: {messages}; found {found}; see /openapi.json.")
    return " ".join(said)
