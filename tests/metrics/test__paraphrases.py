import gzip
import io
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import DataError
from saccade.metrics import _paraphrases
from saccade.metrics._paraphrases import Paraphrases, fingerprint, paraphrases, tabulated

PAIRS = [("b", "x y"), ("a b", "c"), ("b", "a"), ("é", "e"), ("b", "one two three")]


def _text(pairs: list[tuple[str, str]]) -> bytes:
    return "".join(f"0.5\n{one}\n{other}\n" for one, other in pairs).encode()


def _write(path: Path, content: bytes) -> Path:
    with gzip.open(path, "wb") as file:
        file.write(content)
    return path


def test_every_pair_is_found_in_its_order() -> None:
    table = Paraphrases(tabulated(io.BytesIO(_text(PAIRS)), "table"))
    assert table.longest == 3
    found = table.of(fingerprint("b"))
    assert found == {fingerprint(text): n for n, text in enumerate(["x y", "a", "one two three"])}
    assert table.of(fingerprint("a b")) == {fingerprint("c"): 0}
    assert table.of(fingerprint("é")) == {fingerprint("e"): 0}
    assert table.of(fingerprint("c")) == {}


def test_blocks_do_not_change_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tabulated(io.BytesIO(_text(PAIRS * 3)), "table")
    monkeypatch.setattr(_paraphrases, "_BLOCK", 7)
    assert np.array_equal(tabulated(io.BytesIO(_text(PAIRS * 3)), "table"), whole)


def test_fingerprints_differ() -> None:
    texts = ["a", "b", "a b", "b a", "ab", "a  b", "", "aa", "a" * 40, "a" * 41]
    assert len({fingerprint(text) for text in texts}) == len(texts)


def test_the_table_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "paraphrase-en.gz", _text(PAIRS))
    first = paraphrases(path).of(fingerprint("b"))
    (kept,) = (tmp_path / "home" / "meteor").iterdir()
    monkeypatch.setattr(_paraphrases, "tabulated", lambda *_: pytest.fail("made again"))
    assert paraphrases(path).of(fingerprint("b")) == first
    monkeypatch.undo()
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "home"))
    for broken in (b"", kept.read_bytes()[:-8], b"not an array"):
        kept.write_bytes(broken)
        assert paraphrases(path).of(fingerprint("b")) == first


def test_another_table_is_not_mistaken(tmp_path: Path) -> None:
    paraphrases(_write(tmp_path / "one.gz", _text(PAIRS)))
    other = paraphrases(_write(tmp_path / "two.gz", _text([("b", "q")])))
    assert other.of(fingerprint("b")) == {fingerprint("q"): 0}


def test_without_a_place_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SACCADE_HOME", str(tmp_path / "file"))
    path = _write(tmp_path / "paraphrase-en.gz", _text(PAIRS))
    assert len(paraphrases(path).of(fingerprint("b"))) == 3


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="table: its last lines are incomplete; expected lines of"):
        tabulated(io.BytesIO(b"0.5\na\n"), "table")
    with pytest.raises(DataError, match="table: a line of 2001 bytes; expected at most 1024"):
        tabulated(io.BytesIO(b"0.5\na\n" + b"b" * 2000 + b"\n"), "table")
