"""What was ever found stays mended, and a few new inputs find nothing in any reader of files."""

import pytest

from saccade.errors import SaccadeError
from saccade.parts import kinds
from saccade.readers.base import Reader
from tests.fuzz.mutate import Mutator
from tests.fuzz.target import Target, attempt
from tests.fuzz.targets import CORPUS, corpus_of, targets

_MUTATIONS = 4
_MOST_BYTES = 300_000
_SLACK = 5.0  # seconds of the processor: a first input loads what others use
every = pytest.mark.parametrize("target", targets().values(), ids=lambda one: one.name)


@every
def test_its_corpus_finds_nothing(target: Target) -> None:
    corpus = corpus_of(target.name)
    assert any(name.startswith("seed") for name in corpus)
    for name, data in corpus.items():
        one = read_whole(target) if name.startswith("seed") else target
        finding = attempt(one, data, seconds=_SLACK)
        assert finding is None, f"{name}\n{finding.told}"


def read_whole(target: Target) -> Target:
    """Return a target that may refuse nothing: seeds are files as they should be."""

    def run(data: bytes) -> None:
        try:
            target.run(data)
        except SaccadeError as error:
            raise AssertionError(str(error)) from None

    return Target(target.name, run)


@every
def test_mutations_find_nothing(target: Target) -> None:
    mutator = Mutator(target, list(corpus_of(target.name).values()), seed=0)
    for _ in range(_MUTATIONS):
        data = mutator.next()
        finding = attempt(target, data, seconds=_SLACK)
        assert finding is None, f"{data!r}\n{finding.told}"


def test_every_reader_is_a_target() -> None:
    """Their corpora are asked for above: a new reader needs a seed."""
    assert {f"reader-{kind}" for kind in kinds(Reader)} <= set(targets())


def test_the_corpus_is_small_and_all_of_it_is_used() -> None:
    assert {path.name for path in CORPUS.iterdir()} == set(targets())
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < _MOST_BYTES
