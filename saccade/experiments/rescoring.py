"""Outputs of one model chosen again by another: n-best rescoring.

    total(y) = score of the first model for y + w log p(y | x) of the second

Cho et al. 2014 (arXiv:1406.1078), section 4.1, where a recurrent encoder-decoder rescored phrases
of a phrase-based system; here it rescores whole outputs. w is chosen on the validation set.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from saccade.data.files import examples_of
from saccade.engines._open import load
from saccade.errors import RecipeError
from saccade.folders.identity import read_plan
from saccade.metrics.base import Metric, References, paired
from saccade.parts import Part
from saccade.predict.evaluation import Figure, figures_of
from saccade.predict.predictor import Predictor
from saccade.recipe import Recipe

WEIGHTS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0)


class NBestList(NamedTuple):
    """What one source may become: texts, scores of the first model and of the second."""

    texts: list[str]
    own: list[float]
    other: list[float]

    def best(self, weight: float) -> str:
        """Return the text with the highest total; of equals the first.

        >>> NBestList(["a", "b"], [-1.0, -2.0], [-5.0, -1.0]).best(0.5)
        'b'
        """
        totals = [a + weight * b for a, b in zip(self.own, self.other, strict=True)]
        return self.texts[totals.index(max(totals))]


class Rescored(NamedTuple):
    """What rescoring changed on a split.

    tried: the metric on the validation set, by weight.  weight: the best of them.  before, after:
    the split with the first model's own best, and rescored.  p_value: of their difference.
    """

    tried: dict[float, float]
    weight: float
    before: Figure
    after: Figure
    p_value: float
    outputs: list[str]


def lists_of(
    first: Predictor, second: Predictor, sources: Sequence[str], n_best: int
) -> list[NBestList]:
    """Let the first model write `n_best` outputs for each source, and the second weigh them.

    Outputs that were cut at their length limit count only where no other came to its end.
    """
    found, own = [], first.decoding.search.plain().get("width", 1)
    for one in first.predict(list(sources), nbest=n_best, beam=max(n_best, own)):
        kept = [n for n in one.nbest if n.finished] or list(one.nbest)
        found.append((one.source, [n.text for n in kept], [n.score for n in kept]))
    pairs = [(source, text) for source, texts, _ in found for text in texts]
    weighed = iter(second.score([s for s, _ in pairs], [t for _, t in pairs]))
    return [NBestList(texts, own, [next(weighed).score for _ in texts]) for _, texts, own in found]


def rescore(model: Path, by: Path, split: str, n_best: int, *, device: str = "cpu") -> Rescored:
    """Choose a weight on the validation set, and measure a split with it.

    Args:
        model: the folder of the model that writes.
        by: the folder of the model that weighs what was written.
        split: what to measure.
        n_best: outputs of each source.
        device: where to compute.
    """
    recipe, metric = _checked(model, by)
    first, second = load(model, device=device), load(by, device=device)
    held, held_references = _lists(recipe, "valid", model, (first, second), n_best)
    built = metric.build().fitted(held_references)
    tried = {w: _value(metric, [x.best(w) for x in held], held_references) for w in WEIGHTS}
    sign = 1 if built.higher_is_better else -1
    weight = max(tried, key=lambda w: (sign * tried[w], -w))
    lists, references = _lists(recipe, split, model, (first, second), n_best)
    outputs = [[one.best(w) for one in lists] for w in (0.0, weight)]
    before, after = (next(iter(figures_of([metric], o, references).values())) for o in outputs)
    p = paired(metric.build().fitted(references), outputs[1], outputs[0], references).p_value
    return Rescored(tried, weight, before, after, p, outputs[1])


def _checked(model: Path, by: Path) -> tuple[Recipe, Part[Metric]]:
    """Refuse models that do not read and write the same; return the first one's metric."""
    recipe, other = (read_plan(one).recipe for one in (model, by))
    if len(recipe.data.read) > 1 or len(other.data.read) > 1:
        raise RecipeError(
            "rescore: a model reads several sources; expected two models of one text each."
        )
    if not recipe.decoding.metrics:
        raise RecipeError(
            f"rescore: the recipe of {model} names no metric to choose a weight by; expected one"
            " such as bleu. Use saccade reconfigure."
        )
    return recipe, recipe.decoding.metrics[0]


def _lists(
    recipe: Recipe, split: str, folder: Path, both: tuple[Predictor, Predictor], n_best: int
) -> tuple[list[NBestList], References]:
    examples = examples_of(recipe, split, folder)
    references = [list(example.references) for example in examples]
    return lists_of(*both, [example.source for example in examples], n_best), references


def _value(metric: Part[Metric], outputs: Sequence[str], references: References) -> float:
    built = metric.build().fitted(references)
    return built.score(built.matrix(outputs, references).sum(axis=0)).value
