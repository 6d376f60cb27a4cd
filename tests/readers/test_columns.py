from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.nouns import pair
from saccade.readers.columns import Columns

CHUNKS = "He PRP B-NP\nran VBD B-VP\n\n\nYes UH B-INTJ\n"
ASIDES = "# text = du vas\n1-2\tdu\t_\t_\n1\tde\tde\tADP\n2\tle\tle\tDET\n2.1\tx\tx\tX\n"
TREE = ASIDES + "3\tN Y\tny\tPROPN\n"


def test_a_sentence_ends_at_an_empty_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(CHUNKS)
    assert list(Columns(tmp_path, path="a.txt", target=3).read()) == [
        pair("He ran", "B-NP B-VP", f"{path}:1"),
        pair("Yes", "B-INTJ", f"{path}:5"),
    ]
    both = Columns(tmp_path, path="a.txt", source=[1, 2], target=3)
    assert next(both.read()).source == "He￨PRP ran￨VBD"
    assert both.fingerprint() != Columns(tmp_path, path="a.txt", target=3).fingerprint()


def test_asides_of_conllu_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(TREE)
    (found,) = Columns(tmp_path, path="a.conllu", source=[2], target=4).read()
    assert (found.source, found.target) == ("de le N_Y", "ADP DET PROPN")


def test_errors(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CHUNKS)
    message = r"a\.txt:1: no column 4; the line has 3\. Mend the line or change the reader's source"
    with pytest.raises(DataError, match=message):
        list(Columns(tmp_path, path="a.txt", target=4).read())
    with pytest.raises(
        DataError, match=r"columns \[0\] and 2 were asked for; columns count from 1"
    ):
        list(Columns(tmp_path, path="a.txt", source=[0]).read())
