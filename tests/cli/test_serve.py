"""The verb `serve`, up to the moment when the server would run."""

import builtins
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saccade.server.service import Service
from tests.cli.conftest import Call


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Service]:
    """Services that would have run."""
    found: list[Service] = []

    def run(service: Service, _tell: object, begun: Callable[[], None]) -> None:
        found.append(service)
        begun()

    monkeypatch.setattr(Service, "run", run)
    return found


def test_serves_on_this_machine_alone(call: Call, work: Path, ran: list[Service]) -> None:
    said = call("serve", work / "model")
    assert said.code == 0, said.err
    assert "Serving model at http://127.0.0.1:8000/  (Ctrl-C stops it)" in said.err
    assert "Warning" not in said.err
    assert ran[0].address.host == "127.0.0.1"


def test_a_person_to_compare_with(call: Call, work: Path, ran: list[Service]) -> None:
    assert call("serve", work / "model", "--blind", "reference").code == 0
    assert [service.settings.blind for service in ran] == ["reference"]


def test_warns_when_others_can_reach_it(
    call: Call, work: Path, ran: list[Service], tmp_path: Path
) -> None:
    said = call("serve", f"a={work / 'model'}", f"b={work / 'model'}", "--host", "0.0.0.0")
    assert "Serving a, b at http://127.0.0.1:8000/" in said.err
    assert "Warning: --host 0.0.0.0 lets other machines in and there are no keys" in said.err
    (tmp_path / "keys").write_text("# ours\nsecret\n", encoding="utf-8")
    said = call("serve", work / "model", "--host", "::", "--keys", tmp_path / "keys", "--rate", 9)
    assert "at http://[::1]:8000/" in said.err
    assert "Warning" not in said.err
    assert len(ran) == 2


def test_options_reach_the_server(call: Call, work: Path, ran: list[Service]) -> None:
    options = ["--workers", 2, "--threads", 3, "--allow-origin", "https://A.example", "--rate", 9]
    options += ["--proxy", "10.0.0.0/8", "--max-work", 77, "--max-connections", 5]
    said = call("serve", f"x={work / 'model'}", "--max-per-address", 4, *options)
    assert said.code == 0, said.err
    (found,) = ran
    assert (found.workers, found.threads, found.places) == (2, 3, [f"x={work / 'model'}"])
    settings = found.settings
    assert (settings.origins, settings.proxies) == (["https://a.example"], ["10.0.0.0/8"])
    limits = settings.limits
    assert (limits.work, limits.connections, limits.of_address) == (77, 5, 4)


def test_refuses_what_cannot_be_listened_at(call: Call, work: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = call("serve", work / "model", "--port", port)
    assert said.code == 2
    assert f"serve: cannot listen at 127.0.0.1, port {port} ([Errno" in said.err
    assert "expected an address of this machine and a free port; name others" in said.err
    said = call("serve", work / "model", "--proxy", "example", "--port", port)
    assert "--proxy example: not an address; expected one or a network" in said.err


def test_refuses_names_that_clash_and_keys_that_are_none(
    call: Call, work: Path, tmp_path: Path
) -> None:
    said = call("serve", work / "model", work / "model")
    assert said.code == 2
    assert "there are two models called 'model'; expected different names; write NAME=FOLDER" in (
        said.err
    )
    assert "'a/b' cannot be a model's name" in call("serve", f"a/b={work / 'model'}").err
    (tmp_path / "keys").write_text("# none\n\n", encoding="utf-8")
    said = call("serve", work / "model", "--keys", tmp_path / "keys")
    assert "holds no key; expected one a line; write one, as `openssl rand" in said.err
    said = call("serve", work / "model", "--keys", tmp_path / "missing")
    assert "cannot be read ([Errno 2]" in said.err


def test_says_which_packages_are_missing(
    call: Call, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "uvicorn":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return plain(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, "saccade.server.uvicorn_server", raising=False)
    said = call("serve", work / "model")
    assert said.code == 2
    assert "serve: the package 'uvicorn' is missing; expected those of the extra `serve`; pip" in (
        said.err
    )
