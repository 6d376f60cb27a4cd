"""What the server counts, as Prometheus reads it."""

import asyncio
import re

from starlette.types import Message, Receive, Scope, Send

from saccade.server.counters import Counted, Counters, samples


def test_a_histogram_counts_what_is_at_most_each_edge() -> None:
    counters = Counters()
    for value in (0.5, 1.0, 2.0, 9.0):
        counters.add(dict(samples("saccade_batch_texts", (("model", "a"),), (1.0, 2.5), value)))
    assert [line for line in counters.text({}).splitlines() if 'model="a"' in line] == [
        'saccade_batch_texts_bucket{model="a",le="1"} 2',
        'saccade_batch_texts_bucket{model="a",le="2.5"} 3',
        'saccade_batch_texts_bucket{model="a",le="+Inf"} 4',
        'saccade_batch_texts_sum{model="a"} 12.500000',
        'saccade_batch_texts_count{model="a"} 4',
    ]


def test_names_of_models_cannot_break_the_text() -> None:
    counters = Counters()
    counters.of_model('odd"}\nname\\').batch(2, 30, 0.5)
    counters.request("/v1/predict", 200, 0.01)
    counters.request("/v1/predict", 200, 0.02)
    text = counters.text({'odd"}\nname\\': 3})
    assert r'saccade_pieces_total{model="odd\"}\nname\\"} 30' in text
    assert 'saccade_requests_total{route="/v1/predict",status="200"} 2' in text
    assert 'saccade_held_texts{model="odd\\"}\\nname\\\\"} 3\n' in text
    line = re.compile(r"#.*|saccade_\w+\{.*\} [\d.]+")
    assert all(line.fullmatch(one) for one in text.splitlines())


def test_an_answer_is_counted_before_its_last_part_is_sent() -> None:
    counters, seen = Counters(), list[tuple[str, bool]]()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await send({"type": "http.response.body", "body": b"b"})

    async def send(message: Message) -> None:
        told = 'saccade_requests_total{route="other",status="200"} 1' in counters.text({})
        seen.append((message.get("body", b"").decode(), told))

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    counted = Counted(app, counters, knows=lambda _: None)
    asyncio.run(counted({"type": "http"}, receive, send))
    assert seen == [("", False), ("a", False), ("b", True)]
    assert 'saccade_requests_total{route="other",status="200"} 1' in counters.text({})
