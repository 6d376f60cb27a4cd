"""The application as a whole: what every answer has, and who is let in."""

from typing import Any

import pytest

from saccade.inspections.base import Seen
from saccade.server.headers import POLICY
from saccade.server.keys import Door, Keys, Rates
from saccade.server.limits import Limits
from tests.server.conftest import Serve


def test_health_and_readiness(serve: Serve) -> None:
    client = serve()
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/ready").json() == {"status": "ready"}
    client.app.state.desk.close()  # type: ignore[attr-defined]
    assert client.get("/health").status_code == 200
    answer = client.get("/ready")
    assert answer.status_code == 503
    assert answer.json()["error"].startswith("server: not ready; expected every model to take")
    answer = client.post("/v1/predict", json={"text": "un"})
    assert answer.status_code == 503
    assert "tiny: the server is shutting down; expected to be asked earlier" in answer.text


def test_the_page_is_served_by_fixed_names(serve: Serve) -> None:
    client = serve()
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>" in page.text
    for path in ("/static/", "/static/index.html", "/static/..%2fapp.py", "/static/../app.py"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "path", ["/nothing", "/v1/models/../../etc/passwd", "/v1/models/..%2F..%2Fx/curves", "/docs"]
)
def test_what_is_not_there(serve: Serve, path: str) -> None:
    answer = serve().get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_errors_of_http_are_told_alike(serve: Serve) -> None:
    client = serve()
    assert client.get("/nothing").json()["error"] == (
        "/nothing: there is nothing here; expected a route of /openapi.json; look there."
    )
    answer = client.get("/v1/predict")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"
    assert answer.json()["error"].startswith("/v1/predict: GET is not understood here; expected")


@pytest.mark.parametrize("path", ["/", "/health", "/v1/models", "/nothing"])
def test_every_answer_has_its_headers(serve: Serve, path: str) -> None:
    headers = serve().get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "script-src 'self';" in POLICY


def test_only_its_own_names_are_answered_to(serve: Serve) -> None:
    client = serve(hosts=["localhost", "[::1]"])
    for good in ("localhost", "LOCALHOST:8000", "[::1]:80"):
        assert client.get("/health", headers={"host": good}).status_code == 200
    answer = client.get("/health", headers={"host": "evil.example:8000"})
    assert answer.status_code == 400
    assert answer.json()["error"] == (
        "host: 'evil.example' is not a name of this server; expected one of [::1], localhost; add"
        " it with --allow-host."
    )
    assert answer.headers["x-frame-options"] == "DENY"


def test_a_body_that_is_too_big(serve: Serve) -> None:
    client = serve(limits=Limits(body=100))
    answer = client.post("/v1/predict", json={"text": "x" * 100})
    assert answer.status_code == 413
    assert answer.json()["error"] == (
        "body: more than 100 bytes; expected at most that; send the texts in several requests."
    )
    streamed = client.post("/v1/predict", content=iter([b"x" * 60, b"x" * 60]))
    assert streamed.status_code == 413


def test_keys_are_asked_for(serve: Serve) -> None:
    client = serve(door=Door(Keys(["secret", "other"])))
    for path in ("/", "/health", "/ready", "/languages", "/openapi.json"):
        assert client.get(path).status_code == 200
    for path in ("/v1/models", "/metrics", "/v1/blind/summary", "/v1/models/tiny/curves"):
        answer = client.get(path)
        assert answer.status_code == 401
        assert answer.json()["error"] == (
            "key: no key; expected one of this server's keys; send it as `Authorization: Bearer"
            " KEY`."
        )
    good = [{"authorization": "Bearer secret"}, {"x-api-key": "other"}]
    assert [client.get("/v1/models", headers=h).status_code for h in good] == [200, 200]
    answer = client.get("/v1/models", headers={"x-api-key": "secre"})
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("key: a key that is not known; expected")
    body = {"q": "un chat dort", "source": "src", "target": "tgt"}
    assert client.post("/translate", json=body).status_code == 403  # as LibreTranslate answers
    assert client.post("/detect", json=body | {"api_key": "x"}).status_code == 403
    assert client.get("/frontend/settings").json()["keyRequired"] is True
    assert client.post("/translate", json=body | {"api_key": "secret"}).status_code == 200
    assert client.post("/translate", json=body, headers=good[0]).status_code == 200


def test_a_key_comes_only_so_often(serve: Serve) -> None:
    client = serve(door=Door(Keys(["a", "b"]), Rates(2)))
    first = {"x-api-key": "a"}
    assert [client.get("/v1/models", headers=first).status_code for _ in "123"] == [200, 200, 429]
    answer = client.get("/v1/models", headers=first)
    assert int(answer.headers["retry-after"]) in (29, 30, 31)
    assert answer.json()["error"].startswith("rate: more than 2 requests a minute; expected fewer")
    assert client.get("/v1/models", headers={"x-api-key": "b"}).status_code == 200


def test_metrics_count(serve: Serve) -> None:
    client = serve()
    client.post("/v1/predict", json={"text": ["un chat dort", "un chien dort"]})
    client.get("/nothing")
    text = client.get("/metrics").text
    assert 'saccade_requests_total{route="/v1/predict",status="200"} 1\n' in text
    assert 'saccade_requests_total{route="other",status="404"} 1\n' in text
    assert 'saccade_batch_texts_bucket{model="tiny",le="2"} 1\n' in text
    assert 'saccade_batch_texts_sum{model="tiny"} 2\n' in text
    assert 'saccade_request_seconds_count{route="/v1/predict"} 1\n' in text
    assert 'saccade_pieces_total{model="tiny"} 8\n' in text
    assert 'saccade_held_texts{model="tiny"} 0\n' in text


def test_the_description_tells_how_errors_look(serve: Serve) -> None:
    described = serve().get("/openapi.json").json()
    paths = set(described["paths"])
    assert {"/translate", "/languages", "/v1/predict", "/v1/predict/stream", "/v1/score"} <= paths
    assert {"/detect", "/frontend/settings", "/translate_file", "/download_file/{ticket}"} <= paths
    assert "/" not in paths
    for path in described["paths"].values():
        for operation in path.values():
            assert "422" not in operation["responses"]
            assert "400" in operation["responses"]


def test_what_goes_wrong_inside_is_500_and_told_to_whoever_runs_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_seen: Seen, _asked: object) -> dict[str, Any]:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("saccade.server.work.result", fail)
    answer = serve().post("/v1/predict", json={"text": "un"})
    assert answer.status_code == 500
    assert answer.json()["error"].startswith("server: something went wrong inside; expected an")
    assert answer.headers["x-frame-options"] == "DENY"
    assert "ZeroDivisionError: inside" in capsys.readouterr().err
