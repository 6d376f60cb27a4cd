"""The split reader: shares of a corpus that never share a source."""

from pathlib import Path

import pytest

from saccade.errors import RecipeError
from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.split import Split, share


def _part(tmp_path: Path, part: str, **options: float) -> Split:
    corpus = Part(Reader, "tsv", {"path": "all.tsv"})
    return Split(tmp_path, corpus=corpus, part=part, **options)  # type: ignore[arg-type]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [f"word {i // 2}\tmot {i}\n" for i in range(2000)]  # every source stands twice
    (tmp_path / "all.tsv").write_text("".join(rows), encoding="utf-8")
    return tmp_path


def test_parts_cover_the_corpus_and_share_no_source(corpus: Path) -> None:
    parts = {name: list(_part(corpus, name).read()) for name in ("train", "valid", "test")}
    assert sum(map(len, parts.values())) == 2000
    sources = {name: {example.source for example in part} for name, part in parts.items()}
    assert not sources["train"] & sources["test"]
    assert not sources["train"] & sources["valid"]
    assert not sources["valid"] & sources["test"]


def test_shares_are_about_as_large_as_asked(corpus: Path) -> None:
    assert 140 < len(list(_part(corpus, "test", test=0.1).read())) < 260


def test_examples_keep_their_origin(corpus: Path) -> None:
    first = next(_part(corpus, "train").read())
    assert first.origin.endswith(("all.tsv:1", "all.tsv:3", "all.tsv:5"))


def test_fingerprints_differ_by_part_and_share(corpus: Path) -> None:
    readers = [_part(corpus, "train"), _part(corpus, "test"), _part(corpus, "test", test=0.2)]
    assert len({reader.fingerprint() for reader in readers}) == 3
    assert _part(corpus, "test").fingerprint() == _part(corpus, "test").fingerprint()


def test_shares_that_leave_nothing_are_refused(corpus: Path) -> None:
    with pytest.raises(RecipeError, match=r"split: valid 0.6 and test 0.5 are shares"):
        _part(corpus, "train", valid=0.6, test=0.5)


def test_share_is_the_same_on_every_machine() -> None:
    assert 0 <= share("") < 1
    assert share("Bonjour") == share("Bonjour") != share("bonjour")


def test_forms_of_a_lemma_stay_together(tmp_path: Path) -> None:
    rows = [f"lemma{i // 4}\tform{i}\tN;{i % 4}\n" for i in range(400)]
    (tmp_path / "all.tsv").write_text("".join(rows), encoding="utf-8")
    corpus = Part(Reader, "tsv", {"path": "all.tsv", "features": 3})
    held = list(Split(tmp_path, corpus=corpus, part="test", test=0.2).read())
    lemmas = {example.source.partition("\t")[0] for example in held}
    assert len(held) == 4 * len(lemmas) > 0
