"""Tiny models of handwriting: one that writes, one that reads."""

import json
from pathlib import Path
from typing import Any

import yaml

from saccade import recipe as recipes
from saccade import run
from saccade.corpora.handwriting import written_by
from saccade.server.models import Served, open_models

WORDS = ("ab", "cab", "abba", "cc", "bac", "a")
TEXT, STROKES = {"kind": "text", "tokenizer": "character"}, {"kind": "strokes"}
WRITER = {
    "kind": "encoder_decoder",
    "embedding": 8,
    "tie": "none",
    "encoder": "none",
    "decoder": {"kind": "window", "hidden": 8, "attention": {"kind": "gaussian_mixture"}},
    "head": {"kind": "mixture_density", "components": 2},
}
READER = {"kind": "ctc", "embedding": 8, "encoder": {"kind": "rnn", "cell": "lstm", "hidden": 8}}


def make_pen(place: Path, task: str) -> Served:
    """Train for three updates; `task` is write or read."""
    place.mkdir(parents=True, exist_ok=True)
    rows = [
        json.dumps({"text": word, "strokes": [s.tolist() for s in written_by(word, 1)]})
        for word in WORDS
    ]
    (place / "ink.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    ink = {"kind": "ink", "path": "ink.jsonl", "task": task}
    sides = (TEXT, STROKES) if task == "write" else ({**STROKES, "step": 12.0}, TEXT)
    objective = "likelihood" if task == "write" else "ctc"
    held: dict[str, Any] = {
        "name": f"pen-{task}",
        "data": {"train": ink, "valid": ink, "test": ink, "source": sides[0], "target": sides[1]},
        "model": WRITER if task == "write" else READER,
        "training": {"objective": objective, "max_steps": 3, "threads": 1},
        "decoding": {"metrics": []},
    }
    if task == "read":
        held["decoding"] |= {"search": "ctc_greedy", "metrics": ["cer"]}
    recipe = recipes.parse(yaml.safe_dump(held))
    run.train(recipe, place / "run", root=place)
    return open_models([f"{task}={place / 'run'}"])[0]
