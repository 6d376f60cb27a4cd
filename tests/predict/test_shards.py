import fcntl
import gzip
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.predict.shards import (
    Shard,
    check_manifest,
    claimed,
    count_errors,
    list_shards,
    note_errors,
    published,
    sweep_locks,
)


@pytest.fixture
def shard(tmp_path: Path) -> Shard:
    return Shard(tmp_path / "in" / "a.txt", tmp_path / "out" / "a.txt")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _filled(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n", encoding="utf-8")
    return folder


def test_a_folder_means_its_files_and_a_pattern_those_that_fit(tmp_path: Path) -> None:
    names = ("b.txt", "a.jsonl.gz", ".hidden", "b.txt.errors", "deep/c.txt", "deep/d.tsv")
    data, out = _filled(tmp_path / "in", *names), tmp_path / "out"
    assert [one.path.name for one in list_shards(str(data), out)] == ["a.jsonl.gz", "b.txt"]
    found = list_shards(f"{data}/**/*.txt", out)
    assert [one.output for one in found] == [out / "b.txt", out / "deep" / "c.txt"]
    (only,) = list_shards(f"{data}/b.txt", out)
    assert only.output == out / "b.txt"


def test_an_ending_says_what_a_shard_is() -> None:
    kinds = {"a.txt": "text", "a.TSV": "tsv", "a.json.gz": "jsonl", "a.parquet": "parquet"}
    kinds |= {"part-0001": "text", "test.en.gz": "text"}
    assert {name: Shard(Path(name), Path(name)).kind for name in kinds} == kinds


def test_no_shards_and_outputs_over_shards_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"--shards .*none\*: no file is there; expected a folder"):
        list_shards(str(tmp_path / "none*"), tmp_path / "out")
    data = _filled(tmp_path / "in", "a.txt")
    with pytest.raises(RecipeError, match="outputs would take the names of the shards themselves"):
        list_shards(str(data), data)


def test_one_holds_a_shard_at_a_time_and_a_done_one_is_not_given_again(shard: Shard) -> None:
    with claimed(shard) as mine, claimed(shard) as other:
        assert (mine, other) == (True, False)
        with published(shard) as file:
            file.write(b"x")
    assert _names(shard.output.parent) == ["a.txt"]
    with claimed(shard) as again:
        assert not again
    assert _names(shard.output.parent) == ["a.txt"]


HOLDER = """
import sys
from pathlib import Path
from saccade.predict.shards import Shard, claimed, published
with claimed(Shard(Path("a.txt"), Path(sys.argv[1]))) as ours:
    with published(Shard(Path("a.txt"), Path(sys.argv[1]))) as file:
        file.write(b"half")
        file.flush()
        print(ours, flush=True)
        sys.stdin.read()
"""


def test_a_claim_dies_with_its_process_and_half_an_output_is_not_seen(shard: Shard) -> None:
    words = [sys.executable, "-c", HOLDER, str(shard.output)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "True\n"
        with claimed(shard) as ours:
            assert not ours
        assert not shard.is_done()
        lock = shard.output.with_name(".a.txt.lock")
        assert lock.read_text().split()[1] == str(holder.pid)
        holder.kill()
    assert not shard.is_done()
    with claimed(shard) as ours:
        assert ours
        with published(shard) as file:
            file.write(b"whole")
    assert shard.output.read_bytes() == b"whole"
    assert _names(shard.output.parent) == ["a.txt"]


def test_what_fails_while_it_is_written_leaves_nothing(shard: Shard) -> None:
    def fail() -> None:
        with claimed(shard), published(shard) as file:
            file.write(b"half")
            raise DataError("broken")

    with pytest.raises(DataError, match="broken"):
        fail()
    assert _names(shard.output.parent) == []


def test_a_packed_output_has_the_same_bytes_at_any_time(tmp_path: Path) -> None:
    several = [Shard(tmp_path / "a.gz", tmp_path / str(n) / "a.gz") for n in range(2)]
    for one in several:
        one.output.parent.mkdir()
        with published(one) as file:
            file.write("é\n".encode())
    first, second = (one.output.read_bytes() for one in several)
    assert first == second
    assert gzip.decompress(first) == "é\n".encode()


def test_errors_stand_beside_the_output(shard: Shard) -> None:
    shard.output.parent.mkdir()
    assert count_errors(shard) == 0
    note_errors(shard, ["a.txt:3: odd", "a.txt:9: odd"])
    assert count_errors(shard) == 2
    assert shard.errors.read_text() == "a.txt:3: odd\na.txt:9: odd\n"
    note_errors(shard, [])
    assert not shard.errors.exists()


def test_errors_that_cannot_take_their_name_leave_nothing(shard: Shard) -> None:
    shard.errors.mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        note_errors(shard, ["a.txt:3: odd"])
    assert list(shard.errors.parent.iterdir()) == [shard.errors]


def test_one_folder_holds_outputs_of_one_model_and_of_the_same_options(tmp_path: Path) -> None:
    model, out = _filled(tmp_path / "model", "model.safetensors", "train.log"), tmp_path / "out"
    check_manifest(out, model, {"beam": 3})
    (model / "train.log").write_text("more")
    check_manifest(out, model, {"beam": 3})
    with pytest.raises(RecipeError, match="out: holds outputs made with beam 3, not 5; expected"):
        check_manifest(out, model, {"beam": 5})
    (model / "model.safetensors").write_text("other")
    with pytest.raises(RecipeError, match="out: holds outputs made with another model; expected"):
        check_manifest(out, model, {"beam": 3})
    assert _names(out) == [".predict.json"]


def test_a_folder_without_locks_is_refused(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    with (
        pytest.raises(RecipeError, match=r"a.txt.lock: cannot be locked \(Operation not supported"),
        claimed(shard),
    ):
        pass


def test_what_explains_the_outputs_is_on_the_disk_before_it_has_its_name(
    shard: Shard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(os.fstat(file).st_ino))
    out = _filled(tmp_path, "m/model.json", "out/x") / "out"
    check_manifest(out, tmp_path / "m", {})
    note_errors(shard, ["a.txt:1: odd"])
    assert synced == [(out / ".predict.json").stat().st_ino, shard.errors.stat().st_ino]


def test_what_a_killed_process_left_of_a_manifest_goes(tmp_path: Path) -> None:
    out, here = tmp_path / "out", socket.gethostname()
    whose = (f"{here}.{1 << 23}", f"{here}.{os.getppid()}", "far.1")  # no process, ours, another's
    dead, alive, elsewhere = (f".predict.json.{one}" for one in whose)
    _filled(out, dead, alive, elsewhere)
    check_manifest(out, _filled(tmp_path / "m", "model.json"), {})
    assert _names(out) == sorted([".predict.json", alive, elsewhere])


@pytest.mark.parametrize("text", ["", "[1]", '{"format": 1, "mo'])
def test_a_damaged_manifest_is_named(tmp_path: Path, text: str) -> None:
    _filled(tmp_path, "m/model.json", "out/x")
    path = tmp_path / "out" / ".predict.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        check_manifest(tmp_path / "out", tmp_path / "m", {})
    assert str(caught.value).startswith(f"{path}: damaged (")
    assert str(caught.value).endswith(
        "); expected what the outputs beside it are made with. If you know that, delete it and run"
        " the same command again; or choose another folder."
    )


def test_the_lock_of_a_finished_shard_goes_unless_it_is_held(shard: Shard) -> None:
    _filled(shard.output.parent, shard.output.name, ".a.txt.lock")
    with (shard.output.parent / ".a.txt.lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        sweep_locks([shard])
        assert _names(shard.output.parent) == [".a.txt.lock", "a.txt"]
    sweep_locks([shard])
    assert _names(shard.output.parent) == ["a.txt"]
