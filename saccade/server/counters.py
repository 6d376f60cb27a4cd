"""What the server counts, in the text form that Prometheus reads."""

import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.server.headers import refuse

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Histogram:
    """How often a value was at most each of `edges`, and the sum of all values."""

    edges: Sequence[float]
    counts: list[int] = field(default_factory=list)
    total: float = 0.0
    n: int = 0

    def add(self, value: float) -> None:
        """Count one value."""
        self.counts = self.counts or [0] * len(self.edges)
        self.counts = [c + (value <= e) for c, e in zip(self.counts, self.edges, strict=True)]
        self.total += value
        self.n += 1

    def lines(self, name: str, labels: Labels) -> Iterable[str]:
        """Write it as Prometheus reads it."""
        for edge, count in zip(self.edges, self.counts, strict=True):
            yield f"{name}_bucket{_labelled((*labels, ('le', f'{edge:g}')))} {count}"
        yield f"{name}_bucket{_labelled((*labels, ('le', '+Inf')))} {self.n}"
        yield f"{name}_sum{_labelled(labels)} {self.total:.6f}"
        yield f"{name}_count{_labelled(labels)} {self.n}"


class Counters:
    """Counts of requests and of batches. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[Labels] = Counter()
        self._seconds: dict[Labels, Histogram] = {}
        self._batches: dict[Labels, Histogram] = {}
        self._pieces: Counter[Labels] = Counter()
        self._busy: Counter[Labels] = Counter()

    def request(self, route: str, status: int, seconds: float) -> None:
        """Count one answer."""
        with self._lock:
            self._requests[("route", route), ("status", str(status))] += 1
            self._seconds.setdefault((("route", route),), Histogram(_SECONDS)).add(seconds)

    def of_model(self, name: str) -> "ModelCounters":
        """Return where the engine of one model counts."""
        return ModelCounters(self, (("model", name),))

    def batch(self, labels: Labels, texts: int, pieces: int, seconds: float) -> None:
        """Count one batch of a model."""
        with self._lock:
            self._batches.setdefault(labels, Histogram(_SIZES)).add(texts)
            self._pieces[labels] += pieces
            self._busy[labels] += seconds  # type: ignore[assignment] # a Counter counts floats too

    def text(self, held: Mapping[str, int]) -> str:
        """Write everything; `held` says how many texts of each model wait for an answer."""
        with self._lock:
            lines = [
                *_family("saccade_requests_total", "counter", "Answers by route and status."),
                *(f"saccade_requests_total{_labelled(k)} {n}" for k, n in self._requests.items()),
                *_family("saccade_request_seconds", "histogram", "From arrival to answer."),
                *_all("saccade_request_seconds", self._seconds),
                *_family("saccade_batch_texts", "histogram", "Texts computed together."),
                *_all("saccade_batch_texts", self._batches),
                *_family("saccade_pieces_total", "counter", "Pieces written or weighed."),
                *(f"saccade_pieces_total{_labelled(k)} {n}" for k, n in self._pieces.items()),
                *_family("saccade_busy_seconds_total", "counter", "Time spent computing."),
                *(f"saccade_busy_seconds_total{_labelled(k)} {s}" for k, s in self._busy.items()),
                *_family("saccade_held_texts", "gauge", "Texts accepted and not yet answered."),
                *(
                    f"saccade_held_texts{_labelled((('model', name),))} {n}"
                    for name, n in held.items()
                ),
            ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class ModelCounters:
    """The counters of one model's engine."""

    counters: Counters
    labels: Labels

    def batch(self, texts: int, pieces: int, seconds: float) -> None:
        """Count one batch."""
        self.counters.batch(self.labels, texts, pieces, seconds)


class Counted:
    """Counts every answer; what goes wrong inside is answered with 500 and told on stderr."""

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        self._app, self._counters = app, counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.monotonic(), 0

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
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
            route = scope.get("route")
            path = "other" if route is None else route.path
            self._counters.request(path, status or 499, time.monotonic() - started)


def _family(name: str, kind: str, meaning: str) -> tuple[str, str]:
    return f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"


def _all(name: str, histograms: Mapping[Labels, Histogram]) -> Iterable[str]:
    for labels, histogram in histograms.items():
        yield from histogram.lines(name, labels)


def _labelled(labels: Labels) -> str:
    r"""Write labels, with what Prometheus reads otherwise escaped.

    >>> print(_labelled((("model", 'a"b'),)))
    {model="a\"b"}
    """
    rows = (f'{name}="{_escaped(value)}"' for name, value in labels)
    return "{" + ",".join(rows) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
