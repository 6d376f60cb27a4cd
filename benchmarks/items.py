"""Wrong bits of machines by the number of items: as many as in training, and more.

    python -m benchmarks.items runs/memory-dnc-recall --most 8 --svg docs/pictures/items.svg

The split `long` of the models' own recipes is made again for every number of items, `--sequences`
of it decoded, and the wrong bits counted. Test sequences are none of those of training.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

from benchmarks.length import Contender
from saccade.metrics.bit_error import BitError
from saccade.predict.evaluation import outputs_for
from saccade.views import curves

Curve = list[tuple[float, float]]  # number of items, wrong bits in percent
_CORPUS = "data.test.long.corpus"


def wrong_bits(pairs: Iterable[tuple[Any, Any]]) -> float:
    """Return the wrong bits of (output, reference), in percent.

    >>> wrong_bits([("01 11", "01 10"), ("00", "00")])
    16.666666666666668
    """
    metric = BitError()
    rows = [metric.stats(output, [reference]) for output, reference in pairs]
    return float(metric.score(sum(rows[1:], rows[0])).value)


def curve_of(folder: Path, numbers: Iterable[int], n_sequences: int) -> Curve:
    """Decode sequences of every number of items with one model."""
    predictor, found = Contender(folder.name, folder).opened(), []
    for n in numbers:
        changes = (f"{_CORPUS}.shortest={n}", f"{_CORPUS}.longest={n}")
        examples = Contender(folder.name, folder, changes).examples("long")[:n_sequences]
        outputs = [prediction.text for prediction in outputs_for(predictor, examples)]
        pairs = zip(outputs, (e.target for e in examples), strict=True)
        found.append((float(n), wrong_bits(pairs)))
    return found


def table(found: dict[str, Curve]) -> str:
    """Write a row for each number of items.

    >>> print(table({"a": [(2.0, 0.0), (3.0, 12.34)]}))
    | items | a |
    |---|---|
    | 2 | 0.00 |
    | 3 | 12.34 |
    """
    lines = [f"| items | {' | '.join(found)} |", "|---" * (1 + len(found)) + "|"]
    for points in zip(*found.values(), strict=True):
        cells = " | ".join(f"{wrong:.2f}" for _, wrong in points)
        lines.append(f"| {points[0][0]:g} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    """Decode, print, and draw if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+", help="model folders")
    parser.add_argument("--least", type=int, default=2, help="items")
    parser.add_argument("--most", type=int, default=8)
    parser.add_argument("--sequences", type=int, default=200, help="of every number of items")
    parser.add_argument("--svg", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    numbers = range(given.least, given.most + 1)
    found = {path.name: curve_of(path, numbers, given.sequences) for path in given.runs}
    print(table(found))
    if given.svg:
        title, x, y = "More items than in training", "items in a sequence", "wrong bits, %"
        drawn = curves.to_svg(found, title=title, x_label=x, y_label=y)
        given.svg.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
