"""What only a real server shows: streams, clients that leave, a shutdown, many at once."""

import json
import random
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.server.app import Settings
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.live import Live, running, until


@pytest.fixture(scope="module")
def live(tiny: Served) -> Iterator[Live]:
    with running(tiny) as found:
        yield found


def events_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_a_stream_tells_the_best_so_far_and_then_the_result(live: Live) -> None:
    body = {"text": SOURCES[0], "want": ["tokens", "tree"]}
    answer = httpx.post(f"{live.url}/v1/predict/stream", json=body)
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    *partial, (last, told) = events_of(answer.text)
    assert [name for name, _ in partial] == ["partial"] * len(partial)
    assert [data["text"] for _, data in partial][:3] == ["a", "a cat", "a cat sleeps"]
    assert last == "result"
    whole = httpx.post(f"{live.url}/v1/predict", json=body).json()
    assert told["results"] == whole["results"]


def test_a_stream_is_refused_with_a_status_or_ends_with_an_error(live: Live) -> None:
    url = f"{live.url}/v1/predict/stream"
    many = httpx.post(url, json={"text": ["a", "b"]})
    assert many.status_code == 400
    assert many.json()["error"].startswith("text: 2 texts; expected one to stream; send it alone")
    assert httpx.post(url, json={"text": "a", "model": "x"}).status_code == 404
    answer = httpx.post(url, json={"text": "un", "views": ["attention"], "head": "x"})
    assert answer.status_code == 200
    assert events_of(answer.text)[-1][0] == "error"
    assert "no map 'x'" in events_of(answer.text)[-1][1]["error"]


def request(path: str, body: dict[str, Any]) -> bytes:
    raw = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/predict/stream"])
def test_the_work_of_a_client_that_leaves_is_dropped(live: Live, path: str) -> None:
    batches = live.desk.counters.text({}).count("saccade_batch_texts_count")
    with live.paused():
        with socket.create_connection(("127.0.0.1", live.port)) as connection:
            connection.sendall(request(path, {"text": "un chat"}))
            until(lambda: live.held == 1)
        until(lambda: live.held == 0)
    assert live.desk.counters.text({}).count("saccade_batch_texts_count") == batches


def test_what_is_too_much_is_refused_at_once(tiny: Served) -> None:
    with running(tiny, settings=Settings(limits=Limits(queue=2))) as live:
        url = f"{live.url}/v1/predict"
        with ThreadPoolExecutor(1) as pool:
            with live.paused():
                first = pool.submit(httpx.post, url, json={"text": SOURCES[:2]})
                until(lambda: live.held == 2)
                for place in (url, f"{url}/stream"):
                    full = httpx.post(place, json={"text": "un"})
                    assert full.status_code == 429
                    assert full.headers["retry-after"] == "1"
                    assert (
                        "tiny: 2 of your texts are waiting; expected at most 2 with these"
                        in full.text
                    )
                assert httpx.get(f"{live.url}/health").status_code == 200
            assert [r["text"] for r in first.result().json()["results"]] == TARGETS[:2]


def test_what_takes_too_long_is_given_up(tiny: Served) -> None:
    with running(tiny, settings=Settings(limits=Limits(seconds=0.1))) as live, live.paused():
        late = httpx.post(f"{live.url}/v1/predict", json={"text": "un"})
        assert late.status_code == 504
        assert late.json()["error"].startswith("server: not done after 0.1 seconds, the limit;")
        stream = httpx.post(f"{live.url}/v1/predict/stream", json={"text": "un"})
        assert events_of(stream.text)[-1][0] == "error"
        with socket.create_connection(("127.0.0.1", live.port)) as slow:
            slow.sendall(request("/v1/predict", {"text": "un"})[:-3])
            assert b"408" in slow.recv(100)
        assert live.held == 0


def test_a_shutdown_finishes_what_was_accepted(tiny: Served) -> None:
    with running(tiny) as live:
        with ThreadPoolExecutor(3) as pool:
            with live.paused():
                url = f"{live.url}/v1/predict"
                plain = [pool.submit(httpx.post, url, json={"text": s}) for s in SOURCES[:2]]
                stream = pool.submit(httpx.post, f"{url}/stream", json={"text": SOURCES[2]})
                until(lambda: live.held == 3)
                live.server.should_exit = True
            answers = [one.result() for one in plain]
            last = events_of(stream.result().text)[-1]
        assert [a.json()["results"][0]["text"] for a in answers] == TARGETS[:2]
        assert last[1]["results"][0]["text"] == TARGETS[2]
        live.thread.join(timeout=20)
        assert not live.thread.is_alive()
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{live.url}/health")


def test_many_at_once_get_what_the_command_line_gives(live: Live, tiny: Served) -> None:
    dice = random.Random(7)
    words = [*{word for source in SOURCES for word in source.split()}, "zut", "<b>", "é"]
    lines = [" ".join(dice.choices(words, k=dice.randint(0, 9))) for _ in range(160)]
    given = "\n".join(lines) + "\n"
    said = CliRunner().invoke(app, ["translate", str(tiny.folder)], input=given)
    expected = said.stdout.split("\n")[:-1]
    assert len(expected) == len(lines)
    widths = [None, 1, 2]

    def ask(number: int) -> list[str]:
        mine = lines[4 * number : 4 * number + 4]
        body = {"text": mine, "beam": widths[number % 3]}
        with httpx.Client() as client:
            alone = [
                client.post(f"{live.url}/translate", json={**pair_of(tiny), "q": line}).json()
                for line in mine
            ]
            together = client.post(f"{live.url}/v1/predict", json=body).json()
        if body["beam"] is None:
            assert [r["text"] for r in together["results"]] == [
                one["translatedText"] for one in alone
            ]
        return [one["translatedText"] for one in alone]

    with ThreadPoolExecutor(40) as pool:
        found = [text for texts in pool.map(ask, range(40)) for text in texts]
    assert found == expected


def test_the_command_line_links_characters(letters: Served) -> None:
    options = ["translate", str(letters.folder), "--alignments", "--engine", "torch"]
    said = CliRunner().invoke(app, options, input="y yx\n").stdout.removesuffix("\n")
    text, _, links = said.partition(" ||| ")
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    assert [target for _, target in pairs] == list(range(len(text)))
    assert all(0 <= source < 4 for source, _ in pairs)


def pair_of(served: Served) -> dict[str, str]:
    return {"source": served.source, "target": served.target}
