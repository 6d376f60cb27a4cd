"""What the server counts, in the text form that Prometheus reads."""

import re
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.server.headers import refuse
from saccade.server.memory import CommonMemory

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
_SAMPLES, _NAME = 8192, 640  # places, and bytes of a name
_FAMILIES = {
    "saccade_requests_total": ("counter", "Answers by route and status."),
    "saccade_request_seconds": ("histogram", "From arrival to answer."),
    "saccade_batch_texts": ("histogram", "Texts computed together."),
    "saccade_pieces_total": ("counter", "Pieces written or weighed."),
    "saccade_busy_seconds_total": ("counter", "Time spent computing."),
    "saccade_held_texts": ("gauge", "Texts accepted and not yet answered."),
    "saccade_workers_started_total": ("counter", "Processes that began to serve."),
    "saccade_workers_died_total": ("counter", "Processes that ended unasked."),
    "saccade_reloads_total": ("counter", "Times that models were opened anew, by result."),
}
Labels = tuple[tuple[str, str], ...]


class Counters:
    """Counts of requests and of batches, of all processes of a server. Safe to use from threads.

    Each sample of Prometheus has a place in the common memory, given out to whoever counts under
    its name first. So a process that ends takes nothing with it. When all places are given out,
    new names are not counted.
    """

    def __init__(self, memory: CommonMemory | None = None) -> None:
        self._memory = memory or CommonMemory()
        self._n = self._memory.section(8).cast("q")
        self._names = self._memory.section(_SAMPLES * _NAME)
        self._values = self._memory.section(_SAMPLES * 8).cast("d")
        self._places: dict[str, int] = {}

    def request(self, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        labels = (("route", route),)
        counted = {f"saccade_requests_total{_labelled((*labels, ('status', str(status))))}": 1.0}
        self.add(counted | dict(samples("saccade_request_seconds", labels, _SECONDS, seconds)))

    def of_model(self, name: str) -> "ModelCounters":
        """Return where the engine of one model counts."""
        return ModelCounters(self, (("model", name),))

    def batch(self, labels: Labels, texts: int, pieces: int, seconds: float) -> None:
        """Count one batch of a model."""
        told = _labelled(labels)
        counted = {
            f"saccade_pieces_total{told}": float(pieces),
            f"saccade_busy_seconds_total{told}": seconds,
        }
        self.add(counted | dict(samples("saccade_batch_texts", labels, _SIZES, texts)))

    def add(self, samples: Mapping[str, float]) -> None:
        """Add to samples by name."""
        with self._memory.locked():
            for name, value in samples.items():
                place = self._place(name)
                if place is not None:
                    self._values[place] += value

    def text(self, held: Mapping[str, int]) -> str:
        """Write everything; `held` says how many texts of each model wait for an answer."""
        with self._memory.locked():
            self._read_names()
            known = {name: self._values[place] for name, place in self._places.items()}
        known |= {f"saccade_held_texts{_labelled((('model', m),))}": n for m, n in held.items()}
        lines: list[str] = []
        for family, (kind, meaning) in _FAMILIES.items():
            lines += [f"# HELP {family} {meaning}", f"# TYPE {family} {kind}"]
            of_family = re.compile(rf"{family}(_bucket|_sum|_count)?(\{{|$)")
            lines += [f"{name} {_value(v)}" for name, v in known.items() if of_family.match(name)]
        return "\n".join(lines) + "\n"

    def _place(self, name: str) -> int | None:
        """Find the place of a sample, or give it one."""
        if name not in self._places:
            self._read_names()
        if name not in self._places:
            raw, n = name.encode("utf-8", "replace"), self._n[0]
            if n == _SAMPLES or len(raw) > _NAME:
                return None
            self._names[n * _NAME : n * _NAME + len(raw)] = raw
            self._n[0], self._places[name] = n + 1, n
        return self._places[name]

    def _read_names(self) -> None:
        """Learn the names to which other processes gave places."""
        for place in range(len(self._places), self._n[0]):
            raw = bytes(self._names[place * _NAME : (place + 1) * _NAME])
            self._places[raw.rstrip(b"\0").decode("utf-8", "replace")] = place


def samples(
    name: str, labels: Labels, edges: Sequence[float], value: float
) -> Iterable[tuple[str, float]]:
    r"""Return what one value adds to the samples of a histogram.

    >>> dict(samples("size", (("model", "a"),), (1.0, 2.5), 2))["size_count{model=\"a\"}"]
    1.0
    """
    for edge in edges:
        yield f"{name}_bucket{_labelled((*labels, ('le', f'{edge:g}')))}", float(value <= edge)
    yield f"{name}_bucket{_labelled((*labels, ('le', '+Inf')))}", 1.0
    yield f"{name}_sum{_labelled(labels)}", float(value)
    yield f"{name}_count{_labelled(labels)}", 1.0


@dataclass(frozen=True, slots=True)
class ModelCounters:
    """The counters of one model's engine."""

    counters: Counters
    labels: Labels

    def batch(self, texts: int, pieces: int, seconds: float) -> None:
        """Count one batch."""
        self.counters.batch(self.labels, texts, pieces, seconds)


class Counted:
    """Counts every answer; what goes wrong inside is answered with 500 and told on stderr.

    An answer is counted before its last part is sent: a process that is killed in between leaves a
    count without an answer, never an answer without a count.
    `knows` tells which requests are counted elsewhere.
    """

    def __init__(self, app: ASGIApp, counters: Counters, knows: Callable[[Scope], object]) -> None:
        self._app, self._counters, self._knows = app, counters, knows

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, counted = time.monotonic(), 0, False

        def count() -> None:
            nonlocal counted
            if not counted and self._knows(scope) is None:
                route = scope.get("route")
                path = "other" if route is None else route.path
                self._counters.request(path, status or 499, time.monotonic() - started)
            counted = True

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body" and not message.get("more_body"):
                count()
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception:
            traceback.print_exc()
            if not status:
                await refuse(
                    noted,
                    500,
                    "server: something went wrong inside; expected an answer; tell whoever runs"
                    " this server.",
                )
        finally:
            count()


def _value(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else f"{value:.6f}"


def _labelled(labels: Labels) -> str:
    r"""Write labels, with what Prometheus reads otherwise escaped.

    >>> print(_labelled((("model", 'a"b'),)))
    {model="a\"b"}
    """
    rows = (f'{name}="{_escaped(value)}"' for name, value in labels)
    return "{" + ",".join(rows) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
