"""The routes that hear a sound in chunks, as from a microphone, and tell what is said meanwhile."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from fastapi.responses import Response

from saccade.modalities._pauses import Stretch
from saccade.modalities._wave import Samples
from saccade.predict.decode import Decode
from saccade.predict.listening import GROWN, Heard
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, translations
from saccade.server.ears import Ear, Ears
from saccade.server.jobs import Job
from saccade.server.predict import score_number
from saccade.server.refusal import Refused


def routes(desk: Desk, ticket: Callable[[], str]) -> APIRouter:
    """Make the routes of /v1/listen; `ticket` makes the names of streams."""
    router, ears = APIRouter(), Ears(desk.limits, ticket=ticket)

    @router.post("/v1/listen", response_model=schema.ListenAnswer)
    async def begin(asked: schema.Listen) -> Response:
        """Begin to hear a sound that is sent in chunks."""
        desk.limits.check_beam("beam", asked.beam or 1)
        model = desk.model(asked.model)
        ticket = ears.open(model, asked.rate, asked.pause, Decode(asked.beam))
        return answer(encoded({"stream": ticket, "seconds": desk.limits.heard}))

    @router.post("/v1/listen/chunk", response_model=schema.HeardAnswer)
    async def chunk(asked: schema.SoundChunk, request: Request) -> Response:
        """Hear more of a sound; tell what is final, and what may still change."""
        return await unless_gone(request, _heard(desk, ears, asked))

    return router


async def _heard(desk: Desk, ears: Ears, asked: schema.SoundChunk) -> Response:
    with ears.taken(asked.stream, last=asked.last) as ear:
        samples = _samples(asked.samples)
        most, seconds = desk.limits.heard, ear.sound.seconds + len(samples) / ear.sound.rate
        if seconds > most:
            raise Refused(
                413,
                f"samples: the sound lasts {seconds:.1f} seconds with these; expected at most"
                f" {most:g}; begin a new one.",
            )

        def push() -> list[Stretch]:
            ended = ear.sound.push(samples)
            return [*ended, *ear.sound.finish()] if asked.last else ended

        ended = await desk.drawn(push)
        going = None if asked.last else _grown(ear)
        found = await _written(desk, ear, [*ended, *([going] if going else [])])
        if going:
            ear.partial = found.pop()
        final, partial = found, None if asked.last or not ear.sound.current else ear.partial

        def write() -> bytes:
            told = [_told(one) for one in final]
            shown = None if partial is None else _told(partial)
            return encoded({"seconds": round(seconds, 3), "final": told, "partial": shown})

        return answer(await desk.drawn(write))


def _grown(ear: Ear) -> Stretch | None:
    """Return the stretch that goes on, if it is new or has grown enough to be read once more."""
    current, before = ear.sound.current, ear.partial
    if current is None:
        return None
    begins, ends = ear.sound.times(current)
    known = before is not None and before.begins == begins
    if before is not None and known and ends - begins <= GROWN * (before.ends - begins):
        return None
    return current


async def _written(desk: Desk, ear: Ear, stretches: Sequence[Stretch]) -> list[Heard]:
    """Let the model write stretches down, among all that it has to do."""
    if not stretches:
        return []
    (name,) = ear.model.translator.sources
    jobs = []
    for one in stretches:
        given = {name: ear.sound.sound(one)}
        jobs.append(Job(given, ear.decode, pieces=ear.model.translator.size(given)))
    async with desk.admitted(ear.model, jobs):
        found = await translations(jobs)
    return [
        Heard(prediction, *ear.sound.times(one))
        for prediction, one in zip(found, stretches, strict=True)
    ]


def _told(heard: Heard) -> dict[str, Any]:
    return {
        "text": heard.text,
        "begins": round(heard.begins, 3),
        "ends": round(heard.ends, 3),
        "score": score_number(heard.prediction.score),
        "words": [word.plain() for word in heard.words],
    }


def _samples(text: str) -> Samples:
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b"?"
    if len(data) % 2:
        raise Refused(
            400,
            f"samples: {text[:20]!r} is not base64 of whole samples; expected signed 16 bits, low"
            " byte first; encode them anew.",
        )
    return np.frombuffer(data, dtype="<i2").astype(np.int16)
