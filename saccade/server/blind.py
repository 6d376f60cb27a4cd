"""A blind test: raters see two outputs and not who wrote which: two models, or one and a person.

They are asked which output is better, or if they are equal (M1); and, where one is the reference,
which one the machine wrote (M2).
"""

import hashlib
import hmac
import secrets
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from saccade.errors import RecipeError
from saccade.server.desk import Desk, translations
from saccade.server.jobs import Job
from saccade.server.judgements import Judgements, Rating
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.schema import Judgement, Text

Rival = Literal["models", "reference"]  # what the first model is compared with
REFERENCE = "reference"  # what the person is called in judgements
_AHEAD = 8  # sentences translated together


class Blind:
    """The sentences, what is made of them, and what raters say."""

    def __init__(self, desk: Desk, path: Path | None, *, human: bool = False) -> None:
        self._desk = desk
        self._models = list(desk.models.values())[: 1 if human else 2]
        first, second = self._models[0], REFERENCE if human else self._models[1].name
        self.judgements = Judgements((first.name, second), path, human=human)
        fits = [e for e in first.examples if len(str(e.source)) <= desk.limits.characters]
        self.references = {str(e.source): str(e.target) for e in reversed(fits)}
        self.sentences = [
            text for text in dict.fromkeys(str(e.source) for e in fits) if text.strip()
        ]
        self._outputs: dict[int, tuple[str, str]] = {}
        self._secret = secrets.token_bytes(32)

    @property
    def n_equal(self) -> int:
        """How many sentences, of those seen so far, both write alike."""
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
        """Write a rater's choice down, and who they take for the machine."""
        rater = judgement.rater
        self._check_guess(judgement.machine)
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
        choice, machine = places[judgement.choice], places.get(judgement.machine or "", "")
        if not self.judgements.add(Rating(now, rater, names, source, outputs, choice, machine)):
            raise Refused(
                400,
                f"id: {rater!r} has judged this sentence before; expected one judgement for each;"
                " ask for the next.",
            )

    def _check_guess(self, machine: str | None) -> None:
        """Refuse a judgement without a guess where one is asked for, and the other way round."""
        if self.judgements.human and machine is None:
            raise Refused(
                400,
                "machine: found nothing; expected left or right, the output that the rater takes"
                " for the machine's; add it.",
            )
        if not self.judgements.human and machine is not None:
            raise Refused(
                400,
                f"machine: found {machine}; expected nothing, since both outputs are by machines;"
                " leave it out.",
            )

    async def _translate(self, numbers: range) -> None:
        """Let the models write, and the person, whose text is normalised as theirs are."""
        found = []
        for model in self._models:
            jobs = [Job(self.sentences[number]) for number in numbers]
            async with self._desk.admitted(model, jobs):
                found.append([one.text for one in await translations(jobs)])
        if self.judgements.human:
            words = self._models[0].translator.target.vocabulary
            texts = [self.references[self.sentences[number]] for number in numbers]
            found.append([words.normalise(text) if words else text for text in texts])
        self._outputs |= dict(zip(numbers, zip(*found, strict=True), strict=True))

    def _swapped(self, rater: str, number: int) -> bool:
        return int(self._sign("order", rater, number), 16) % 2 == 1

    def _sign(self, purpose: str, rater: str, number: int) -> str:
        said = f"{purpose}\0{number}\0{rater}".encode()
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()[:24]


def routes(desk: Desk, path: Path | None, rival: Rival = "models") -> APIRouter:
    """Make the routes of the blind test; they answer 404 if there is nobody to compare with."""
    router = APIRouter()
    if rival == REFERENCE:
        _check_person(next(iter(desk.models.values())))
    human = rival == REFERENCE
    blind = Blind(desk, path, human=human) if human or len(desk.models) == 2 else None

    def test() -> Blind:
        if blind is None:
            raise Refused(
                404,
                f"blind test: {len(desk.models)} models are served; expected two; start the server"
                " with two, or with --blind reference.",
            )
        return blind

    @router.get("/v1/blind")
    async def compared() -> dict[str, Any]:
        """Tell what the first model is compared with: models, reference, or null if nothing."""
        return {"rival": rival if blind else None}

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


def _check_person(model: Served) -> None:
    """Refuse a model that cannot be compared with what people wrote."""
    if not model.reads_text or model.translator.target.vocabulary is None:
        raise RecipeError(
            f"--blind reference: {model.name} does not read and write text; expected a model that"
            " does. Leave it out."
        )
    if model.name == REFERENCE:
        raise RecipeError(
            "--blind reference: the model is called 'reference' too; expected another name. Write"
            " NAME=FOLDER."
        )
    if not model.examples:
        raise RecipeError(
            f"--blind reference: {model.folder} carries no examples to compare with; expected"
            " examples.json. Train with --resume: it adds some."
        )
