"""Whether a model is better than an answer that needs no model, and how to say so."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np

from saccade.metrics.base import Metric
from saccade.nouns import Example
from saccade.parts import Part
from saccade.predict.baselines import StandIn, best_constant, better
from saccade.predict.evaluation import Likelihood, WithoutModel
from saccade.predict.frequencies import Frequencies
from saccade.predict.predictor import Predictor

ADVICE = (
    "Try more updates (training.max_steps or training.max_epochs), smaller batches"
    " (training.batch_tokens), a lower or a higher training.learning_rate, and look at the data:"
    " saccade doctor RECIPE."
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A model's figure on the validation set, beside that of an answer that needs no model.

    metric: which figure.  answer: what needs no model, in words.
    """

    metric: str
    model: float
    constant: float
    higher_is_better: bool
    answer: str

    @property
    def better(self) -> bool:
        """Whether the model is the better of the two."""
        if self.higher_is_better:
            return self.model > self.constant
        return self.model < self.constant

    @property
    def comparison(self) -> str:
        """Name both figures."""
        return (
            f"on the validation set its {self.metric} is {self.model:.3f}, that of {self.answer}"
            f" {self.constant:.3f}"
        )

    @property
    def alarm(self) -> str:
        """Say that nothing of use was learned and what to try; nothing if the model is better."""
        if self.better:
            return ""
        return f"NO BETTER THAN A CONSTANT ANSWER: {self.comparison}. {ADVICE}"


@dataclass(frozen=True, slots=True)
class Rivals:
    """All that a model folder keeps to compare its model with.

    constants: the first that is best by a metric is compared.  frequencies: None of values.
    """

    constants: tuple[StandIn, ...] = ()
    frequencies: Frequencies | None = None
    verdict: Verdict | None = None


def tells(
    part: Part[Metric], constants: Sequence[StandIn], examples: Sequence[Example]
) -> tuple[StandIn, float] | None:
    """Return the best constant by a metric, and its figure.

    None if the metric cannot tell a perfect model from a constant there: BLEU of single words is 0
    for both.
    """
    answer = best_constant(constants, examples, [part])
    (score,) = answer.figures.values()
    references = [list(example.references) for example in examples]
    perfect = part.build().corpus([example.target for example in examples], references)
    return (answer.constant, score.value) if better(perfect, score) else None


def without_model(
    rivals: Rivals,
    predictor: Predictor,
    examples: Sequence[Example],
    metrics: Sequence[Part[Metric]],
    shown: Container[str] = (),
) -> WithoutModel | None:
    """Measure what needs no model on examples, as the model was; None if nothing is known.

    Args:
        rivals: what the model's folder keeps.
        predictor: the model, whose codec counts places.
        examples: what the model was measured on.
        metrics: what to measure; the first chooses among constants.
        shown: names of those that are shown beside the model anyway.
    """
    constants = [one for one in rivals.constants if one.name not in shown]
    answer = best_constant(constants, examples, metrics) if constants and metrics else None
    likely = _likelihood(rivals.frequencies, predictor, examples)
    if answer is None and likely is None:
        return None
    figures = {name: one.value for name, one in answer.figures.items()} if answer else {}
    return WithoutModel(str(answer.constant) if answer else "", figures, likely)


def _likelihood(
    counts: Frequencies | None, predictor: Predictor, examples: Sequence[Example]
) -> Likelihood | None:
    target = predictor.target
    if counts is None or len(counts.symbols) != target.side.size:
        return None
    rows = [(example, reference) for example in examples for reference in example.references]
    raws = [example.source if predictor.model.reads else "" for example, _ in rows]
    arrays = target.encode_targets([reference for _, reference in rows], raws)
    lengths = np.array([len(array) for array in arrays], dtype=np.int64)
    nats = counts.nats(np.concatenate(arrays), lengths)
    n_characters = sum(len(reference) for _, reference in rows)
    return Likelihood(-nats, int(lengths.sum()) + len(lengths), n_characters)
