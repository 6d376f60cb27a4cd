"""The verb rescore."""

from pathlib import Path

from tests.cli.conftest import Call


def test_a_model_rescored_by_itself(call: Call, work: Path, tmp_path: Path) -> None:
    said = call(
        *("rescore", work / "model", work / "model", "--nbest", 3, "--split", "valid"),
        *("-o", "chosen.txt"),
    )
    assert said.code == 0, said.err
    assert "by weight" in said.out
    assert "rescored" in said.out
    assert "p of the difference" in said.err
    assert (tmp_path / "chosen.txt").read_text(encoding="utf-8").strip()


def test_a_split_that_is_not_there(call: Call, work: Path) -> None:
    said = call("rescore", work / "model", work / "model", "--split", "nowhere")
    assert said.code == 2
    assert "no split 'nowhere'" in said.err
