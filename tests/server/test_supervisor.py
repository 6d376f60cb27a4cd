"""Processes that are looked after: they die, they change, they end, and nobody is turned away."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest


@dataclass
class Troop:
    """A supervisor with two processes, and what it says."""

    process: subprocess.Popen[str]
    place: Path
    plan: Path
    said: "Queue[str]"

    def ask(self) -> tuple[str, int, int]:
        """Return the word of some process, its number, and how many there are."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(20)
            connection.connect(str(self.place))
            word, pid, n = connection.recv(100).decode().split()
            return word, int(pid), int(n)

    def await_word(self, text: str) -> str:
        while True:
            line = self.said.get(timeout=20)
            if text in line:
                return line


@pytest.fixture
def troop(tmp_path: Path) -> Iterator[Troop]:
    plan, place = tmp_path / "plan", tmp_path / "socket"
    plan.write_text("one")
    process = begin(place, plan)
    said: Queue[str] = Queue()
    assert process.stdout is not None
    reading = Thread(target=hear, args=(process.stdout, said))
    reading.start()
    found = Troop(process, place, plan, said)
    found.await_word("begun")
    yield found
    process.kill()
    process.wait()
    reading.join()
    process.stdout.close()


def hear(lines: Iterable[str], said: "Queue[str]") -> None:
    for line in lines:
        said.put(line)


def begin(place: Path, plan: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.server.supervised", str(place), str(plan), "2"]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)


def test_the_life_of_a_troop(troop: Troop) -> None:
    word, first, n = troop.ask()
    assert (word, n) == ("one", 2)
    os.kill(first, signal.SIGKILL)
    assert re.match(rf"Process {first} died \(signal 9\); another takes its", troop.await_word(""))
    while (seen := troop.ask())[1] == first or seen[2] != 2:
        assert seen[0] == "one"

    troop.plan.write_text("bad")
    troop.process.send_signal(signal.SIGHUP)
    assert troop.await_word("Reload") == (
        f"Reload refused, the models that were served go on: {troop.plan}: a bad plan; expected a"
        " good one; mend it.\n"
    )
    assert troop.ask()[0] == "one"
    for _ in range(3):  # said once, whoever of them is heard first
        troop.process.send_signal(signal.SIGHUP)
        troop.await_word("Reload refused")
    assert troop.said.empty()

    troop.plan.write_text("one")
    dead = troop.ask()[1]
    os.kill(dead, signal.SIGKILL)
    troop.await_word(f"Process {dead} died")
    seen = troop.ask()
    while seen[1] in (first, dead) or seen[2] != 2:
        seen = troop.ask()

    troop.plan.write_text("slow")
    troop.process.send_signal(signal.SIGHUP)
    words: list[str] = []
    while not words or words[-1] == "one":  # nobody is turned away meanwhile
        words.append(troop.ask()[0])
    assert set(words) == {"one", "slow"} or words == ["slow"]
    assert "Reloaded: new models are served." in troop.await_word("Reload")

    asking = [Thread(target=lambda: answers.append(troop.ask())) for _ in "12"]
    answers: list[tuple[str, int, int]] = []
    for one in asking:
        one.start()
    while len(answers) < 1:
        pass
    troop.process.send_signal(signal.SIGTERM)
    assert troop.process.wait(20) == 0
    troop.await_word("saccade_workers_died_total 2\n")
    troop.await_word('saccade_reloads_total{result="refused"} 4')
    troop.await_word('saccade_reloads_total{result="done"} 1')
    for one in asking:
        one.join()
    assert {word for word, _, _ in answers} == {"slow"}


def test_a_troop_that_cannot_begin_says_why(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    plan.write_text("bad")
    process = begin(tmp_path / "socket", plan)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    assert said == f"over: {plan}: a bad plan; expected a good one; mend it.\n"
