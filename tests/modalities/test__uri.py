"""Picture files as data URIs."""

import re
from pathlib import Path

import pytest

from saccade.errors import DataError
from saccade.modalities import _uri
from saccade.modalities._picture import from_text
from saccade.modalities._uri import file_uri, kind_of, to_uri
from tests.captions import file_of, pixels


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_the_first_bytes_say_the_kind(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    data = file_of(kind)
    assert kind_of(data) == kind
    assert to_uri(data, "x").startswith(f"data:image/{kind};base64,")
    path = tmp_path / "a.txt"  # its name says nothing
    path.write_bytes(data)
    assert file_uri(path) == to_uri(data, "x")


def test_what_goes_in_comes_out() -> None:
    assert (from_text(to_uri(file_of("png", 3), "x")).pixels == pixels(3)).all()


def test_what_is_no_picture_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"x: begins with b'hello'; expected a picture: PNG, JPEG,"):
        to_uri(b"hello", "x")
    with pytest.raises(DataError, match=r"none.png: cannot be read \(No such file"):
        file_uri(tmp_path / "none.png")
    (tmp_path / "big.png").write_bytes(file_of("png"))
    monkeypatch.setattr(_uri, "MOST_BYTES", 100)
    with pytest.raises(DataError, match=re.escape("bytes; expected a picture of at most 100.")):
        file_uri(tmp_path / "big.png")
