"""Corpora that one model reads, each source marked with a name."""

from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError, RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.languages import Languages
from saccade.tokenizers.featured import Featured


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fr.tsv").write_text("chat\tʃ a\nou\tu\n", encoding="utf-8")
    (tmp_path / "de.tsv").write_text("ou\to u\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("x\n1\n2\n3\n4\n", encoding="utf-8")
    return tmp_path


def reader(folder: Path, *names: str, **options: Any) -> Languages:
    corpora = {name: Part(Reader, "tsv", {"path": f"{name}.tsv"}) for name in names}
    return Languages(folder, corpora=corpora, **options)


def test_every_source_has_the_name_of_its_corpus(folder: Path) -> None:
    behind = [(e.source, e.target, e.origin) for e in reader(folder, "fr", "de").read()]
    assert [(s, t) for s, t, _ in behind] == [
        ("chat\tfr", "ʃ a"),
        ("ou\tfr", "u"),
        ("ou\tde", "o u"),
    ]
    assert behind[2][2] == f"{folder / 'de.tsv'}:1"
    before = [e.source for e in reader(folder, "fr", "de", mark="before").read()]
    assert before == ["<fr> chat", "<fr> ou", "<de> ou"]
    assert reader(folder, "fr", "de").count() == 3


def test_a_name_is_one_symbol_of_the_tokenizer_featured(folder: Path) -> None:
    lines = [e.source for e in reader(folder, "fr", "de").read()]
    vocabulary = Featured().fit(lines, [])
    first, last = vocabulary.encode("ou\tfr"), vocabulary.encode("ou\tde")
    assert len(first) == 3
    assert first[:2] == last[:2]
    assert first[2] != last[2]


def test_what_is_read_decides_the_fingerprint(folder: Path) -> None:
    others = [
        reader(folder, "fr", "de"),
        reader(folder, "de", "fr"),
        reader(folder, "fr"),
        reader(folder, "fr", "de", mark="before"),
    ]
    assert len({one.fingerprint() for one in others}) == 4


def test_what_cannot_be_marked_is_refused(folder: Path) -> None:
    with pytest.raises(RecipeError, match=r"languages\.corpora: found none; expected readers"):
        reader(folder)
    with pytest.raises(RecipeError, match="found the name 'a b'; expected one without spaces"):
        reader(folder, "a b")
    series = Part(Reader, "series", {"path": "s.csv", "window": 2, "horizon": 1})
    with pytest.raises(DataError, match="the source is no text; expected text that a name can"):
        list(Languages(folder, corpora={"x": series}).read())
