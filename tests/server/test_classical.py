"""Models without a network on the server: what they write, how likely it is, and their pictures."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from saccade.inspections.base import views_of_page
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests import classical

VIEWS = {"hmm": "trellis", "phrase_based": "phrases", "kalman": "output"}


@pytest.fixture(scope="module")
def client(classical_runs: Path) -> Iterator[TestClient]:
    folders = [str(classical_runs / kind) for kind in classical.KINDS]
    with TestClient(create_app(open_models(folders))) as found:
        yield found


@pytest.mark.parametrize("name", classical.KINDS)
def test_everything_is_answered(client: TestClient, name: str) -> None:
    (told,) = (m for m in client.get("/v1/models").json()["models"] if m["name"] == name)
    assert told["beams"] is classical.SEARCHES.get(name, ("", False))[1]
    assert VIEWS.get(name, "beam") in told["views"]
    text = classical.asked(name)
    asked = {"model": name, "text": text}
    answer = client.post("/v1/predict", json=asked)
    assert answer.status_code == 200, answer.text
    plain = answer.json()["results"][0]
    assert plain["text"]
    for view in told["views"]:
        for words in (False, True):
            more = {"views": [view], "words": words, "want": ["alignment"] * ("attention" in view)}
            answer = client.post("/v1/predict", json={**asked, **more})
            assert answer.status_code == 200, answer.text
            seen = answer.json()["results"][0]
            assert seen["text"] == plain["text"]
            assert seen["views"][view].startswith("<svg")
    score = client.post(
        "/v1/score", json={"model": name, "source": text, "target": classical.wanted(name)}
    )
    if name == "kalman":
        assert score.status_code == 400
        assert "this model writes values, which have no probability" in score.text
    else:
        assert score.json()["results"][0]["score"] < 0


def test_the_page_has_a_title_for_every_view() -> None:
    page = Path(__file__).parents[2] / "saccade" / "server" / "page" / "answer.js"
    (line,) = (x for x in page.read_text("utf-8").splitlines() if x.startswith("const VIEWS ="))
    assert [name for name in views_of_page() if f" {name}: " not in line] == []
