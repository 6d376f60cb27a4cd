"""LibreTranslate's way with files: /translate_file takes one, /download_file gives the result.

A file is translated part by part beside other requests and then kept in memory for ten minutes.
"""

import asyncio
import time
from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import Response

from saccade.predict.passage import Passage
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, translations
from saccade.server.documents import Document, passages_in, read_document
from saccade.server.forms import Upload, fields_of
from saccade.server.jobs import Job
from saccade.server.libre import Admit, body_of, checked, model_for
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.shelf import Shelf

_AT_ONCE = 64  # parts of a file that wait beside those of other requests
_TIMES = 20  # the seconds of a request are the time of a file
_PAUSE = 0.2  # seconds before a full queue is asked again


def routes(desk: Desk, admit: Admit, shelf: Shelf) -> APIRouter:
    """Make the routes of files."""
    router = APIRouter(responses={403: {"model": schema.Error}, 404: {"model": schema.Error}})

    @router.post(
        "/translate_file", openapi_extra=body_of(schema.LibreFile, ["multipart/form-data"])
    )
    async def translate_file(request: Request) -> Response:
        """Translate a file of text, or the first column of a table, and tell where it lies."""
        fields = await fields_of(request)
        file = fields.pop("file", None)
        asked = checked(schema.LibreFile, {"file": "", **fields})
        admit(request, asked.api_key or "")
        if not isinstance(file, Upload):
            raise Refused(
                400,
                "file: none was sent; expected one in a form of parts (multipart/form-data); send"
                " it as `file`.",
            )
        document = read_document(file.name, file.body)
        model = model_for(desk, asked.source, asked.target, " ".join(document.texts)[:1000])

        async def work() -> Response:
            ticket = shelf.put(document.name(model.target), await _written(desk, model, document))
            asyncio.get_running_loop().call_later(shelf.seconds + 1, shelf.sweep)
            url = request.url_for("download_file", ticket=ticket)
            return answer(encoded({"translatedFileUrl": str(url)}))

        return await unless_gone(request, work())

    @router.get("/download_file/{ticket}", name="download_file")
    async def download_file(ticket: str) -> Response:
        """Give a translated file; whoever knows its name may have it."""
        file = shelf.take(ticket)
        headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
        return Response(file.body, media_type="text/plain; charset=utf-8", headers=headers)

    return router


async def _written(desk: Desk, model: Served, document: Document) -> bytes:
    """Translate a document."""
    passages = passages_in(document, model, desk.limits)
    parts = [part for passage in passages for part in passage.parts]
    until = time.monotonic() + _TIMES * desk.limits.seconds
    outputs: list[str] = []
    at_once = min(_AT_ONCE, desk.limits.queue)
    for start in range(0, len(parts), at_once):
        outputs += await _some(desk, model, parts[start : start + at_once], until)
    return document.written(_joined(passages, outputs))


def _joined(passages: Sequence[Passage], outputs: Sequence[str]) -> list[str]:
    rest = iter(outputs)
    return [passage.join([next(rest) for _ in passage.parts]) for passage in passages]


async def _some(desk: Desk, model: Served, parts: Sequence[str], until: float) -> list[str]:
    """Translate some parts; while the queue is full, wait."""
    while True:
        jobs = [Job(part) for part in parts]
        if time.monotonic() > until:
            raise Refused(
                504,
                f"file: not done after {_TIMES * desk.limits.seconds:g} seconds, the limit;"
                " expected a shorter one; send it in pieces.",
            )
        try:
            async with desk.admitted(model, jobs):
                return [one.text for one in await translations(jobs)]
        except Refused as refused:
            if refused.status != 429:
                raise
            await asyncio.sleep(_PAUSE)
