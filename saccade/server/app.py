"""The server put together: models, limits and keys in, an ASGI application out."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
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
from saccade.server.counters import Counted, Counters
from saccade.server.desk import Desk
from saccade.server.headers import Bounded, Secured
from saccade.server.keys import Door
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.shelf import Shelf
from saccade.server.uploads import Uploaded

LOCAL = ("localhost", "127.0.0.1", "[::1]")
_PAGE = files("saccade") / "server" / "page"
_FILES = (
    *("style.css", "page.js", "dom.js", "translate.js", "answer.js", "training.js", "blind.js"),
    *("storage.js", "saving.js", "link.js", "history.js", "files.js", "inputs.js", "seen.js"),
    *("microphone.js", "player.js", "recorder.js", "ink.js", "moving.js", "slate.js"),
)
_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to serve: limits, who may come in, the names the server answers to (any if none).

    judgements: where those of a blind test are kept; in memory if not given.
    """

    limits: Limits = field(default_factory=Limits)
    door: Door = field(default_factory=Door)
    hosts: Sequence[str] = ()
    judgements: Path | None = None


def create_app(models: Sequence[Served], settings: Settings | None = None) -> FastAPI:
    """Make the application. Its engines work until it shuts down."""
    settings = settings or Settings()
    counters = Counters()
    desk = Desk(models, settings.limits, counters)

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
        settings.door.admit(key or key_of(request), address_of(request))

    def admit_libre(request: Request, key: str) -> None:
        try:
            admit(request, key)
        except Refused as refused:  # its clients know 403, not 401
            status = 403 if refused.status == 401 else refused.status
            raise Refused(status, str(refused), retry=refused.retry) from None

    async def known(request: Request) -> None:
        admit(request, "")

    handle_errors(app)
    _add_open_routes(app, desk)
    app.include_router(libre.routes(desk, admit_libre, keyed=settings.door.keyed))
    app.include_router(libre_files.routes(desk, admit_libre, Shelf()))
    routers = work.routes(desk), stream.routes(desk), listen.routes(desk), curves.routes(desk)
    for router in (*routers, blind.routes(desk, settings.judgements)):
        app.include_router(router, dependencies=[Depends(known)])

    @app.get("/metrics", response_class=PlainTextResponse, dependencies=[Depends(known)])
    async def metrics() -> str:
        """Tell Prometheus how it goes."""
        return counters.text({name: engine.held for name, engine in desk.engines.items()})

    pictures = any(model.reads_pictures for model in models)
    app.add_middleware(Uploaded, limits=settings.limits)
    wide = (*uploads.PATHS, "/v1/score") if pictures else ()
    app.add_middleware(Bounded, limits=settings.limits, wide=wide)
    app.add_middleware(Counted, counters=counters)
    hears = any(model.hears for model in models)
    app.add_middleware(Secured, hosts=settings.hosts, microphone=hears)
    plain = app.openapi
    app.openapi = lambda: _without_422(plain())  # type: ignore[method-assign] # as FastAPI advises
    return app


def key_of(request: Request) -> str:
    """Return the key that a request's headers bring, or nothing."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")


def address_of(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client else ""


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
