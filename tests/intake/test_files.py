"""Files from elsewhere: kind and size are known before they are read."""

import os
from pathlib import Path

import pytest

from saccade.intake.files import parse_json, read_bytes, read_json, read_text


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b'{"a":\r\n"\xc3\xa9"}')
    assert read_text(tmp_path / "f") == '{"a":\n"é"}'
    (tmp_path / "link").symlink_to(tmp_path / "f")
    assert read_json(tmp_path / "link") == {"a": "é"}


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    for path in (tmp_path / "pipe", tmp_path / "device", tmp_path):
        with pytest.raises(ValueError, match="not a file"):
            read_bytes(path)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "no")


def test_limits(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    assert read_bytes(tmp_path / "f", 5) == b"12345"
    with pytest.raises(ValueError, match="over 4 bytes"):
        read_bytes(tmp_path / "f", 4)
    assert parse_json(b"[1, 2]", 2) == [1, 2]
    with pytest.raises(ValueError, match="over 1 values"):
        parse_json(b"[1, 2]", 1)
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(b"[" * 100_000)
    with pytest.raises(ValueError, match="Exceeds the limit"):
        parse_json(b"9" * 10_000)
    with pytest.raises(UnicodeDecodeError):
        parse_json(b"\xff")
