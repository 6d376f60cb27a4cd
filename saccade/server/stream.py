"""Partial results while a text is being written, as server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from saccade.errors import SaccadeError
from saccade.server import schema
from saccade.server.answers import encoded
from saccade.server.desk import Desk, jobs_of, translations
from saccade.server.refusal import Refused
from saccade.server.work import check, tell

_EVENTS = {"text/event-stream": {"schema": {"type": "string"}}}


def routes(desk: Desk) -> APIRouter:
    """Make the route that streams."""
    router = APIRouter()

    @router.post(
        "/v1/predict/stream",
        response_class=StreamingResponse,
        responses={200: {"content": _EVENTS, "description": "partial, then result or error"}},
    )
    async def stream(asked: schema.Predict) -> StreamingResponse:
        """Translate one text and tell the best output so far after every step."""
        events: asyncio.Queue[bytes] = asyncio.Queue()
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        working = asyncio.create_task(_work(desk, asked, events, begun))
        await begun  # what is refused is refused with a status
        return StreamingResponse(_events(events, working), media_type="text/event-stream")

    return router


async def _work(
    desk: Desk, asked: schema.Predict, events: asyncio.Queue[bytes], begun: asyncio.Future[None]
) -> None:
    """Put events into a queue; the last is empty."""
    loop, started = asyncio.get_running_loop(), time.monotonic()

    def partial(text: str) -> None:  # called in the engine's thread
        loop.call_soon_threadsafe(events.put_nowait, _event("partial", encoded({"text": text})))

    try:
        model, texts = desk.model(asked.model), check(desk, asked)
        if len(texts) != 1:
            raise Refused(
                400,
                f"text: {len(texts)} texts; expected one to stream; send it alone, or all of them"
                " to /v1/predict.",
            )
        jobs = jobs_of(asked, texts)
        jobs[0].watch = partial
        async with desk.admitted(model, jobs):
            begun.set_result(None)
            found = await translations(jobs)
            events.put_nowait(_event("result", await tell(desk, asked, model, found, started)))
    except SaccadeError as error:
        if begun.done():
            events.put_nowait(_event("error", encoded({"error": str(error)})))
        else:
            begun.set_exception(error)
    finally:
        events.put_nowait(b"")


async def _events(
    events: asyncio.Queue[bytes], working: asyncio.Task[None]
) -> AsyncIterator[bytes]:
    """Yield events; when nobody listens any more, stop the work."""
    try:
        while event := await events.get():
            yield event
    finally:
        working.cancel()


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
