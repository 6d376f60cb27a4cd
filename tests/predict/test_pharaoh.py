"""Files of links: what is written is read again, and what is wrong is told with its line."""

from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.predict.pharaoh import pharaoh_lines, read_gold, read_links

LENGTHS = [3, 2], [2, 4]


def written(folder: Path, text: str) -> Path:
    path = folder / "links.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_sure_and_possible_links_are_told_apart(tmp_path: Path) -> None:
    gold = read_gold(written(tmp_path, "0\t0-1 2p0\n1\t1?3\n"), *LENGTHS)
    assert gold.sure.tolist() == [[0, 0, 1]]
    assert gold.possible.tolist() == [[0, 0, 1], [0, 2, 0], [1, 1, 3]]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    links = np.array([[0, 0, 1], [0, 2, 0], [1, 1, 3]], np.int32)
    path = written(tmp_path, "".join(f"{line}\n" for line in pharaoh_lines(links, 2)))
    np.testing.assert_array_equal(read_links(path, *LENGTHS), links)
    empty = written(tmp_path, "\n\n")
    assert read_links(empty, *LENGTHS).shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0-1\n1x2\n", r"links.txt:2: '1x2' is no link; expected places from 0 such as 0-3"),
        ("0-1\n-1-2\n", r"links.txt:2: '-1-2' is no link"),
        ("0-2\n\n", r"links.txt:1: the link 0-2 is out of range: the source has 3 words and the t"),
        ("0-1\n2-0\n", r"links.txt:2: the link 2-0 is out of range: the source has 2 words"),
        ("0-1\n", r"links.txt: has 1 lines but there are 2 pairs"),
        ("\n\n0-0\n", r"links.txt: has more lines but there are 2 pairs"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_links(written(tmp_path, text), *LENGTHS)
