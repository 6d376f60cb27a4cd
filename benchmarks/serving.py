"""Throughput and latency of `saccade serve` over loopback, as a table and one JSON line.

    python benchmarks/serving.py runs/demo
    python benchmarks/serving.py runs/demo --clients 64 --seconds 60 --threads 2

The server is a process of its own. First one client asks one sentence at a time; then many clients
ask at once, so that the server can batch. Sentences are those of the model's test split; every
answer is compared with what the model gives for the sentence alone. Figures wander with the
machine: compare those of one run.
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from saccade.server.models import Served, open_models

_HEAD = (
    b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n"
)


@dataclass
class Load:
    """What a load did: seconds of each answer, answers by status, and those that were wrong."""

    clients: int
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    wrong: int = 0
    processor: float = 0.0  # seconds that the server computed

    def figures(self) -> dict[str, object]:
        """Sum it up; latencies are in milliseconds."""
        ordered = sorted(self.latencies) or [0.0]
        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        at = {
            k: 1000 * ordered[min(int(s * len(ordered)), len(ordered) - 1)]
            for k, s in shares.items()
        }
        return {
            "clients": self.clients,
            "seconds": round(self.seconds, 2),
            "sentences_per_second": round(len(self.latencies) / max(self.seconds, 1e-9), 1),
            "sentences_per_processor_second": round(
                len(self.latencies) / max(self.processor, 1e-9), 1
            ),
            **{name: round(value, 1) for name, value in at.items()},
            "statuses": dict(self.statuses),
            "wrong": self.wrong,
        }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0, help="of the load of many")
    parser.add_argument("--alone", type=float, default=15.0, help="seconds of the load of one")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--engine", default="native", help="what writes: native, ctranslate2, auto")
    arguments = parser.parse_args()
    found = measure(
        Path(arguments.folder),
        clients=arguments.clients,
        seconds=arguments.seconds,
        alone=arguments.alone,
        threads=arguments.threads,
        engine=arguments.engine,
    )
    show(found)
    print(json.dumps(found))


def measure(
    folder: Path,
    *,
    clients: int,
    seconds: float,
    alone: float,
    threads: int = 0,
    engine: str = "native",
) -> dict[str, object]:
    """Put one client and then many to work."""
    (served,) = open_models([f"model={folder}"])
    expected = answers(served)
    with server(folder, threads, engine) as (url, process):
        asyncio.run(load(url, expected, 1, min(alone, 1.0)))  # warm up
        one = timed(url, expected, 1, alone, process.pid)
        asyncio.run(load(url, expected, clients, min(seconds / 4, 10.0)))  # buffers grow once
        before = resident(process.pid)
        many = timed(url, expected, clients, seconds, process.pid)
        after = resident(process.pid)
    speeds = [len(found.latencies) / max(found.seconds, 1e-9) for found in (one, many)]
    return {
        "model": served.recipe.name,
        "engine": engine,
        "threads": threads,
        "alone": one.figures(),
        "together": many.figures(),
        "gain": round(speeds[1] / max(speeds[0], 1e-9), 2),
        "resident_mib": {"before": before, "after": after},
    }


def timed(url: str, expected: dict[str, str], clients: int, seconds: float, process: int) -> Load:
    """Put clients to work and note how long the server computed for them."""
    before = computed(process)
    found = asyncio.run(load(url, expected, clients, seconds))
    found.processor = computed(process) - before
    return found


def answers(served: Served) -> dict[str, str]:
    """Translate the sentences as the command line does: what the server must answer."""
    sources = [example.source for example in served.examples if example.source.strip()]
    found = served.translator.translate(sources)
    return {source: one.text for source, one in zip(sources, found, strict=True)}


@contextmanager
def server(
    folder: Path, threads: int, engine: str = "native", *options: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run `saccade serve` for the time of a `with`; it must end well when asked to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "saccade", "serve", f"model={folder}", "--port", str(port)]
    command += ["--threads", str(threads), "--engine", engine, *options]
    process = subprocess.Popen(command, env=os.environ.copy())
    url = f"http://127.0.0.1:{port}"
    try:
        _await_ready(url, process)
        yield url, process
    finally:
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=60)
        if code not in (0, -signal.SIGTERM):
            raise RuntimeError(f"the server ended with code {code}")


def _await_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            if httpx.get(f"{url}/ready").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise RuntimeError("the server did not begin")


async def load(
    url: str, expected: dict[str, str], clients: int, seconds: float, *, own_address: bool = False
) -> Load:
    """Let clients ask, each the next sentence as soon as it has its answer.

    With `own_address` each of them is another client to the server, which believes this machine.

    They speak plain HTTP over sockets: a client library would need more of the machine than the
    server does, and the figures would be the library's.
    """
    found, started = Load(clients), time.perf_counter()
    port, sources = int(url.rpartition(":")[2]), list(expected)
    turns = [sources[i::clients] or sources for i in range(clients)]
    until = started + seconds
    heads = [
        _HEAD.replace(b"Content-L", b"X-Forwarded-For: 10.0.0.%d\r\nContent-L" % (i % 250 + 1))
        if own_address
        else _HEAD
        for i in range(clients)
    ]
    asking = zip(heads, turns, strict=True)
    await asyncio.gather(*(_ask(port, head, expected, mine, until, found) for head, mine in asking))
    found.seconds = time.perf_counter() - started
    return found


async def _ask(
    port: int,
    head: bytes,
    expected: dict[str, str],
    sources: Sequence[str],
    until: float,
    found: Load,
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number = 0
    while (begun := time.perf_counter()) < until:
        source = sources[number % len(sources)]
        number += 1
        body = json.dumps({"text": source, "split": "none"}).encode()
        writer.write(head.replace(b"%d", b"%d" % len(body)) + body)
        told = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(told.partition("content-length: ")[2].partition("\r\n")[0])
        answer = json.loads(await reader.readexactly(length))
        status = told.split(" ")[1]
        found.statuses[status] += 1
        if status == "200":
            found.latencies.append(time.perf_counter() - begun)
            found.wrong += answer["results"][0]["text"] != expected[source]
        elif status == "429":
            await asyncio.sleep(float(told.partition("retry-after: ")[2].partition("\r\n")[0]))
    writer.close()
    await writer.wait_closed()


def resident(process: int) -> float:
    """Return the memory that the processes of a server hold, in MiB; 0 if nobody tells."""
    return round(sum(_resident(one) for one in (process, *children(process))), 1)


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    path = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in path.read_text(encoding="utf-8").split()] if path.exists() else []


def _resident(process: int) -> float:
    """Return a process's own pages, and its share of those that it has in common with others."""
    path = Path(f"/proc/{process}/smaps_rollup")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def computed(process: int) -> float:
    """Return the processor seconds that the processes of a server have used; 0 if nobody tells."""
    return sum(_computed(one) for one in (process, *children(process)))


def _computed(process: int) -> float:
    path = Path(f"/proc/{process}/stat")
    if not path.exists():
        return 0.0
    fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def show(found: dict[str, object]) -> None:
    """Print a table."""
    table = Table(title=f"saccade serve, {found['model']}")
    names = ["clients", "sentences_per_second", "sentences_per_processor_second"]
    names += ["p50", "p95", "p99", "statuses", "wrong"]
    for name in names:
        table.add_column(name.replace("_", " "))
    for key in ("alone", "together"):
        row = found[key]
        assert isinstance(row, dict)
        table.add_row(*(str(row[name]) for name in names))
    console = Console(stderr=True)
    console.print(table)
    console.print(f"gain {found['gain']}, resident MiB {found['resident_mib']}", highlight=False)


if __name__ == "__main__":
    main()
