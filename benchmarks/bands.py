"""How often what came lies in the bands of a forecaster: they should hold as often as they say.

    python -m benchmarks.bands runs/kalman-seasons [--levels 0.5 0.9] [--split test]

Windows of a series overlap, so errors of neighbours are not independent.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saccade import recipe as recipes
from saccade.data.files import examples_of
from saccade.folders import model as folders
from saccade.modalities.numbers import as_numbers
from saccade.predict.bands import forecast_bands


def coverage(folder: Path, split: str, levels: Sequence[float]) -> list[str]:
    """Return rows of a table: level, share inside, of the first and of the last step, width."""
    recipe, predictor = recipes.load(folder / "recipe.yaml"), folders.load(folder)
    examples = examples_of(recipe, split, folder)
    rows = ["| band | inside | first step | last step | mean width |", "|---" * 5 + "|"]
    for level in levels:
        found = forecast_bands(predictor, [predictor.given(one) for one in examples], level)
        inside, widths = [], []
        for band, example in zip(found, examples, strict=True):
            truth = as_numbers(example.target, example.origin)[: len(band.low)]
            inside.append((band.low[: len(truth)] <= truth) & (truth <= band.high[: len(truth)]))
            widths.append((band.high - band.low).mean())
        first, last = (np.mean([one[at].mean() for one in inside]) for at in (0, -1))
        share = np.concatenate(inside).mean()
        shares = " | ".join(f"{one:.1%}" for one in (share, first, last))
        rows.append(f"| {level:.0%} | {shares} | {np.mean(widths):.3f} |")
    return [f"{folder.name}: {len(examples):,} windows of {split}", "", *rows]


def main() -> None:
    """Print a table for every model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--levels", nargs="+", type=float, default=[0.5, 0.8, 0.9, 0.95])
    parser.add_argument("--split", default="test")
    given = parser.parse_args()
    for folder in given.folders:
        print("\n".join(coverage(folder, given.split, given.levels)))


if __name__ == "__main__":
    main()
