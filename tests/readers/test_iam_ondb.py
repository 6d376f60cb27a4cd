from pathlib import Path
from typing import Any

import pytest

from saccade.errors import DataError
from saccade.readers.iam_ondb import IamOndb

XML = """<?xml version="1.0" encoding="ISO-8859-1"?>
<WhiteboardCaptureSession><WhiteboardDescription><SensorLocation corner="top_left"/>
</WhiteboardDescription><StrokeSet>
<Stroke colour="black" start_time="1.0" end_time="1.2">
<Point x="1073" y="1058" time="1.0"/><Point x="1080" y="1060" time="1.1"/></Stroke>
<Stroke colour="black" start_time="2.0" end_time="2.1"><Point x="1100" y="1050" time="2"/></Stroke>
</StrokeSet></WhiteboardCaptureSession>"""
TEXT = "OCR:\n\nA MOVE t0\nstop\n\n\nCSR:\n\nA MOVE to\nstop Mr.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    strokes = tmp_path / "lineStrokes" / "a01" / "a01-000"
    texts = tmp_path / "ascii" / "a01" / "a01-000"
    strokes.mkdir(parents=True)
    texts.mkdir(parents=True)
    for name in ("a01-000u-01", "a01-000u-02", "a01-000u-03", "a01-000x-01"):
        (strokes / f"{name}.xml").write_text(XML, encoding="latin-1")
    for form in ("a01-000u", "a01-000x"):
        (texts / f"{form}.txt").write_text(TEXT, encoding="utf-8")
    return tmp_path


def reader(folder: Path, **options: Any) -> IamOndb:
    return IamOndb(folder, strokes="lineStrokes", texts="ascii", **options)


def test_lines_of_strokes_meet_their_texts(folder: Path) -> None:
    found = list(reader(folder).read())
    assert [one.source for one in found] == ["A MOVE to", "stop Mr.", "A MOVE to"]  # no third text
    assert [s.tolist() for s in found[0].target] == [[[0, 0], [7, 2]], [[27, -8], [27, -8]]]
    assert found[2].origin.endswith("a01-000x-01.xml")


def test_a_split_names_forms(folder: Path) -> None:
    (folder / "trainset.txt").write_text("a01-000x\n\n", encoding="utf-8")
    chosen = reader(folder, split="trainset.txt", task="read")
    (one,) = chosen.read()
    assert one.target == "A MOVE to"
    assert chosen.paths == (folder / "trainset.txt",)
    assert chosen.fingerprint() != reader(folder).fingerprint()


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<Stroke", r"a01-000u-01.xml: cannot be read as strokes .*expected XML with Stroke"),
        ('<a><Stroke><Point x="1"/></Stroke></a>', r"cannot be read as strokes \('y'\)"),
        ('<a><Stroke><Point x="1" y="z"/></Stroke></a>', r"cannot be read as strokes"),
        ("<a/>", r"a01-000u-01.xml: no point at all"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', r"declares a document type; expected plain"),
        (" " * 8_000_001, r"has 8,000,001 bytes; expected at most 8,000,000"),
    ],
)
def test_what_cannot_be_read_is_named(xml: str, message: str, folder: Path) -> None:
    path = folder / "lineStrokes" / "a01" / "a01-000" / "a01-000u-01.xml"
    path.write_text(xml, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        list(reader(folder).read())


def test_what_is_missing_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match=r"nothing: no such folder; expected one of the IAM-OnDB"):
        list(IamOndb(folder, strokes="nothing", texts="ascii").read())
    (folder / "none.txt").write_text("z99-999\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"lineStrokes: no line of strokes with a text in .*ascii"):
        list(reader(folder, split="none.txt").read())
    (folder / "ascii" / "a01" / "a01-000" / "a01-000u.txt").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match=r"a01-000u.txt: has no line CSR:; expected the transcr"):
        list(reader(folder).read())
