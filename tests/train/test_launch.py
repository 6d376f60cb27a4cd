"""Beginning several processes, and ending them together by name; none here imports torch."""

import re
import signal
import sys
import time
from pathlib import Path

import pytest

from saccade.errors import TrainingError
from saccade.train.launch import launch

BEGIN = """
import os, signal, sys, time
rank = int(os.environ["RANK"])
file = os.open(os.environ["SACCADE_STEPS"], os.O_RDWR)
os.pwrite(file, (10 + rank).to_bytes(8, "big"), 8 * rank)
"""


def command(script: str) -> list[str]:
    return [sys.executable, "-S", "-c", BEGIN + script]


def test_every_process_is_told_who_it_is(tmp_path: Path) -> None:
    names = "RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE MASTER_ADDR OMP_NUM_THREADS"
    script = f"""
told = " ".join(os.environ[name] for name in {names.split()!r})
open(os.path.join({str(tmp_path)!r}, str(rank)), "w").write(told)
"""
    assert launch(command(script), 2) == 0
    for rank in (0, 1):
        told = (tmp_path / str(rank)).read_text(encoding="utf-8").split()
        assert told[:5] == [str(rank), str(rank), "2", "2", "127.0.0.1"]
        assert int(told[5]) >= 1


def test_a_killed_process_is_named_in_a_moment_and_the_others_are_ended() -> None:
    started = time.monotonic()
    script = "os.kill(os.getpid(), signal.SIGKILL) if rank == 1 else time.sleep(600)"
    with pytest.raises(TrainingError) as caught:
        launch(command(script), 3)
    assert time.monotonic() - started < 60
    assert re.fullmatch(
        r"rank 1 \(pid \d+\) was killed by SIGKILL at step 11\. The other processes were ended;"
        r" the last checkpoint is kept: go on with --resume\.",
        str(caught.value),
    )


def test_one_that_fails_alone_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["saccade.train.launch"], "_GRACE", 0.1)
    with pytest.raises(TrainingError, match=r"^rank 1 .* ended with code 3 at step 11: no luck\. "):
        launch(command("if rank: sys.stderr.write('no luck'); sys.exit(3)\ntime.sleep(600)"), 2)


def test_what_the_first_says_itself_is_left_to_it(capfd: pytest.CaptureFixture[str]) -> None:
    assert launch(command("sys.stderr.write(f'I am {rank}'); sys.exit(2)"), 2) == 2
    assert capfd.readouterr().err == "I am 0"


def test_signals_go_to_all() -> None:
    script = """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
os.pwrite(file, (1).to_bytes(8, "big"), 8 * rank)
while rank and os.pread(file, 8, 0) != (1).to_bytes(8, "big"):
    time.sleep(0.01)
if rank:
    os.kill(os.getppid(), signal.SIGTERM)
time.sleep(600)
"""
    before = signal.getsignal(signal.SIGTERM)
    assert launch(command(script), 2) == 143
    assert signal.getsignal(signal.SIGTERM) == before
