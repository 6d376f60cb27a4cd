"""A run so small that it takes a moment: digits to letters, a recurrent model of width 16."""

import io
import json
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from saccade import recipe as recipes
from saccade.recipe import Recipe
from saccade.run import Run, train
from saccade.train import weights
from saccade.train.checkpoint import Checkpoints
from saccade.train.seals import SEALS

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def pairs(first: int, last: int) -> list[list[str]]:
    """Numbers and how their digits are read out."""
    numbers = [str(n * 37 % 1000) for n in range(first, last)]
    return [[n, "".join(WORDS[int(digit)][0] for digit in n)] for n in numbers]


def recipe(**training: Any) -> Recipe:
    """Return the recipe; `training` overrides that section, `seed`, `name` and others the top."""
    top: dict[str, Any] = {
        name: training.pop(name) for name in ("seed", "name", "data", "model") if name in training
    }
    rnn = {"kind": "rnn", "hidden": 16, "dropout": 0.1}
    raw: dict[str, Any] = {
        "name": "small",
        "data": {
            "train": {"kind": "pairs", "pairs": pairs(0, 40)},
            "valid": {"kind": "pairs", "pairs": pairs(100, 108)},
            "source": {"tokenizer": "character"},
            "target": {"tokenizer": "character"},
        },
        "model": {"kind": "encoder_decoder", "embedding": 16, "encoder": rnn, "decoder": rnn},
        "training": {"batch_tokens": 32, "max_steps": 12, "report_every": 1, **training},
        "decoding": {"search": "greedy", "batch_tokens": 256},
    }
    return recipes.from_plain({**raw, **top})


def unseal(folder: Path) -> None:
    """Make a folder one of a version that sealed nothing."""
    path = folder / "saccade.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    assert facts.pop(SEALS)
    path.write_text(json.dumps(facts), encoding="utf-8")


def quiet() -> Console:
    """Return a console that nobody reads."""
    return Console(file=io.StringIO())


def run(folder: Path, *, resume: bool = False, **training: Any) -> Run:
    """Train the small recipe."""
    return train(recipe(**training), folder, resume=resume, console=quiet())


def rows(folder: Path) -> list[dict[str, Any]]:
    """Read metrics.jsonl without what the clock decides."""
    timed = ("seconds", "tokens_per_second")
    lines = (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{k: v for k, v in json.loads(line).items() if k not in timed} for line in lines]


def assert_same(a: Path, b: Path) -> None:
    """Assert that two runs ended alike: weights, moments, progress and metrics, bit for bit."""
    both = [Checkpoints(folder) for folder in (a, b)]
    assert both[0].index() == both[1].index()
    for name in both[0].index().names:
        one, two = (checkpoints.load(name) for checkpoints in both)
        equal(one.model, two.model)
        equal(one.training, two.training)
        for snapshot in (one, two):
            snapshot.progress.seconds = snapshot.progress.elapsed = 0.0
        assert one.progress == two.progress
    equal(weights.load(a / "model.safetensors"), weights.load(b / "model.safetensors"))
    assert rows(a) == rows(b)


def equal(one: dict[str, torch.Tensor], two: dict[str, torch.Tensor]) -> None:
    """Assert that two sets of tensors are the same, bit for bit."""
    assert one.keys() == two.keys()
    assert [name for name in one if not torch.equal(one[name], two[name])] == []
