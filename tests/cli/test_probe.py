from pathlib import Path

from tests.cli.conftest import Call

PROBES = """
- {source: "un chat dort", right: "a cat sleeps", wrong: "a dog runs"}
- source: "un chien court"
  readings: ["a dog runs", "a cat runs"]
  before: [["un chien dort", "a dog sleeps"], ["un chat dort", "a cat sleeps"]]
- nonsense: "ag ag ag ag ag ag ag ag"
"""


def test_three_tables(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "sense.yaml").write_text(PROBES, encoding="utf-8")
    said = call("probe", work / "model", "sense.yaml")
    assert said.code == 0
    assert "1 sentences: what is meant is likelier for 1." in said.err
    assert "1 sentences: the one before moves the log-probability of what is right by" in said.err
    assert "1 sentences that mean nothing: 1 with a warning or no output." in said.err
    assert "loop" in said.out or "unfamiliar" in said.out or "unknown" in said.out


def test_the_example(call: Call, work: Path, tmp_path: Path) -> None:
    said = call("probe", work / "model", "--example")
    assert said.out.startswith("# Probes of sense")
    (tmp_path / "copy.yaml").write_text(said.out, encoding="utf-8")
    assert call("probe", work / "model", "copy.yaml").out == call("probe", work / "model").out


def test_no_such_file(call: Call, work: Path) -> None:
    said = call("probe", work / "model", "none.yaml")
    assert said.code == 1
    assert "`saccade probe MODEL --example` prints one." in " ".join(said.err.split())
