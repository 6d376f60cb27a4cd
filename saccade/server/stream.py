"""Partial results while a text is being written, as server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from saccade.errors import SaccadeError
from saccade.predict.passage import Passage
from saccade.server import schema
from saccade.server.answers import encoded
from saccade.server.desk import Desk, jobs_of, translations
from saccade.server.refusal import Refused
from saccade.server.work import FORM, check, tell

_EVERY = 0.05  # seconds at least between two partial results of a text in several parts
_EVENTS = {"text/event-stream": {"schema": {"type": "string"}}}


def routes(desk: Desk) -> APIRouter:
    """Make the route that streams."""
    router = APIRouter()

    @router.post(
        "/v1/predict/stream",
        response_class=StreamingResponse,
        responses={200: {"content": _EVENTS, "description": "partial, then result or error"}},
        openapi_extra=FORM,
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

    def told(text: str) -> None:  # called in the engine's thread
        loop.call_soon_threadsafe(events.put_nowait, _event("partial", encoded({"text": text})))

    try:
        model = desk.model(asked.model)
        passages = check(desk, asked, model)
        if len(passages) != 1:
            raise Refused(
                400,
                f"text: {len(passages)} texts; expected one to stream; send it alone, or all of"
                " them to /v1/predict.",
            )
        jobs = jobs_of(asked, passages)
        await desk.read(model, jobs, "text")
        watches = _watches(passages[0], told)
        for job, watch in zip(jobs, watches, strict=False):  # greedy ones are not watched
            job.watch = watch
        async with desk.admitted(model, jobs):
            begun.set_result(None)
            found = await translations(jobs)
            body = await tell(desk, asked, (model, passages), found, started)
            events.put_nowait(_event("result", body))
    except SaccadeError as error:
        if begun.done():
            events.put_nowait(_event("error", encoded({"error": str(error)})))
        else:
            begun.set_exception(error)
    finally:
        events.put_nowait(b"")


def _watches(passage: Passage, tell: Callable[[str], None]) -> list[Callable[[str], None]]:
    """Return who hears of each part; `tell` hears of the whole text, not too often."""
    texts, last = [""] * len(passage.parts), 0.0

    def heard(place: int, text: str) -> None:
        nonlocal last
        texts[place] = text
        now = time.monotonic()
        if len(texts) == 1 or now - last >= _EVERY:
            last = now
            tell(passage.join(texts))

    return [partial(heard, place) for place in range(len(texts))]


async def _events(
    events: asyncio.Queue[bytes], working: asyncio.Task[None]
) -> AsyncIterator[bytes]:
    """Yield events; when nobody listens any more, stop the work."""
    try:
        while event := await events.get():
            yield event
            await asyncio.sleep(0)  # a client that has left is noticed before the next
    finally:
        working.cancel()


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)
