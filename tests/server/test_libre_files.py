"""Files go to the server and come back translated."""

from dataclasses import replace
from typing import Any

import pytest

from saccade.server.keys import Door, Keys
from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve

BODY = {"source": "fr", "target": "en"}


def sent(name: str, raw: bytes, **body: str) -> dict[str, Any]:
    return {"files": {"file": (name, raw)}, "data": BODY | body}


def test_a_text_comes_back_under_a_name_nobody_guesses(serve: Serve, talk: Served) -> None:
    client = serve(talk)
    raw = f"{SOURCES[0]}. {SOURCES[1]}.\n\n  {SOURCES[2]}.\n".encode()
    answer = client.post("/translate_file", **sent("my notes.txt", raw))
    assert answer.status_code == 200, answer.text
    url = answer.json()["translatedFileUrl"]
    assert url.startswith("http://testserver/download_file/")
    assert url.endswith(".my_notes_en.txt")
    file = client.get(url)
    assert file.text == f"{TARGETS[0]}. {TARGETS[1]}.\n\n  {TARGETS[2]}.\n"
    assert file.headers["content-disposition"] == 'attachment; filename="my_notes_en.txt"'
    assert file.headers["content-type"] == "text/plain; charset=utf-8"
    assert file.headers["x-content-type-options"] == "nosniff"
    other = client.post("/translate_file", **sent("my notes.txt", raw)).json()
    assert other["translatedFileUrl"] != url


def test_a_table_and_more_lines_than_fit_at_once(serve: Serve, tiny: Served) -> None:
    client = serve(replace(tiny, source="fr", target="en"), limits=Limits(queue=10))
    rows = [f"{source}\t{n}" for n in range(6) for source in SOURCES]
    answer = client.post("/translate_file", **sent("a.tsv", "\n".join(rows).encode()))
    assert answer.status_code == 200, answer.text
    found = client.get(answer.json()["translatedFileUrl"]).text.splitlines()
    assert found == [f"{row}\t{TARGETS[i % 4]}" for i, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("request_body", "status", "message"),
    [
        (sent("a.pdf", b"x"), 400, "file: 'a.pdf' is of a format that is not known; expected"),
        (sent("a.txt", b"x", target="zz"), 400, "source, target: no model translates 'fr' to"),
        (sent("a.txt", b"x" * 99), 413, "has 99 characters; expected at most 20 in a line"),
        (sent("a.txt", b"x\n" * 3000), 413, "body: more than 5000 bytes"),
        ({"data": BODY}, 400, "file: none was sent; expected one in a form of parts"),
        ({"data": BODY | {"file": "x"}}, 400, "file: none was sent; expected one in a form"),
        ({"files": {"file": ("a.txt", b"x")}}, 400, "body.source: Field required"),
    ],
)
def test_what_is_refused(
    serve: Serve, talk: Served, request_body: dict[str, Any], status: int, message: str
) -> None:
    client = serve(replace(talk), limits=Limits(characters=20, body=5000))
    answer = client.post("/translate_file", **request_body)
    assert answer.status_code == status
    assert message in answer.json()["error"]


def test_a_key_is_asked_for_and_a_file_is_not_there(serve: Serve, talk: Served) -> None:
    client = serve(talk, door=Door(Keys(["sesame"])))
    assert client.post("/translate_file", **sent("a.txt", b"x")).status_code == 403
    good = client.post("/translate_file", **sent("a.txt", b"un", api_key="sesame"))
    assert client.get(good.json()["translatedFileUrl"]).status_code == 200
    for path in ("x.a.txt", "..%2F..%2Fetc%2Fpasswd"):
        answer = client.get(f"/download_file/{path}")
        assert answer.status_code == 404
        assert set(answer.json()) == {"error"}


def test_a_file_that_takes_too_long_is_given_up(
    serve: Serve, talk: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saccade.server.libre_files._TIMES", -1)
    answer = serve(talk).post("/translate_file", **sent("a.txt", b"un"))
    assert answer.status_code == 504
    assert answer.json()["error"].startswith(
        "file: not done after -30 seconds, the limit; expected"
    )
