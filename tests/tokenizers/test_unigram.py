import subprocess
import sys
from pathlib import Path

from saccade.tokenizers.unigram import Unigram

ROOT = Path(__file__).parents[2]
PROGRAM = """
from saccade.tokenizers.unigram import Unigram
words = "the cat sat on a mat and saw that the bat had a hat with matted fur".split()
lines = [" ".join(words[i % 17 :: 1 + i % 5]) for i in range(300)]
print(Unigram(size=60).fit(lines, []).fingerprint)
"""


def test_common_stems_become_pieces() -> None:
    lines = [f"{stem}{end}" for stem in ("number", "colour") for end in ("s", "ed", "ing", "less")]
    vocabulary = Unigram(size=40).fit(lines * 20, [])
    assert len(vocabulary) <= 40
    assert {"▁number", "▁colour"} < set(vocabulary.pieces(range(len(vocabulary))))


def test_the_same_in_every_process() -> None:
    command = [sys.executable, "-c", PROGRAM]
    runs = {
        subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout for _ in range(3)
    }
    assert len(runs) == 1
