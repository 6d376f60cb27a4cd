"""An hour of everything that clients do, well and badly: memory and descriptors must stay flat.

    python -m benchmarks.soak runs/demo
    python -m benchmarks.soak runs/demo --minutes 20 --workers 2 --reload 5 --rate 5
    python -m benchmarks.soak runs/demo --rate 2 --svg build/soak.svg       (make soak)

Clients ask for translations, scores, views, streams and files; some leave before their answer, send
half a request, noise, or something that is refused. Every half minute a line tells the memory (own
pages of each process, and its share of common ones), open descriptors and threads of all processes
that serve. After a warm-up, a sixth of the time, and again at the end all clients pause, and the
server is looked at while it rests. The end is a verdict in JSON: memory must not grow by more than
its noise allows, descriptors at rest must be those of the first rest, and no answer may be a 500.
The command ends with code 1 if any of this does not hold.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from signal import SIGHUP

from rich.console import Console

from benchmarks.serving import answers, children, resident, server
from benchmarks.soak_clients import Client, send
from saccade.server.models import open_models
from saccade.views import curves

_EVERY = 30.0  # seconds between two looks
_WARM = 1 / 6  # of the time
_REST = 20.0  # seconds without clients before the server is looked at
_SHARE = 0.02  # of memory: growth over the time that is no growth


@dataclass(frozen=True)
class Look:
    """What the processes that serve hold at one time."""

    minute: float
    mebibytes: float
    descriptors: int
    threads: int


@dataclass
class Soak:
    """What a soak saw: looks under load in the warm-up and after, two at rest, answers by kind."""

    warming: list[Look] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    rests: list[Look] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Load:
    """How many clients ask, how many requests a second together (0: no pause), minutes, seed."""

    clients: int
    rate: float
    minutes: float
    reload: float
    seed: int


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.0, help="requests a second; 0: no pause")
    parser.add_argument(
        "--reload", type=float, default=0.0, help="minutes between reloads; 0: none"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--svg", type=Path, help="where to draw memory over time")
    given = parser.parse_args()
    load = Load(given.clients, given.rate, given.minutes, given.reload, given.seed)
    seen = soak(Path(given.folder), load, given.workers)
    told = {"minutes": load.minutes, "seed": load.seed, **verdict(seen)}
    if given.svg:
        given.svg.parent.mkdir(parents=True, exist_ok=True)
        given.svg.write_text(picture(seen), encoding="utf-8")
    print(json.dumps(told))
    sys.exit(0 if told["flat"] else 1)


def soak(folder: Path, load: Load, workers: int = 2, rest: float = _REST) -> Soak:
    """Serve a folder and let clients ask."""
    (served,) = open_models([f"model={folder}"])
    texts = [*answers(served)]
    with server(folder, 1, "native", "--workers", str(workers)) as (url, process):
        port = int(url.rpartition(":")[2])
        return asyncio.run(_soak(port, process.pid, texts, load, rest))


def verdict(seen: Soak) -> dict[str, object]:
    """Say whether memory and descriptors stayed flat, and by which figures.

    The slope of memory is the median of the slopes between all pairs of looks (Theil and Sen), so
    a single look beside a large request does not tilt it.
    """
    hours = (seen.looks[-1].minute - seen.looks[0].minute) / 60
    middle = statistics.median(look.mebibytes for look in seen.looks)
    slope = slope_of([(look.minute / 60, look.mebibytes) for look in seen.looks])
    first, last = seen.rests
    broken = sum(n for name, n in seen.did.items() if name.endswith(" 500"))
    flat = {
        "memory": slope * hours <= _SHARE * middle,
        "descriptors": last.descriptors <= first.descriptors,
        "answers": not broken,
    }
    return {
        "flat": all(flat.values()),
        "parts": flat,
        "mebibytes": round(middle, 1),
        "mebibytes_an_hour": round(slope, 2),
        "rests": [asdict(first), asdict(last)],
        "requests": sum(seen.did.values()),
        "did": dict(sorted(seen.did.items())),
    }


def picture(seen: Soak) -> str:
    """Draw memory and descriptors over time, the warm-up too."""
    looks = [*seen.warming, *seen.looks]
    series = {
        "MiB": [(look.minute, look.mebibytes) for look in looks],
        "descriptors": [(look.minute, float(look.descriptors)) for look in looks],
    }
    return curves.to_svg(series, title="a server under load", x_label="minute")


def slope_of(points: Sequence[tuple[float, float]]) -> float:
    """Return the median slope between all pairs of points; 0 for fewer than two."""
    pairs = [(a, b) for i, a in enumerate(points) for b in points[:i] if a[0] != b[0]]
    return statistics.median((a[1] - b[1]) / (a[0] - b[0]) for a, b in pairs) if pairs else 0.0


async def _soak(port: int, process: int, texts: list[str], load: Load, rest: float) -> Soak:
    seen, begun = Soak(), time.monotonic()
    for share, keep in ((_WARM, False), (1 - _WARM, True)):
        until = time.monotonic() + 60 * load.minutes * share
        numbers = range(load.clients)
        asks = [asyncio.create_task(_ask(port, texts, n, until, load, seen.did)) for n in numbers]
        looks = await _watch(process, begun, until, load, seen.did)
        await asyncio.gather(*asks)
        await asyncio.sleep(rest)
        seen.rests.append(look_at(process, (time.monotonic() - begun) / 60))
        (seen.looks if keep else seen.warming).extend(looks)
        Console(stderr=True).print(f"rest {json.dumps(asdict(seen.rests[-1]))}", highlight=False)
    return seen


async def _watch(
    process: int, begun: float, until: float, load: Load, did: "Counter[str]"
) -> list[Look]:
    looks: list[Look] = []
    console = Console(stderr=True)
    while (now := time.monotonic()) < until:
        minute = (now - begun) / 60
        looks.append(look_at(process, minute))
        console.print(json.dumps(asdict(looks[-1])), highlight=False)
        if load.reload and minute >= load.reload * (did["reloads"] + 1):
            did["reloads"] += 1
            os.kill(process, SIGHUP)
        await asyncio.sleep(min(_EVERY, max(until - now, 0.0)))
    looks.append(look_at(process, (time.monotonic() - begun) / 60))
    return looks


def look_at(process: int, minute: float) -> Look:
    """Look at the processes of a server."""
    descriptors = threads = 0
    for one in (process, *children(process)):
        place = Path(f"/proc/{one}")
        descriptors += sum(1 for _ in (place / "fd").iterdir())
        threads += sum(1 for _ in (place / "task").iterdir())
    return Look(round(minute, 2), resident(process), descriptors, threads)


async def _ask(
    port: int, texts: list[str], number: int, until: float, load: Load, did: "Counter[str]"
) -> None:
    client = Client(random.Random(f"{load.seed} {number}"), texts)
    while time.monotonic() < until:
        wish = client.wish()
        did[f"{wish.kind} {await send(port, wish)}"] += 1
        if load.rate:
            await asyncio.sleep(client.dice.expovariate(load.rate / load.clients))


if __name__ == "__main__":
    main()
