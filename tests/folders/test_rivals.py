"""rivals.json: what a model folder keeps to compare its model with."""

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import CheckpointError
from saccade.folders.rivals import RIVALS, read_rivals, write_rivals
from saccade.predict.baselines import LAST, MEAN, MOST_FREQUENT, StandIn
from saccade.predict.frequencies import Frequencies
from saccade.predict.verdict import Rivals, Verdict

VERDICT = Verdict("loss", 3.0, 2.5, higher_is_better=False, answer="symbols")
COUNTS = Frequencies(np.array([3, 0, 1]), np.array([0, 4]))


def test_what_was_written_is_read(tmp_path: Path) -> None:
    constants = (StandIn(MOST_FREQUENT, "día\n"), StandIn(MEAN, "1,2"), StandIn(LAST))
    write_rivals(tmp_path, Rivals(constants, COUNTS, VERDICT))
    found = read_rivals(tmp_path)
    assert found.constants == constants
    assert found.verdict == VERDICT
    assert found.frequencies is not None
    assert found.frequencies.symbols.tolist() == [3, 0, 1]
    assert found.frequencies.lengths.tolist() == [0, 4]


def test_a_folder_of_an_older_version_has_none(tmp_path: Path) -> None:
    assert read_rivals(tmp_path) == Rivals()
    write_rivals(tmp_path, Rivals())
    assert not (tmp_path / RIVALS).exists()


def test_an_answer_that_is_too_long_stays_away(tmp_path: Path) -> None:
    long = StandIn(MOST_FREQUENT, "x" * 20_001)
    write_rivals(tmp_path, Rivals((long, StandIn(MOST_FREQUENT, "y"))))
    assert read_rivals(tmp_path).constants == (StandIn(MOST_FREQUENT, "y"),)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"constants": [{"name": "os.system", "value": ""}]}, "no answer is called 'os.system'"),
        ({"constants": 3}, "not iterable"),
        ({"symbols": [1, -1]}, "expected a list of counts"),
        ({"symbols": [[1], [2]]}, "expected a list of counts"),
        ({"verdict": {"colour": 1}}, "unexpected keyword"),
    ],
)
def test_a_file_of_another_form_is_refused(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    write_rivals(tmp_path, Rivals((), COUNTS, VERDICT))
    path = tmp_path / RIVALS
    path.write_text(json.dumps(json.loads(path.read_text()) | change), encoding="utf-8")
    with pytest.raises(CheckpointError) as caught:
        read_rivals(tmp_path)
    assert str(caught.value).startswith(f"{path}: cannot be used (")
    assert reason in str(caught.value)
    assert "expected what training wrote. Delete it, or copy the model folder" in str(caught.value)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path) -> None:
    (tmp_path / RIVALS).write_bytes(b" " * ((1 << 24) + 1))
    with pytest.raises(CheckpointError, match="over 16,777,216 bytes"):
        read_rivals(tmp_path)
