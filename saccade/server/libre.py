"""The routes of LibreTranslate, so that its clients can be used: /translate and /languages."""

import html
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from pydantic_core import from_json

from saccade.predict.decode import Decode
from saccade.predict.prediction import Prediction
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, translations
from saccade.server.jobs import Job
from saccade.server.models import Served, language_name
from saccade.server.refusal import Refused

_TAG = re.compile(r"(<[^<>]*>)")
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            kind: {"schema": schema.Libre.model_json_schema()}
            for kind in ("application/json", "application/x-www-form-urlencoded")
        },
    }
}
Admit = Callable[[Request, str], None]  # lets in a request with the key of its body, or refuses


def routes(desk: Desk, admit: Admit) -> APIRouter:
    """Make LibreTranslate's routes."""
    router = APIRouter()

    @router.get("/languages")
    async def languages() -> list[dict[str, Any]]:
        """List languages, and into which each can be translated."""
        targets: dict[str, list[str]] = {}
        for model in desk.models.values():
            targets.setdefault(model.source, []).append(model.target)
            targets.setdefault(model.target, [])
        return [
            {"code": code, "name": language_name(code), "targets": sorted(set(into))}
            for code, into in targets.items()
        ]

    @router.post("/translate", openapi_extra=_BODY)
    async def translate(request: Request) -> Response:
        """Translate as LibreTranslate does; `format` html keeps tags as they are."""
        asked = _asked(request.headers.get("content-type", ""), await request.body())
        admit(request, asked.api_key or "")
        return await unless_gone(request, _translated(desk, asked))

    return router


def _asked(kind: str, body: bytes) -> schema.Libre:
    """Read a body, JSON or a form."""
    try:
        if kind.startswith("application/x-www-form-urlencoded"):
            found = parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=100)
            raw: Any = {k: v[0] if len(v) == 1 else v for k, v in found.items()}
            if str(raw.get("alternatives", "")).isdigit():
                raw["alternatives"] = int(raw["alternatives"][:9])
        else:
            raw = from_json(body, allow_inf_nan=False)
        return schema.Libre.model_validate(raw)
    except ValidationError as error:
        problems = [{**e, "loc": ("body", *e["loc"])} for e in error.errors()]
        raise RequestValidationError(problems) from None
    except ValueError as error:
        raise Refused(
            400, f"body: {error}; expected JSON or a form in UTF-8; see /openapi.json."
        ) from None


def _model(desk: Desk, source: str, target: str) -> Served:
    for model in desk.models.values():
        if source in (model.source, "auto") and target == model.target:
            return model
    known = sorted({f"{model.source} to {model.target}" for model in desk.models.values()})
    raise Refused(
        400,
        f"source, target: no model translates {source[:20]!r} to {target[:20]!r}; expected"
        f" {' or '.join(known)}; see /languages.",
    )


async def _translated(desk: Desk, asked: schema.Libre) -> Response:
    model = _model(desk, asked.source, asked.target)
    texts = schema.listed(asked.q)
    desk.limits.check_texts("q", texts)
    desk.limits.check_beam("alternatives", asked.alternatives + 1)
    marked = asked.format == "html"
    split = [_TAG.split(text) if marked else [text] for text in texts]
    decode = Decode(nbest=asked.alternatives + 1)
    parts = [html.unescape(p) if marked else p for row in split for p in row[::2]]
    desk.limits.check_texts("q", parts)
    jobs = [Job(part, decode) for part in parts]
    async with desk.admitted(model, jobs):
        found = iter(await translations(jobs))
    outputs = []
    for row in split:
        done = [next(found) for _ in row[::2]]
        n = min((len(one.nbest) for one in done if not one.blank), default=1)
        outputs.append([_joined(row, done, rank, marked=marked) for rank in range(n)])
    return answer(encoded(_told(asked, outputs, model)))


def _joined(row: list[str], done: list[Prediction], rank: int, *, marked: bool) -> str:
    """Put the outputs of one rank between the tags, with the white space that was around each."""
    pieces = list(row)
    for place, one in zip(range(0, len(row), 2), done, strict=True):
        text = one.nbest[min(rank, len(one.nbest) - 1)].text
        if marked:
            before, after = row[place], row[place].rstrip()
            head = before[: len(before) - len(before.lstrip())] if after else before
            text = head + html.escape(text, quote=False) + before[len(after) :] * bool(after)
        pieces[place] = text
    return "".join(pieces)


def _told(asked: schema.Libre, outputs: list[list[str]], model: Served) -> dict[str, Any]:
    single = isinstance(asked.q, str)
    best, others = [row[0] for row in outputs], [row[1:] for row in outputs]
    told: dict[str, Any] = {"translatedText": best[0] if single else best}
    if asked.alternatives:
        told["alternatives"] = others[0] if single else others
    if asked.source == "auto":  # nothing is detected: a model has one source language
        seen: dict[str, Any] = {"language": model.source, "confidence": 0}
        told["detectedLanguage"] = seen if single else [seen] * len(outputs)
    return told
