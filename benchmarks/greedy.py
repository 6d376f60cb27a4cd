"""What one greedy client does to 32 polite ones, as a table and one JSON line.

    python -m benchmarks.greedy runs/demo
    python -m benchmarks.greedy runs/demo --rounds 3 --seconds 20

Polite clients ask one sentence at a time, each the next one as soon as it has its answer. The
greedy one keeps four requests going, each as large as the server takes: texts of 4,900 characters,
not split, beam 16. Each client is known by an address of its own, in X-Forwarded-For. Rounds
without and with the greedy client alternate. Every polite answer is compared with what the model
gives for the sentence alone. First of all the server must refuse 64 such texts at once.
"""

import argparse
import asyncio
import json
import statistics
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.serving import Load, answers, computed, load, server
from saccade.server.limits import Limits
from saccade.server.models import open_models

CHARACTERS, BEAM = 4_900, 16


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder")
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=15.0, help="of a round")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    found = measure(given)
    show(found)
    print(json.dumps(found))


def measure(given: argparse.Namespace) -> dict[str, object]:
    """Run rounds without and with the greedy client."""
    (served,) = open_models([f"model={given.folder}"])
    expected = answers(served)
    text = " ".join(expected)
    text = (text * (CHARACTERS // len(text) + 1))[:CHARACTERS]
    n = max(int(0.9 * Limits().work / (BEAM * (served.translator.size(text) + 1))), 1)
    rows: dict[bool, list[Load]] = {False: [], True: []}
    statuses: Counter[str] = Counter()
    with server(Path(given.folder), given.threads) as (url, process):
        asyncio.run(load(url, expected, given.clients, 5.0))
        refused = asyncio.run(_ask_once(url, text, 64))
        for _ in range(given.rounds):
            for greedy in (False, True):
                before = computed(process.pid)
                one = asyncio.run(
                    _round(url, expected, given, [text] * min(n, 64) if greedy else [], statuses)
                )
                one.processor = computed(process.pid) - before
                rows[greedy].append(one)
    figures = {name: _median(rows[name == "greedy"]) for name in ("alone", "greedy")}
    return {
        "model": served.recipe.name,
        "clients": given.clients,
        "64 texts": refused,
        "texts of a greedy request": min(n, 64),
        "greedy answers": dict(statuses),
        **figures,
        "p95 ratio": round(figures["greedy"]["p95"] / figures["alone"]["p95"], 2),
    }


async def _round(
    url: str,
    expected: dict[str, str],
    given: argparse.Namespace,
    texts: list[str],
    statuses: "Counter[str]",
) -> Load:
    greedy = [asyncio.create_task(_greedy(url, texts, statuses)) for _ in range(4 if texts else 0)]
    if greedy:
        await asyncio.sleep(1.0)  # the polite come late
    found = await load(url, expected, given.clients, given.seconds, own_address=True)
    for task in greedy:
        task.cancel()
    await asyncio.gather(*greedy, return_exceptions=True)
    return found


async def _greedy(url: str, texts: list[str], statuses: "Counter[str]") -> None:
    while True:
        statuses[await _ask_once(url, texts[0], len(texts))] += 1


async def _ask_once(url: str, text: str, n: int) -> str:
    """Send `n` long texts; return the status of the answer."""
    body = json.dumps({"text": [text] * n, "beam": BEAM, "split": "none"}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    writer.write(
        b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 10.1.0.1\r\n"
        b"Content-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
        % len(body)
        + body
    )
    try:
        answer = await reader.read()
        status = answer.split(b" ", 2)[1].decode()
        if status == "429":
            await asyncio.sleep(1.0)
        return status
    finally:
        writer.close()


def _median(rows: list[Load]) -> dict[str, float]:
    """Return the middle one of each figure over rounds, and all that went wrong."""
    figures = [one.figures() for one in rows]
    names = ("sentences_per_second", "p50", "p95", "p99")
    found = {n: round(statistics.median(float(str(f[n])) for f in figures), 1) for n in names}
    bad = sum(n for one in rows for status, n in one.statuses.items() if status != "200")
    return found | {"errors": float(bad), "wrong": float(sum(one.wrong for one in rows))}


def show(found: dict[str, object]) -> None:
    """Print a table."""
    table = Table(title=f"{found['clients']} polite clients of {found['model']}, ms")
    rows = {name: found[name] for name in ("alone", "greedy")}
    assert all(isinstance(row, dict) for row in rows.values())
    for name in ("greedy client", *dict(found["alone"])):  # type: ignore[call-overload]
        table.add_column(name.replace("_", " "))
    for name, row in rows.items():
        shown = "no" if name == "alone" else "yes"
        table.add_row(shown, *(f"{v:g}" for v in dict(row).values()))  # type: ignore[call-overload]
    console = Console(stderr=True)
    console.print(table)
    console.print(f"p95 ratio {found['p95 ratio']}", highlight=False)


if __name__ == "__main__":
    main()
