"""The harness sees what it is for: crashes, warnings, hangs, memory; and nothing else."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from tests.fuzz import bundle, target
from tests.fuzz.invented import campaign
from tests.fuzz.mutate import Mutator
from tests.fuzz.notes import Notes, smaller
from tests.fuzz.target import Finding, Target, attempt
from tests.fuzz.targets import targets


def crashes(data: bytes) -> None:
    if b"!" in data:
        raise KeyError("!")


def refuses(_data: bytes) -> None:
    raise DataError("x: no; expected yes. Mend it.")


def takes_memory(_data: bytes) -> None:
    assert np.ones(220 << 17).sum() > 0


def spins(_data: bytes) -> None:
    begun = time.process_time()
    while time.process_time() - begun < 0.05:
        pass


def kind(run: object, data: bytes = b"") -> str:
    found = attempt(Target("t", run), data, seconds=0.04)  # type: ignore[arg-type]
    return found.kind if found else ""


def test_errors_of_ours_are_no_findings() -> None:
    assert kind(len) == kind(refuses) == ""


def test_what_none_may_do_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kind(crashes, b"!") == "KeyError"
    assert kind(lambda _: warnings.warn("odd", RuntimeWarning, stacklevel=1)) == "RuntimeWarning"
    assert kind(spins) == "slow"
    assert attempt(Target("t", takes_memory), b"", seconds=9).kind == "memory"  # type: ignore[union-attr]
    monkeypatch.setattr(target, "_PATIENCE", 0.05)
    assert kind(lambda _: time.sleep(2)) == "Endless"


def test_a_message_says_something_and_ends() -> None:
    def shouts(data: bytes) -> None:
        raise DataError(data.decode())

    assert kind(shouts, b"") == kind(shouts, b"x" * 30_000) == "message"


def test_findings_are_made_smaller_and_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, notes = Target("t", crashes), Notes(tmp_path)
    assert smaller(one, b"abc!def", Finding("t", "KeyError", "outside", "")) == b"!"
    for data in (b"a!", b"fine", b"b!!"):
        notes.attempt(one, data)
    (path,) = (tmp_path / "t").iterdir()
    assert path.read_bytes() == b"!"
    assert notes.inputs == 3
    assert capsys.readouterr().out.count("KeyError in outside") == 1


def test_files_go_in_and_out_of_a_bundle() -> None:
    files = {"a": b"1\n", "b/c": b"\x00%% b\n", "d": b""}
    assert bundle.split(bundle.join(files), list(files)) == files
    assert bundle.split(b"x\n%% /etc/passwd\ny", ["a"]) == {"a": b"x"}
    with bundle.unpacked(files) as folder:
        assert {n: (folder / n).read_bytes() for n in files} == files
    assert not folder.exists()


@pytest.mark.parametrize("name", ["reader-jsonl", "picture-png"])
def test_the_same_seed_makes_the_same_inputs(name: str) -> None:
    seeds = [b'{"a": [1, 2]}\nb 3', b"c"]
    first, again, other = (
        [m.next() for _ in range(200)]
        for m in (Mutator(targets()[name], seeds, seed) for seed in (1, 1, 2))
    )
    assert first == again != other
    assert len(set(first)) > 150


def test_hypothesis_invents_inputs() -> None:
    tried: list[bytes] = []
    campaign(targets()["arpa"], lambda _, data: tried.append(data), 60)
    assert len(set(tried)) > 30
    assert any(b"\\data\\" in data for data in tried)
