"""How good a model is: loss over a store of pairs, metrics of its output against references."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from saccade.data.batching import Batches
from saccade.metrics.base import Interval, Metric, References, Score, interval, perplexity
from saccade.models.base import Model
from saccade.nouns import Example
from saccade.objectives.cross_entropy import cross_entropy
from saccade.parts import Part
from saccade.predict.translation import Translation
from saccade.predict.translator import Translator
from saccade.views.by_length import Bucket, buckets_of


@dataclass(frozen=True, slots=True)
class Figure:
    """One score with its bootstrap interval."""

    score: Score
    interval: Interval

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "value": self.score.value,
            "low": self.interval.low,
            "high": self.interval.high,
            "signature": self.score.signature,
            "detail": dict(self.score.detail),
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `saccade evaluate` found on one split."""

    split: str
    examples: list[Example]
    translations: list[Translation]
    figures: dict[str, Figure]
    likelihood: "Likelihood"
    seconds: float

    def plain(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        return {
            "split": self.split,
            "sentences": len(self.examples),
            "seconds": round(self.seconds, 3),
            "perplexity": self.likelihood.perplexity,
            "nats_per_character": self.likelihood.nats_per_character,
            "metrics": {name: figure.plain() for name, figure in self.figures.items()},
        }


@torch.inference_mode()
def loss_of(model: Model, batches: Batches) -> float:
    """Return the mean negative log-probability per target symbol, END included."""
    model.eval()
    device = next(model.parameters()).device
    losses = [cross_entropy(model, batch.to(device)) for batch in batches]
    return sum(loss.parts["nll"] for loss in losses) / sum(loss.count for loss in losses)


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a model finds texts: log-probability, and of how many pieces and characters.

    Every text's END is among the pieces and in the log-probability, but is no character.
    """

    log_prob: float
    pieces: int
    characters: int

    @property
    def perplexity(self) -> float:
        """Per piece."""
        return perplexity(self.log_prob, self.pieces)

    @property
    def nats_per_character(self) -> float:
        """What two models with different pieces can be compared by; over log 2 it is in bits."""
        return -self.log_prob / max(self.characters, 1)


def likelihood_of(translator: Translator, examples: Sequence[Example]) -> Likelihood:
    """Weigh the references."""
    scored = translator.score([e.source for e in examples], [e.target for e in examples])
    return Likelihood(
        sum(one.score for one in scored),
        sum(len(one.token_scores) for one in scored),
        sum(len(example.target) for example in examples),
    )


def figures_of(
    metrics: Sequence[Part[Metric]], outputs: Sequence[str], references: References
) -> dict[str, Figure]:
    """Measure outputs against references with every metric, with intervals."""
    figures: dict[str, Figure] = {}
    for part in metrics:
        metric = part.build()
        score = metric.corpus(outputs, references)
        figures[name_of(part, figures)] = Figure(score, interval(metric, outputs, references))
    return figures


def by_length(
    metric: Part[Metric], translations: Sequence[Translation], references: Sequence[str]
) -> list[Bucket]:
    """Measure outputs in groups of like source length, counted in symbols, with intervals."""
    built = metric.build()
    found = []
    for first, last, members in buckets_of([len(t.source_ids) for t in translations]):
        outputs = [translations[i].text for i in members]
        near = interval(built, outputs, [references[i] for i in members], samples=300)
        found.append(Bucket(first, last, len(members), near.value, near.low, near.high))
    return found


def name_of(part: Part[Metric], taken: Container[str]) -> str:
    """Call a metric by its kind, and by all its options too where that is taken."""
    if part.kind not in taken:
        return part.kind
    options = {name: value for name, value in part.plain().items() if name != "kind"}
    return f"{part.kind} {', '.join(f'{k}={v}' for k, v in options.items())}".strip()
