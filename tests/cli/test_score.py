import json
from pathlib import Path

from tests.cli.conftest import Call


def test_scores_are_log_probabilities(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong").write_text("a dog runs\n" * 4, encoding="utf-8")
    pairs = (work / "train.source", work / "train.target")
    right = [float(line) for line in call("score", work / "model", *pairs).out.splitlines()]
    said = call("score", work / "model", work / "train.source", "wrong")
    wrong = [float(line) for line in said.out.splitlines()]
    assert all(r > w for r, w in zip(right[:3], wrong[:3], strict=True))
    tsv = call("score", work / "model", *pairs, "--format", "tsv", "--per-token").out
    source, target, total, tokens = tsv.splitlines()[0].split("\t")
    assert (source, target) == ("un chat dort", "a cat sleeps")
    assert abs(sum(map(float, tokens.split())) - float(total)) < 1e-3
    found = json.loads(
        call("score", work / "model", *pairs, "--format", "jsonl", "--per-token").out.split("\n")[0]
    )
    assert found["tokens"] == ["▁a", "▁cat", "▁sleeps", "</s>"]


def test_unequal_files_are_refused(call: Call, work: Path, tmp_path: Path) -> None:
    (tmp_path / "short").write_text("a cat sleeps\n", encoding="utf-8")
    said = call("score", work / "model", work / "train.source", "short")
    assert said.code == 1
    assert "has 4 lines but short has 1; line pairs must match." in said.err
