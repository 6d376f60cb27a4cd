"""How people score as captioners: each of five captions against the other four, as Markdown.

    python -m benchmarks.people ../shared/data/flickr8k
    python -m benchmarks.people ../shared/data/flickr8k --split dev --first 200

The folder holds `Flickr8k.token.txt` and the lists of pictures. The figures are a yardstick for
models, not a limit: a model is measured against five references, a person here against four, and a
caption that people agree on scores above one that says more. Two protocols are shown: lower case
without punctuation, and the text as it is, with case and the full stop.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade.metrics.base import Metric
from saccade.metrics.bleu import Bleu
from saccade.metrics.cider import Cider
from saccade.metrics.meteor import Meteor
from saccade.metrics.rouge import Rouge

PROTOCOLS = {"lower case, no punctuation": "captions", 'case and " ." kept': "none"}


def captions(folder: Path, split: str) -> list[list[str]]:
    """Return the five captions of every picture of a split."""
    names = (folder / f"Flickr_8k.{split}Images.txt").read_text(encoding="utf-8").split()
    rows: dict[str, list[str]] = {name: [] for name in names}
    for line in (folder / "Flickr8k.token.txt").read_text(encoding="utf-8").splitlines():
        key, _, caption = line.partition("\t")
        name = key.partition("#")[0]
        if name in rows:
            rows[name].append(caption)
    return list(rows.values())


def metrics(tokenize: Any) -> list[Metric]:
    """Return the metrics of a protocol."""
    orders: list[Any] = [1, 2, 3, 4]
    return [
        *(Bleu(order=order, tokenize=tokenize, smooth="none") for order in orders),
        Meteor(tokenize=tokenize),
        Rouge(tokenize=tokenize),
        Cider(tokenize=tokenize),
    ]


def figures(metric: Metric, rows: Sequence[Sequence[str]]) -> list[float]:
    """Return a figure for each choice: caption n of every picture against the others."""
    found = []
    for n in range(len(rows[0])):
        others = [[*row[:n], *row[n + 1 :]] for row in rows]
        found.append(metric.corpus([row[n] for row in rows], others).value)
    return found


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the mean and the range over the choices, for every metric and protocol."""
    lines = ["| protocol | metric | mean of five | least | most |", "|---|---|---|---|---|"]
    for protocol, tokenize in PROTOCOLS.items():
        for metric in metrics(tokenize):
            values = figures(metric, rows)
            cells = (sum(values) / len(values), min(values), max(values))
            told = " | ".join(f"{value:.2f}" for value in cells)
            name = "BLEU-4" if metric.name == "BLEU" else metric.label or metric.name
            lines.append(f"| {protocol} | {name} | {told} |")
    return "\n".join(lines)


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description="Score people as captioners.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", default="test", choices=["train", "dev", "test"])
    parser.add_argument("--first", type=int, default=None, help="Only so many pictures.")
    given = parser.parse_args()
    rows = captions(given.folder, given.split)[: given.first]
    print(f"{len(rows):,} pictures of {given.split}\n\n{table(rows)}")


if __name__ == "__main__":
    main()
