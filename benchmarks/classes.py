"""The classes that models choose among: how many, what they cost, how often each was seen.

    python -m benchmarks.classes RUN...

A class is a symbol of the target; counts of those that occur in training are in rivals.json.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from saccade.folders import model as folders
from saccade.folders.rivals import read_rivals
from saccade.tokenizers._vocabulary import END


class Classes(NamedTuple):
    """What a model chooses among.

    size: rows of the softmax.  parameters: all of the model's.  in_softmax: those that have a row
    for each class: the matrix that is also the embedding, and the biases.  median: how often the
    class in the middle was seen.  rare: the share of classes seen less than ten times.
    """

    size: int
    parameters: int
    in_softmax: int
    median: float
    rare: float


def classes_of(folder: Path) -> Classes:
    """Count the classes of a model folder."""
    predictor = folders.load(folder)
    size = predictor.target.side.size
    rows = sum(p.numel() for p in predictor.model.head.parameters() if len(p) == size)
    known = read_rivals(folder).frequencies
    counts = np.zeros(0) if known is None else known.symbols[END + 1 :]
    counts = counts[counts > 0]
    middle = float(np.median(counts)) if len(counts) else 0.0
    rare = float((counts < 10).mean()) if len(counts) else 0.0
    return Classes(size, predictor.model.n_parameters, rows, middle, rare)


def table(folders_of: Sequence[Path]) -> str:
    """Return a row for each model, in the form of a table of Markdown."""
    lines = [
        "| model | softmax | of the parameters | median of a class | seen < 10 times |",
        "|---" * 5 + "|",
    ]
    for folder in folders_of:
        one = classes_of(folder)
        share = f"{100 * one.in_softmax / one.parameters:.0f} % of {one.parameters:,}"
        seen = f"{one.median:,.0f} | {100 * one.rare:.0f} %"
        lines.append(f"| {folder.name} | {one.size:,} | {share} | {seen} |")
    return "\n".join(lines)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path, nargs="+")
    print(table(parser.parse_args().run))


if __name__ == "__main__":
    main()
