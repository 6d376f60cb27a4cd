import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.data.builder import claimed
from saccade.data.codecs import Codecs
from saccade.data.store import Store, build, default_folder
from saccade.errors import DataError
from saccade.modalities.base import Array
from saccade.modalities.numbers import NumbersCodec, NumbersModality, Scale
from saccade.modalities.text import TextCodec
from saccade.nouns import Example, Raw, pair
from saccade.readers.base import Reader
from saccade.readers.pairs import Pairs
from saccade.tokenizers._vocabulary import Vocabulary
from saccade.tokenizers.character import Character
from tests.samples import text_codecs

LETTERS = Character().fit(["abc xyz"], [])
CODECS = text_codecs(LETTERS)
SEA = NumbersCodec(Scale((0.0, 1.0), (1.0, 2.0)), 0)
SEVERAL = Codecs({"text": TextCodec(LETTERS), "sea": SEA}, TextCodec(LETTERS))


class Origins(Reader):
    """Reads the origins themselves, and counts how often it is read."""

    def __init__(self, origins: list[str]) -> None:
        super().__init__(Path())
        self.origins, self.n_read = origins, 0

    def read(self) -> Iterator[Example]:
        self.n_read += 1
        for origin in self.origins:
            yield pair("a b", "x", origin)

    def fingerprint(self) -> str:
        return repr(self.origins)


def stored(pairs: list[list[str]], folder: Path, vocabulary: Vocabulary = LETTERS) -> Store:
    return build(Pairs(Path(), pairs=pairs), text_codecs(vocabulary), folder)


@given(st.lists(st.lists(st.text("abc xyz", max_size=5), min_size=2, max_size=2), min_size=1))
def test_ids_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[list[str]]) -> None:
    store = stored(pairs, tmp_path_factory.mktemp("store"))
    assert len(store) == len(pairs)
    for i, texts in enumerate(pairs):
        found = (store.pair(i).sources["source"], store.pair(i).target)
        assert [LETTERS.decode(ids.tolist()) for ids in found] == texts
        assert [store.lengths[side][i] for side in ("source", "target")] == list(map(len, texts))
        assert store.origin(i) == f"pairs:{i + 1}"


def test_several_chunks_are_joined(tmp_path: Path) -> None:
    pairs = [["ab"[i % 2] * (i % 3), "x"] for i in range(4321)]
    store = stored(pairs, tmp_path)
    assert LETTERS.decode(store.pair(4319).sources["source"].tolist()) == pairs[4319][0]
    assert store.origin(4320) == "pairs:4321"
    assert {lengths.dtype for lengths in store.lengths.values()} == {np.dtype(np.int32)}


def test_lengths_are_counted_block_by_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = [["ab"[i % 2] * (i % 5), "x" * (i % 3)] for i in range(10)]
    one = stored(pairs, tmp_path)
    for size in (1, 3, 10, 11):
        monkeypatch.setattr("saccade.data.store._BLOCK", size)
        assert one.lengths["source"].tolist() == [i % 5 for i in range(10)]
        assert one.lengths["target"].tolist() == [i % 3 for i in range(10)]


@given(st.lists(st.sampled_from(["a:1", "a:2", "a:3", "b:2", "no number", ":7", "a:", ""])))
def test_origins_come_back(tmp_path_factory: pytest.TempPathFactory, origins: list[str]) -> None:
    store = build(Origins(origins), CODECS, tmp_path_factory.mktemp("store"))
    assert [store.origin(i) for i in range(len(store))] == origins


def test_wide_ids_for_wide_vocabularies(tmp_path: Path) -> None:
    wide = Character().fit(["".join(map(chr, range(0x20000, 0x20000 + 66000)))], [])
    store = stored([[chr(0x20000 + 65999), chr(0x20000)]], tmp_path, wide)
    assert store.pair(0).sources["source"].dtype == np.uint32
    assert store.pair(0).sources["source"].tolist() == [4 + 65999]
    assert stored([["a", "b"]], tmp_path).pair(0).sources["source"].dtype == np.uint16


def test_read_once(tmp_path: Path) -> None:
    reader = Origins(["a:1"])
    for _ in range(3):
        build(reader, CODECS, tmp_path)
    assert reader.n_read == 1
    build(reader, text_codecs(LETTERS, Character().fit(["a b x"], [])), tmp_path)
    assert reader.n_read == 2


@pytest.mark.parametrize("name", ["meta.json", "source.values", "target.offsets"])
@pytest.mark.parametrize("harm", ["truncate", "remove"])
def test_a_broken_store_is_written_again(tmp_path: Path, name: str, harm: str) -> None:
    reader = Origins(["a:1", "a:2"])
    path = build(reader, CODECS, tmp_path).folder / name
    if harm == "truncate":
        os.truncate(path, path.stat().st_size - 1)
    else:
        path.unlink()
    store = build(reader, CODECS, tmp_path)
    assert reader.n_read == 2
    assert LETTERS.decode(store.pair(1).sources["source"].tolist()) == "a b"
    assert list(tmp_path.iterdir()) == [store.folder]


def test_a_failing_reader_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="pairs:2: found 1 texts"):
        stored([["a", "b"], ["c"]], tmp_path)
    assert not list(tmp_path.iterdir())


class Deadly(Origins):
    """Kills its process when it comes to a certain pair."""

    def __init__(self, n: int, kill_at: int) -> None:
        super().__init__([f"a:{i}" for i in range(n)])
        self.kill_at = kill_at

    def read(self) -> Iterator[Example]:
        for i, example in enumerate(super().read()):
            if i == self.kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            yield example


def _in_child(folder: Path, kill_at: int) -> int:
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if len(build(Deadly(9000, kill_at), CODECS, folder)) == 9000 else 1)
        finally:
            os._exit(2)
    return child


def test_killed_and_concurrent_builders(tmp_path: Path) -> None:
    killed = _in_child(tmp_path, 5000)
    assert os.WTERMSIG(os.waitpid(killed, 0)[1]) == signal.SIGKILL
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".")
    both = [_in_child(tmp_path, -1) for _ in range(2)]
    assert [os.waitpid(child, 0)[1] for child in both] == [0, 0]
    (store,) = tmp_path.iterdir()
    assert Store(store, CODECS).origin(8999) == "a:8999"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_killed_builder_is_continued_to_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = _in_child(tmp_path / "a", 5000)
    assert os.WTERMSIG(os.waitpid(killed, 0)[1]) == signal.SIGKILL
    encoded = list[int]()
    encode = Codecs.encode

    def seen(self: Codecs, examples: list[Example], sides: list[str]) -> object:
        encoded.append(len(examples))
        return encode(self, examples, sides)

    monkeypatch.setattr(Codecs, "encode", seen)
    again = build(Deadly(9000, -1), CODECS, tmp_path / "a")
    assert encoded == [2000, 2000, 1000]  # 4,000 were there
    whole = build(Deadly(9000, -1), CODECS, tmp_path / "b")
    assert contents(again.folder) == contents(whole.folder)
    assert "lock" not in contents(whole.folder)


def test_what_was_left_is_swept_a_week_later(tmp_path: Path) -> None:
    killed = _in_child(tmp_path, 5000)
    os.waitpid(killed, 0)
    (left,) = tmp_path.iterdir()
    held = tmp_path / ".held"
    with claimed(held):
        for one in (left, held):
            os.utime(one, (0, 0))
        store = stored([["a", "b"]], tmp_path)
        assert sorted(tmp_path.iterdir()) == [held, store.folder]


def test_default_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SACCADE_HOME", "/somewhere")
    assert default_folder() == Path("/somewhere/store")
    monkeypatch.delenv("SACCADE_HOME")
    assert default_folder() == Path.home() / ".cache" / "saccade" / "store"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match=r"store's folder cannot be made .*Set SACCADE_HOME to one"):
        stored([["a", "b"]], tmp_path / "file" / "store")


def test_a_store_that_cannot_be_replaced_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stored([["a", "b"]], tmp_path).folder
    (folder / "meta.json").unlink()
    monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
    rename = Path.rename

    def stubborn(self: Path, target: Path) -> Path:
        moved = rename(self, target)
        if self == folder:
            folder.mkdir()
            (folder / "foreign").touch()
        return moved

    monkeypatch.setattr(Path, "rename", stubborn)
    with pytest.raises(DataError, match="a broken store comes back as often as it is removed"):
        stored([["a", "b"]], tmp_path)


class Several(Reader):
    """Reads examples of one to three references, from two sources of which one is numbers."""

    def read(self) -> Iterator[Example]:
        for i in range(7):
            references = tuple("xyz"[: 1 + i % 3])
            series = np.arange(2.0 * (i + 1)).reshape(-1, 2)
            yield Example({"text": "abc"[i % 3], "sea": series}, references, f"s:{i + 1}")

    def fingerprint(self) -> str:
        return "several"


def test_sources_of_several_references_are_stored_once(tmp_path: Path) -> None:
    store = build(Several(Path()), SEVERAL, tmp_path)
    wanted = [(e, reference) for e in Several(Path()).read() for reference in e.references]
    assert len(store) == len(wanted) == 13
    for i, (example, reference) in enumerate(wanted):
        found = store.pair(i)
        assert LETTERS.decode(found.target.tolist()) == reference
        assert LETTERS.decode(found.sources["text"].tolist()) == example.sources["text"]
        assert np.allclose(found.sources["sea"], (example.sources["sea"] - [0, 1]) / [1, 2])
        assert store.lengths["sea"][i] == len(example.sources["sea"])
        assert store.origin(i) == example.origin
    assert (store.folder / "text.values").stat().st_size == 7 * 2  # one uint16 an example
    assert np.fromfile(store.folder / "owners", np.int32).tolist() == [
        i for i in range(7) for _ in range(1 + i % 3)
    ]


def test_pairs_know_the_references_of_their_example(tmp_path: Path) -> None:
    store = build(Several(Path()), SEVERAL, tmp_path)
    found = [e.references for e in Several(Path()).read() for _ in e.references]
    for i, references in enumerate(found):
        assert [LETTERS.decode(ids.tolist()) for ids in store.references(i)] == list(references)
    firsts = list(store.examples())
    assert [found[i] for i in firsts] == [e.references for e in Several(Path()).read()]
    single = stored([["a", "b"], ["c", "x"]], tmp_path)
    assert list(single.examples()) == [0, 1]
    assert [LETTERS.decode(ids.tolist()) for ids in single.references(1)] == ["x"]


def test_one_reference_each_needs_no_owners(tmp_path: Path) -> None:
    assert not (stored([["a", "b"], ["c", "x"]], tmp_path).folder / "owners").exists()


def test_a_source_that_the_reader_does_not_have_is_named(tmp_path: Path) -> None:
    codec = TextCodec(LETTERS)
    with pytest.raises(DataError, match=r"pairs:1: has no source 'sea'; it has source\. Name the"):
        build(Pairs(Path(), pairs=[["a", "b"]]), Codecs({"sea": codec}, codec), tmp_path)


def test_series_come_back_on_their_scale(tmp_path: Path) -> None:
    reader = Pairs(Path(), pairs=[["0,5 2,5", "4 6"], ["2,5 4,5", "6"]])
    numbers = NumbersModality()
    source = numbers.fit([[e.source for e in reader.read()]])
    target = numbers.fit([[e.target for e in reader.read()]], source)
    assert isinstance(source, NumbersCodec)
    assert (source.scale.mean, target.side.size, target.horizon) == ((2.0, 5.0), 1, 2)
    assert source.scale.spread == pytest.approx((2**0.5, 1.0))
    store = build(reader, Codecs({"source": source}, target), tmp_path)
    found = store.pair(1)
    assert np.allclose(found.sources["source"], [[0.0, 0.0], [2**0.5, 0.0]])
    assert np.allclose(found.target, [[4 / 2**0.5]])
    assert store.lengths["source"].tolist() == [2, 2]
    assert store.lengths["target"].tolist() == [2, 1]
    assert store.origin(0) != store.origin(1)


def test_targets_are_columns_of_the_source(tmp_path: Path) -> None:
    numbers = NumbersModality()
    source = numbers.fit([["1 2"]])
    with pytest.raises(DataError, match=r"data.train: targets have 2 columns but sources 1"):
        numbers.fit([["3,4"]], source)
    codecs = Codecs({"source": source}, numbers.fit([["3"]], source))
    wide = Pairs(Path(), pairs=[["1,1 2,2", "3"]])
    with pytest.raises(DataError, match=r"pairs:1: a series has 2 columns; expected 1, as in tra"):
        build(wide, codecs, tmp_path)


class Failing(Several):
    """Fails once, behind an example."""

    fails = True

    def read(self) -> Iterator[Example]:
        for i, example in enumerate(super().read()):
            if i == 5 and self.fails:
                raise MemoryError
            yield example


def test_several_sides_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scale = NumbersCodec(Scale((0.0, 1.0), (1.0, 2.0)), 0)
    codecs = Codecs({"text": TextCodec(LETTERS), "sea": scale}, TextCodec(LETTERS))
    monkeypatch.setattr(NumbersCodec, "chunk", 2)
    whole = build(Several(Path()), codecs, tmp_path / "a")
    one = Failing(Path())
    with pytest.raises(MemoryError):
        build(one, codecs, tmp_path / "b")
    monkeypatch.setattr(NumbersCodec, "chunk", 3)  # chunks need not be the same
    one.fails = False
    again = build(one, codecs, tmp_path / "b")
    assert contents(again.folder) == contents(whole.folder)
    assert len(list((tmp_path / "a").iterdir())) == 2
    for folder in (tmp_path / "a").iterdir():
        assert contents(tmp_path / "b" / folder.name) == contents(folder)


def test_a_slow_source_is_encoded_once_for_all_targets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scale = NumbersCodec(Scale((0.0, 1.0), (1.0, 2.0)), 0)
    monkeypatch.setattr(NumbersCodec, "chunk", 2)
    asked: list[int] = []
    encode = NumbersCodec.encode

    def counted(self: NumbersCodec, raws: list[Raw], origins: list[str]) -> list[Array]:
        asked.append(len(raws))
        return encode(self, raws, origins)

    monkeypatch.setattr(NumbersCodec, "encode", counted)
    stores = [
        build(Several(Path()), Codecs({"text": TextCodec(LETTERS), "sea": scale}, target), tmp_path)
        for target in (TextCodec(LETTERS), TextCodec(Character().fit(["xyz"], [])))
    ]
    assert asked == [2, 2, 2, 1]
    assert stores[0].folder != stores[1].folder
    for i in range(len(stores[0])):
        one, other = (store.pair(i).sources for store in stores)
        assert np.array_equal(one["sea"], other["sea"])
        assert np.array_equal(one["text"], other["text"])
    assert not (stores[0].folder / "sea.values").exists()
    assert np.array_equal(stores[0].flat("sea"), stores[1].flat("sea"))
