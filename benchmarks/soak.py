"""An hour of everything that clients do, well and badly: memory and descriptors must stay flat.

    python -m benchmarks.soak runs/demo
    python -m benchmarks.soak runs/demo --minutes 20 --workers 2 --reload 5

Clients ask for translations, scores, views and streams; some leave before their answer, send half
a header, or something that is refused. Every half minute a line tells the memory (own pages of each
process, and its share of common ones), open descriptors and threads of all processes that serve.
The end is a JSON line with the middle figures of the first and last thirds, after a warm-up.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from signal import SIGHUP

from rich.console import Console

from benchmarks.serving import answers, children, resident, server
from saccade.server.models import open_models

_EVERY = 30.0  # seconds between two looks


@dataclass(frozen=True)
class Look:
    """What the processes that serve hold at one time."""

    minute: float
    mebibytes: float
    descriptors: int
    threads: int


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--reload", type=float, default=0.0, help="minutes between reloads; 0: none"
    )
    given = parser.parse_args()
    (served,) = open_models([f"model={given.folder}"])
    texts = [*answers(served)]
    with server(Path(given.folder), 1, "native", "--workers", str(given.workers)) as (url, process):
        port = int(url.rpartition(":")[2])
        looks, did = asyncio.run(_soak(port, process.pid, texts, given))
    rest = [look for look in looks if look.minute >= 0.1 * given.minutes]
    third = max(len(rest) // 3, 1)
    found = {"first": _middle(rest[:third]), "last": _middle(rest[-third:])}
    print(json.dumps({"minutes": given.minutes, "did": dict(did), **found}))


def _middle(looks: list[Look]) -> dict[str, float]:
    names = ("mebibytes", "descriptors", "threads")
    return {name: statistics.median(getattr(look, name) for look in looks) for name in names}


async def _soak(
    port: int, process: int, texts: list[str], given: argparse.Namespace
) -> "tuple[list[Look], Counter[str]]":
    did: Counter[str] = Counter()
    until = time.monotonic() + 60 * given.minutes
    clients = [asyncio.create_task(_ask(port, texts, n, until, did)) for n in range(given.clients)]
    looks = await _watch(process, until, given, did)
    await asyncio.gather(*clients)
    return looks, did


async def _watch(
    process: int, until: float, given: argparse.Namespace, did: "Counter[str]"
) -> list[Look]:
    looks: list[Look] = []
    console, begun, reloads = Console(stderr=True), time.monotonic(), 0
    while (now := time.monotonic()) < until:
        minute = (now - begun) / 60
        looks.append(look_at(process, round(minute, 1)))
        console.print(json.dumps(asdict(looks[-1])), highlight=False)
        if given.reload and minute >= given.reload * (reloads + 1):
            reloads += 1
            did["reloads"] += 1
            os.kill(process, SIGHUP)
        await asyncio.sleep(min(_EVERY, max(until - now, 0.0)))
    return looks


def look_at(process: int, minute: float) -> Look:
    """Look at the processes of a server."""
    descriptors = threads = 0
    for one in children(process):
        place = Path(f"/proc/{one}")
        descriptors += sum(1 for _ in (place / "fd").iterdir())
        threads += sum(1 for _ in (place / "task").iterdir())
    return Look(minute, resident(process), descriptors, threads)


async def _ask(port: int, texts: list[str], number: int, until: float, did: "Counter[str]") -> None:
    dice = random.Random(number)
    while time.monotonic() < until:
        kind, path, body, manner = _choose(dice, texts)
        try:
            status = await asyncio.wait_for(_send(port, path, body, manner), 60)
        except (OSError, TimeoutError) as error:
            status = type(error).__name__
        did[f"{kind} {status}"] += 1


def _choose(dice: random.Random, texts: list[str]) -> tuple[str, str, bytes, str]:
    """Return what to ask for: its name, path and body, and how to behave."""
    text = dice.choice(texts)
    kinds: dict[str, tuple[str, object, str]] = {
        "predict": ("/v1/predict", {"text": dice.choices(texts, k=4)}, ""),
        "beam": ("/v1/predict", {"text": text, "beam": 8, "want": ["tokens", "tree"]}, ""),
        "views": ("/v1/predict", {"text": text, "views": ["beam", "distribution"]}, ""),
        "long": ("/v1/predict", {"text": " ".join([text] * 20), "split": "none"}, ""),
        "stream": ("/v1/predict/stream", {"text": text}, ""),
        "stream left": ("/v1/predict/stream", {"text": text}, "leave"),
        "left": ("/v1/predict", {"text": texts[:16], "beam": 8}, "leave"),
        "score": ("/v1/score", {"source": text, "target": text}, ""),
        "half a header": ("/v1/predict", {}, "half"),
        "bad": ("/v1/predict", {"text": 5}, ""),
        "too much": ("/v1/predict", {"text": [text * 30] * 64, "beam": 16}, ""),
    }
    kind = dice.choice([*kinds])
    path, body, manner = kinds[kind]
    return kind, path, json.dumps(body).encode(), manner


async def _send(port: int, path: str, body: bytes, manner: str) -> str:
    """Send a request on a connection of its own; return the status of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    try:
        writer.write(head[:40] if manner == "half" else head + body)
        await writer.drain()
        if manner:
            await asyncio.sleep(0.05)
            return "gone"
        answer = await reader.read()
        return answer[9:12].decode() or "nothing"
    finally:
        writer.close()


if __name__ == "__main__":
    main()
