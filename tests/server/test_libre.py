"""LibreTranslate's clients find what they know."""

from dataclasses import replace
from typing import Any

import pytest

from saccade.server.limits import Limits
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import Serve

BODY = {"source": "fr", "target": "en"}


@pytest.fixture
def french(tiny: Served) -> Served:
    return replace(tiny, source="fr", target="en")


def test_languages(serve: Serve, french: Served, tiny: Served) -> None:
    assert serve(french).get("/languages").json() == [
        {"code": "fr", "name": "French", "targets": ["en"]},
        {"code": "en", "name": "English", "targets": []},
    ]
    assert serve(tiny).get("/languages").json()[0]["name"] == "Source"


def test_one_text_several_and_a_form(serve: Serve, french: Served) -> None:
    client = serve(french)
    one = client.post("/translate", json=BODY | {"q": SOURCES[0]}).json()
    assert one == {"translatedText": TARGETS[0]}
    many = client.post("/translate", json=BODY | {"q": SOURCES, "format": "text"}).json()
    assert many == {"translatedText": TARGETS}
    form = client.post("/translate", data=BODY | {"q": SOURCES[1], "alternatives": "1"}).json()
    assert form["translatedText"] == TARGETS[1]
    assert len(form["alternatives"]) == 1
    assert client.post("/translate", data=BODY | {"q": SOURCES}).json() == many
    assert client.post("/translate", json=BODY | {"q": []}).json() == {"translatedText": []}


def test_settings_and_suggestions(serve: Serve, french: Served) -> None:
    client = serve(french)
    told = client.get("/frontend/settings").json()
    assert told["language"]["source"] == {"code": "fr", "name": "French"}
    assert told["charLimit"] == 5000
    assert told["supportedFilesFormat"] == [".txt", ".tsv"]
    assert (told["suggestions"], told["keyRequired"], told["filesTranslation"]) == (
        False,
        False,
        True,
    )
    answer = client.post("/suggest", data={"q": "a", "s": "b", "source": "fr", "target": "en"})
    assert answer.status_code == 403
    assert answer.json()["error"].startswith("suggest: this server keeps no suggestions; expected")


def test_lines_and_sentences_are_kept(serve: Serve, french: Served, talk: Served) -> None:
    text = f"{SOURCES[0]}\n\n  {SOURCES[1]}\n"
    told = serve(french).post("/translate", json=BODY | {"q": [text, " ", ""]}).json()
    assert told == {"translatedText": [f"{TARGETS[0]}\n\n  {TARGETS[1]}\n", " ", ""]}
    client = serve(talk)
    body = BODY | {"q": f"<p>{SOURCES[0]}. {SOURCES[1]}.</p>", "format": "html", "alternatives": 1}
    told = client.post("/translate", json=body).json()
    assert told["translatedText"] == f"<p>{TARGETS[0]}. {TARGETS[1]}.</p>"
    assert told["alternatives"][0].startswith("<p>")


def test_alternatives(serve: Serve, french: Served) -> None:
    body = BODY | {"q": SOURCES[:2], "alternatives": 2, "source": "auto"}
    told = serve(french).post("/translate", json=body).json()
    assert told["translatedText"] == TARGETS[:2]
    assert [len(others) for others in told["alternatives"]] == [2, 2]
    assert told["detectedLanguage"] == [{"language": "fr", "confidence": 0}] * 2


def test_markup_stays_and_text_between_is_translated(serve: Serve, french: Served) -> None:
    body = BODY | {"q": f"<p class='x'>{SOURCES[0]}</p>\n<b> {SOURCES[1]} </b>", "format": "html"}
    told = serve(french).post("/translate", json=body).json()
    assert told["translatedText"] == f"<p class='x'>{TARGETS[0]}</p>\n<b> {TARGETS[1]} </b>"


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (
            {"q": "a", "source": "fr", "target": "zz"},
            400,
            "source, target: no model translates 'fr' to 'zz'; expected fr to en; see /languages.",
        ),
        ({"q": "a", "source": "fr"}, 400, "body.target: Field required; found"),
        (BODY | {"q": "a", "format": "xml"}, 400, "body.format: Input should be 'text' or 'html'"),
        (BODY | {"q": "a" * 11}, 413, "q: 11 characters; expected at most 10 in a text"),
        (BODY | {"q": "<b>" * 3, "format": "html"}, 413, "q: 4 texts; expected at most 3"),
        (BODY | {"q": "a", "alternatives": 99}, 400, "alternatives: 100 is too wide; expected"),
    ],
)
def test_what_is_refused(
    serve: Serve, french: Served, body: dict[str, Any], status: int, message: str
) -> None:
    client = serve(french, limits=Limits(characters=10, items=3))
    answer = client.post("/translate", json=body)
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b'{"q": NaN}', b'{"q": "\\ud800"}'])
def test_what_cannot_be_read(serve: Serve, french: Served, raw: bytes) -> None:
    answer = serve(french).post("/translate", content=raw)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("body: ")
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert serve(french).post("/translate", content=raw, headers=form).status_code == 400
