"""What doctor tells of recordings."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.look.sounds import examine_sounds
from saccade.modalities._wave import write_wave
from saccade.readers.sounds import Sounds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    chance = np.random.default_rng(0)
    for n in range(4):
        noise = chance.integers(-900, 900, 4000 + 800 * n).astype(np.int16)
        save(tmp_path, f"{n}.wav", noise)
    return tmp_path


def save(folder: Path, name: str, samples: Any, rate: int = 8000) -> None:
    (folder / name).write_bytes(write_wave(np.asarray(samples, np.int16), rate))


def told(folder: Path, **options: Any) -> str:
    reader = Sounds(folder, files=".", names="{label}", **options)
    found = examine_sounds({"data.train": reader, "data.valid": reader})
    return "\n".join(f"{one.level}: {one.text} {one.places}" for one in found)


def test_lengths_and_rates_are_told_once(folder: Path) -> None:
    assert told(folder).splitlines() == [
        "good: data.train, data.valid: 4 recordings ()",
        "good: data.train, data.valid: 0.50 to 0.80 seconds, usually 0.65, at 8,000 Hz ()",
    ]


def test_clipped_silent_and_short_ones_are_named(folder: Path) -> None:
    save(folder, "loud.wav", np.clip(40_000 * np.sin(np.arange(4000) / 9), -32768, 32767))
    save(folder, "silent.wav", np.zeros(16_000), 16_000)
    save(folder, "short.wav", np.full(100, 900))
    said = told(folder)
    assert "7 recordings" in said
    assert "0.01 to 1.00 seconds" in said
    assert "at 8,000, 16,000 Hz" in said
    for name, what in (("loud", "are clipped"), ("silent", "are silent"), ("short", "last less")):
        line = next(line for line in said.splitlines() if what in line)
        assert f"{name}.wav" in line


def test_too_much_text_is_named(folder: Path) -> None:
    (folder / "m.tsv").write_text(f"0.wav\tone\n1.wav\t{'word ' * 40}\n")
    reader = Sounds(folder, files=".", manifest="m.tsv")
    said = [one.text for one in examine_sounds({"data.train": reader})]
    assert any("have more text than anybody speaks" in text for text in said)
    assert any("2 sounds (50.0%) have no text in any manifest" in text for text in said)


def test_broken_ones_stop_or_are_skipped(folder: Path) -> None:
    (folder / "4.wav").write_bytes(b"")
    (folder / "5.wav").write_bytes(b"hello, world")
    reader = Sounds(folder, files=".", names="{label}")
    found = examine_sounds({"data.train": reader})
    assert any(one.stops and "2 recordings (33.3%) are missing, empty" in one.text for one in found)
    assert "and skipped" in told(folder, missing="skip")
    nothing = Sounds(folder, files="gone", names="{label}")
    assert examine_sounds({"data.train": nothing})[0].stops
