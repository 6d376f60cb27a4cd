from pathlib import Path

from saccade.parts import Part
from saccade.readers.base import Reader
from saccade.readers.targets import Targets


def reader(pairs: list[list[str]]) -> Targets:
    return Targets(Path(), corpus=Part(Reader, "pairs", {"pairs": pairs}))


def test_targets_stand_by_themselves_in_their_order() -> None:
    found = list(reader([["a", "x"], ["b", "y"], ["a", "x"]]).read())
    assert [(one.source, one.target) for one in found] == [("", "x"), ("", "y"), ("", "x")]


def test_every_reference_is_one(tmp_path: Path) -> None:
    for name, lines in (("a", "s\nt\n"), ("b", "x\ny\n"), ("c", "v\nw\n")):
        (tmp_path / name).write_text(lines)
    options = {"source": "a", "target": "b", "references": ["c"]}
    found = Targets(tmp_path, corpus=Part(Reader, "text", options))
    assert [one.target for one in found.read()] == ["x", "v", "y", "w"]
    assert found.paths == tuple(tmp_path / name for name in "abc")


def test_the_fingerprint_is_that_of_the_corpus_and_another() -> None:
    one, other = reader([["a", "x"]]), reader([["a", "y"]])
    assert one.fingerprint() != other.fingerprint()
    assert one.fingerprint() != one.corpus.fingerprint()
