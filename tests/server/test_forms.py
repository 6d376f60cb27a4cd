"""Bodies of all kinds give the same fields."""

import re
from typing import Any

import pytest

from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve

BODY = {"q": SOURCES[0], "source": "src", "target": "tgt"}


@pytest.mark.parametrize(
    "sent",
    [
        {"json": BODY},
        {"data": BODY},
        {"files": {name: (None, value) for name, value in BODY.items()}},
        {"json": {**BODY, "secret": "x", "api_key": "", "alternatives": "0"}},
    ],
)
def test_every_kind_is_read(serve: Serve, tiny: Served, sent: dict[str, Any]) -> None:
    answer = serve(tiny).post("/translate", **sent)
    assert answer.status_code == 200, answer.text
    assert answer.json() == {"translatedText": TARGETS[0]}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"[]", "body: a list; expected an object with fields; see /openapi.json."),
        (b"null", "body: a NoneType; expected an object with fields"),
        (b"{", "body: EOF while parsing"),
    ],
)
def test_what_holds_no_fields(serve: Serve, raw: bytes, message: str) -> None:
    for path in ("/translate", "/detect"):
        answer = serve().post(path, content=raw)
        assert answer.status_code == 400
        assert message in answer.json()["error"]


def test_parts_that_are_cut_off_are_refused(serve: Serve) -> None:
    headers = {"content-type": "multipart/form-data"}
    answer = serve().post("/translate", content=b"--x\r\n", headers=headers)
    assert answer.status_code == 400
    assert "boundary" in answer.json()["error"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"body.text: Input should be a valid string or .*valid list; found None;"),
        (5, r"body.text: Input should be a valid string or .*valid list; found 5;"),
        ([["a"]], r"body.text.0: Input should be a valid string.*; found \['a'\]; see /openapi.js"),
        (["a", None], r"body.text.1: Input should be a valid string.*; found None; see"),
        ({"a": 1}, r"body.text(.a)?: Input should be a valid string"),
    ],
)
def test_texts_that_are_none(serve: Serve, text: Any, message: str) -> None:
    client = serve()
    for path, name in (
        ("/v1/predict", "text"),
        ("/v1/predict/stream", "text"),
        ("/translate", "q"),
    ):
        answer = client.post(path, json={name: text, "source": "src", "target": "tgt"})
        assert answer.status_code == 400
        expected = message.replace("body.text", f"body.{name}")
        assert re.search(expected, answer.json()["error"])
