"""The home of a model: its folder, as `saccade.predict.home` asks for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from torch import Tensor

from saccade.data.files import examples_of
from saccade.data.tables import examples_in
from saccade.errors import DataError, RecipeError
from saccade.folders import claims
from saccade.folders import model as folders
from saccade.folders.examples import read_examples, write_examples
from saccade.folders.facts import read_facts, read_lexicon, read_profile
from saccade.folders.fusion import carried
from saccade.folders.identity import (
    Identity,
    read_identity,
    read_plan,
    write_identity,
    write_weights,
)
from saccade.folders.rivals import read_rivals, write_rivals
from saccade.metrics._fitting import unfit_metrics
from saccade.metrics.base import Metric
from saccade.parts import Part, check_part
from saccade.predict.evaluation import Evaluation, evaluate
from saccade.predict.home import Assessment, Metrics
from saccade.predict.predictor import Predictor
from saccade.predict.verdict import Rivals, without_model
from saccade.shaping.lexicon import Counts
from saccade.train import weights
from saccade.train.files import copy_file

FREE = "Choose a new folder, or delete this one."
_PAPERS = ("README.md", "report.html")  # what people read; the rest is written anew


@dataclass(frozen=True, slots=True)
class FolderHome:
    """A model folder and the name of its model."""

    folder: Path
    name: str

    @property
    def facts(self) -> Mapping[str, str]:
        """What it says of the model: its name."""
        return {"name": self.name}

    def evaluate(self, predictor: Predictor, wanted: Assessment) -> Evaluation:
        """Measure a model on given examples, or on a split of the folder's recipe."""
        split, recipe = "", read_plan(self.folder).recipe
        metrics = _metrics(wanted.metrics) or recipe.decoding.metrics
        problems = unfit_metrics("evaluate", metrics, recipe.data.target)
        if problems:
            raise RecipeError(problems)
        if wanted.data is None:
            split = wanted.split or next(iter(recipe.data.test), "valid")
            examples = examples_of(recipe, split, self.folder)
        elif wanted.split:
            raise RecipeError(
                f"evaluate: found data and the split '{wanted.split}'; expected one of them. Leave"
                " one out."
            )
        else:
            examples = examples_in(wanted.data, "data", alone=not predictor.model.reads)
        if not examples:
            raise DataError("evaluate: found no examples; expected one or more. Give some.")
        found = evaluate(
            predictor,
            examples,
            split=split,
            metrics=metrics,
            writer=wanted.writer,
            decode=wanted.decode,
        )
        rivals = read_rivals(self.folder)
        floor = without_model(rivals, predictor, examples, metrics, found.baselines)
        return replace(found, constant=floor)

    def save(self, predictor: Predictor, target: Path) -> None:
        """Write a model folder: the predictor's weights, and all else as this folder has it."""
        claims.claim(target, advice=FREE)
        identity = read_identity(self.folder)
        tensors = weights.of(predictor.model) or folders.read_weights(self.folder)[0]
        words, fused = read_lexicon(self.folder), carried(self.folder)
        with_it = Belongings(words, fused, more=self._copy_papers)
        write_again(self.folder, target, identity, tensors, with_it)

    def _copy_papers(self, target: Path) -> None:
        for name in _PAPERS:
            if (self.folder / name).is_file():
                copy_file(self.folder / name, target / name)


class Belongings(NamedTuple):
    """What goes with the weights into a new folder.

    words: all that may be written, if not everything may.  language_model: a folder.
    rivals: others than those of the old folder.  more: writes what else belongs there.
    """

    words: Counts | None
    language_model: Path | None
    rivals: Rivals | None = None
    more: Callable[[Path], None] | None = None


def write_again(
    folder: Path,
    target: Path,
    identity: Identity,
    tensors: Mapping[str, Tensor],
    belongings: Belongings,
    advice: str = FREE,
) -> None:
    """Write a model folder of this identity; its examples and the like are those of `folder`.

    The identity comes last and makes it whole, so that a kill leaves what may be begun again.
    `advice` is what to do if the target holds files.
    """
    words, language_model, rivals, more = belongings
    examples, profile = read_examples(folder), read_profile(folder)
    rivals = rivals or read_rivals(folder)
    hashes = identity.facts.get("data", {})
    with claims.claimed(target, advice=advice):
        claims.begin(target)
        write_weights(target, tensors)
        write_examples(target, examples)
        write_rivals(target, rivals)
        if more:
            more(target)
        write_identity(
            target, identity.recipe, identity.codecs, hashes, profile, words, language_model
        )


def home_of(folder: Path) -> FolderHome:
    """Return the home that a model folder is."""
    return FolderHome(folder, str(read_facts(folder).get("name", "")))


def _metrics(given: Metrics) -> list[Part[Metric]]:
    """Read metrics from their names; all errors at once."""
    several = [given] if isinstance(given, str | Part) else list(given)
    problems: list[str] = []
    parts = [
        one if isinstance(one, Part) else check_part(Metric, one, "evaluate: metrics", problems)
        for one in several
    ]
    if problems:
        raise RecipeError(problems)
    return [part for part in parts if part is not None]
