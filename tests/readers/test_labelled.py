from pathlib import Path

import pytest

from saccade.errors import DataError, RecipeError
from saccade.nouns import pair
from saccade.readers.labelled import Labelled


def test_the_first_field_is_the_label(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0 what is an atom ?\n\n1\tgood  film \n1\n", encoding="utf-8")
    assert list(Labelled(tmp_path, path="a.txt").read()) == [
        pair("what is an atom ?", "0", f"{path}:1"),
        pair("good  film ", "1", f"{path}:3"),
        pair("", "1", f"{path}:4"),
    ]


def test_numbers_have_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 good\n0 bad\n2 odd\n")
    reader = Labelled(tmp_path, path="a.txt", names=["negative", "positive"])
    found = reader.read()
    assert [next(found).target, next(found).target] == ["positive", "negative"]
    with pytest.raises(
        DataError,
        match=r"a\.txt:3: the label is '2'; expected a number from 0 to 1, as 2 are named\. Mend",
    ):
        next(found)
    assert reader.fingerprint() != Labelled(tmp_path, path="a.txt").fingerprint()


def test_two_labels_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"labelled.names: \['a', 'a'\] names two labels alike;"):
        Labelled(tmp_path, path="a.txt", names=["a", "a"])
