"""What texts cost, and how much of it a request may ask for."""

import pytest

from saccade.predict.decode import GREEDY, USUAL, Decode
from saccade.server.costs import Costs
from saccade.server.jobs import Job
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused
from saccade.server.turn import Turn
from saccade.server.worker import Worker
from tests.cli.conftest import SOURCES
from tests.server.conftest import Serve


def test_the_cost_of_a_text_is_its_pieces_times_the_beam(tiny: Served) -> None:
    costs = Costs(tiny.translator, Limits())
    decodes = (USUAL, GREEDY, Decode(beam=7), Decode(beam=2, nbest=5), None)
    assert [costs.width(decode) for decode in decodes] == [3, 1, 7, 5, 1]
    job = Job(SOURCES[0], Decode(beam=7))
    costs.measure(job)
    assert (job.pieces, costs.of(job)) == (4, 28)


def test_a_batch_is_as_long_as_was_learned(tiny: Served) -> None:
    costs = Costs(tiny.translator, Limits(slice=0.2))
    job = Job("x", GREEDY, pieces=100)
    assert not costs.is_long(job)
    assert (costs.is_full(job, 100, 2), costs.is_full(job, 100, 3)) == (False, True)
    for _ in range(50):
        costs.learn([job], 1.0)
    assert costs.is_long(job)
    assert costs.of_step(job, 0.5) == pytest.approx(50)
    for _ in range(50):
        costs.learn([job], 0.001)
    assert not costs.is_full(job, 100, 40)
    assert costs.is_full(job, 100, 41)  # more places than fit


def test_too_much_work_is_refused_whatever_waits(serve: Serve) -> None:
    client = serve(limits=Limits(work=100))
    texts = SOURCES[:2] * 4  # of 4 pieces each
    for path in ("/v1/predict", "/v1/predict/stream"):
        one = texts if path == "/v1/predict" else " ".join(texts)
        answer = client.post(path, json={"text": one, "beam": 5})
        assert answer.status_code == 413
    answer = client.post("/v1/predict", json={"text": texts, "beam": 4})
    assert answer.json()["error"] == (
        "request: 32 pieces in 8 texts or sentences, times the beam, are 128 units of work;"
        " expected at most 100; send fewer or shorter texts in a request, or a narrower beam."
    )
    assert client.post("/v1/predict", json={"text": texts, "beam": 3}).status_code == 200


def test_all_clients_together_have_a_queue(tiny: Served) -> None:
    turn = Turn()
    turn.acquire()
    worker = Worker("tiny", tiny.translator, Limits(queue=2), turn)
    several = [worker.admit([Job("un"), Job("un")], client) for client in "abcd"]
    for one in several:
        one.__enter__()
    said = "tiny: 8 texts are waiting; expected at most 8 with these; try again in 1 seconds."
    with pytest.raises(Refused, match=said), worker.admit([Job("un")], "e"):
        pass
    assert (worker.held, worker.held_by_all) == (8, 8)
    for one in several:
        one.__exit__(None, None, None)
    turn.release()
    worker.close()
    assert worker.held_by_all == 0
