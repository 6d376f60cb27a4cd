"""Batches of an engine: who is computed with whom, and who not at all."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

import pytest

from saccade.predict.decode import GREEDY, USUAL, Decode
from saccade.predict.prediction import Prediction
from saccade.server.costs import Costs
from saccade.server.jobs import Job
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.turn import Turn
from saccade.server.worker import Worker
from tests.cli.conftest import SOURCES, TARGETS


@dataclass
class Tally:
    sizes: list[int] = field(default_factory=list)

    def batch(self, texts: int, pieces: int, seconds: float) -> None:
        self.sizes.append(texts)


class Bench:
    """An engine that computes only after `go`."""

    def __init__(self, served: Served, **limits: float) -> None:
        self.turn = Turn()
        self.turn.acquire()
        self.paused = True
        self.engine = Worker("tiny", served.translator, Limits(**limits), self.turn)  # type: ignore[arg-type]
        self.engine.tally = self.tally = Tally()

    def go(self) -> None:
        if self.paused:
            self.paused = False
            self.turn.release()


@pytest.fixture
def benches() -> Iterator[list[Bench]]:
    made: list[Bench] = []
    yield made
    for bench in made:
        bench.go()
        bench.engine.close()


@pytest.fixture
def bench(tiny: Served, benches: list[Bench]) -> Bench:
    benches.append(Bench(tiny, queue=8))
    return benches[-1]


def text_of(job: Job) -> str:
    found = job.done.result(timeout=20)
    assert isinstance(found, Prediction)
    return found.text


def test_equal_options_are_computed_together_in_turn(bench: Bench) -> None:
    decodes = [USUAL, Decode(beam=2), Decode(), GREEDY]
    jobs = [Job(source, decode) for source, decode in zip(SOURCES, decodes, strict=True)]
    with bench.engine.admit(jobs):
        assert bench.engine.held == 4
        bench.go()
        assert [text_of(job) for job in jobs] == TARGETS
    assert bench.engine.held == 0
    assert bench.tally.sizes == [2, 1, 1]


def test_a_batch_holds_only_so_much(tiny: Served, benches: list[Bench]) -> None:
    bench = Bench(tiny, batch=9)  # a sentence has 3 pieces and END
    benches.append(bench)
    jobs = [Job(source) for source in SOURCES]
    with bench.engine.admit(jobs):
        bench.go()
        assert [text_of(job) for job in jobs] == TARGETS
    assert bench.tally.sizes == [2, 2]


def test_no_more_than_the_queue_holds_is_taken(bench: Bench) -> None:
    jobs = [Job("un") for _ in range(7)]
    with bench.engine.admit(jobs):
        with pytest.raises(Refused) as found, bench.engine.admit([Job("un")] * 2):
            pass
        assert found.value.status == 429
        assert found.value.retry == 1
        assert str(found.value) == (
            "tiny: 7 of your texts are waiting; expected at most 8 with these; try again in 1"
            " seconds."
        )
        bench.go()
        for job in jobs:
            job.done.result(timeout=20)
    with bench.engine.admit([Job("un")] * 2):
        pass


def test_what_nobody_waits_for_is_not_computed(bench: Bench) -> None:
    gone, kept = Job("un chat"), Job(SOURCES[0])
    with bench.engine.admit([kept]):
        with bench.engine.admit([gone]):
            pass
        bench.go()
        assert text_of(kept) == TARGETS[0]
    assert bench.tally.sizes == [1]
    assert not gone.done.done()


def test_what_is_too_late_is_not_computed(bench: Bench) -> None:
    late, kept = Job("un", deadline=time.monotonic() - 1), Job(SOURCES[0])
    with bench.engine.admit([late, kept]):
        bench.go()
        assert text_of(kept) == TARGETS[0]
        with pytest.raises(Refused, match="server: not done after 30 seconds, the limit; expected"):
            late.done.result(timeout=20)
    assert bench.tally.sizes == [1]


def test_a_search_stops_when_nobody_waits_any_more(bench: Bench) -> None:
    seen: list[str] = []
    job = Job(SOURCES[0])

    def leave(text: str) -> None:
        seen.append(text)
        job.abandoned = True

    job.watch = leave
    with bench.engine.admit([job]):
        bench.go()
        with pytest.raises(Refused):
            job.done.result(timeout=20)
    assert len(seen) == 1
    assert bench.tally.sizes == []


def test_one_bad_text_spoils_nothing(bench: Bench) -> None:
    good, bad = Job(SOURCES[0]), Job("\ud800")
    with bench.engine.admit([good, bad]):
        bench.go()
        assert text_of(good) == TARGETS[0]
        assert "lone surrogate" in str(bad.done.exception(timeout=20))


def test_closing_finishes_what_was_taken(tiny: Served) -> None:
    bench = Bench(tiny)
    jobs = [Job(source, d) for source in SOURCES for d in (USUAL, Decode(beam=2))]
    with bench.engine.admit(jobs):
        closing = threading.Thread(target=bench.engine.close)
        closing.start()
        bench.go()
        assert [text_of(job) for job in jobs[::2]] == TARGETS
        closing.join(timeout=20)
    assert not bench.engine.open
    with pytest.raises(Refused, match="tiny: the server is shutting down"), bench.engine.admit([]):
        pass


def test_watching_tells_the_best_so_far(bench: Bench) -> None:
    seen: list[str] = []
    job = Job(SOURCES[0], watch=seen.append)
    with bench.engine.admit([job, Job(SOURCES[1])]):
        bench.go()
        assert text_of(job) == TARGETS[0]
    assert seen[:3] == ["a", "a cat", "a cat sleeps"]


def test_a_long_text_is_computed_alone_and_short_ones_between_its_steps(
    tiny: Served, benches: list[Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = " ".join(SOURCES)
    alone = [tiny.translator.translate([one], beam=3)[0].text for one in (source, *SOURCES)]
    monkeypatch.setattr(Costs, "learn", lambda *_: None)  # so that no clock decides
    bench = Bench(tiny, slice=0.016)  # of 16 units, as long as nothing is known
    benches.append(bench)
    ended: list[str] = []
    long, same = Job(source, Decode(beam=3)), Job(SOURCES[0], Decode(beam=3))
    short = [Job(one, Decode(beam=3)) for one in SOURCES]
    with ExitStack() as stack:

        def others_come(_: str) -> None:
            if not same.client:
                for number, job in enumerate(short):
                    stack.enter_context(bench.engine.admit([job], str(number)))
                stack.enter_context(bench.engine.admit([same], "greedy"))

        long.watch = others_come
        for name, job in [("long", long), ("same", same), *(("short", job) for job in short)]:
            job.done.add_done_callback(lambda _, name=name: ended.append(name))  # type: ignore[misc]
        stack.enter_context(bench.engine.admit([long], "greedy"))
        bench.go()
        assert text_of(long) == alone[0]
        assert [text_of(job) for job in short] == alone[1:]
        assert text_of(same) == alone[1]
    assert sorted(ended[:-1]) == ["same", *["short"] * 4]
    assert ended[-1] == "long"
    assert bench.tally.sizes == [1] * 6
