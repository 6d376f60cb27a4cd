import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path

import pytest

from saccade.cli import shards as module
from saccade.cli.shard_report import Report
from saccade.cli.shard_work import ShardEnd, ShardJob
from saccade.errors import DataError, WorkerError
from saccade.predict.shards import Shard
from tests.cli.conftest import SOURCES, TARGETS, Call

_MANY = 8_000  # lines of a shard that takes long enough to be interrupted


def _corpus(folder: Path, lines: dict[str, int]) -> Path:
    folder.mkdir()
    for k, (name, n) in enumerate(lines.items()):
        rows = [SOURCES[(i + k) % len(SOURCES)] for i in range(n)]
        (folder / name).write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return folder


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _expected(shard: Path) -> str:
    known = dict(zip(SOURCES, TARGETS, strict=True))
    return "".join(f"{known[line]}\n" for line in shard.read_text("utf-8").splitlines())


def _start(work: Path, data: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "saccade", "predict", str(work / "model"), *more]
    words += ["--shards", str(data), str(out)]
    return subprocess.Popen(words, stderr=subprocess.PIPE, text=True)


def _worker(out: Path, name: str) -> int:
    """Wait until a shard is being written; return who writes it."""
    lock = out / f".{name}.lock"
    for _ in range(6000):
        if (out / f".{name}.part").exists() and (said := lock.read_text()):
            return int(said.split()[1])
        time.sleep(0.01)
    raise AssertionError("nobody wrote")


def test_a_killed_worker_loses_nothing_and_a_bad_line_not_the_others(
    work: Path, tmp_path: Path, call: Call
) -> None:
    data, out = _corpus(tmp_path / "in", {"a.txt": _MANY, "b.txt": 3}), tmp_path / "out"
    (data / "c.txt").write_bytes(b"un chat dort\n\xff\nun chien court")
    with _start(work, data, out) as running:
        os.kill(_worker(out, "a.txt"), signal.SIGKILL)
        assert running.stderr
        said = running.stderr.read()
    assert running.returncode == 1
    assert f"{data}/a.txt: worker " in said
    assert " died (SIGKILL); another does this shard.\n" in said
    assert f"{data}/c.txt:2: byte 1 of the line is 0xff, which is not UTF-8" in said
    assert f"1 lines have no output, as {out}/c.txt.errors says; expected all." in said
    assert _names(out) == [".predict.json", "a.txt", "b.txt", "c.txt", "c.txt.errors"]
    for name in ("a.txt", "b.txt"):
        assert (out / name).read_text() == _expected(data / name)
        assert (out / name).read_text() == call("predict", work / "model", "-i", data / name).out
    assert (out / "c.txt").read_text() == "a cat sleeps\n\na dog runs\n"

    again = call("predict", work / "model", "--shards", data, out)  # starts no worker
    assert again.code == 1
    assert "3 shards; 3 are there already." in again.err
    (out / "c.txt.errors").unlink()
    assert call("predict", work / "model", "--shards", data, out).code == 0


@pytest.mark.slow
def test_a_killed_command_goes_on_and_leaves_no_worker(work: Path, tmp_path: Path) -> None:
    names = {f"{n}.txt": _MANY for n in range(4)}
    data, out = _corpus(tmp_path / "in", names), tmp_path / "out"
    with _start(work, data, out, "--workers", "2") as running:
        worker = _worker(out, "2.txt")
        running.kill()
    for _ in range(500):
        if not Path(f"/proc/{worker}").exists():
            break
        time.sleep(0.02)
    else:
        raise AssertionError("the worker lives on without its parent")
    first = {path.name: path.stat().st_mtime_ns for path in out.glob("[0-9]*")}
    assert "2.txt" not in first
    with _start(work, data, out, "--workers", "2") as running:
        assert running.wait() == 0
    for name in names:
        assert (out / name).read_text() == _expected(data / name)
        assert (out / name).stat().st_mtime_ns == first.get(name, (out / name).stat().st_mtime_ns)
    assert _names(out) == [".predict.json", *sorted(names)]


@pytest.mark.slow
def test_two_commands_share_the_shards_of_one_folder(work: Path, tmp_path: Path) -> None:
    names = {f"{n}.txt": 6000 for n in range(8)}
    data, out = _corpus(tmp_path / "in", names), tmp_path / "out"
    both = [_start(work, data, out) for _ in range(2)]
    told = [one.communicate()[1] for one in both]
    assert [one.returncode for one in both] == [0, 0]
    lines = [int(text.rsplit(" lines here", 1)[0].split()[-1].replace(",", "")) for text in told]
    assert sum(lines) == sum(names.values())  # nothing was done twice
    assert min(lines) > 0
    for name in names:
        assert (out / name).read_text() == _expected(data / name)
    assert _names(out) == [".predict.json", *sorted(names)]


def test_a_wish_that_the_model_cannot_fulfil_ends_the_command(
    work: Path, tmp_path: Path, call: Call
) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 1})
    wish = ["--engine", "native", "--quantise", "int3"]
    plain = call("predict", work / "model", *wish, stdin=b"un chat dort\n")
    said = call("predict", work / "model", "--shards", data, tmp_path / "out", *wish)
    assert said.code == plain.code == 2
    assert plain.err.strip() in said.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--format", "alto"], "--format alto: writes one document, but --shards writes a file"),
        (["--flags"], "--flags: stand in JSON alone where there are shards, but "),
        (["--column", "text"], "--column text: the shards are text, and a line of text is an"),
        (["-o", "x"], "--output: beside --shards, which says what is read and written; expected"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    work: Path, tmp_path: Path, call: Call, more: list[str], said: str
) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 1})
    found = call("predict", work / "model", "--shards", data, tmp_path / "out", *more)
    assert found.code == 2
    assert said in found.err


def test_columns_of_tsv_have_numbers_and_options_of_shards_want_shards(
    work: Path, tmp_path: Path, call: Call
) -> None:
    data = _corpus(tmp_path / "in", {"a.tsv": 1})
    named = ["--column", "text"]
    found = call("predict", work / "model", "--shards", data, tmp_path / "out", *named)
    assert "a.tsv is TSV, whose columns have numbers; expected one from 1. Give it." in found.err
    found = call("predict", work / "model", "--workers", "2", stdin=b"")
    assert found.code == 2
    assert "--workers: belongs to --shards, which was not asked for. Add --shards IN" in found.err


def test_a_shard_that_kills_three_workers_is_given_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shard = Shard(_corpus(tmp_path / "in", {"a.txt": 1}) / "a.txt", tmp_path / "out" / "a.txt")
    crew = module._Crew(ShardJob(tmp_path, {}), [shard], Report([shard], 1))
    for n in (1, 2):
        crew._queue.clear()
        crew._retry(crew._tasks[shard], "worker 7 died (SIGSEGV)")
        assert list(crew._queue) == [shard], n
        assert crew.failed == 0
    crew._queue.clear()
    crew._retry(crew._tasks[shard], "worker 7 died (SIGSEGV)")
    assert (list(crew._queue), crew.failed) == ([], 1)
    said = capsys.readouterr().err
    assert "a.txt: worker 7 died (SIGSEGV), the third over this shard; expected it to be" in said
    with pytest.raises(
        DataError, match=r"out: 1 shards could not be predicted; expected all. Mend"
    ):
        module._conclude([shard], crew.failed, tmp_path / "out")


class _Dead:
    """A process that ended with code 9, as far as a crew asks."""

    exitcode, pid = 9, 7

    def join(self) -> None:
        pass

    def kill(self) -> None:
        pass


def test_workers_that_die_at_once_end_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hire(crew: module._Crew) -> None:
        ours, theirs = Pipe()
        theirs.close()
        crew._hands.append(module._Hand(_Dead(), ours))  # type: ignore[arg-type]

    shard = Shard(_corpus(tmp_path / "in", {"a.txt": 1}) / "a.txt", tmp_path / "out" / "a.txt")
    monkeypatch.setattr(module._Crew, "_hire", hire)
    crew = module._Crew(ShardJob(tmp_path / "model", {}), [shard], Report([shard], 1))
    with pytest.raises(WorkerError, match=r"3 workers died \(exit code 9\) before they were given"):
        crew.run(1)


def test_what_is_told_of_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {"a.txt": 10, "b.txt": 10, "c.txt": 20}
    data = _corpus(tmp_path / "in", names)
    shards = [Shard(data / name, tmp_path / name) for name in names]
    sizes = [shard.path.stat().st_size for shard in shards]
    report = Report(shards, 5)
    assert report.text(2.0) == "2 of 5 shards, 0 lines here, 0 a second"
    report.end(shards[0], ShardEnd("done", 10, tuple(f"a.txt:{n}: odd" for n in range(12))))
    left = round(sum(sizes[1:]) * 100 / sizes[0])
    clock = f"0:{left // 60:02d}:{left % 60:02d}"
    assert report.text(100.0) == f"3 of 5 shards, 10 lines here, 0 a second, {clock} left"
    report.end(shards[1], ShardEnd("elsewhere"))
    report.end(shards[2], ShardEnd("done", 20))
    assert report.text(10.0) == "5 of 5 shards, 30 lines here, 3 a second"
    said = capsys.readouterr().err
    assert said.count("odd") == 10
    assert "a.txt: 2 more lines, in " in said
