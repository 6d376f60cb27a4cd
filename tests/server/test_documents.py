"""Files of text and tables are read, cut and written."""

import pytest

from saccade.server.documents import passages_in, read_document
from saccade.server.limits import Limits
from saccade.server.models import Served
from saccade.server.refusal import Refused


def test_text_is_one_text() -> None:
    document = read_document("../my report.v2.TXT", b"\xef\xbb\xbfa\n\nb")
    assert document.texts == ("a\n\nb",)
    assert document.name("fr") == "my_report_v2_fr.txt"
    assert document.written(["x\n\ny"]) == b"x\n\ny"


def test_a_table_gets_one_more_column() -> None:
    document = read_document("a.tsv", b"un\t1\r\ndeux\n\n\t4\n")
    assert document.texts == ("un", "deux", "", "")
    assert (
        document.written(["one", "two\tor\nso", "", ""])
        == b"un\t1\tone\ndeux\ttwo or so\n\n\t4\t\n"
    )
    assert read_document("a.tsv", b"").texts == ()


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("a.docx", b"", "file: 'a.docx' is of a format that is not known; expected .txt or .tsv"),
        ("", b"", "file: '' is of a format"),
        ("a.txt", b"ab\xff", "file: not UTF-8 at byte 2; expected text in UTF-8; convert it."),
    ],
)
def test_what_cannot_be_read(name: str, raw: bytes, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        read_document(name, raw)
    assert refused.value.status == 400


def test_a_line_that_is_too_long_is_refused(tiny: Served) -> None:
    document = read_document("a.txt", b"un chat dort\n" * 700)
    assert len(passages_in(document, tiny, Limits(characters=12))[0].parts) == 700
    with pytest.raises(
        Refused, match=r"file: 'un chat dort'\.\.\. has 12 characters; expected at most 5"
    ):
        passages_in(document, tiny, Limits(characters=5))
