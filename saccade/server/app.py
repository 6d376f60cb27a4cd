"""The server put together: models, limits and keys in, an ASGI application out."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import PlainTextResponse, Response

from saccade.folders.versions import versions
from saccade.server import (
    blind,
    curves,
    libre,
    libre_files,
    listen,
    schema,
    stream,
    uploads,
    work,
)
from saccade.server.answers import answer, encoded, error, handle_errors
from saccade.server.blind import Rival
from saccade.server.counters import Counted, Counters
from saccade.server.desk import Desk
from saccade.server.entrance import Entrance, admit_late
from saccade.server.headers import Bounded, Secured
from saccade.server.keys import Door
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.neighbours import PassedOn
from saccade.server.origins import SameOrigin
from saccade.server.shared import Shared
from saccade.server.shelf import Shelf
from saccade.server.uploads import Uploaded

LOCAL = ("localhost", "127.0.0.1", "[::1]")
_PAGE = files("saccade") / "server" / "page"
_FILES = (
    *(
        "style.css",
        "page.js",
        "dom.js",
        "translate.js",
        "answer.js",
        "maps.js",
        "training.js",
        "blind.js",
    ),
    *("storage.js", "saving.js", "link.js", "history.js", "files.js", "inputs.js", "seen.js"),
    *("microphone.js", "player.js", "recorder.js", "ink.js", "moving.js", "slate.js"),
)
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to serve: limits, who may come in, the names the server answers to (any if none).

    origins: of other sites whose pages may ask.  proxies: addresses that are believed when they say
    whom they ask for.  judgements: where those of a blind test are kept; in memory if not given.
    blind: what the first model is compared with there.  shared: what this process has in common
    with others that serve; of a process alone if not given.
    """

    limits: Limits = field(default_factory=Limits)
    door: Door = field(default_factory=Door)
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()
    proxies: Sequence[str] = ("127.0.0.1", "::1")
    judgements: Path | None = None
    blind: Rival = "models"
    shared: Shared = field(default_factory=Shared)


def create_app(models: Sequence[Served], settings: Settings | None = None) -> FastAPI:
    """Make the application. Its engines work until it shuts down."""
    settings = settings or Settings()
    counters = settings.shared.counters
    desk = Desk(models, settings.limits, counters, settings.shared.held)

    @asynccontextmanager
    async def life(_app: FastAPI) -> AsyncIterator[None]:
        yield
        desk.close()

    app = FastAPI(
        title="saccade",
        version=versions()["saccade"],
        docs_url=None,  # those pages fetch scripts from elsewhere
        redoc_url=None,
        lifespan=life,
        responses={status: {"model": schema.Error} for status in (400, 401, 413, 429, 503, 504)},
    )
    app.state.desk = desk

    def admit(request: Request, key: str) -> None:
        admit_late(settings.door, request, key)

    handle_errors(app)
    _add_open_routes(app, desk)
    app.include_router(libre.routes(desk, admit, keyed=settings.door.keyed))
    app.include_router(libre_files.routes(desk, admit, Shelf(settings.shared.neighbours.ticket)))
    routers = (
        work.routes(desk),
        stream.routes(desk),
        listen.routes(desk, settings.shared.neighbours.ticket),
        curves.routes(desk),
    )
    for router in (*routers, blind.routes(desk, settings.judgements, settings.blind)):
        app.include_router(router)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> str:
        """Tell Prometheus how it goes."""
        return counters.text(desk.held())

    _surround(app, models, settings, counters)
    plain = app.openapi
    app.openapi = lambda: _without_422(plain())  # type: ignore[method-assign] # as FastAPI advises
    return app


def _surround(
    app: FastAPI, models: Sequence[Served], settings: Settings, counters: Counters
) -> None:
    """Add what stands around every route; what is added last comes first."""
    pictures = any(model.reads_pictures for model in models)
    app.add_middleware(Uploaded, limits=settings.limits)
    neighbours = settings.shared.neighbours
    app.add_middleware(PassedOn, neighbours=neighbours)
    wide = (*uploads.PATHS, "/v1/score") if pictures else ()
    app.add_middleware(Bounded, limits=settings.limits, wide=wide)
    app.add_middleware(Entrance, door=settings.door, neighbours=neighbours)
    app.add_middleware(SameOrigin, allowed=settings.origins)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.add_middleware(Counted, counters=counters, knows=neighbours.client)
    hears = any(model.hears for model in models)
    app.add_middleware(Secured, hosts=settings.hosts, microphone=hears)


def _add_open_routes(app: FastAPI, desk: Desk) -> None:
    """Add what needs no key: the page and how the server is."""

    @app.get("/health", response_model=schema.Status)
    async def health() -> Response:
        """Tell that the server runs."""
        return answer(encoded({"status": "ok"}))

    @app.get("/ready", response_model=schema.Status)
    async def ready() -> Response:
        """Tell whether every model takes texts."""
        if desk.open:
            return answer(encoded({"status": "ready"}))
        return error(503, "server: not ready; expected every model to take texts; wait.", 5)

    for path, name in (("/", "index.html"), *((f"/static/{name}", name) for name in _FILES)):
        app.add_api_route(path, _file(name), methods=["GET"], include_in_schema=False)


def _file(name: str) -> Any:
    async def send() -> Response:
        kind = _TYPES[Path(name).suffix]
        return Response((_PAGE / name).read_bytes(), media_type=f"{kind}; charset=utf-8")

    return send


def _without_422(described: dict[str, Any]) -> dict[str, Any]:
    """Take out of the description what FastAPI would answer; we answer 400."""
    for path in described["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    schemas = described.get("components", {}).get("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    return described
