"""A sound in chunks over HTTP: the same words as in a file; whatever is sent, nothing breaks."""

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from saccade.server.app import Settings, create_app
from saccade.server.limits import Limits
from saccade.server.models import open_models
from tests.hummed import hum, hummer

LIMITS = Limits(streams=3, heard=20.0, body=400_000)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    models = open_models([f"hummer={hummer()}"])
    with TestClient(create_app(models, Settings(limits=LIMITS))) as found:
        yield found


def packed(samples: Any) -> str:
    return base64.b64encode(np.asarray(samples, "<i2").tobytes()).decode()


def begin(client: TestClient, **asked: Any) -> str:
    answer = client.post("/v1/listen", json={"rate": 8000, **asked})
    assert answer.status_code == 200, answer.text
    assert answer.json()["seconds"] == 20.0
    return str(answer.json()["stream"])


def send(client: TestClient, stream: str, samples: Any, *, last: bool = False) -> Any:
    body = {"stream": stream, "samples": packed(samples), "last": last}
    answer = client.post("/v1/listen/chunk", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_words_come_while_they_are_said(client: TestClient) -> None:
    sound, stream = hum("21 3 132"), begin(client)
    final, partial = [], []
    for place in range(0, len(sound), 1600):
        told = send(client, stream, sound[place : place + 1600])
        final += told["final"]
        partial += [told["partial"]["text"]] if told["partial"] else []
    told = send(client, stream, [], last=True)
    assert told["partial"] is None
    assert told["seconds"] == pytest.approx(len(sound) / 8000, abs=0.001)
    final += told["final"]
    assert [one["text"] for one in final] == ["21", "3", "132"]
    assert {"2", "21", "13"} <= set(partial)
    for one in final:
        (word,) = one["words"]
        assert one["begins"] <= word["begins"] < word["ends"] <= one["ends"]
    gone = client.post("/v1/listen/chunk", json={"stream": stream})
    assert gone.status_code == 404


def test_there_are_not_too_many_nor_too_long(client: TestClient) -> None:
    streams = [begin(client, model="hummer", beam=2) for _ in range(3)]
    answer = client.post("/v1/listen", json={"rate": 8000})
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "20")
    assert "3 sounds are being heard" in answer.json()["error"]
    long = {"stream": streams[0], "samples": packed(np.zeros(8000 * 21))}
    answer = client.post("/v1/listen/chunk", json={**long, "samples": long["samples"][:400]})
    assert answer.status_code == 200
    for _ in range(2):
        answer = client.post("/v1/listen/chunk", json={**long, "samples": packed([0] * 80_000)})
    assert answer.status_code == 413
    assert "the sound lasts 20.0 seconds with these" in answer.json()["error"]
    assert client.post("/v1/listen/chunk", json=long).status_code == 413  # of the body
    for stream in streams[1:]:
        send(client, stream, [], last=True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "rate: Field required"),
        ({"rate": 1}, "rate: Input should be greater than or equal to 1000"),
        ({"rate": 10**12}, "rate: Input should be less than or equal to 192000"),
        ({"rate": 8000.5}, "rate: Input should be a valid integer"),
        ({"rate": 8000, "pause": 0}, "pause: Input should be greater"),
        ({"rate": 8000, "beam": 99}, "beam: 99 is too wide"),
        ({"rate": 8000, "volume": 3}, "volume: Extra inputs are not permitted"),
        ({"rate": 8009}, "rate: 8009 samples a second do not go well into the model's 8000"),
    ],
)
def test_what_makes_no_sense_is_refused(client: TestClient, body: Any, said: str) -> None:
    answer = client.post("/v1/listen", json=body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]


@pytest.mark.parametrize("samples", ["AAAA", "!", "é", "AAAAA", "QQ=="])
def test_broken_samples_end_a_stream(client: TestClient, samples: str) -> None:
    stream = begin(client)
    answer = client.post("/v1/listen/chunk", json={"stream": stream, "samples": samples})
    assert answer.status_code == 400
    assert "is not base64 of whole samples" in answer.json()["error"]
    assert client.post("/v1/listen/chunk", json={"stream": stream}).status_code == 404


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.binary(max_size=900), max_size=5), st.integers(1000, 192_000))
def test_no_samples_break_it(client: TestClient, chunks: list[bytes], rate: int) -> None:
    answer = client.post("/v1/listen", json={"rate": rate})
    assert answer.status_code in (200, 400)
    if answer.status_code == 400:
        return
    stream, last = answer.json()["stream"], {"last": True}
    for chunk in chunks:
        body = {"stream": stream, "samples": base64.b64encode(chunk).decode()}
        answer = client.post("/v1/listen/chunk", json=body)
        assert answer.status_code in (200, 400)
        if answer.status_code == 400:
            return
    assert client.post("/v1/listen/chunk", json={"stream": stream, **last}).status_code == 200


def test_a_page_may_ask_for_the_microphone_only_where_a_model_hears(
    client: TestClient, serve: Any
) -> None:
    assert "microphone=(self)" in client.get("/").headers["permissions-policy"]
    assert "microphone=()" in serve().get("/").headers["permissions-policy"]
