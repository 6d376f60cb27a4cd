"""metrics.jsonl when it is damaged: what is left out is told, and nobody falls over it."""

import json
from pathlib import Path

import pytest

from saccade.look.report import read_curves
from saccade.run import report
from saccade.train.history import METRICS, MetricsFile
from tests.train import small

WHOLE = b'{"kind": "train", "step": 1, "nll": 2.0}\n'
TORN = [
    b"\n",
    b"{\n",
    b"3\n",
    b"\xff\xfe\x00\n",
    b'{"kind": "train"}\n',
    b'{"kind": 1, "step": 1}\n',
    b'{"kind": "train", "step": -1}\n',
    b'{"kind": "train", "step": 1.5}\n',
    b'{"kind": "train", "step": 1, "nll": "2"}\n',
    b'{"kind": "train", "step": 1, "nll": [2]}\n',
    b"[" * 50_000 + b"\n",
    b"x" * 200_000 + b"\n",
]


def test_lines_that_are_damaged_are_left_out_and_numbered(tmp_path: Path) -> None:
    (tmp_path / METRICS).write_bytes(b"".join(WHOLE + one for one in TORN) + WHOLE + WHOLE[:20])
    metrics = MetricsFile(tmp_path)
    assert [row["nll"] for row in metrics.rows()] == [2.0] * (len(TORN) + 1)
    numbers = ", ".join(str(2 * n) for n in range(1, 11))
    assert metrics.trouble == (
        f"{tmp_path / METRICS}: 12 lines ({numbers}, ...) are damaged and left out; expected one"
        " JSON object in each."
    )
    assert read_curves(tmp_path) == {"training loss": [(1, 2.0)]}


def test_nothing_is_said_of_a_file_that_is_whole_or_is_not_there(tmp_path: Path) -> None:
    for content in (None, b"", WHOLE, WHOLE + WHOLE[:7]):
        if content is not None:
            (tmp_path / METRICS).write_bytes(content)
        metrics = MetricsFile(tmp_path)
        list(metrics.rows())
        assert metrics.trouble == ""


def test_one_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / METRICS).mkdir()
    metrics = MetricsFile(tmp_path)
    assert list(metrics.rows()) == []
    assert metrics.trouble == (
        f"{tmp_path / METRICS}: cannot be read (not a file); its curves are left out."
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SACCADE_HOME", str(root / "home"))
        small.run(root / "whole", max_steps=6)
        small.run(root / "parts", max_steps=3)
        path = root / "parts" / METRICS
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0] + b"\x00\x00\n" + b"".join(lines[1:]) + b'{"kind": "tr')
        small.run(root / "parts", resume=True, max_steps=6)
    return root / "whole", root / "parts"


def test_resuming_sets_it_aside_and_ends_as_ever(runs: tuple[Path, Path]) -> None:
    whole, parts = runs
    small.assert_same(whole, parts)
    assert (parts / "metrics.damaged.jsonl").read_bytes() == b"\x00\x00\n"
    assert (
        f"{parts / METRICS}: line 2 is damaged and left out; expected one JSON object in each."
        " What is damaged is kept in metrics.damaged.jsonl."
    ) in (parts / "train.log").read_text(encoding="utf-8")


def test_the_report_says_so(runs: tuple[Path, Path]) -> None:

    _, parts = runs
    with (parts / METRICS).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"kind": "train", "step": "seven"}) + "\n")
    page = report(parts).read_text(encoding="utf-8")
    assert "damaged and left out; expected one JSON object in each." in page
