"""Tagging by a hidden Markov model: search in C against the clear form, in one run.

    python -m benchmarks.tagging runs/hmm-atis runs/hmm-conll2000

Every model tags the first test set of its recipe as a whole, with kernels and without in turn; of
each, the best of the rounds counts. Printed are sentences a second of processor time, of one
thread, and the seconds of the best path alone, on the same trellises.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import torch

from saccade import recipe as recipes
from saccade.data.files import examples_of, held_out
from saccade.folders import model as folders
from saccade.kernels import library
from saccade.models.base import trellis_writer
from saccade.predict.predictor import Predictor
from saccade.search._trellis import Trellis


class Row(NamedTuple):
    """Best seconds of predicting everything and of all best paths, in C and in the clear form."""

    name: str
    sentences: int
    predicted: tuple[float, float]
    paths: tuple[float, float]

    def line(self) -> str:
        """Return a row of a table of Markdown."""
        each = " | ".join(f"{self.sentences / seconds:,.0f}" for seconds in self.predicted)
        paths = " | ".join(f"{seconds:.3f}" for seconds in self.paths)
        gains = [slow / fast for fast, slow in (self.predicted, self.paths)]
        return f"| {self.name} | {each} | {gains[0]:.1f} | {paths} | {gains[1]:.1f} |"


def measure(folder: Path, rounds: int) -> Row:
    """Tag the first test set of a model's recipe with kernels and without."""
    recipe = recipes.load(folder / "recipe.yaml")
    split = next(name for name in held_out(recipe) if name != "valid")
    texts = [str(one.source) for one in examples_of(recipe, split, folder)]
    predictor = folders.load(folder)
    predictor.predict(texts[:8])
    predicted = _both(lambda: predictor.predict(texts), rounds)
    trellises = _trellises(predictor, texts)
    paths = _both(lambda: [one.best_path() for one in trellises], rounds)
    return Row(folder.name, len(texts), predicted, paths)


def _trellises(predictor: Predictor, texts: Sequence[str]) -> list[Trellis]:
    """Lay out all texts, 20 at a time."""
    writer, found = trellis_writer(predictor.model, "benchmarks.tagging"), []
    (name,) = predictor.sources
    arrays = predictor.encode([{name: text} for text in sorted(texts, key=len)])
    for first in range(0, len(arrays), 20):
        some = arrays[first : first + 20]
        with torch.inference_mode():
            found.append(writer.read_trellis(predictor.batch(some, [[]] * len(some)).sources))
    return found


def _both(run: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Return the best processor time with kernels and without, in turn."""
    fast, slow = [], []
    for _ in range(rounds):
        fast.append(_timed(run))
        with mock.patch.dict(os.environ, {library.SWITCH: "off"}):
            library.found.cache_clear()
            slow.append(_timed(run))
        library.found.cache_clear()
        library.found()
    return min(fast), min(slow)


def _timed(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    torch.set_num_threads(1)
    print("| model | sentences/s in C | clear | gain | best path in C, s | clear, s | gain |")
    print("|---" * 7 + "|")
    for folder in given.folders:
        print(measure(folder, given.rounds).line())


if __name__ == "__main__":
    main()
