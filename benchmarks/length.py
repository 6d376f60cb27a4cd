"""Models on strings much longer than those they learned from: Chorowski's test.

    python -m benchmarks.length runs/longer-content runs/longer-location runs/strings-ctc
    python -m benchmarks.length runs/longer-location --step 7 --split tuning \
        --also "window 25" runs/longer-location model.decoder.attention.window=25
    python -m benchmarks.length RUN... --svg docs/pictures/longer.svg --md docs/results/speech.md

Chorowski et al. 2015 (arXiv:1506.07503) put sentences of TIMIT together; here it is digits. A split
of the models' own recipes is decoded and grouped by the length of the reference, `--step` symbols a
group: the longest string of training. `--also` decodes with options of the recipe changed: those of
the data, and such as have no weights, as windows and sharper scores.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from benchmarks import tables
from saccade import recipe as recipes
from saccade.data.files import examples_of
from saccade.folders import model as folders
from saccade.folders.identity import read_identity
from saccade.metrics.base import Metric
from saccade.metrics.cer import Cer
from saccade.metrics.error_rate import ErrorRate
from saccade.native.searcher import fastest_searcher
from saccade.nouns import Example
from saccade.predict.evaluation import outputs_for
from saccade.predict.predictor import Predictor
from saccade.recipe import Recipe
from saccade.train import weights
from saccade.views import curves

MARK = "length"
_TITLE = "Strings longer than in training"


@dataclass(frozen=True)
class Group:
    """Strings of up to `last` symbols: edits and wrong strings, in percent."""

    last: int
    n: int
    edits: float
    wrong: float


@dataclass(frozen=True)
class Contender:
    """A model folder, decoded as its recipe says but for `changes`."""

    name: str
    folder: Path
    changes: tuple[str, ...] = ()

    @property
    def recipe(self) -> Recipe:
        """The recipe of the folder, changed."""
        return recipes.load(self.folder / "recipe.yaml", list(self.changes))

    def opened(self) -> Predictor:
        """Load it."""
        recipe = self.recipe
        codecs = read_identity(self.folder).codecs
        model = folders.build_model(recipe, codecs, draw=False)
        weights.put(model, *folders.read_weights(self.folder))
        return Predictor(model, codecs, recipe.decoding, searcher=fastest_searcher(model))

    def examples(self, split: str) -> list[Example]:
        """Read a split of its recipe."""
        return examples_of(self.recipe, split, self.folder)


def groups_of(outputs: Sequence[str], references: Sequence[str], step: int) -> list[Group]:
    """Measure outputs by the length of their references: 1 to `step`, and so on.

    >>> groups_of(["12", "3456"], ["12", "3457"], 2)
    [Group(last=2, n=1, edits=0.0, wrong=0.0), Group(last=4, n=1, edits=25.0, wrong=100.0)]
    """
    members: dict[int, list[int]] = {}
    for i, reference in enumerate(references):
        members.setdefault(-(-max(len(reference), 1) // step) * step, []).append(i)
    found = []
    for last, rows in sorted(members.items()):
        pairs = [(outputs[i], references[i]) for i in rows]
        edits, wrong = (_value(metric, pairs) for metric in (Cer(), ErrorRate()))
        found.append(Group(last, len(rows), edits, wrong))
    return found


def _value(metric: Metric, pairs: Sequence[tuple[str, str]]) -> float:
    rows = [metric.stats(output, [reference]) for output, reference in pairs]
    return float(metric.score(sum(rows[1:], rows[0])).value)


def table(found: dict[str, list[Group]], step: int) -> str:
    """Write edits and, in brackets, wrong strings, a row for each length."""
    first = next(iter(found.values()))
    lines = [f"| symbols | times training | strings | {' | '.join(found)} |"]
    lines.append("|---" * (3 + len(found)) + "|")
    for i, group in enumerate(first):
        cells = [f"{several[i].edits:.1f} ({several[i].wrong:.0f})" for several in found.values()]
        span = f"{group.last - step + 1} to {group.last}"
        cells = [span, f"{group.last / step:g}", str(group.n), *cells]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def drawing(found: dict[str, list[Group]]) -> str:
    """Draw the edits of every model over the length of strings."""
    lines = {name: [(float(g.last), g.edits) for g in groups] for name, groups in found.items()}
    return curves.to_svg(
        lines, title=_TITLE, x_label="symbols in the string, up to", y_label="edits, %"
    )


def main() -> None:
    """Decode, measure, print, and draw if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="*", help="model folders")
    parser.add_argument(
        "--also", nargs="+", action="append", default=[], metavar="X", help="NAME FOLDER KEY=VALUE"
    )
    parser.add_argument("--split", default="long")
    parser.add_argument("--step", type=int, default=7, help="longest string of training")
    parser.add_argument("--most", type=int, default=0, help="only so many strings")
    parser.add_argument("--svg", type=Path)
    parser.add_argument("--md", type=Path, help="file with marks to put the table between")
    given = parser.parse_args()
    torch.set_num_threads(1)
    contenders = [Contender(path.name, path) for path in given.runs]
    for name, folder, *changes in given.also:
        contenders.append(Contender(name, Path(folder), tuple(changes)))
    found = {}
    for one in contenders:
        examples = one.examples(given.split)[: given.most or None]
        outputs = [prediction.text for prediction in outputs_for(one.opened(), examples)]
        found[one.name] = groups_of(outputs, [e.target for e in examples], given.step)
    text = table(found, given.step)
    print(text)
    if given.svg:
        given.svg.write_text(drawing(found), encoding="utf-8")
    if given.md:
        tables.put(given.md, MARK, text)


if __name__ == "__main__":
    main()
