"""Pages of other sites do not get to use a visitor's browser."""

import pytest

from saccade.errors import RecipeError
from saccade.server.origins import check_origin
from tests.server.conftest import Serve

FORM = "q=un&source=src&target=tgt"
KIND = {"content-type": "application/x-www-form-urlencoded", "host": "127.0.0.1:8000"}
OURS = [
    {},
    {"origin": "http://127.0.0.1:8000"},
    {"origin": "https://127.0.0.1:8000"},  # a proxy takes TLS off
    {"origin": "https://behind.example.org", "sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "none"},
]
FOREIGN = [
    {"origin": "http://evil.example"},
    {"origin": "http://127.0.0.1:9000"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"origin": "https://friend.example", "sec-fetch-site": "cross-site"},
]


def test_only_own_pages_and_programs_may_send_forms(serve: Serve) -> None:
    client = serve()
    for headers in OURS:
        assert client.post("/translate", content=FORM, headers=KIND | headers).status_code == 200
    for headers in FOREIGN:
        for path in ("/translate", "/v1/predict", "/translate_file", "/v1/blind", "/nothing"):
            answer = client.post(path, content=FORM, headers=KIND | headers)
            assert answer.status_code == 403
    answer = client.post("/translate", content=FORM, headers=KIND | FOREIGN[0])
    assert answer.json()["error"] == (
        "origin: 'http://evil.example' is another site; expected a page of this server, or a"
        " program; allow it with --allow-origin."
    )
    assert client.get("/languages", headers=KIND | FOREIGN[0]).status_code == 200


def test_an_origin_can_be_allowed(serve: Serve) -> None:
    client = serve(origins=["https://friend.example"])
    answer = client.post("/translate", content=FORM, headers=KIND | FOREIGN[-1])
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "https://friend.example"
    asked = {"access-control-request-method": "POST", "origin": "https://friend.example"}
    assert client.options("/v1/predict", headers=asked).status_code == 200
    assert client.post("/translate", content=FORM, headers=KIND | FOREIGN[0]).status_code == 403


def test_an_origin_is_a_scheme_and_a_name() -> None:
    assert check_origin("https://Www.Example.org/") == "https://www.example.org"
    for text in ("www.example.org", "https://a.example/page", "null", "file:///x"):
        with pytest.raises(RecipeError, match=f"--allow-origin {text}: not an origin; expected"):
            check_origin(text)
