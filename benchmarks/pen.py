"""Whether what a model of handwriting writes can be read: `python -m benchmarks.pen WRITER READER`.

The writer draws test texts of its recipe, with several biases and as the mode. The reader, a model
that was trained apart, reads the strokes; a text is right if it is read as it was given, to the
last character. The reader's own figure on the strokes of the corpus stands beside it. The window is
followed too: how often the centres of its bells go forward, and the mean place under its weights.
"""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from saccade.engines._open import load
from saccade.folders.identity import read_plan
from saccade.inspections.windows import bells
from saccade.metrics.cer import Cer
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor

_STILL = 0.01  # letters
BIASES = (0.0, 0.5, 1.0, 2.0, 5.0, math.inf)


def read_back(
    reader: Predictor, strokes: Sequence[object], texts: Sequence[str]
) -> dict[str, float]:
    """Return the share of texts that are read right, and the character error rate, in percent."""
    found = [one.text for one in reader.predict(list(strokes))]
    right = sum(a == b for a, b in zip(found, texts, strict=True))
    wrong = Cer().corpus(found, [[text] for text in texts]).value
    return {"right": 100 * right / len(texts), "cer": wrong}


def forward(written: Sequence[Prediction]) -> float:
    """Return the share of steps, in percent, in which the mean place of the window goes on.

    A step back of less than a hundredth of a letter is none.
    """
    steps = on = 0
    for one in written:
        weights = one.attention
        if weights is not None:
            places = np.arange(weights.shape[1])
            centres = weights @ places / np.maximum(weights.sum(axis=1), 1e-12)
            steps, on = steps + len(centres) - 1, on + int((np.diff(centres) > -_STILL).sum())
    return 100 * on / max(steps, 1)


def centres_forward(writer: Predictor, written: Sequence[Prediction]) -> float:
    """Return the share of steps, in percent, in which the centre of a bell does not go back."""
    steps = on = 0
    for one in written:
        centres = np.array([[bell.kappa for bell in row] for row in bells(writer, one)])  # [T, K]
        moved = np.diff(centres, axis=0)
        steps, on = steps + moved.size, on + int((moved >= 0).sum())
    return 100 * on / max(steps, 1)


def main(arguments: Sequence[str]) -> None:
    """Measure and print a line of JSON for every bias."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("writer")
    options.add_argument("reader")
    options.add_argument("--texts", type=int, default=200)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--part", choices=("valid", "test"), default="test")
    options.add_argument("--biases", type=float, nargs="*", default=BIASES)
    given = options.parse_args(arguments)
    writer, reader = load(given.writer), load(given.reader)
    data = read_plan(Path(given.writer)).recipe.data
    part = data.valid if given.part == "valid" else next(iter(data.test.values()))
    examples = list(islice(part.build(Path()).read(), given.texts))
    texts = [example.source for example in examples]
    corpus = read_back(reader, [example.target for example in examples], texts)
    _print({"texts": len(texts), "strokes": "of the corpus", **corpus})
    for bias in given.biases:
        drawn = writer.predict(texts, sample={"bias": bias, "seed": given.seed})
        figures = read_back(reader, [one.output for one in drawn], texts)
        ended = 100 * sum(one.finished for one in drawn) / len(drawn)
        window = {
            "ended": ended,
            "centres_forward": centres_forward(writer, drawn),
            "mean_forward": forward(drawn),
        }
        _print(
            {"strokes": "the mode" if math.isinf(bias) else f"bias {bias:g}", **figures, **window}
        )


def _print(row: dict[str, object]) -> None:
    shown = {k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()}
    sys.stdout.write(json.dumps(shown) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
