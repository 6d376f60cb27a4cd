"""How good a model is: loss over a store of pairs, metrics of its output against references."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import torch

from saccade.flow import Batch
from saccade.metrics.base import (
    Interval,
    Metric,
    References,
    Score,
    interval,
    interval_of,
    name_of,
    perplexity,
)
from saccade.modalities._notation import Notation
from saccade.modalities._numbers import Numbers
from saccade.modalities.numbers import as_numbers
from saccade.models.base import Model
from saccade.nouns import Example, Raw
from saccade.objectives.base import Objective
from saccade.parts import Part
from saccade.predict import density
from saccade.predict.baselines import naive_forecasts
from saccade.predict.decode import USUAL, Decode
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor
from saccade.views import page
from saccade.views.by_length import Bucket, buckets_of


class Opening(Protocol):
    """A model that is ready to predict, whichever engine runs it."""

    @property
    def sources(self) -> Mapping[str, Notation]:
        """How the sources are shown, by name."""

    @property
    def target(self) -> Notation:
        """How the target is shown."""

    def stream(self, inputs: Iterable[Any], decode: Decode = ...) -> Iterator[Prediction]:
        """Predict the outputs for inputs in their order."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One score with its bootstrap interval; `label` is what a table calls it, if not its name."""

    score: Score
    interval: Interval
    label: str = ""

    @property
    def title(self) -> str:
        """What a table calls it."""
        return self.label or self.score.name

    def __str__(self) -> str:
        return f"{self.score} ({self.interval.low:.2f} to {self.interval.high:.2f})"

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "name": self.score.name,
            "value": self.score.value,
            "low": self.interval.low,
            "high": self.interval.high,
            "signature": self.score.signature,
            "detail": dict(self.score.detail),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """What was found on one split, or on given examples; `split` is then "".

    likelihood: None of a model of values.  baselines: the same metrics of forecasts that need no
    model, by their name; none where there are no such forecasts.  constant: what a constant answer
    has, if the folder knows one.  known: which examples have no unknown word on either side.
    """

    split: str
    examples: list[Example]
    predictions: list[Prediction]
    figures: dict[str, Figure]
    likelihood: "Likelihood | None"
    seconds: float
    baselines: dict[str, dict[str, Figure]] = field(default_factory=dict)
    constant: "WithoutModel | None" = None
    known: tuple[int, ...] = ()

    def __repr__(self) -> str:
        n = len(self.examples)
        what = f"{self.split}, {n:,}" if self.split else f"{n:,}"
        told = ", ".join(map(str, self.figures.values())) or "nothing was measured"
        return f"<Evaluation of {what} example{'s' if n != 1 else ''}: {told}>"

    def _repr_html_(self) -> str:
        """Show every figure with its interval as a table, in a notebook."""
        constant = self.constant.figures if self.constant else {}
        rows = [
            [
                one.title,
                f"{one.score.value:.2f}",
                f"{one.interval.low:.2f} to {one.interval.high:.2f}",
                f"{constant[name]:.2f}" if name in constant else "",
                "higher" if one.score.higher_is_better else "lower",
                one.score.signature,
            ]
            for name, one in self.figures.items()
        ]
        head = ["metric", "value", "95 % interval", "a constant answer", "better is", "signature"]
        return page.table(head, rows) + page.paragraph(self._below(), note=True)

    def _below(self) -> str:
        told = f"{self.split or 'given'}: {len(self.examples):,} examples, {self.seconds:.1f} s"
        likely = self.likelihood
        return told if likely is None else f"{told}, perplexity {likely.perplexity:.3g}"

    def skill(self, metric: str, baseline: str) -> float | None:
        """Return the share of a baseline's error that the model does without: 1 is perfect.

        None if the baseline makes no error, or has no such figure.
        """
        known = self.baselines[baseline].get(metric)
        naive = known.score.value if known else 0.0
        return 1 - self.figures[metric].score.value / naive if naive else None

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        found: dict[str, Any] = {
            "split": self.split,
            "examples": len(self.examples),
            "seconds": round(self.seconds, 3),
        }
        if self.likelihood is not None:
            found["perplexity"] = self.likelihood.perplexity
            found["nats_per_character"] = self.likelihood.nats_per_character
        found["metrics"] = _plain(self.figures)
        if self.baselines:
            found["baselines"] = {name: _plain(one) for name, one in self.baselines.items()}
            found["skill"] = {
                name: {metric: self.skill(metric, name) for metric in self.figures}
                for name in self.baselines
            }
        if self.constant:
            found["constant"] = self.constant.plain()
        return found


def _plain(figures: dict[str, Figure]) -> dict[str, Any]:
    return {name: figure.plain() for name, figure in figures.items()}


@torch.inference_mode()
def loss_of(objective: Objective, model: Model, batches: Iterable[Batch]) -> float:
    """Return the mean validation loss of a place: per target symbol, END included, or value."""
    model.eval()
    device = next(model.parameters()).device
    losses = [objective.validate(model, batch.to(device)) for batch in batches]
    totals = [loss.parts.get("nll", loss.total.item()) for loss in losses]
    return sum(totals) / sum(loss.count for loss in losses)


def outputs_for(
    opened: Opening, examples: Sequence[Example], decode: Decode = USUAL
) -> list[Prediction]:
    """Predict the output of every example; of a forecast, as many places as its reference has."""
    given = [{name: example.sources[name] for name in opened.sources} for example in examples]
    if opened.target.ends:
        told = zip(opened.stream(given, decode), examples, strict=True)
        return [replace(p, supporting=e.supporting) if e.supporting else p for p, e in told]
    lengths = [len(as_numbers(example.target, example.origin)) for example in examples]
    far = replace(decode, steps=max(lengths, default=1))
    found = zip(opened.stream(given, far), lengths, strict=True)
    return [shortened(one, n) for one, n in found]


def shortened(prediction: Prediction, n: int) -> Prediction:
    """Return a prediction of values without the places behind the first `n`."""
    hypothesis = replace(prediction.hypothesis, tokens=prediction.hypothesis.tokens[:n])
    return replace(prediction, hypothesis=hypothesis)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model finds texts: log-probability, and of how many pieces and characters.

    Every text's END is among the pieces and in the log-probability, but is no character.
    texts: what it is the sum of, one for each example.
    """

    log_prob: float
    pieces: int
    characters: int
    texts: "tuple[Likelihood, ...]" = ()

    @property
    def perplexity(self) -> float:
        """Per piece."""
        return perplexity(self.log_prob, self.pieces)

    @property
    def nats_per_character(self) -> float:
        """What two models with different pieces can be compared by; over log 2 it is in bits."""
        return -self.log_prob / max(self.characters, 1)


@dataclass(frozen=True, slots=True)
class WithoutModel:
    """What an answer that looks at no input has on the same examples.

    answer: in words; empty if only `likelihood` is known, that of symbols by their frequency.
    """

    answer: str
    figures: dict[str, float]
    likelihood: Likelihood | None = None

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        found: dict[str, Any] = {"answer": self.answer, "metrics": self.figures}
        if self.likelihood is not None:
            found["perplexity"] = self.likelihood.perplexity
            found["nats_per_character"] = self.likelihood.nats_per_character
        return found


def likelihood_of(predictor: Predictor, examples: Sequence[Example]) -> Likelihood | None:
    """Weigh all references; None of a model of values, which have no probability."""
    if predictor.target.vocabulary is None:
        return None
    rows = [(example, reference) for example in examples for reference in example.references]
    sources = [{name: e.sources[name] for name in predictor.sources} for e, _ in rows]
    scored = iter(predictor.score(sources, [reference for _, reference in rows]))
    texts = tuple(
        _summed(
            Likelihood(one.score, len(one.token_scores), len(reference))
            for reference, one in zip(example.references, scored, strict=False)
        )
        for example in examples
    )
    return replace(_summed(texts), texts=texts)


def _summed(several: Iterable[Likelihood]) -> Likelihood:
    rows = [(one.log_prob, one.pieces, one.characters) for one in several]
    log_probs, pieces, characters = zip(*rows, strict=True) if rows else ((), (), ())
    return Likelihood(sum(log_probs), sum(pieces), sum(characters))


def evaluate(
    predictor: Predictor,
    examples: Sequence[Example],
    *,
    split: str = "",
    metrics: Iterable[Part[Metric]] = (),
    writer: Opening | None = None,
    decode: Decode = USUAL,
) -> Evaluation:
    """Write the outputs of examples and measure them.

    A language model that no metric asks to write is only asked how likely it finds the texts.

    Args:
        predictor: the model.
        examples: what to measure it on.
        split: what they are called.
        metrics: what to measure; the recipe's own if empty.
        writer: the same model run by another engine, to write the outputs.
        decode: how to write.
    """
    if predictor.target.vocabulary is None:
        decode.check_values("evaluate", draws=predictor.model.head.draws)
    chosen = list(metrics) or predictor.decoding.metrics
    started = time.monotonic()
    writes = chosen or predictor.model.reads
    found = outputs_for(writer or predictor, examples, decode) if writes else []
    seconds = time.monotonic() - started
    references = [list(example.references) for example in examples]
    figures = figures_of(chosen, [one.output for one in found], references)
    if predictor.model.head.draws and not predictor.target.vocabulary:
        figures = {density.NAME: _density(predictor, examples), **figures}
    naive: dict[str, list[Numbers]] = {}
    if not predictor.target.ends:
        naive = naive_forecasts(found, predictor.decoding.season)
    baselines = {name: figures_of(chosen, values, references) for name, values in naive.items()}
    return Evaluation(
        split,
        list(examples),
        found,
        figures,
        likelihood_of(predictor, examples),
        seconds,
        baselines,
        known=known_examples(predictor, examples),
    )


def _density(predictor: Predictor, examples: Sequence[Example]) -> Figure:
    """Measure how likely a model finds values."""
    metric, nats = density.NatsPerPoint(), density.nats_of(predictor, examples)
    rows = metric.matrix(nats, [[None]] * len(nats))
    return Figure(metric.score(rows.sum(axis=0)), interval_of(metric, rows))


def known_examples(opened: Opening, examples: Sequence[Example]) -> tuple[int, ...]:
    """Return the places of examples without an unknown word in sources and references.

    Bahdanau et al. 2015 (arXiv:1409.0473), table 1, have such a column: "No UNK". Sides that are no
    text have no unknown words.
    """
    sides = [(name, side.vocabulary) for name, side in opened.sources.items()]
    target = opened.target.vocabulary
    return tuple(
        n
        for n, example in enumerate(examples)
        if not any(words and words.unknown(str(example.sources[name])) for name, words in sides)
        and not (target and any(target.unknown(str(line)) for line in example.references))
    )


def without_unknown(metrics: Sequence[Part[Metric]], found: Evaluation) -> dict[str, Figure]:
    """Measure again only what has no unknown word; nothing if there is none such."""
    if not found.known or not found.predictions:
        return {}
    outputs = [found.predictions[n].output for n in found.known]
    return figures_of(metrics, outputs, [list(found.examples[n].references) for n in found.known])


def figures_of(
    metrics: Sequence[Part[Metric]], outputs: Sequence[Raw], references: References
) -> dict[str, Figure]:
    """Measure outputs against references with every metric, with intervals."""
    figures: dict[str, Figure] = {}
    for part in metrics:
        metric = part.build().fitted(references)
        rows = metric.matrix(outputs, references)
        score, near = metric.score(rows.sum(axis=0)), interval_of(metric, rows)
        figures[name_of(part, figures)] = Figure(score, near, metric.label)
    return figures


def by_length(
    metric: Part[Metric], predictions: Sequence[Prediction], references: References
) -> list[Bucket]:
    """Measure outputs in groups of like source length, counted in places, with intervals."""
    built = metric.build().fitted(references)
    found = []
    for first, last, members in buckets_of([len(one.source_values) for one in predictions]):
        outputs = [predictions[i].output for i in members]
        near = interval(built, outputs, [references[i] for i in members], samples=300)
        found.append(Bucket(first, last, len(members), near.value, near.low, near.high))
    return found


def labels_of(metrics: Sequence[Part[Metric]], taken: Sequence[str] = ()) -> dict[str, str]:
    """Return what tables call metrics, by the names that `name_of` gives them in turn."""
    labels: dict[str, str] = {}
    for part in metrics:
        metric = part.build()
        labels[name_of(part, [*taken, *labels])] = metric.label or metric.name
    return labels
