"""The routes that translate, score and tell which models there are."""

import time
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from saccade.modalities._notation import Notation
from saccade.nouns import Example
from saccade.predict.passage import Passage
from saccade.predict.prediction import Prediction
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, jobs_of, scores, translations
from saccade.server.jobs import Job
from saccade.server.limits import Input
from saccade.server.models import Served
from saccade.server.passages import joined, never_blank, passages_of
from saccade.server.predict import check_size, is_heavy, result, score_number, seen_of, views_of
from saccade.server.refusal import Refused

_SHOWN = 12  # examples of each model
FORM = {"requestBody": {"content": {"multipart/form-data": {"schema": schema.upload_schema()}}}}


def routes(desk: Desk) -> APIRouter:
    """Make the routes of /v1 that work on texts."""
    router = APIRouter()

    @router.get("/v1/models", response_model=schema.Models)
    async def models() -> Response:
        """List the models."""
        names = ("characters", "items", "beam", "picture", "points")
        limits = {name: getattr(desk.limits, name) for name in names}
        listed = [told(model) for model in desk.models.values()]
        return answer(encoded({"models": listed, "limits": limits}))

    @router.post("/v1/predict", response_model=schema.Predicted, openapi_extra=FORM)
    async def predict(asked: schema.Predict, request: Request) -> Response:
        """Translate, with everything there is to know about it."""
        return await unless_gone(request, predicted(desk, asked))

    @router.post("/v1/score", response_model=schema.ScoreAnswer)
    async def score(asked: schema.ScoreRequest, request: Request) -> Response:
        """Say how likely given targets are."""
        return await unless_gone(request, _scored(desk, asked))

    return router


def told(model: Served) -> dict[str, Any]:
    """Describe a model."""
    shown = model.examples[:: max(len(model.examples) // _SHOWN, 1)][:_SHOWN]
    return {
        "name": model.name,
        "description": model.description,
        "source": model.source,
        "target": model.target,
        "parameters": model.n_parameters,
        "attention": model.translator.attention_names,
        "self_attention": model.translator.self_attention_names,
        "views": views_of(model.translator),
        "sources": list(model.translator.sources),
        "inputs": [_input(name, codec) for name, codec in model.translator.sources.items()],
        "splits": model.unit,
        "examples": [_example(one) for one in shown],
        "trains": model.trains,
        "draws": model.draws,
        "beams": model.beams,
    }


_KINDS = {  # by the view
    "picture": "picture",
    "film": "clip",
    "spectrogram": "sound",
    "strokes": "strokes",
    "story": "story",
}


def _input(name: str, codec: Notation) -> dict[str, Any]:
    """Describe a source, so that a page knows what to ask for."""
    kind = "text" if codec.vocabulary is not None else "values"
    return {
        "name": name,
        "kind": _KINDS.get(codec.view, kind),
        "limit": codec.limit,
    }


def _example(one: Example) -> dict[str, Any]:
    several = {"sources": dict(one.sources)} if len(one.sources) > 1 else {}
    return {"source": one.source, "reference": one.target, **several}


def check(desk: Desk, asked: schema.Predict, model: Served) -> list[Passage]:
    """Refuse what is over a limit; return the texts in the parts that the model reads."""
    texts: list[Input] = [*schema.inputs(asked.text)]
    _check_sources(desk, model, texts, "text")
    if asked.bias is not None and not model.draws:
        raise Refused(
            400,
            f"bias: {asked.bias:g}, but {model.name} draws no values; expected a model that does,"
            " such as one of handwriting; leave it out.",
        )
    desk.limits.check_texts("prefix", [asked.prefix])
    desk.limits.check_beam("beam", asked.beam or 1)
    desk.limits.check_beam("nbest", asked.nbest)
    return never_blank(passages_of(model, desk.limits, texts, "text", asked.split), texts)


def _check_sources(desk: Desk, model: Served, texts: list[Input], where: str) -> None:
    desk.limits.check_texts(
        where, texts, pictures=model.reads_pictures, strokes=model.reads_strokes
    )


async def predicted(desk: Desk, asked: schema.Predict) -> Response:
    """Translate and tell."""
    started, model = time.monotonic(), desk.model(asked.model)
    passages = check(desk, asked, model)
    jobs = jobs_of(asked, passages)
    await desk.read(model, jobs, "text")
    async with desk.admitted(model, jobs):
        found = await translations(jobs)
        return answer(await tell(desk, asked, (model, passages), found, started))


async def tell(
    desk: Desk,
    asked: schema.Predict,
    given: tuple[Served, Sequence[Passage]],
    found: list[Prediction],
    started: float,
) -> bytes:
    """Write the answer to what was asked; greedy outputs, if there are, stand after the others."""
    model, passages = given
    n = sum(len(passage.parts) for passage in passages)
    greedy: list[Prediction | None] = [*found[n:]] or [None] * n
    pairs = zip(found[:n], greedy, strict=True)
    seen = [seen_of(model.translator, one, plain, asked) for one, plain in pairs]
    check_size(desk.limits, asked, seen)

    def write() -> bytes:
        told = (result(one, asked) for one in seen)
        results = [joined(passage, [next(told) for _ in passage.parts]) for passage in passages]
        seconds = round(time.monotonic() - started, 4)
        return encoded({"model": model.name, "seconds": seconds, "results": results})

    looks = model.recipe.decoding.replace_unknown  # the text itself depends on attention
    return await desk.drawn(write) if looks or is_heavy(asked) else write()


async def _scored(desk: Desk, asked: schema.ScoreRequest) -> Response:
    model = desk.model(asked.model)
    sources: list[Input] = [*schema.inputs(asked.source)]
    targets = schema.listed(asked.target)
    _check_sources(desk, model, sources, "source")
    desk.limits.check_texts("target", targets)
    if len(sources) != len(targets):
        raise Refused(
            400,
            f"score: {len(sources)} sources but {len(targets)} targets; expected one target for"
            " each source; send two lists of one length.",
        )
    pairs = zip(sources, targets, strict=True)
    jobs = [Job(source, None, target) for source, target in pairs]
    await desk.read(model, jobs, "source")
    async with desk.admitted(model, jobs):
        found = await scores(jobs)
    results = [
        {
            "score": score_number(one.score),
            "tokens": [
                {"text": text, "log_prob": score_number(log_prob)}
                for text, log_prob in zip(one.tokens, one.token_scores, strict=True)
            ],
        }
        for one in found
    ]
    return answer(encoded({"results": results}))
