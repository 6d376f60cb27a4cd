"""A model folder whose recipe names URLs, and requests that do: the server opens none of them."""

import socket
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from fastapi.testclient import TestClient

from saccade.readers import _remote
from saccade.server.app import create_app
from saccade.server.models import Served, open_models
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.conftest import make_run

URLS = ["memory://tiny/train.source", "file:///etc/passwd", "http://127.0.0.1:9/a.png", "s3://b/a"]


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    """A model that was trained on files at URLs, which have gone since."""
    memory = fsspec.filesystem("memory")
    changes = []
    for side, lines in (("source", SOURCES), ("target", TARGETS)):
        memory.pipe_file(f"/tiny/{side}", "".join(f"{line}\n" for line in lines).encode())
        changes += [f"data.{key}.{side}=memory://tiny/{side}" for key in ("train", "valid")]
        changes += [f"data.test.flickr.{side}=memory://tiny/{side}"]
    folder = make_run(tmp_path / "far", TARGETS, *changes, "training.max_steps=2")
    assert "memory://tiny/source" in (folder / "recipe.yaml").read_text(encoding="utf-8")
    memory.store.clear()
    yield folder
    memory.store.clear()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was tried to be opened elsewhere."""
    found: list[str] = []

    def refuse(path: object) -> None:
        found.append(str(path))
        raise AssertionError(path)

    def lonely(_: socket.socket, place: object) -> None:
        refuse(place)

    monkeypatch.setattr(_remote, "_found", refuse)
    monkeypatch.setattr(socket.socket, "connect", lonely)
    return found


def test_the_recipe_of_a_model_folder_opens_no_url(far: Path, opened: list[str]) -> None:
    with TestClient(create_app(open_models([f"far={far}"]))) as client:
        answer = client.post("/v1/predict", json={"text": "un chat dort"})
        assert answer.status_code == 200
        for place in ("/v1/models", "/v1/models/far/curves", "/languages", "/"):
            assert client.get(place).status_code == 200
    assert opened == []


@pytest.mark.parametrize("url", URLS)
def test_a_request_opens_no_url(tiny: Served, seer: Served, url: str, opened: list[str]) -> None:
    with TestClient(create_app([tiny, seer])) as client:
        for model in ("tiny", "seer", url):
            for asked in ({"text": url}, {"texts": [url]}, {"inputs": {"source": url}}):
                answer = client.post("/v1/predict", json={**asked, "model": model})
                assert answer.status_code < 500
                assert "root:" not in answer.text
        assert client.post("/v1/predict", json={"text": url, "model": "tiny"}).status_code == 200
        assert client.post("/v1/predict", json={"text": url, "model": "seer"}).status_code == 400
    assert opened == []
