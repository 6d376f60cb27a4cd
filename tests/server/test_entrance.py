"""Who comes in: the key before the body, every route, addresses."""

import pytest
from fastapi import FastAPI

from saccade.server.entrance import KEY_IN_BODY, is_open, network_of
from saccade.server.keys import Door, Keys, Rates
from tests.server.conftest import Serve


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/predict/stream", "/v1/score", "/v1/listen"])
def test_a_body_is_not_read_before_the_key(serve: Serve, path: str) -> None:
    client = serve(door=Door(Keys(["secret"])))
    answer = client.post(path, content=b"{not json", headers={"x-api-key": "wrong"})
    assert answer.status_code == 401
    assert client.post(path, content=b"x" * 3_000_000).status_code == 401
    assert client.post(path, content=b"{", headers={"x-api-key": "secret"}).status_code == 400
    for libre in KEY_IN_BODY:
        answer = client.post(libre, content=b"{", headers={"x-api-key": "wrong"})
        assert answer.status_code == 403


def test_every_route_is_open_or_asks_for_a_key(serve: Serve) -> None:
    client = serve(door=Door(Keys(["secret"])))
    app = client.app
    assert isinstance(app, FastAPI)
    paths = set(app.openapi()["paths"])
    assert len(paths) > 15
    for path in paths:
        free = path in KEY_IN_BODY or is_open(path)
        answer = client.get(path.replace("{name}", "tiny"))
        assert (answer.status_code == 401) == (not free), path


def test_a_request_counts_once(serve: Serve) -> None:
    client = serve(door=Door(Keys(["secret"]), Rates(2)))
    body = {"q": "un", "source": "src", "target": "tgt", "api_key": "secret"}
    assert [client.post("/translate", json=body).status_code for _ in "123"] == [200, 200, 429]
    client = serve(door=Door(None, Rates(2)))
    assert [client.post("/translate", json=body).status_code for _ in "123"] == [200, 200, 429]


def test_networks() -> None:
    assert network_of("::ffff:10.0.0.1") == "10.0.0.1"
    assert network_of("testclient") == "testclient"
