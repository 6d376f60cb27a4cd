"""Every curl of the server's page is answered, and its tables tell the options that there are."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.server.app import create_app
from saccade.server.models import open_models
from tests.cli.conftest import TARGETS
from tests.server.conftest import make_run

PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
CURLS = re.findall(r"^curl .*$", PAGE, re.MULTILINE)
SERVES = re.findall(r"^saccade serve .*$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = make_run(tmp_path_factory.mktemp("docs") / "tiny", TARGETS)
    (model,) = open_models([f"demo={folder}"], source="en", target="fr")
    short = [replace(model, examples=model.examples[:2])]
    with TestClient(create_app(short)) as found:
        yield found


@pytest.mark.parametrize("command", CURLS)
def test_what_is_documented_is_answered(client: TestClient, command: str) -> None:
    words = shlex.split(command)
    (url,) = (word for word in words if word.startswith("localhost:8000/"))
    data = [words[i + 1] for i, word in enumerate(words) if word == "-d"]
    path = url.removeprefix("localhost:8000")
    kind = "json" if "-H" in words else "x-www-form-urlencoded"
    headers = {"content-type": f"application/{kind}"}
    body = "&".join(data).encode()
    parts = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "-F")
    if parts:
        name = parts.pop("file").removeprefix("@")
        (printed,) = re.findall(rf"^printf '(.*)' > {name}$", PAGE, re.MULTILINE)
        files = {"file": (name, printed.replace("\\n", "\n").encode())}
        assert client.post(path, data=parts, files=files).status_code == 200
        return
    answer = client.post(path, content=body, headers=headers) if data else client.get(path)
    assert answer.status_code == 200, answer.text


def test_there_is_something_to_answer() -> None:
    assert len(CURLS) >= 12
    assert len(SERVES) >= 4


def test_options_that_are_documented_exist() -> None:
    said = CliRunner().invoke(cli, ["serve", "--help"], env={"COLUMNS": "200"}).output
    known = set(re.findall(r"--[a-z-]+", said))
    assert {option for line in SERVES for option in re.findall(r"--[a-z-]+", line)} <= known
    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) <= known
    for option, default in re.findall(r"\| `(--max-[a-z]+)` \| (\d+) \|", PAGE):
        assert re.search(rf"{option}\b.*{default}", said), option
