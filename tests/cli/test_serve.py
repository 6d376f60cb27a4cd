"""The verb `serve`, up to the moment when the server would run."""

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from tests.cli.conftest import Call


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[uvicorn.Server]:
    """Servers that would have run."""
    found: list[uvicorn.Server] = []

    def run(server: uvicorn.Server) -> None:
        found.append(server)
        server.config.app.state.desk.close()  # type: ignore[union-attr]

    monkeypatch.setattr(uvicorn.Server, "run", run)
    return found


def test_serves_on_this_machine_alone(call: Call, work: Path, ran: list[uvicorn.Server]) -> None:
    said = call("serve", work / "model")
    assert said.code == 0, said.err
    assert "Serving model at http://127.0.0.1:8000/  (Ctrl-C stops it)" in said.err
    assert "Warning" not in said.err
    assert ran[0].config.host == "127.0.0.1"


def test_warns_when_others_can_reach_it(
    call: Call, work: Path, ran: list[uvicorn.Server], tmp_path: Path
) -> None:
    said = call("serve", f"a={work / 'model'}", f"b={work / 'model'}", "--host", "0.0.0.0")
    assert "Serving a, b at http://127.0.0.1:8000/" in said.err
    assert "Warning: --host 0.0.0.0 lets other machines in and there are no keys" in said.err
    (tmp_path / "keys").write_text("# ours\nsecret\n", encoding="utf-8")
    said = call("serve", work / "model", "--host", "::", "--keys", tmp_path / "keys", "--rate", 9)
    assert "at http://[::1]:8000/" in said.err
    assert "Warning" not in said.err
    assert len(ran) == 2


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
