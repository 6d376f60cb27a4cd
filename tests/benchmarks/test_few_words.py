"""Pronunciations from few words: samples and the table."""

from pathlib import Path

import pytest

from benchmarks import few_words
from benchmarks.few_words import LANGUAGES, OURS, sample, table


def test_a_sample_is_the_same_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("train", "dev", "test"):
        lines = "".join(f"w{i}\tp {i}\n" for i in range(30))
        (tmp_path / f"fre_{part}.tsv").write_text(lines, encoding="utf-8")
    monkeypatch.setattr(few_words, "DATA", tmp_path)
    for folder in ("one", "two"):
        sample("fre", tmp_path / folder, 10)
    one, two = ((tmp_path / folder / "train.tsv").read_text("utf-8") for folder in ("one", "two"))
    assert one == two
    assert len(set(one.splitlines())) == 10
    assert len((tmp_path / "one" / "test.tsv").read_text("utf-8").splitlines()) == 30


def test_a_row_is_the_mean_over_seeds() -> None:
    found = {
        (code, OURS, seed): {"wrong": 10.0 * seed + i, "seconds": 30.0 * seed}
        for i, code in enumerate(LANGUAGES)
        for seed in (1, 2)
    }
    assert table(found, [1, 2]).splitlines()[-1] == (
        "| saccade fit | 15.0 | 16.0 | 17.0 | 18.0 | 19.0 | **17.0** | 45 |"
    )
