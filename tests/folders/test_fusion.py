"""Tables of confusions that stand beside a language model."""

from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.folders.fusion import read_confusions, write_confusions


def test_what_was_written_is_read(tmp_path: Path) -> None:
    counts = {("ſ", "f"): 2, (" ", ""): 3, ("", "."): 1, ("a", "a"): 50}
    write_confusions(tmp_path / "c.tsv", counts)
    assert read_confusions(tmp_path / "c.tsv") == counts
    assert (tmp_path / "c.tsv").read_text(encoding="utf-8").startswith("a\ta\t50\n")


@pytest.mark.parametrize(
    "text", ["", "a\tb", "a\tb\tc\n", "\t\t3", "a\tb\t-1", "a" * 20 + "\tb\t1"]
)
def test_a_broken_table_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "c.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError, match=r"c.tsv:1: found .* expected a character, what"):
        read_confusions(tmp_path / "c.tsv")


def test_a_file_that_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"c.tsv cannot be read as UTF-8 text"):
        read_confusions(tmp_path / "c.tsv")
    (tmp_path / "c.tsv").write_bytes(b"a\tb\t1\n" * 1_000_000)
    with pytest.raises(RecipeError, match=r"c.tsv cannot be read as .*: over 4,194,304 bytes"):
        read_confusions(tmp_path / "c.tsv")
