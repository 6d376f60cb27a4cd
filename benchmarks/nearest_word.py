"""Spelling correction without learning: the nearest word by edit distance, the most usual of those.

    python -m benchmarks.nearest_word RUN [--splits valid test]

RUN is a folder of the model noisy_channel: its words and how often they occur are the list. Edits
cost one; in the second row two neighbours that changed places cost one too (Norvig 2007).
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rapidfuzz.distance import OSA, Levenshtein
from rapidfuzz.process import cdist

from saccade.data.files import held_out
from saccade.folders import model as folders
from saccade.folders.identity import read_plan
from saccade.models.noisy_channel import NoisyChannel
from saccade.nouns import Example


def nearest(
    written: Sequence[str], counts: Mapping[str, int], *, transpose: bool = False
) -> list[str]:
    """Return for each word the nearest of a list; of equals the most usual, then the first.

    >>> nearest(["teh", "cas"], {"the": 9, "tea": 2, "cat": 5, "car": 3}, transpose=True)
    ['the', 'cat']
    """
    listed = sorted(counts, key=lambda word: (-counts[word], word))
    scorer = OSA.distance if transpose else Levenshtein.distance
    table = cdist(written, listed, scorer=scorer)  # [N, W]
    return [listed[int(row.argmin())] for row in table]


def words_of(folder: Path) -> dict[str, int]:
    """Return the words that a model has met, and how often."""
    predictor = folders.load(folder)
    model, vocabulary = predictor.model, predictor.target.vocabulary
    assert isinstance(model, NoisyChannel)
    assert vocabulary is not None
    found = model.texts.listed()
    return {vocabulary.decode(ids): n for ids, n in found}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--splits", nargs="+", default=["valid", "test"])
    given = parser.parse_args()
    counts, readers = words_of(given.run), held_out(read_plan(given.run).recipe)
    for name in given.splits:
        examples: list[Example] = list(readers[name].build(Path()).read())
        sources = [example.source.lower() for example in examples]
        for transpose in (False, True):
            started = time.perf_counter()
            found = nearest(sources, counts, transpose=transpose)
            seconds = time.perf_counter() - started
            right = sum(a == b.target.lower() for a, b in zip(found, examples, strict=True))
            edits = "with transpositions" if transpose else "plain edits"
            share = 100 * right / len(examples)
            print(f"{name}, {edits}: {share:.1f} % exact, {len(examples) / seconds:.0f} words/s")


if __name__ == "__main__":
    main()
