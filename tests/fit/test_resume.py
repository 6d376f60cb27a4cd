"""A fit that was killed in the middle of a training, and went on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from saccade.fit.fitting import Fitted, fit
from saccade.fit.outline import Outline, outline
from saccade.fit.plan import PLAN
from tests.fit.small import shrunk

STEMS, ENDS = ("ba", "ke", "li", "mo", "nu", "ta"), ("se", "ri", "po", "du", "fa")
WORDS = [stem + end for stem in STEMS for end in ENDS]
FIRST, SECOND = "recurrent", "transformer"
SCRIPT = """
import sys
from pathlib import Path
from tests.fit.test_resume import made_of, quietly
quietly(made_of(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def made_of(path: Path) -> Outline:
    return shrunk(outline([path]), 120)


def quietly(made: Outline, folder: Path, *, resume: bool = False) -> Fitted:
    return fit(made, folder, within=600.0, resume=resume, console=Console(quiet=True))


def _validations(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.read_text(encoding="utf-8").count('"valid"') if path.exists() else 0


def _killed(pairs: Path, folder: Path) -> None:
    """Begin a fit in a process of its own, and kill it while the second candidate trains."""
    place = folder.with_name(f"{folder.name}-candidates") / SECOND
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(pairs), str(folder)],
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
    )
    until = time.monotonic() + 300
    while _validations(place) < 2 and process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
    assert 2 <= _validations(place) < 12
    assert not (place / "model.safetensors").exists()


def test_a_killed_fit_goes_on_as_if_it_had_not_been_killed(tmp_path: Path) -> None:
    pairs = tmp_path / "words.tsv"
    rows = "".join(f"{word}\t{' '.join(word.upper())}\n" for word in WORDS)
    pairs.write_text(rows, encoding="utf-8")
    _killed(pairs, tmp_path / "killed")
    whole = tmp_path / "whole-candidates"
    whole.mkdir()
    shutil.copy(tmp_path / "killed-candidates" / PLAN, whole / PLAN)  # the same timing
    one = quietly(made_of(pairs), tmp_path / "killed", resume=True)
    other = quietly(made_of(pairs), tmp_path / "whole", resume=True)
    assert {s.name for s in one.standings} == {FIRST, SECOND}
    assert one.standings == other.standings
    assert one.evaluation.figures == other.evaluation.figures
    for name in ("killed", "whole"):
        assert json.loads((tmp_path / name / PLAN).read_text())["seconds"] > 0
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("killed", "whole")]
    assert weights[0] == weights[1], "bit for bit"
