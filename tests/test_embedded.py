"""The embedded tasks reach their figures; trains for minutes, so it runs in the slow lane."""

from pathlib import Path

import pytest

from saccade import recipe, run, starters


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "metric", "least"), [("dates", "exact_match", 98.0), ("demo", "bleu", 85.0)]
)
def test_the_starter_reaches_its_figure(
    name: str, metric: str, least: float, tmp_path: Path
) -> None:
    run.train(recipe.parse(starters.text_of(name)), tmp_path / name)
    assert run.evaluate(tmp_path / name, "test").figures[metric].score.value >= least
