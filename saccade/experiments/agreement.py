"""How alike two engines write: the check behind `saccade export`."""

import random
from dataclasses import dataclass
from pathlib import Path

from saccade.engines._open import load
from saccade.folders.examples import read_examples
from saccade.folders.identity import read_identity
from saccade.nouns import Example, pair
from saccade.predict.evaluation import figures_of
from saccade.tokenizers._vocabulary import SYMBOLS, Vocabulary

_LONGEST = 12  # pieces of a made-up line


@dataclass(frozen=True, slots=True)
class Agreement:
    """What came out when both engines translated the same lines.

    origin: where the lines are from.  equal: lines with the same text.  apart: the mean distance of
    the scores of those.  furthest: the largest.  figures: by metric, the value of torch and of the
    other engine; none for lines without references.
    """

    origin: str
    lines: int
    equal: int
    apart: float
    figures: dict[str, tuple[float, float]]
    furthest: float = 0.0

    def rows(self) -> list[list[str]]:
        """Lay it out as a table."""
        share = f"{self.equal} of {self.lines} ({self.equal / max(self.lines, 1):.1%})"
        apart = f"{self.apart:.2g}, at most {self.furthest:.2g}"
        figures = [
            [name, f"{ours:.2f} with torch, {theirs:.2f} exported ({theirs - ours:+.2f})"]
            for name, (ours, theirs) in self.figures.items()
        ]
        return [["same text", share], ["scores apart, on these", apart], *figures]


def compare(folder: Path, exported: Path, most: int) -> Agreement:
    """Translate lines with a model folder and with what was exported of it.

    Args:
        folder: the model.
        exported: what `saccade export` wrote.
        most: how many lines at most.
    """
    identity = read_identity(folder)
    vocabulary = identity.codecs.source.vocabulary
    assert vocabulary is not None, "exports are of models of text"
    examples = read_examples(folder)[:most]
    origin = "its examples" if examples else "made-up lines"
    examples = examples or _made_up(vocabulary, identity.recipe.seed, most)
    sources = [example.source for example in examples]
    ours = load(folder, engine="torch").translate(sources)
    theirs = load(exported, engine="auto").translate(sources)
    same = [(a, b) for a, b in zip(ours, theirs, strict=True) if a.text == b.text]
    distances = [abs(a.score - b.score) for a, b in same]
    apart, furthest = sum(distances) / max(len(same), 1), max(distances, default=0.0)
    references = [example.target for example in examples]
    figures = {}
    if any(references):
        metrics = identity.recipe.decoding.metrics
        both = [figures_of(metrics, [t.text for t in side], references) for side in (ours, theirs)]
        figures = {n: (both[0][n].score.value, both[1][n].score.value) for n in both[0]}
    return Agreement(origin, len(examples), len(same), apart, figures, furthest)


def _made_up(source: Vocabulary, seed: int, most: int) -> list[Example]:
    """Make lines of pieces drawn by chance."""
    chance, first = random.Random(seed), len(SYMBOLS)
    made = [
        source.decode([chance.randrange(first, len(source)) for _ in range(n % _LONGEST + 1)])
        for n in range(most)
    ]
    return [pair(text, "") for text in made]
