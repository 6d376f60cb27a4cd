"""Several models on the same lines: by length of the source, and without words that are unknown.

    python -m benchmarks.same_lines runs/phrase-en-de runs/transformer --split test_2016_flickr

Lengths are words as the first model counts them. Lines without unknown words are those of which the
first model knows all words, of source and references. The metric is the first one of its recipe.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from saccade import recipe as recipes
from saccade.data.files import examples_of
from saccade.folders import model as folders
from saccade.nouns import Example
from saccade.predict.evaluation import figures_of
from saccade.predict.predictor import Predictor

EDGES = (10, 15, 20)  # words of the longest line of each group but the last


class Group(NamedTuple):
    """Lines that are measured together."""

    name: str
    lines: list[int]


def groups_of(first: Predictor, examples: Sequence[Example]) -> list[Group]:
    """Sort lines into groups: all, those without unknown words, and those of like length."""
    (source,), target = first.sources.values(), first.target
    read, written = source.vocabulary, target.vocabulary
    assert read is not None, "the first model reads text"
    assert written is not None, "the first model writes text"
    known = [
        n
        for n, one in enumerate(examples)
        if not read.unknown(str(one.source))
        and not any(written.unknown(str(line)) for line in one.references)
    ]
    found = [Group("all", list(range(len(examples)))), Group("no unknown word", known)]
    sizes = [len(ids) for ids in read.encode_many([str(one.source) for one in examples])]
    low = 0
    for edge in (*EDGES, max([*sizes, EDGES[-1] + 1])):
        inside = [n for n, size in enumerate(sizes) if low < size <= edge]
        name = f"{low + 1} to {edge} words" if edge in EDGES else f"{low + 1} words and more"
        found.append(Group(name, inside))
        low = edge
    return [group for group in found if group.lines]


def table(paths: Sequence[Path], split: str) -> str:
    """Return a row for each group of lines and a column for each model, as Markdown."""
    recipe = recipes.load(paths[0] / "recipe.yaml")
    examples = examples_of(recipe, split, paths[0])
    metric = recipe.decoding.metrics[0]
    models = [folders.load(path) for path in paths]
    outputs = [
        [found.text for found in model.predict([model.given(one) for one in examples])]
        for model in models
    ]
    names = " | ".join(path.name for path in paths)
    lines = [f"| lines | | {names} |", "|---" * (2 + len(paths)) + "|"]
    for group in groups_of(models[0], examples):
        references = [list(examples[n].references) for n in group.lines]
        cells = []
        for texts in outputs:
            (figure,) = figures_of([metric], [texts[n] for n in group.lines], references).values()
            near = figure.interval
            cells.append(f"{figure.score.value:.1f} ({near.low:.1f} to {near.high:.1f})")
        lines.append(f"| {group.name} | {len(group.lines)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--split", default="test_2016_flickr")
    given = parser.parse_args()
    print(table(given.folders, given.split))


if __name__ == "__main__":
    main()
