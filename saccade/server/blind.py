"""A blind test between two models: raters see two outputs and not whose they are."""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query

from saccade.server.desk import Desk, translations
from saccade.server.jobs import Job
from saccade.server.judgements import Judgements, Rating
from saccade.server.refusal import Refused
from saccade.server.schema import Judgement, Text

_AHEAD = 8  # sentences translated together


class Blind:
    """The sentences, what the two models make of them, and what raters say."""

    def __init__(self, desk: Desk, path: Path | None) -> None:
        self._desk = desk
        first, second = desk.models.values()
        self.judgements = Judgements((first.name, second.name), path)
        fits = [e.source for e in first.examples if len(e.source) <= desk.limits.characters]
        self.sentences = [text for text in dict.fromkeys(fits) if text.strip()]
        self._outputs: dict[int, tuple[str, str]] = {}
        self._secret = secrets.token_bytes(32)

    @property
    def n_equal(self) -> int:
        """How many sentences, of those seen so far, both models translate alike."""
        return sum(first == second for first, second in self._outputs.values())

    async def next(self, rater: str) -> dict[str, Any]:
        """Return the first sentence that the rater has not judged."""
        for number, source in enumerate(self.sentences):
            if self.judgements.knows(rater, source):
                continue
            if number not in self._outputs:
                await self._translate(range(number, min(number + _AHEAD, len(self.sentences))))
            outputs = self._outputs[number]
            if outputs[0] == outputs[1]:
                continue
            left, right = outputs[::-1] if self._swapped(rater, number) else outputs
            name = f"{number}-{self._sign('id', rater, number)}"
            return {"id": name, "source": source, "left": left, "right": right}
        return {"done": True}

    def judge(self, judgement: Judgement) -> None:
        """Write a rater's choice down."""
        rater = judgement.rater
        digits, _, sign = judgement.id.partition("-")
        number = int(digits) if digits.isascii() and digits.isdigit() else -1
        known = number in self._outputs
        own = self._sign("id", rater, number)
        if not hmac.compare_digest(own.encode(), sign.encode()) or not known:
            raise Refused(
                404,
                f"id: nothing was given to {rater!r} under it; expected one of /v1/blind/next, and"
                " the same rater; ask for the next.",
            )
        names, swapped = self.judgements.models, self._swapped(rater, number)
        places = {"left": names[swapped], "right": names[not swapped], "same": "same"}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        source, outputs = self.sentences[number], self._outputs[number]
        choice = places[judgement.choice]
        if not self.judgements.add(Rating(now, rater, names, source, outputs, choice)):
            raise Refused(
                400,
                f"id: {rater!r} has judged this sentence before; expected one judgement for each;"
                " ask for the next.",
            )

    async def _translate(self, numbers: range) -> None:
        found = []
        for model in self._desk.models.values():
            jobs = [Job(self.sentences[number]) for number in numbers]
            async with self._desk.admitted(model, jobs):
                found.append([one.text for one in await translations(jobs)])
        self._outputs |= dict(zip(numbers, zip(*found, strict=True), strict=True))

    def _swapped(self, rater: str, number: int) -> bool:
        return int(self._sign("order", rater, number), 16) % 2 == 1

    def _sign(self, purpose: str, rater: str, number: int) -> str:
        said = f"{purpose}\0{number}\0{rater}".encode()
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()[:24]


def routes(desk: Desk, path: Path | None) -> APIRouter:
    """Make the routes of the blind test; they answer 404 unless two models are served."""
    router = APIRouter()
    blind = Blind(desk, path) if len(desk.models) == 2 else None

    def test() -> Blind:
        if blind is None:
            raise Refused(
                404,
                f"blind test: {len(desk.models)} models are served; expected two; start the server"
                " with two.",
            )
        return blind

    @router.get("/v1/blind/next")
    async def following(
        rater: Annotated[Text, Query(min_length=1, max_length=64)],
    ) -> dict[str, Any]:
        """Give the next pair of outputs to a rater."""
        return await test().next(rater)

    @router.post("/v1/blind")
    async def judge(judgement: Judgement) -> dict[str, bool]:
        """Take a rater's choice."""
        test().judge(judgement)
        return {"ok": True}

    @router.get("/v1/blind/summary")
    async def summary() -> dict[str, Any]:
        """Tell who wins."""
        return test().judgements.summary() | {"equal": test().n_equal}

    return router
