from pathlib import Path

from saccade.experiments.agreement import Agreement, compare
from saccade.export.base import export
from saccade.folders.examples import EXAMPLES
from tests.engines.folders import SOURCES, write_noise


def test_both_engines_are_set_side_by_side(tmp_path: Path) -> None:
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    export("ctranslate2", folder, out)
    found = compare(folder, out, 5)
    assert (found.origin, found.lines, found.equal) == ("its examples", 5, 5)
    assert found.apart < 1e-4
    ours, theirs = found.figures["chrf"]
    assert ours == theirs


def test_lines_are_made_up_without_examples(tmp_path: Path) -> None:
    folder, out = write_noise(tmp_path / "model"), tmp_path / "out"
    (folder / EXAMPLES).unlink()
    export("ctranslate2", folder, out)
    found = compare(folder, out, len(SOURCES))
    assert (found.origin, found.lines) == ("made-up lines", len(SOURCES))
    assert found.figures == {}
    assert found.equal == found.lines


def test_rows_tell_the_share_and_the_cost() -> None:
    rows = Agreement("valid", 8, 6, 0.0123, {"bleu": (30.0, 29.5)}, 0.5).rows()
    assert rows == [
        ["same text", "6 of 8 (75.0%)"],
        ["scores apart, on these", "0.012, at most 0.5"],
        ["bleu", "30.00 with torch, 29.50 exported (-0.50)"],
    ]
