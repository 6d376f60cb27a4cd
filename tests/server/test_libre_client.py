"""A client that was written for LibreTranslate, against this server."""

from collections.abc import Iterator
from urllib.error import HTTPError

import pytest
from libretranslatepy import LibreTranslateAPI

from saccade.server.app import Settings
from saccade.server.keys import Door, Keys
from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.live import running


@pytest.fixture(scope="module")
def url(talk: Served) -> Iterator[str]:
    settings = Settings(door=Door(Keys(["sesame"])))
    with running(talk, settings=settings) as live:
        yield live.url


@pytest.fixture
def client(url: str) -> LibreTranslateAPI:
    return LibreTranslateAPI(url, api_key="sesame")


def test_translate(client: LibreTranslateAPI) -> None:
    text = f"{SOURCES[0]}. {SOURCES[3]}.\n{SOURCES[1]}."
    assert client.translate(text, "fr", "en") == f"{TARGETS[0]}. {TARGETS[3]}.\n{TARGETS[1]}."
    assert client.translate(f"{SOURCES[2]}.", "auto", "en") == f"{TARGETS[2]}."


def test_detect_and_languages(client: LibreTranslateAPI) -> None:
    assert client.detect(SOURCES[0]) == [{"language": "fr", "confidence": 0.0}]
    assert [one["code"] for one in client.languages()] == ["fr", "en"]


@pytest.mark.parametrize("key", [None, "wrong"])
def test_a_wrong_key(url: str, key: str | None) -> None:
    with pytest.raises(HTTPError) as refused:
        LibreTranslateAPI(url, api_key=key).translate("un", "fr", "en")
    assert refused.value.code == 403
    refused.value.close()
