"""Shards that the actors of a Ray cluster predict: as processes do, and as often."""

import os
import pickle
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from saccade.cli import shards_on_ray as module
from saccade.cli.shard_report import Report
from saccade.cli.shard_work import ShardEnd, ShardJob
from saccade.errors import RecipeError
from saccade.predict.shards import Shard
from tests.cli.conftest import Call
from tests.cli.test_shards import _MANY, _corpus, _names, _start, _worker

on_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="the package ray is not here: pip install saccade[ray]"
)
RAY = ["--runner", "ray"]


@pytest.fixture
def job(work: Path) -> ShardJob:
    return ShardJob(work / "model", {})


@on_ray
@pytest.mark.slow
def test_ray_writes_what_processes_write_and_a_killed_worker_loses_nothing(
    work: Path, tmp_path: Path, call: Call
) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 2 * _MANY, "b.txt": 5, "d.jsonl": 0})
    (data / "c.txt").write_bytes(b"un chat dort\n\xff\nun chien court")
    (data / "d.jsonl").write_text('{"source": "un chat dort"}\n[]\n')
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    with _start(work, data, theirs, *RAY, "--workers", "2") as running:
        os.kill(_worker(theirs, "a.txt"), signal.SIGKILL)
        assert running.stderr
        said = running.stderr.read()
    assert running.returncode == 1, said
    assert "Ray: 2 processors, 2 workers.\n" in said
    assert f"4 of 4 shards, {2 * _MANY + 5 + 3 + 2:,} lines here" in said
    assert call("predict", work / "model", "--shards", data, ours).code == 1
    assert _names(theirs) == _names(ours)
    for name in _names(ours):
        assert (theirs / name).read_bytes() == (ours / name).read_bytes()


@on_ray
@pytest.mark.slow
def test_a_wish_that_the_model_cannot_fulfil_ends_ray_too(work: Path, tmp_path: Path) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 1})
    wish = ["--engine", "native", "--quantise", "int3"]
    with _start(work, data, tmp_path / "out", *RAY, *wish) as running:
        assert running.stderr
        said = running.stderr.read()
    assert running.returncode == 2
    assert "int3" in said
    assert "Traceback" not in said


def test_an_actor_writes_the_shards_that_it_is_given(job: ShardJob, tmp_path: Path) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 2})
    path, output = data / "a.txt", tmp_path / "out" / "a.txt"
    writer = module.ShardWriter(pickle.loads(pickle.dumps(job)), str(Path.cwd()))  # noqa: S301 - ours
    row = {"number": 7, "path": str(path), "output": str(output)}
    assert writer(row) == {"number": 7, "word": "done", "lines": 2, "problems": ""}
    assert output.read_text() == "a cat sleeps\na dog sleeps\n"
    assert writer(row)["word"] == "taken"


def test_an_actor_that_cannot_open_the_model_says_so(tmp_path: Path, job: ShardJob) -> None:
    row = {"number": 0, "path": "a", "output": "b"}
    said = module.ShardWriter(ShardJob(tmp_path / "none", {}), str(Path.cwd()))(row)
    assert said["word"] in ("unable", "misled")
    assert "none" in said["problems"]
    here = Path.cwd()
    said = module.ShardWriter(job, str(tmp_path / "nowhere"))(row)
    assert Path.cwd() == here
    assert said["word"] == "unable"
    assert said["problems"].startswith(f"{tmp_path}/nowhere: a worker on ")
    assert " cannot go there (No such file or directory); expected the folder" in said["problems"]


class _Cluster:
    """Ray, as far as it is asked here: it does all shards but those that it loses."""

    def __init__(self, lost: set[str], taken: list[str]) -> None:
        self.data, self.rounds = self, list[list[str]]()
        self._lost, self._taken = lost, taken

    def from_items(self, rows: list[dict[str, Any]], override_num_blocks: int) -> "_Cluster":
        assert override_num_blocks == len(rows)
        self._rows = rows
        return self

    def ActorPoolStrategy(self, **given: int) -> SimpleNamespace:  # noqa: N802 - Ray's name
        assert given == {"size": 2, "max_tasks_in_flight_per_actor": 1}
        return SimpleNamespace()

    def map(self, writer: type, **given: Any) -> "_Cluster":
        assert writer is module.ShardWriter
        assert (given["max_restarts"], given["max_task_retries"]) == (-1, 2)
        return self

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        self.rounds.append([Path(row["path"]).name for row in self._rows])
        for row in reversed(self._rows):
            name = Path(row["path"]).name
            if name in self._lost:
                continue
            if name in self._taken:
                self._taken.remove(name)
                yield {"number": row["number"], "word": "taken", "lines": 0, "problems": ""}
            else:
                Path(row["output"]).write_text("done")
                yield {"number": row["number"], "word": "done", "lines": 1, "problems": "x\ny"}


def test_shards_that_are_lost_fail_and_those_of_another_command_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _corpus(tmp_path / "in", {"a.txt": 1, "b.txt": 1, "c.txt": 1})
    shards = [Shard(data / name, tmp_path / name) for name in ("a.txt", "b.txt", "c.txt")]
    cluster = _Cluster({"b.txt"}, ["c.txt"])

    @contextmanager
    def joined(_: int) -> Iterator[_Cluster]:
        yield cluster

    monkeypatch.setattr(module, "_cluster", joined)
    monkeypatch.setattr(module, "_PAUSE", 0.0)
    report = Report(shards, 3)
    assert module.predict_on_ray(ShardJob(tmp_path, {}), shards, 2, report) == 1
    assert cluster.rounds == [["a.txt", "b.txt", "c.txt"], ["c.txt"]]
    said = capsys.readouterr().err
    assert f"{data}/b.txt: 3 workers died over this shard, or Ray lost them; expected it" in said
    assert said.count("x\ny\n") == 2


def test_what_no_worker_can_do_is_raised() -> None:
    with pytest.raises(RecipeError, match="wrong"):
        ShardEnd("misled", problems=("wrong",)).raise_if_none_can_do_it()
    ShardEnd("failed", problems=("wrong",)).raise_if_none_can_do_it()


def test_a_cluster_that_is_too_small_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    module._check_size(2, 2)
    with pytest.raises(RecipeError, match="--workers 3: the Ray cluster has 2 processors, and a"):
        module._check_size(2, 3)
    assert "Ray: 2 processors, 3 workers." in capsys.readouterr().err


def test_without_ray_the_command_says_how_to_get_it(
    work: Path, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    data = _corpus(tmp_path / "in", {"a.txt": 1})
    found = call("predict", work / "model", "--shards", data, tmp_path / "out", *RAY)
    assert found.code == 2
    assert (
        "--runner ray: the package ray is not installed; expected it beside saccade." in found.err
    )
    found = call("predict", work / "model", *RAY, stdin=b"")
    assert found.code == 2
    assert "--runner: belongs to --shards, which was not asked for." in found.err
