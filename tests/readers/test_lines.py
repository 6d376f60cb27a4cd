import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.errors import DataError
from saccade.readers._lines import fingerprint, numbered, read_lines

line = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))


@given(st.lists(line), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_lines_come_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], end: str, packed: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / ("a.gz" if packed else "a")
    content = "".join(text + end for text in lines).encode()
    path.write_bytes(gzip.compress(content) if packed else content)
    expected = [lines[0].removeprefix("\ufeff"), *lines[1:]] if lines else []
    assert list(read_lines(path)) == expected


def test_only_line_feed_ends_a_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes("a\u2028b\x0bc\x85\n\nlast\rline".encode())
    assert list(read_lines(tmp_path / "a")) == ["a\u2028b\x0bc\x85", "", "last\rline"]


def test_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
    assert list(read_lines(tmp_path / "a")) == ["a", "\ufeffb"]


def test_missing_file_is_named_with_a_neighbour(tmp_path: Path) -> None:
    (tmp_path / "train.en").touch()
    with pytest.raises(DataError, match=r"trian\.en: no such file; .* Did you mean 'train\.en'\?"):
        list(read_lines(tmp_path / "trian.en"))


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"no such file; expected text\. There is no folder .*none "
    ):
        list(read_lines(tmp_path / "none" / "a"))


def test_folder_given_as_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"this is a folder; expected a file\. Name a file in it"):
        list(read_lines(tmp_path))


def test_file_within_a_file_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(DataError, match=r"a/b: cannot be opened \(Not a directory\)"):
        list(read_lines(tmp_path / "a" / "b"))


def test_no_name_at_all() -> None:
    with pytest.raises(DataError, match="no file was named; expected a path"):
        list(read_lines(Path()))


def test_invalid_utf8_names_line_and_byte(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"fine\nd\xe9j\xe0\n")
    with pytest.raises(DataError, match=r"a:2: byte 2 of the line is 0xe9, which is not UTF-8"):
        list(read_lines(tmp_path / "a"))


def test_what_is_no_text_is_named_for_what_it_is(tmp_path: Path) -> None:
    cases = {
        "a\n".encode("utf-16"): "it is UTF-16 text; convert it with iconv -f utf-16 -t utf-8",
        gzip.compress(b"a"): "it is packed by gzip; put .gz behind its name",
        b"PAR1\x15\x00\x15": "it is Parquet; read it with kind: parquet",
        b"PK\x03\x04\x00\x08": "it is a ZIP archive or a workbook",
    }
    for content, message in cases.items():
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(DataError) as caught:
            list(numbered(tmp_path / "a"))
        assert f"a: begins like no UTF-8 text: {message}" in str(caught.value)


def test_null_characters_are_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"fine\nd\0e\n")
    with pytest.raises(DataError, match=r"a:2: character 2 is NUL, .* tr -d '\\000'"):
        list(numbered(tmp_path / "a"))


def test_gzip_that_is_not_gzip(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"plain text\n")
    with pytest.raises(DataError, match=r"a\.gz: not a whole gzip file, broken behind line 0"):
        list(read_lines(tmp_path / "a.gz"))


def test_gzip_that_is_cut_off(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"line\n" * 1000)[:-9])
    with pytest.raises(DataError, match="not a whole gzip file, broken behind line"):
        list(read_lines(tmp_path / "a.gz"))


def test_empty_file_has_no_lines_but_no_examples_either(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert list(read_lines(tmp_path / "a")) == []
    with pytest.raises(DataError, match=r"a: the file is empty; expected one example a line"):
        list(numbered(tmp_path / "a"))


def test_fingerprint_is_of_content_and_options(tmp_path: Path) -> None:
    for name, content in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(content)
    a, b, c = (fingerprint([tmp_path / name], 1) for name in "abc")
    assert a == b != c
    assert a != fingerprint([tmp_path / "a"], 2)
