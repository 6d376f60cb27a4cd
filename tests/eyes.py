"""A tiny model that looks at pictures in glimpses, for tests of what shows its way."""

from pathlib import Path
from typing import Any

import saccade
from tests.readers.test_idx import idx


def eye(folder: Path, **options: Any) -> Any:
    """Train a model of pictures of 8 x 8 pixels for a moment."""
    (folder / "images").write_bytes(idx(12, 8, 8))
    (folder / "labels").write_bytes(idx(12))
    digits = {"kind": "idx", "images": str(folder / "images"), "labels": str(folder / "labels")}
    recipe: dict[str, Any] = {
        "data": {
            "train": digits,
            "valid": digits,
            "source": {"kind": "image", "grey": True, "most": 8},
            "target": {"tokenizer": "word"},
        },
        "model": {
            "kind": "recurrent_attention",
            "glimpse": {"kind": "retina", "size": 4, "scales": 2},
            "glimpses": 3,
            "embedding": 8,
            "hidden": 8,
            **options,
        },
        "training": {"max_steps": 4, "validate_every": 4, "batch_tokens": 512},
        "decoding": {"search": "greedy", "max_ratio": 0.0, "max_extra": 2},
    }
    if options.get("glimpse", {}).get("kind") == "filter_bank":
        recipe["training"]["objective"] = "cross_entropy"
    return saccade.train(recipe, folder=folder / "run")
