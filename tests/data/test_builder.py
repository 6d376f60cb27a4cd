"""What a builder left behind is continued if it is sound, and written anew if it is not."""

import fcntl
import json
import os
from pathlib import Path
from typing import IO

import pytest

from saccade.data.builder import Builder, claimed, is_abandoned
from saccade.nouns import Example, pair
from saccade.tokenizers.character import Character
from tests.samples import text_codecs

CODECS = text_codecs(Character().fit(["abc xyz"], []))
EXAMPLES = [pair("abc"[: i % 4], "xy", f"f:{i}") for i in range(9)]


def begun(folder: Path, *chunks: list[Example]) -> Builder:
    folder.mkdir(exist_ok=True)
    builder = Builder(folder, CODECS, CODECS.sides)
    for chunk in chunks:
        builder.add(chunk)
    return builder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def whole(folder: Path) -> dict[str, bytes]:
    begun(folder, EXAMPLES).finish()
    return files(folder)


def test_a_builder_goes_on_behind_the_last_chunk(tmp_path: Path) -> None:
    first = begun(tmp_path / "a", EXAMPLES[:4])
    first.close()
    with (tmp_path / "a" / "source.values").open("ab") as file:
        file.write(b"half a chunk")
    second = begun(tmp_path / "a")
    assert second.n_examples == 4
    second.add(EXAMPLES[4:])
    second.finish()
    assert files(tmp_path / "a") == whole(tmp_path / "b")
    assert "journal.json" not in files(tmp_path / "a")


@pytest.mark.parametrize("name", ["source.values", "target.offsets", "owners", "origins"])
@pytest.mark.parametrize("harm", ["flip", "cut", "remove"])
def test_what_the_journal_does_not_agree_with_is_written_anew(
    tmp_path: Path, name: str, harm: str
) -> None:
    begun(tmp_path / "a", EXAMPLES[:4]).close()
    path = tmp_path / "a" / name
    data = bytearray(path.read_bytes())
    if harm == "flip":
        data[-1] ^= 1
        path.write_bytes(data)
    elif harm == "cut":
        os.truncate(path, len(data) - 1)
    else:
        path.unlink()
    builder = begun(tmp_path / "a")
    assert builder.n_examples == 0
    builder.add(EXAMPLES)
    builder.finish()
    assert files(tmp_path / "a") == whole(tmp_path / "b")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 3, "files": [1]}'])
def test_a_journal_that_cannot_be_read_counts_for_nothing(tmp_path: Path, text: str) -> None:
    begun(tmp_path / "a", EXAMPLES[:4]).close()
    (tmp_path / "a" / "journal.json").write_text(text, encoding="utf-8")
    builder = begun(tmp_path / "a")
    assert builder.n_examples == 0
    builder.close()


def test_the_journal_tells_sizes_and_checksums(tmp_path: Path) -> None:
    begun(tmp_path / "a", EXAMPLES[:2], EXAMPLES[2:]).close()
    found = json.loads((tmp_path / "a" / "journal.json").read_text(encoding="utf-8"))
    assert (found["examples"], found["pairs"]) == (9, 9)
    for name, (size, _) in found["files"].items():
        assert (tmp_path / "a" / name).stat().st_size == size


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    with claimed(tmp_path / "a") as own:
        assert own == tmp_path / "a"
        assert not is_abandoned(own)
    assert is_abandoned(tmp_path / "a")
    assert is_abandoned(tmp_path / "none")


def test_who_waits_is_told_and_looks_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with claimed(tmp_path / "a"):
            os.write(writing, b"x")
            (tmp_path / "go").touch()
            while (tmp_path / "go").exists():
                pass
            (tmp_path / "a").rename(tmp_path / "b")
        os._exit(0)
    os.read(reading, 1)
    lock = fcntl.flock

    def flock(file: IO[str], how: int) -> None:
        if not how & fcntl.LOCK_NB:
            (tmp_path / "go").unlink()
        lock(file, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fcntl, "flock", flock)
        with claimed(tmp_path / "a") as own:  # the child's folder is gone: a new one
            assert own is not None
            assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert os.waitpid(child, 0)[1] == 0
    assert "Another process is encoding the same data" in capsys.readouterr().err


def test_without_locks_there_is_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refused)
    with claimed(tmp_path / "a") as own:
        assert own is None
    assert not list(tmp_path.iterdir())
