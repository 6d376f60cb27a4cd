"""Lines are grouped by what the first model knows; files of lines are parted."""

from pathlib import Path

from benchmarks.misread import EACH, listed, parted, write
from benchmarks.same_lines import groups_of
from saccade.nouns import pair
from tests.models.test_hmm import counted


def test_groups_hold_lines_of_like_length_and_known_words() -> None:
    _, predictor = counted()
    texts = ["the dog sees", "the whale sees", "sees " * 12, "dogs " * 25]
    examples = [pair(text, " ".join("V" for _ in text.split()), "x") for text in texts]
    found = {group.name: group.lines for group in groups_of(predictor, examples)}
    assert found["all"] == [0, 1, 2, 3]
    assert found["1 to 10 words"] == [0, 1]
    assert found["11 to 15 words"] == [2]
    assert found["21 words and more"] == [3]
    assert "16 to 20 words" not in found
    assert 1 not in found["no unknown word"]
    assert 0 in found["no unknown word"]


def test_lines_of_a_list_are_parted(tmp_path: Path) -> None:
    rows = [(f"{n}.png", f"line  {n}") for n in range(3 * EACH)]
    write(tmp_path / "train.tsv", rows)
    lines = listed(tmp_path, "train.tsv", "images")
    assert lines[1] == (tmp_path / "images" / "1.png", "line 1")
    some, train, valid = parted(lines, 5)
    assert [text for _, text in valid] == ["line 0", f"line {EACH}", f"line {2 * EACH}"]
    assert len(train) == 3 * EACH - 3
    assert not set(train) & set(valid)
    assert len(some) == 5
    assert set(some) <= set(train)
