from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.metrics._meteor_tables import folder, tables
from saccade.metrics._paraphrases import fingerprint
from tests.metrics.meteor_tables import write_tables


def test_where_the_tables_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder() is None  # off
    monkeypatch.setenv("SACCADE_METEOR", str(tmp_path / "meteor"))
    assert folder() is None
    write_tables(tmp_path / "meteor")
    assert folder() == tmp_path / "meteor"


def test_tables(tmp_path: Path) -> None:
    found = tables(write_tables(tmp_path / "meteor"))
    assert "the" in found.function_words
    assert found.prefixes == {"Mr": False, "No": True}
    assert found.paraphrases.of(fingerprint("next to")) == {fingerprint("beside"): 0}
    assert found.paraphrases.longest == 3


@pytest.mark.parametrize(
    ("word", "names"),
    [
        *[("dog", {"1", "2"}), ("dogs", {"1", "2"}), ("hound", {"2"}), ("jogging", set())],
        *[("ran", {"4"}), ("men", {"3"}), ("women", {"5"}), ("glass", set()), ("xs", set())],
    ],
)
def test_synonyms_know_base_forms(tmp_path: Path, word: str, names: set[str]) -> None:
    assert tables(write_tables(tmp_path / "meteor")).synonyms.of(word) == names


def test_a_broken_jar_is_named(tmp_path: Path) -> None:
    place = write_tables(tmp_path / "meteor")
    (place / "meteor-1.5.jar").write_bytes(b"no zip")
    with pytest.raises(DataError, match=r"cannot be read \(File is not a zip file\); expected"):
        tables(place)
