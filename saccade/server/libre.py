"""The routes of LibreTranslate, so that its clients can be used.

They are those of its version 1.6: /translate, /detect, /languages, /frontend/settings, /suggest;
files are in `libre_files.py`. Fields that are not known are passed over, as it does.
"""

import html
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, ValidationError

from saccade.predict.decode import Decode
from saccade.predict.passage import Passage
from saccade.predict.prediction import Prediction
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, translations
from saccade.server.detection import detect
from saccade.server.documents import KINDS
from saccade.server.forms import fields_of
from saccade.server.jobs import Job
from saccade.server.models import Served, language_name
from saccade.server.passages import passages_of
from saccade.server.refusal import Refused

AUTO = "auto"
_TAG = re.compile(r"(<[^<>]*>)")
_FORMS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
Admit = Callable[[Request, str], None]  # lets in a request with the key of its body, or refuses
Fields = TypeVar("Fields", bound=BaseModel)


def body_of(model: type[BaseModel], kinds: Sequence[str] = _FORMS) -> dict[str, Any]:
    """Describe a body that is read by hand."""
    content = {kind: {"schema": model.model_json_schema()} for kind in kinds}
    return {"requestBody": {"required": True, "content": content}}


def routes(desk: Desk, admit: Admit, *, keyed: bool = False) -> APIRouter:
    """Make LibreTranslate's routes; `keyed` tells that a key is needed."""
    router = APIRouter(responses={403: {"model": schema.Error}})

    @router.get("/languages")
    async def languages() -> list[dict[str, Any]]:
        """List languages, and into which each can be translated."""
        return _languages(desk)

    @router.get("/frontend/settings")
    async def settings() -> dict[str, Any]:
        """Tell what a page of LibreTranslate must know."""
        return _settings(desk, keyed=keyed)

    @router.post("/detect", openapi_extra=body_of(schema.Detect))
    async def detected(request: Request) -> list[dict[str, Any]]:
        """Tell which language a text looks like; confidence 0 if nobody can tell."""
        asked = checked(schema.Detect, await fields_of(request))
        admit(request, asked.api_key or "")
        texts = schema.listed(asked.q)
        desk.limits.check_texts("q", texts)
        return [dict(one) for one in detect(desk.models.values(), " ".join(texts))]

    @router.post("/suggest")
    async def suggest() -> Response:
        """Refuse a suggestion: nothing that is sent here is kept."""
        raise Refused(
            403,
            "suggest: this server keeps no suggestions; expected another; see suggestions in"
            " /frontend/settings.",
        )

    @router.post("/translate", openapi_extra=body_of(schema.Libre))
    async def translate(request: Request) -> Response:
        """Translate as LibreTranslate does; `format` html keeps tags as they are."""
        asked = checked(schema.Libre, await fields_of(request))
        admit(request, asked.api_key or "")
        return await unless_gone(request, _translated(desk, asked))

    return router


def checked(model: type[Fields], fields: dict[str, Any]) -> Fields:
    """Check the fields of a body."""
    try:
        return model.model_validate(fields)
    except ValidationError as error:
        problems = [{**e, "loc": ("body", *e["loc"])} for e in error.errors()]
        raise RequestValidationError(problems) from None


def model_for(desk: Desk, source: str, target: str, text: str = "") -> Served:
    """Find the model of two languages; of several that fit `auto` the one that knows the text."""
    fits = [m for m in desk.models.values() if source in (m.source, AUTO) and target == m.target]
    if source == AUTO and len(fits) > 1:
        language = detect(fits, text)[0]["language"]
        fits = [model for model in fits if model.source == language]
    if fits:
        return fits[0]
    known = sorted({f"{model.source} to {model.target}" for model in desk.models.values()})
    raise Refused(
        400,
        f"source, target: no model translates {source[:20]!r} to {target[:20]!r}; expected"
        f" {' or '.join(known)}; see /languages.",
    )


def _languages(desk: Desk) -> list[dict[str, Any]]:
    targets: dict[str, list[str]] = {}
    for model in desk.models.values():
        targets.setdefault(model.source, []).append(model.target)
        targets.setdefault(model.target, [])
    return [
        {"code": code, "name": language_name(code), "targets": sorted(set(into))}
        for code, into in targets.items()
    ]


def _settings(desk: Desk, *, keyed: bool) -> dict[str, Any]:
    first = next(iter(desk.models.values()))
    codes = {"source": first.source, "target": first.target}
    return {
        "apiKeys": keyed,
        "keyRequired": keyed,
        "charLimit": desk.limits.characters,
        "frontendTimeout": 500,  # milliseconds after a key before a page asks
        "suggestions": False,
        "filesTranslation": True,
        "supportedFilesFormat": list(KINDS),
        "language": {
            side: {"code": code, "name": language_name(code)} for side, code in codes.items()
        },
    }


async def _translated(desk: Desk, asked: schema.Libre) -> Response:
    texts = schema.listed(asked.q)
    desk.limits.check_texts("q", texts)
    desk.limits.check_beam("alternatives", asked.alternatives + 1)
    model = model_for(desk, asked.source, asked.target, " ".join(texts))
    marked = asked.format == "html"
    split = [_TAG.split(text) if marked else [text] for text in texts]
    fragments = [html.unescape(p) if marked else p for row in split for p in row[::2]]
    desk.limits.check_texts("q", fragments)
    passages = passages_of(model, desk.limits, fragments, "q")
    decode = Decode(nbest=asked.alternatives + 1)
    jobs = [Job(part, decode) for passage in passages for part in passage.parts]
    async with desk.admitted(model, jobs):
        found = iter(await translations(jobs))
    cut, outputs = iter(passages), []
    for row in split:
        done = [(p, [next(found) for _ in p.parts]) for p in (next(cut) for _ in row[::2])]
        kept = [len(one.nbest) for _, several in done for one in several if not one.blank]
        ranks = range(min(kept, default=1))
        outputs.append([_joined(row, done, rank, marked=marked) for rank in ranks])
    return answer(encoded(_told(asked, outputs, model)))


def _joined(
    row: list[str], done: list[tuple[Passage, list[Prediction]]], rank: int, *, marked: bool
) -> str:
    """Put the outputs of one rank between the tags, with the white space that was around each."""
    pieces = list(row)
    for place, (passage, several) in zip(range(0, len(row), 2), done, strict=True):
        texts = [one.nbest[min(rank, len(one.nbest) - 1)].text for one in several]
        pieces[place] = passage.join(
            [html.escape(t, quote=False) for t in texts] if marked else texts
        )
    return "".join(pieces)


def _told(asked: schema.Libre, outputs: list[list[str]], model: Served) -> dict[str, Any]:
    single = isinstance(asked.q, str)
    best, others = [row[0] for row in outputs], [row[1:] for row in outputs]
    told: dict[str, Any] = {"translatedText": best[0] if single else best}
    if asked.alternatives:
        told["alternatives"] = others[0] if single else others
    if asked.source == AUTO:
        seen = [detect([model], text)[0] for text in schema.listed(asked.q)]
        told["detectedLanguage"] = seen[0] if single else seen
    return told
