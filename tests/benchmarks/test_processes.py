"""The benchmark of processes runs on a tiny model; no time is ever asserted."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import processes
from benchmarks.processes import Measured
from tests.benchmarks.test_compare import write_data
from tests.train.workers import together

SHAPE = {"width": 16, "heads": 2, "hidden": 32, "layers": 1, "cells": 16, "vocabulary": 90}


def launched(command: Sequence[str], n: int) -> int:
    """Work in processes that have imported what they need."""
    assert together(n, processes.work, Path(command[-1])) == [None] * n
    return 0


@pytest.mark.slow
def test_two_processes_beside_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data, words = tmp_path / "data", ["--what", "T", "--shard", "--rounds", "1", "--warm", "1"]
    write_data(data)
    words += ["--updates", "4", "--tokens", "64", "--data", str(data), "--shape", json.dumps(SHAPE)]
    monkeypatch.setattr(processes, "launch", launched)
    monkeypatch.setattr(sys, "argv", ["processes", *words])
    measured = dict[str, Measured]()
    real = processes.run

    def run(case: processes.Case) -> Measured:
        measured[case.name] = real(case)
        return measured[case.name]

    monkeypatch.setattr(processes, "run", run)
    processes.main()
    assert list(measured) == ["1", "2 weak in shards", "2 strong in shards"]
    one, weak, strong = measured.values()
    assert weak.symbols > 1.5 * one.symbols
    assert strong.symbols < 1.2 * one.symbols
    for each in (weak, strong):
        assert sum(each.held) == pytest.approx(one.held[0])
        assert max(each.held) < 0.7 * one.held[0]
    said = capsys.readouterr()
    assert said.out.startswith("T: 2 weak in shards ")
    assert "MiB by rank: held" in said.err


def test_the_line_at_the_end() -> None:
    def measured(*rates: float) -> Measured:
        return Measured([*rates], 1.0, 1.0, 1.0, [1.0], [1.0], [1.0])

    found = {"1": [measured(90, 100), measured(110, 100)], "2 weak": [measured(150, 190, 200)]}
    assert processes.verdict("R", found).startswith(
        "R: 2 weak 1.90 x; target symbols/s: 1 100 (90 to 110), 2 weak 190 (150 to 200); load "
    )
