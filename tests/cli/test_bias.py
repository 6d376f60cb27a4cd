from pathlib import Path

from tests.cli.conftest import Call

PROBES = """
- template: "un {animal} {verb}"
  swap: {animal: [chat, chien]}
  vary: {verb: [dort, court]}
- source: "un chat dort"
  readings: ["a cat sleeps", "a dog sleeps"]
"""


def test_pairs_and_readings(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "probes.yaml").write_text(PROBES, encoding="utf-8")
    said = call("bias", work / "model", "probes.yaml")
    assert said.code == 0
    assert "cat → dog" in said.out
    assert "2 pairs: 0 with equal outputs, 0 with unusual differences." in said.err
    assert "95% interval" in said.err
    assert "1 sources: the first reading is likelier for 1." in said.err


def test_the_example(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("bias", work / "model", "--example")
    assert said.out.startswith("# Probes of gender")
    (tmp_path / "copy.yaml").write_text(said.out, encoding="utf-8")
    assert call("bias", work / "model", "copy.yaml").out == call("bias", work / "model").out


def test_no_such_file(call: Call, work: Path) -> None:
    said = call("bias", work / "model", "none.yaml")
    assert said.code == 1
    assert "none.yaml: cannot be read:" in said.err
    assert "`saccade bias MODEL --example` prints one." in " ".join(said.err.split())
