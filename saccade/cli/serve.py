"""The verb that serves: models behind HTTP, with a page."""

import importlib
import webbrowser
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

import torch
import typer

from saccade.cli.options import Device, Engine, Quantise, note
from saccade.engines._devices import checked_device
from saccade.errors import RecipeError


def serve(
    models: Annotated[
        list[str],
        typer.Argument(metavar="MODEL...", help="Model folders, each FOLDER or NAME=FOLDER."),
    ],
    host: Annotated[str, typer.Option("--host", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port there.")] = 8000,
    keys: Annotated[
        Path | None, typer.Option("--keys", help="Ask for a key; one a line in this file.")
    ] = None,
    rate: Annotated[
        int,
        typer.Option("--rate", min=0, help="Requests a minute of a key or address; 0: no limit."),
    ] = 0,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host", metavar="NAME", help="A name the server answers to. May be repeated."
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin", metavar="URL", help="A site whose pages may ask. May be repeated."
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="A proxy whose X-Forwarded-For is believed; this machine if none is named.",
        ),
    ] = None,
    source_language: Annotated[
        str, typer.Option("--source-language", help="Code, as en; guessed if not given.")
    ] = "",
    target_language: Annotated[
        str, typer.Option("--target-language", help="Code, as fr; guessed if not given.")
    ] = "",
    blind: Annotated[
        Literal["models", "reference"],
        typer.Option(
            "--blind",
            help="What the first model is compared with in the blind test: a second model, or the"
            " references of its examples.",
        ),
    ] = "models",
    judgements: Annotated[
        Path, typer.Option("--judgements", help="The file that collects answers of the blind test.")
    ] = Path("judgements.jsonl"),
    max_characters: Annotated[
        int, typer.Option("--max-characters", min=1, help="Characters that a text may have.")
    ] = 5_000,
    max_items: Annotated[
        int, typer.Option("--max-items", min=1, help="Texts that a request may have.")
    ] = 64,
    max_bytes: Annotated[
        int, typer.Option("--max-bytes", min=1, help="Bytes that a picture may have.")
    ] = 8_000_000,
    max_beam: Annotated[
        int,
        typer.Option(
            "--max-beam", min=1, help="The largest beam, and number of outputs, of a request."
        ),
    ] = 16,
    max_seconds: Annotated[
        float,
        typer.Option(
            "--max-seconds", min=0.01, help="Seconds from arrival to answer; then it is refused."
        ),
    ] = 30.0,
    max_queue: Annotated[
        int,
        typer.Option("--max-queue", min=1, help="Texts of a client that may wait for a model."),
    ] = 512,
    max_work: Annotated[
        int,
        typer.Option("--max-work", min=1, help="Pieces of a request, times its beam."),
    ] = 400_000,
    max_connections: Annotated[
        int, typer.Option("--max-connections", min=1, help="Connections at once.")
    ] = 1_024,
    max_per_address: Annotated[
        int, typer.Option("--max-per-address", min=1, help="Of these, from one address.")
    ] = 128,
    max_streams: Annotated[
        int,
        typer.Option("--max-streams", min=0, help="Microphones that are listened to at once."),
    ] = 8,
    batch_wait: Annotated[
        float,
        typer.Option(
            "--batch-wait",
            min=0.0,
            help="Milliseconds that a text waits for others to share a batch.",
        ),
    ] = 4.0,
    threads: Annotated[
        int,
        typer.Option(
            "--threads",
            min=0,
            help="Threads that compute in each process; 0: all cores but one, shared out.",
        ),
    ] = 0,
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, help="Processes that serve, each with all.")
    ] = 1,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    engine: Engine = None,
    quantise: Quantise = "",
    device: Device = "cpu",
) -> None:
    r"""Serve models over HTTP: a page, LibreTranslate's routes, and everything a model can tell.

    It needs the extra `serve`: pip install 'saccade\[serve]'. Stop it with Ctrl-C; it finishes
    what it has accepted.

    [dim]Examples:[/dim]

      saccade serve runs/demo

      saccade serve small=runs/demo large=runs/tatoeba --port 9000

      saccade serve runs/demo --host 0.0.0.0 --keys keys.txt --rate 60

      saccade serve runs/multi30k --engine auto

      saccade serve runs/demo --blind reference     [dim](can people tell it from a person?)[/dim]
    """
    running, app, service = (_extra(name) for name in ("uvicorn_server", "app", "service"))
    limits = _extra("limits").Limits(
        characters=max_characters,
        items=max_items,
        beam=max_beam,
        picture=max_bytes,
        upload=max(4 * max_bytes, 2_000_000),
        seconds=max_seconds,
        queue=max_queue,
        work=max_work,
        streams=max_streams,
        wait=batch_wait,
        connections=max_connections,
        of_address=max_per_address,
    )
    checked_device(device)
    shared = _extra("shared").Shared.of_processes(workers)
    guard = _extra("keys")
    door = guard.Door(
        guard.Keys.read(keys) if keys else None,
        guard.Rates(rate, memory=shared.memory) if rate else None,
    )
    named = _extra("models").named(models)
    _extra("connections").trusted(proxy or [])
    address = running.Address(host, port)
    names = [*app.LOCAL, *(allow_host or [])] if address.local or allow_host else []
    settings = app.Settings(
        limits=limits,
        door=door,
        hosts=names,
        origins=[_extra("origins").check_origin(one) for one in allow_origin or []],
        proxies=proxy or app.Settings.proxies,
        judgements=judgements,
        blind=blind,
        shared=shared,
    )
    opening = {
        "source": source_language,
        "target": target_language,
        "device": device,
        "engine": engine,
        "quantise": quantise,
    }
    cores = max(torch.get_num_threads() - 1, 1)
    serving = service.Service(
        models, opening, settings, address, workers, threads or max(cores // workers, 1)
    )
    if not address.local and not keys:
        note(
            f"Warning: --host {host} lets other machines in and there are no keys: whoever reaches"
            " this port can use it. Give --keys FILE."
        )

    def begun() -> None:
        note(f"Serving {', '.join(named)} at {address.url}  (Ctrl-C stops it)")
        if show:
            webbrowser.open(address.url)

    serving.run(note, begun)


def _extra(name: str) -> ModuleType:
    """Import a file of the server, or say which packages it needs."""
    try:
        return importlib.import_module(f"saccade.server.{name}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("saccade"):
            raise
        raise RecipeError(
            f"serve: the package '{error.name}' is missing; expected those of the extra `serve`;"
            " pip install 'saccade[serve]'."
        ) from None
