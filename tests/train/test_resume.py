"""A run that stopped and went on is the run that did not stop, bit for bit."""

from pathlib import Path
from typing import Any

import pytest

from saccade.prepare import batches_of, prepare
from tests.train import small

VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "accumulate": {"accumulate": 2},
    "average": {"ema": 0.9},
    "plateau": {"schedule": {"kind": "plateau", "patience": 1}, "validate_every": 2},
    "often": {"validate_every": 3, "keep_last": 2, "average": 2},
    "weights": {"metrics": ["exact_match"], "select": "exact_match", "keep_best": 2},
}


def edge() -> int:
    """Return how many batches an epoch has."""
    recipe = small.recipe()
    prepared = prepare(recipe, Path())
    return len(batches_of(recipe, prepared.train, recipe.training.batch_tokens).epoch(0))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("stop", [1, 5, 0])
def test_a_resumed_run_is_the_same_run(tmp_path: Path, variant: str, stop: int) -> None:
    options = VARIANTS[variant]
    stop = stop or edge() // options.get("accumulate", 1)
    whole = stop + 7
    small.run(tmp_path / "whole", **options, max_steps=whole)
    small.run(tmp_path / "parts", **options, max_steps=stop)
    small.run(tmp_path / "parts", resume=True, **options, max_steps=whole)
    small.assert_same(tmp_path / "whole", tmp_path / "parts")
