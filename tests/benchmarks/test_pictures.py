"""Memory while features are stored: the way of a few pictures is the real one."""

from pathlib import Path

import pytest

from benchmarks.pictures import build, draw, row


def test_pictures_are_drawn_and_stored(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="pictures are drawn by Pillow")
    draw(tmp_path, 5)
    found = build(tmp_path)
    assert found["pairs"] == 25  # five captions each
    assert found["megabytes"] > 5 * 2 * 2 * 1280 * 2 / 1e6
    assert found["peak"] >= found["before"] > 0


def test_a_row() -> None:
    found = {"before": 100.0, "peak": 130.0, "seconds": 2.0, "megabytes": 21.0, "pairs": 10.0}
    assert row(2000, found) == "| 2,000 | 21 | 100 | 130 | 30 | 1,000 |"
