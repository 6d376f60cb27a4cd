"""hOCR and ALTO: the structure that their standards ask for, and boxes in the files' pixels."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from saccade import recipe as recipes
from saccade import run
from saccade.cli import alto, hocr
from saccade.cli.documents import clean
from saccade.look.printed import PrintedLine, PrintedWord
from tests import lines
from tests.cli.conftest import Call
from tests.cli.test_print import recipe
from tests.engines.folders import write_noise
from tests.train.small import quiet

LINE = PrintedLine(
    90, 32, (PrintedWord('a"<', (2, 3, 20, 30), 0.97), PrintedWord("ſ", (30, 5, 44, 28), 1.0))
)
ALTO = "{http://www.loc.gov/standards/alto/ns-v4#}"
BOX = {"HPOS", "VPOS", "WIDTH", "HEIGHT"}
# of alto-4-4.xsd, what is written here: children in their order, and attributes that must be there
SCHEMA = {
    "alto": (["Description", "Layout"], set()),
    "Description": (["MeasurementUnit", "sourceImageInformation", "Processing"], set()),
    "sourceImageInformation": (["fileName", "fileIdentifier"], set()),
    "Processing": (["processingCategory", "processingSoftware"], {"ID"}),
    "processingSoftware": (["softwareName", "softwareVersion"], set()),
    "Layout": (["Page"], set()),
    "Page": (["PrintSpace"], {"ID", "PHYSICAL_IMG_NR"}),
    "PrintSpace": (["TextBlock"], BOX),
    "TextBlock": (["TextLine"], {"ID"} | BOX),
    "TextLine": (["String", "SP"], BOX),
    "String": ([], {"CONTENT"} | BOX),
    "SP": ([], BOX),
}
LEAVES = ("MeasurementUnit", "processingCategory", "fileName", "fileIdentifier")


def check_alto(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    ids = [one.get("ID") for one in root.iter() if one.get("ID")]
    assert len(ids) == len(set(ids))
    for one in root.iter():
        name = one.tag.removeprefix(ALTO)
        assert one.tag == ALTO + name
        children = [child.tag.removeprefix(ALTO) for child in one]
        order, needed = SCHEMA.get(name, ([], set()))
        assert set(children) <= set(order)
        assert needed <= set(one.keys())
        if name == "TextLine":  # at least one String; an SP only behind one
            assert children[::2] == ["String"] * len(children[::2])
            assert children[1::2] == ["SP"] * len(children[1::2])
            assert len(children) % 2 == 1
        else:
            assert children == sorted(children, key=order.index)
        for side in BOX & set(one.keys()):
            assert float(one.get(side, "")) >= 0
        assert 0 <= float(one.get("WC", "0")) <= 1
    assert {one.get("PROCESSING", "reading") for one in root.iter()} <= set(ids)
    return root


@pytest.mark.parametrize("names", [[], ["a&b.png"], ["a.png", "b.png"]], ids=len)
def test_alto_has_the_structure_of_the_standard(names: list[str]) -> None:
    pages = [alto.page(1, "", LINE), alto.page(2, "", PrintedLine(5, 6, ()))]
    root = check_alto("\n".join([alto.head(names), *pages, alto.tail()]))
    strings = list(root.iter(f"{ALTO}String"))
    assert [one.get("CONTENT") for one in strings] == ['a"<', "ſ"]
    assert [one.get("HPOS") for one in strings] == ["2", "30"]
    assert root.findtext(f".//{ALTO}fileName") == (names[0] if len(names) == 1 else None)
    (gap,) = root.iter(f"{ALTO}SP")
    assert (gap.get("HPOS"), gap.get("WIDTH")) == ("20", "10")


def test_hocr_is_xml_with_boxes() -> None:
    root = ElementTree.fromstring(
        "\n".join([hocr.head([]), hocr.page(1, "x.png", LINE), hocr.tail()])
    )
    titles = {one.get("class"): one.get("title") for one in root.iter() if one.get("class")}
    assert titles["ocr_page"] == 'image "x.png"; bbox 0 0 90 32; ppageno 0'
    assert titles["ocr_line"] == "bbox 0 0 90 32"
    assert titles["ocrx_word"] == "bbox 30 5 44 28; x_wconf 100"
    words = [one.text for one in root.iter() if one.get("class") == "ocrx_word"]
    assert words == ['a"<', "ſ"]


def test_what_xml_cannot_hold_is_replaced() -> None:
    assert clean("a\x0cb\ud800") == "a\ufffdb\ufffd"


@pytest.mark.parametrize("form", ["alto", "hocr"])
def test_lines_become_a_document(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    words = lines.words(8, seed=3)
    lines.save(Path("lines"), {f"{n}.png": word for n, word in enumerate(words)})
    for n, word in enumerate(words):
        Path("lines", f"{n}.gt.txt").write_text(word, encoding="utf-8")
    run.train(recipes.from_plain(recipe(max_steps=2)), tmp_path / "model", console=quiet())
    said = call("predict", "model", "lines/0.png", "lines/1.png", "--format", form)
    assert said.code == 0, said.err
    assert "lines/0.png" in said.out
    root = ElementTree.fromstring(said.out)
    if form == "alto":
        height, width = lines.printed(words[0]).shape[:2]
        page = check_alto(said.out).find(f".//{ALTO}Page")
        assert page is not None
        assert (page.get("WIDTH"), page.get("HEIGHT")) == (str(width), str(height))
    assert root.tag.endswith("alto" if form == "alto" else "html")
    said = call("predict", "model", "lines/0.png", "--format", form, "--nbest", "2")
    assert "--nbest: --format" in said.err


def test_a_model_of_text_is_refused(tmp_path: Path, call: Call) -> None:
    folder = write_noise(tmp_path / "model")
    said = call("predict", folder, "--format", "alto", stdin=b"one\n")
    assert said.code == 2
    assert "--format alto: is for words of print, but the model reads no pictures" in said.err
