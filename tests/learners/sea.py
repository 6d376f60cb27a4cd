"""A table of a tide and recipes that forecast it: every six steps it comes again."""

import math
from pathlib import Path
from typing import Any

from rich.console import Console

from saccade import recipe as recipes
from saccade import run
from saccade.recipe import Recipe

QUIET = Console(quiet=True)
RNN = {"kind": "rnn", "hidden": 8, "dropout": 0.0}
KINDS = ("encoder_decoder", "dense_forecaster")


def table(folder: Path) -> None:
    """Write the table."""
    rows = [f"{20 + 5 * math.sin(t * math.tau / 6):.4f},{t % 3}" for t in range(150)]
    (folder / "t.csv").write_text("sea,tide\n" + "\n".join(rows) + "\n", encoding="utf-8")


def plain(kind: str = "encoder_decoder", **training: Any) -> dict[str, Any]:
    """Return a recipe as YAML would hold it; `training` overrides that section."""
    series: dict[str, Any] = {"kind": "series", "path": "t.csv", "columns": ["sea"]}
    series |= {"beside": ["tide"], "window": 8, "horizon": 4}
    model: dict[str, Any] = {"kind": kind, "embedding": 6, "encoder": RNN}
    if kind == "encoder_decoder":
        head = {"kind": "values", "relative": True}
        model |= {"decoder": RNN, "dropout": 0.1, "head": head}
    else:
        model |= {"horizon": 4}
    return {
        "name": "sea",
        "data": {
            "train": {**series, "last": 0.6},
            "valid": {**series, "first": 0.6, "last": 0.8},
            "test": {**series, "first": 0.8, "reach_back": True},
            "source": {"kind": "numbers"},
            "target": {"kind": "numbers"},
        },
        "model": model,
        "training": {
            "objective": {"kind": "squared_error", "free_running": True},
            "batch_tokens": 144,
            "learning_rate": 0.02,
            "schedule": "constant",
            "max_steps": 24,
            "metrics": ["mae"],
            "validate_every": 12,
            "report_every": 12,
            **training,
        },
        "decoding": {"season": 6, "metrics": ["mae", "rmse"]},
    }


def recipe(kind: str = "encoder_decoder", **training: Any) -> Recipe:
    """Return the recipe."""
    return recipes.from_plain(plain(kind, **training))


def trained(folder: Path, **training: Any) -> Path:
    """Write the table and train a forecaster of it; return its folder."""
    table(folder)
    return run.train(recipe(**training), folder / "run", root=folder, console=QUIET).folder
