"""The routes that translate, score and tell which models there are."""

import time
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from saccade.predict.prediction import Prediction
from saccade.server import schema
from saccade.server.answers import answer, encoded, unless_gone
from saccade.server.desk import Desk, jobs_of, scores, translations
from saccade.server.jobs import Job
from saccade.server.models import Served
from saccade.server.predict import Seen, check_size, is_heavy, result, score_number, views_of
from saccade.server.refusal import Refused

_SHOWN = 12  # examples of each model


def routes(desk: Desk) -> APIRouter:
    """Make the routes of /v1 that work on texts."""
    router = APIRouter()

    @router.get("/v1/models", response_model=schema.Models)
    async def models() -> Response:
        """List the models."""
        return answer(encoded({"models": [told(model) for model in desk.models.values()]}))

    @router.post("/v1/predict", response_model=schema.Predicted)
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
        "views": views_of(model.translator),
        "examples": [{"source": e.source, "reference": e.target} for e in shown],
        "trains": model.trains,
    }


def check(desk: Desk, asked: schema.Predict) -> list[str]:
    """Refuse what is over a limit; return the texts."""
    texts = schema.listed(asked.text)
    desk.limits.check_texts("text", texts)
    desk.limits.check_texts("prefix", [asked.prefix])
    desk.limits.check_beam("beam", asked.beam or 1)
    desk.limits.check_beam("nbest", asked.nbest)
    return texts


async def predicted(desk: Desk, asked: schema.Predict) -> Response:
    """Translate and tell."""
    started, model, texts = time.monotonic(), desk.model(asked.model), check(desk, asked)
    jobs = jobs_of(asked, texts)
    async with desk.admitted(model, jobs):
        found = await translations(jobs)
        return answer(await tell(desk, asked, model, found, started))


async def tell(
    desk: Desk, asked: schema.Predict, model: Served, found: list[Prediction], started: float
) -> bytes:
    """Write the answer to what was asked; greedy outputs, if there are, stand after the others."""
    n = len(schema.listed(asked.text))
    greedy: list[Prediction | None] = [*found[n:]] or [None] * n
    pairs = zip(found[:n], greedy, strict=True)
    seen = [Seen(model.translator, one, plain, asked) for one, plain in pairs]
    check_size(desk.limits, seen)

    def write() -> bytes:
        results = [result(one) for one in seen]
        seconds = round(time.monotonic() - started, 4)
        return encoded({"model": model.name, "seconds": seconds, "results": results})

    looks = model.recipe.decoding.replace_unknown  # the text itself depends on attention
    return await desk.drawn(write) if looks or is_heavy(asked) else write()


async def _scored(desk: Desk, asked: schema.ScoreRequest) -> Response:
    model = desk.model(asked.model)
    sources, targets = schema.listed(asked.source), schema.listed(asked.target)
    desk.limits.check_texts("source", sources)
    desk.limits.check_texts("target", targets)
    if len(sources) != len(targets):
        raise Refused(
            400,
            f"score: {len(sources)} sources but {len(targets)} targets; expected one target for"
            " each source; send two lists of one length.",
        )
    pairs = zip(sources, targets, strict=True)
    jobs = [Job(source, None, target) for source, target in pairs]
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
