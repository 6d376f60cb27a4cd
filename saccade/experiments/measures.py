"""What models are compared by: a metric that they share, or how likely they find the texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from saccade.data.files import check_files, held_out, key_of, readers_to_train
from saccade.data.prepare import reads
from saccade.errors import DataError, RecipeError
from saccade.metrics._likelihood import NatsPerCharacter, PiecePerplexity
from saccade.metrics.base import Metric, interval, name_of
from saccade.nouns import Example
from saccade.predict.evaluation import Evaluation, Figure
from saccade.recipe import Recipe

LIKELIHOOD: tuple[Metric, ...] = (NatsPerCharacter(), PiecePerplexity())


@dataclass(frozen=True, slots=True)
class Judged:
    """One model's figures, and what the first of them was made of, to test differences with."""

    metric: Metric
    hypotheses: Sequence[Any]
    references: Sequence[Any]
    figures: Mapping[str, Figure]


def judged(found: Evaluation, recipe: Recipe) -> Judged:
    """Return what an evaluation says of a model, the figure that decides first."""
    references = [list(example.references) for example in found.examples]
    if not by_likelihood(recipe) or found.likelihood is None:
        first = recipe.decoding.metrics[0].build()
        outputs = [prediction.output for prediction in found.predictions]
        return Judged(first, outputs, references, found.figures)
    texts = found.likelihood.texts
    figures = {
        metric.name: Figure(metric.corpus(texts, references), interval(metric, texts, references))
        for metric in LIKELIHOOD
    }
    return Judged(LIKELIHOOD[0], texts, references, figures | found.figures)


def by_likelihood(recipe: Recipe) -> bool:
    """Tell whether a model is measured by how likely it finds texts.

    A language model is, and every model of text whose recipe names no metric.
    """
    writes_text = recipe.data.target.build().discrete
    return writes_text and (not recipe.decoding.metrics or not reads(recipe))


def check_comparable(chosen: Mapping[str, Recipe], split: str, root: Path = Path()) -> None:
    """Refuse what cannot be compared, before hours of training.

    Args:
        chosen: recipes by the name of their model.
        split: what they are tested on.
        root: where their relative paths start.
    """
    for name, recipe in chosen.items():
        if split not in held_out(recipe):
            raise RecipeError(
                f"compare: '{name}' has no split '{split}'; there are"
                f" {', '.join(held_out(recipe))}. Choose another --split."
            )
    _check_measure(chosen)
    _check_same_data(chosen, split, root)


def check_trainable(recipe: Recipe, root: Path = Path()) -> None:
    """Refuse a recipe whose files are missing."""
    check_files(recipe, readers_to_train(recipe), root)


def _check_measure(chosen: Mapping[str, Recipe]) -> None:
    """Make sure that one figure of all models decides which is best."""
    found = {name: measures_of(recipe) for name, recipe in chosen.items()}
    first, *others = found.values()
    if not first or any(other[:1] != first[:1] for other in others):
        told = "; ".join(f"{name}: {', '.join(kinds) or 'none'}" for name, kinds in found.items())
        raise DataError(
            f"compare: the recipes share no first metric ({told}); expected the same"
            " decoding.metrics. Set it for all: --set decoding.metrics=bleu"
        )


def measures_of(recipe: Recipe) -> list[str]:
    """Return what a model is measured by, what decides first."""
    names = [metric.name for metric in LIKELIHOOD] if by_likelihood(recipe) else []
    for part in recipe.decoding.metrics:
        names.append(name_of(part, names))
    return names


def _check_same_data(chosen: Mapping[str, Recipe], split: str, root: Path) -> None:
    expected: list[list[bytes]] = []
    known: dict[str, list[list[bytes]]] = {}  # by fingerprint, so that each set is read once
    for name, recipe in chosen.items():
        part = held_out(recipe)[split]
        check_files(recipe, {key_of(recipe, split): part}, root)
        reader = part.build(root)
        mark = reader.fingerprint()
        known[mark] = known.get(mark) or [_content(example) for example in reader.read()]
        expected = expected or known[mark]
        if known[mark] != expected:
            raise DataError(
                f"compare: '{name}' is tested on other pairs than '{next(iter(chosen))}'; expected"
                " the same test set. Give their recipes one data.test, or choose another --split."
            )


def _content(example: Example) -> list[bytes]:
    """Return what an example holds, whatever it is called."""
    raws = [*example.sources.values(), *example.references]
    return [raw.encode() if isinstance(raw, str) else np.asarray(raw).tobytes() for raw in raws]
