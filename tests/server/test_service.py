"""`saccade serve --workers 2` as it is run: processes die, models change, nobody notices."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Queue

import httpx
import pytest

from saccade.server.models import Served
from tests.cli.conftest import SOURCES, TARGETS
from tests.server.test_supervisor import hear


@dataclass
class Running:
    """A server of two processes, its model folder, and what it says."""

    process: subprocess.Popen[str]
    port: int
    folder: Path
    said: "Queue[str]" = field(default_factory=Queue)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def await_line(self, text: str) -> str:
        while text not in (line := self.said.get(timeout=60)):
            pass
        return line

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]

    def metric(self, name: str) -> float:
        text = httpx.get(f"{self.url}/metrics").text
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0


@pytest.fixture(scope="module")
def running(tiny: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    if sys.platform != "linux":
        pytest.skip("looks into /proc")
    folder = tmp_path_factory.mktemp("service") / "tiny"
    shutil.copytree(tiny.folder, folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "saccade", "serve", f"tiny={folder}", f"other={folder}"]
    command += ["--port", str(port), "--workers", "2", "--threads", "1"]
    command += ["--judgements", str(folder.parent / "judgements")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    found = Running(process, port, folder)
    assert process.stderr is not None
    reading = threading.Thread(target=hear, args=(process.stderr, found.said))
    reading.start()
    found.await_line("Serving tiny, other at")
    yield found
    process.kill()
    process.wait()
    reading.join()
    process.stderr.close()


@dataclass
class Load:
    """Clients that ask over and over again, each on a connection of its own.

    lost: requests without an answer.  away: those among them that were the first of a connection,
    which nobody may have accepted.
    """

    port: int
    n: int = 4
    answers: list[str] = field(default_factory=list)
    lost: int = 0
    away: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "Load":
        self._threads = [threading.Thread(target=self._ask, args=(k,)) for k in range(self.n)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, number: int) -> None:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        fresh = True
        body = f'{{"text": "{SOURCES[number]}"}}'
        while not self.over.is_set():
            try:
                connection.request(
                    "POST", "/v1/predict", body, {"Content-Type": "application/json"}
                )
                answer = connection.getresponse()
                told = answer.read().decode()
                assert answer.status == 200
                assert f'"text": "{TARGETS[number]}"' in told
                self.answers.append(told)
                fresh = answer.will_close
            except ConnectionRefusedError:
                return
            except (HTTPException, OSError):
                self.lost += 1
                self.away += fresh
                connection.close()
                fresh = True
        connection.close()

    def await_more(self, n: int) -> None:
        before = len(self.answers)
        while len(self.answers) < before + n and any(t.is_alive() for t in self._threads):
            self.over.wait(0.01)


def test_only_what_a_dead_process_was_doing_is_lost(running: Running) -> None:
    with Load(running.port) as load:
        load.await_more(8)
        first = running.children()[0]
        os.kill(first, signal.SIGKILL)
        line = running.await_line("died")
        assert line == f"Process {first} died (signal 9); another takes its place.\n"
        load.await_more(8)
    assert load.lost <= load.n
    assert running.metric("saccade_workers_died_total") == 1
    counted = running.metric('saccade_requests_total{route="/v1/predict",status="200"}')
    assert len(load.answers) <= counted <= len(load.answers) + load.lost


def test_models_change_and_no_request_is_lost(running: Running) -> None:
    weights = running.folder / "model.safetensors"
    good = weights.read_bytes()
    before = running.children()
    with Load(running.port) as load:
        load.await_more(4)
        weights.write_bytes(good[:-100])
        running.process.send_signal(signal.SIGHUP)
        line = running.await_line("Reload")
        assert line.startswith("Reload refused, the models that were served go on:")
        assert "model.safetensors" in line
        weights.write_bytes(good)
        running.process.send_signal(signal.SIGHUP)
        assert running.await_line("Reload") == "Reloaded: new models are served.\n"
        load.await_more(8)
    assert load.lost == 0
    while set(before) & set(running.children()):
        load.over.wait(0.05)
    assert running.metric('saccade_reloads_total{result="done"}') == 1
    assert running.metric('saccade_reloads_total{result="refused"}') == 1


def test_what_one_process_keeps_all_of_them_give(running: Running) -> None:
    def fresh(path: str, **options: object) -> httpx.Response:
        return httpx.request(url=f"{running.url}{path}", **options)  # type: ignore[arg-type]

    body = {"source": "src", "target": "tgt"}
    file = {"file": ("a.txt", f"{SOURCES[0]}\n".encode())}
    told = fresh("/translate_file", method="POST", data=body, files=file).json()
    path = told["translatedFileUrl"].partition(str(running.port))[2]
    assert {fresh(path, method="GET").text for _ in range(12)} == {f"{TARGETS[0]}\n"}
    assert fresh(f"{path}x", method="GET").status_code == 404
    raters = {"rater": "anna"}
    for _ in range(6):
        found = fresh("/v1/blind/next", method="GET", params=raters)
        assert found.json() == {"done": True}  # both models are the same
        assert fresh("/v1/blind/summary", method="GET").json()["equal"] == len(SOURCES)


def test_all_that_was_accepted_is_answered_at_the_end(running: Running) -> None:
    with Load(running.port) as load:
        load.await_more(8)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    assert load.lost == load.away
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", running.port)).close()
