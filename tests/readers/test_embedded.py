from collections.abc import Iterator
from pathlib import Path

from saccade.corpora.base import Corpus, Split
from saccade.nouns import pair
from saccade.parts import Part
from saccade.readers.embedded import Embedded


class Tiny(Corpus):
    def __init__(self, *, repeat: int = 1) -> None:
        self.repeat = repeat

    def pairs(self, split: Split) -> Iterator[tuple[str, str]]:
        yield from [(split, "x" * self.repeat)] * 2


def tiny(repeat: int = 1) -> "Part[Corpus]":
    return Part(Corpus, __name__, {"repeat": repeat})


def test_pairs_of_the_split_are_read() -> None:
    found = list(Embedded(Path(), corpus=tiny(2), split="valid").read())
    assert found[1] == pair("valid", "xx", f"{__name__}/valid:2")


def test_fingerprint_depends_on_split_and_options() -> None:
    prints = {
        Embedded(Path(), corpus=tiny(repeat), split=split).fingerprint()
        for repeat in (1, 2)
        for split in ("train", "test")
    }
    assert len(prints) == 4
