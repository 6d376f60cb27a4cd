from pathlib import Path

from tests.cli.conftest import Call
from tests.engines.folders import stack, write_noise


def test_exports_and_says_how_alike_they_write(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    said = call("export", folder, "--to", "ctranslate2", "-o", "out")
    assert said.code == 0, said.err
    assert "ctranslate2 beside torch, on its examples" in said.out
    assert "8 of 8 (100.0%)" in said.out
    assert "Wrote out: ctranslate2, float32, " in said.err
    assert "Use it:  saccade translate out" in said.err
    told = call("translate", "out", stdin=b"four\n\n")
    assert told.out == call("translate", folder, "--engine", "torch", stdin=b"four\n\n").out
    again = call("export", folder, "--to", "ctranslate2", "-o", "out")
    assert again.code == 1
    assert "out: already holds an exported model. Replace it with --overwrite" in again.err
    options = ("--overwrite", "--quantise", "int8", "--lines", 0)
    replaced = call("export", folder, "--to", "ctranslate2", "-o", "out", *options)
    assert replaced.code == 0
    assert replaced.out == ""
    assert "Wrote out: ctranslate2, int8, " in replaced.err


def test_a_place_of_its_own_beside_the_model(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    assert call("export", folder, "--to", "ctranslate2", "--lines", 0).code == 0
    assert (tmp_path / "model-ctranslate2" / "model.bin").exists()


def test_what_is_not_an_export_is_not_touched(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model")
    said = call("export", folder, "--to", "ctranslate2", "-o", folder, "--overwrite")
    assert said.code == 1
    assert "already holds something that is not an export of a model. Choose another" in said.err


def test_refusals_name_the_option(call: Call, tmp_path: Path) -> None:
    rnn = {"kind": "rnn", "hidden": 8}
    folder = write_noise(tmp_path / "model", {"encoder": rnn, "decoder": rnn})
    said = call("export", folder, "--to", "ctranslate2")
    assert said.code == 2
    assert "model.encoder.kind is rnn" in said.err
    assert "model.decoder.kind is rnn" in said.err
    told = call("translate", folder, "--engine", "ctranslate2", stdin=b"four\n")
    assert told.code == 2
    assert call("translate", folder, stdin=b"four\n").code == 0


def test_no_alignments_of_an_export(call: Call, tmp_path: Path) -> None:
    folder = write_noise(tmp_path / "model", {"encoder": stack(), "decoder": stack()})
    call("export", folder, "--to", "ctranslate2", "-o", "out", "--lines", 0)
    said = call("translate", "out", "--alignments", stdin=b"four\n")
    assert said.code == 2
    assert "--alignments: out was exported without what tells where a model looked" in said.err
    there = call("translate", folder, "--engine", "ctranslate2", "--alignments", stdin=b"four\n")
    assert there.code == 0
    assert "-" in there.out.rpartition("|||")[2]
