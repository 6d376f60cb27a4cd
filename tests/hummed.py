"""A small model of sounds that has learned something: it writes the numbers of tones."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from saccade import recipe, run
from saccade.modalities._wave import write_wave
from tests.test_sound import RATE, tone

READER = "{kind: sounds, files: sounds, names: '{label}_{speaker}_{index}'}"
RECIPE = f"""
name: hummed
data:
  train: {{kind: strings, count: 60, least: 1, most: 3, joiner: '', corpus: {READER}}}
  valid: {READER}
  test: {READER}
  source: {{kind: sound, rate: 8000, bins: 12, silence: 0.02, max_seconds: 5}}
  target: {{tokenizer: character}}
model:
  kind: ctc
  embedding: 16
  dropout: 0.0
  embedder: {{kind: spectrogram, width: 4}}
  encoder: {{kind: rnn, hidden: 16, dropout: 0.0}}
training: {{objective: ctc, schedule: constant, learning_rate: 0.02, max_steps: 130,
  validate_every: 130, batch_tokens: 600, threads: 1}}
decoding: {{search: ctc_greedy, max_ratio: 1.0, max_extra: 5, metrics: [error_rate]}}
"""


@cache
def hummer() -> Path:
    """Train the model, once for all tests; return its folder."""
    place = Path(mkdtemp(prefix="hummed-"))
    (place / "sounds").mkdir()
    for label in (1, 2, 3):
        for index in range(4):
            path = place / "sounds" / f"{label}_ann_{index}.wav"
            path.write_bytes(write_wave(tone(label, index), RATE))
    run.train(recipe.parse(RECIPE), place / "run", root=place)
    return place / "run"


def hum(digits: str, gap: float = 0.08) -> Any:
    """Hum digits with a little noise between them; a space is a second of it."""
    parts = [tone(int(d), 1) if d.strip() else np.zeros(RATE, np.int16) for d in digits]
    silence = np.zeros(int(gap * RATE), np.int16)
    sound = np.concatenate([piece for part in parts for piece in (part, silence)])
    noise = np.random.default_rng(0).normal(size=len(sound)) * 6
    return (sound + noise).astype(np.int16)
