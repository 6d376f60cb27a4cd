"""A tiny model that draws, for tests of what shows its pictures."""

from pathlib import Path
from typing import Any

import saccade

BITS = "01110 10001 10001 01110"


def drawer(folder: Path, **options: Any) -> Any:
    """Train a model of pictures of 4 x 5 pixels for a moment."""
    rows = [f"3\t{BITS}\n", f"1\t{'00100 ' * 3}00100\n"] * 4
    (folder / "train.tsv").write_text("".join(rows), encoding="utf-8")
    data = {"kind": "tsv", "path": str(folder / "train.tsv")}
    recipe = {
        "data": {
            "train": data,
            "valid": data,
            "source": {"tokenizer": "word"},
            "target": {"kind": "bits", "fixed": True},
        },
        "model": {
            "kind": "draw",
            "height": 4,
            "steps": 3,
            "read": 2,
            "write": 3,
            "latent": 3,
            "hidden": 8,
            **options,
        },
        "training": {"max_steps": 4, "validate_every": 4, "batch_tokens": 64},
        "decoding": {"metrics": ["bit_error"]},
    }
    return saccade.train(recipe, folder=folder / "run")
