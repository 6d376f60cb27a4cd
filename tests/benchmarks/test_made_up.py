"""Made-up corpora are the same for everybody, and have the words that they promise."""

from pathlib import Path

from benchmarks.made_up import lexicon, write_lines, write_pairs
from benchmarks.streaming import picture


def test_pairs_are_sentences_of_words_that_stand_for_each_other(tmp_path: Path) -> None:
    write_pairs(tmp_path / "a", 900, 2)
    write_pairs(tmp_path / "b", 900, 2)
    first, second = ((tmp_path / "a" / f"0000{n}.tsv").read_text() for n in range(2))
    assert first == (tmp_path / "b" / "00000.tsv").read_text()
    assert first != second
    rows = [line.split("\t") for line in first.splitlines()]
    assert len(rows) == 450
    meant: dict[str, str] = {}
    for source, target in rows:
        words, others = source.split(" "), target.split(" ")
        assert 3 <= len(words) == len(others) <= 7
        for word, other in zip(words, others, strict=True):
            assert 2 <= len(word) <= 9
            meant.setdefault(word, other)
    assert len(set(meant.values())) > 100


def test_lines_have_so_many_words(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.txt", 300, seed=4, shortest=1, longest=2)
    lines = (tmp_path / "a.txt").read_text().splitlines()
    assert len(lines) == 300
    assert {len(line.split(" ")) for line in lines} == {1, 2}
    words = lexicon(4)
    every = set(bytes(words.letters).decode().split())
    assert {word for line in lines for word in line.split(" ")} <= every


def test_a_picture_has_a_line_for_each_work_that_has_the_figure() -> None:
    found = {
        "read": {"1": {"peak MiB": 400.0, "pairs/s": 3.0}},
        "learn": {"1": {"peak MiB": 500.0}},
    }
    assert "learning from a stream" in picture(found, "peak MiB")
    assert "learning from a stream" not in picture(found, "pairs/s")
