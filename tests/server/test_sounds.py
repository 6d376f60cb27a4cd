"""Sounds in requests: as text of any allowed length, with the times of words."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from saccade.modalities._sound import Sound, to_text
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests.hummed import hum, hummer


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_app(open_models([f"hummer={hummer()}"]))) as found:
        yield found


def test_a_sound_of_seconds_is_transcribed_with_times(client: TestClient) -> None:
    text = to_text(Sound(hum("2132132"), 8000))
    assert len(text) > 30_000  # more than a text may have
    answer = client.post("/v1/predict", json={"text": text, "want": ["times"]})
    assert answer.status_code == 200, answer.text
    (told,) = answer.json()["results"]
    assert told["text"] == "2132132"
    assert [one["text"] for one in told["times"]] == list("2132132")
    assert [one["text"] for one in told["words"]] == ["2132132"]
    begins = [one["begins"] for one in told["times"]]
    assert begins == sorted(begins)
    assert client.get("/v1/models").json()["models"][0]["inputs"][0]["kind"] == "sound"
