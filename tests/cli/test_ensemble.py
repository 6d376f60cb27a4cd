"""The verb ensemble."""

from pathlib import Path

from tests.cli.conftest import Call


def test_a_model_beside_itself(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("ensemble", work / "model", work / "model", "-o", "two")
    assert said.code == 0, said.err
    assert (
        "Wrote two: 2 models (encoder_decoder, encoder_decoder). Nothing was trained." in said.err
    )
    (tmp_path / "lines").write_text("un chat dort\n", encoding="utf-8")
    one, two = (call("translate", folder, "--input", "lines") for folder in (work / "model", "two"))
    assert one.out == two.out != ""
    assert call("evaluate", "two", "--split", "valid").code == 0


def test_one_model_is_none(call: Call, work: Path) -> None:
    said = call("ensemble", work / "model", "-o", "one")
    assert said.code == 2
    assert "ensemble: found 1 model; expected two or more. Name more folders." in said.err
