"""An interpolated n-gram of the targets, beside the perplexity of a trained model.

    python -m benchmarks.ngram runs/daily-dialogue

It learns from the training targets of the run's recipe, cut into the model's own pieces, and never
sees a source. END counts as a piece, as in `saccade evaluate`, so that both figures are
perplexities of the same pieces.

    p(w | h) = max(c(h w) - D, 0) / c(h) + D n(h) / c(h) p(w | h'),    D = n1 / (n1 + 2 n2)

h' is h without its first piece, n(h) how many pieces follow h, n1 and n2 how many n-grams of that
length occur once and twice. The last resort is 1 / V. Absolute discounting: Ney, Essen & Kneser
1994. The counts of shorter n-grams are plain ones, not those of Kneser & Ney.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from saccade.folders import model as folders
from saccade.folders.identity import read_plan
from saccade.predict.evaluation import likelihood_of
from saccade.readers.base import Reader
from saccade.tokenizers._vocabulary import END, START, Vocabulary

Ids = tuple[int, ...]


class Ngram:
    """Counts of pieces behind up to `order - 1` others."""

    def __init__(self, order: int, texts: Sequence[Sequence[int]], size: int) -> None:
        self.order, self.size = order, size
        self.following: dict[Ids, Counter[int]] = defaultdict(Counter)
        for text in texts:
            for history, piece in places(text, order):
                for n in range(len(history) + 1):
                    self.following[history[n:]][piece] += 1
        self.totals = {history: sum(found.values()) for history, found in self.following.items()}
        self.discounts = [self._discount(n) for n in range(order)]

    def _discount(self, length: int) -> float:
        counts = Counter(
            count
            for history, found in self.following.items()
            if len(history) == length
            for count in found.values()
        )
        return counts[1] / max(counts[1] + 2 * counts[2], 1)

    def probability(self, piece: int, history: Ids) -> float:
        """Return p(piece | history)."""
        shorter = self.probability(piece, history[1:]) if history else 1 / self.size
        found = self.following.get(history)
        if not found:
            return shorter
        total, discount = self.totals[history], self.discounts[len(history)]
        return (max(found[piece] - discount, 0) + discount * len(found) * shorter) / total

    def perplexity(self, texts: Iterable[Sequence[int]]) -> tuple[float, int]:
        """Return the perplexity of a piece, and how many pieces there are."""
        logs = [
            math.log(self.probability(piece, history))
            for text in texts
            for history, piece in places(text, self.order)
        ]
        return math.exp(-sum(logs) / len(logs)), len(logs)


def places(text: Sequence[int], order: int) -> Iterable[tuple[Ids, int]]:
    """Yield every piece of a text, and END, with the pieces before it."""
    row = [START, *text, END]
    for t in range(1, len(row)):
        yield tuple(row[max(t - order + 1, 0) : t]), row[t]


def targets(readers: Iterable[Reader], vocabulary: Vocabulary) -> list[list[int]]:
    """Return the pieces of every reference."""
    examples = chain.from_iterable(reader.read() for reader in readers)
    texts = [str(line) for example in examples for line in example.references]
    return vocabulary.encode_many(texts)


def main() -> None:
    """Print the model's perplexity and that of n-grams."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", default="test")
    parser.add_argument("--orders", type=int, nargs="+", default=[1, 2, 3, 4])
    asked = parser.parse_args()
    data = read_plan(asked.folder).recipe.data
    model = folders.load(asked.folder)
    vocabulary = model.target.vocabulary
    assert vocabulary is not None, "numbers have no n-grams"
    held = data.valid if asked.split == "valid" else data.test[asked.split]
    train = targets([part.build(Path()) for part in data.train], vocabulary)
    test = targets([held.build(Path())], vocabulary)
    for order in asked.orders:
        value, n = Ngram(order, train, len(vocabulary)).perplexity(test)
        print(f"{order}-gram: perplexity {value:.1f} of {n:,} pieces")
    found = likelihood_of(model, list(held.build(Path()).read()))
    assert found is not None
    print(f"model: perplexity {found.perplexity:.1f} of {found.pieces:,} pieces")


if __name__ == "__main__":
    main()
