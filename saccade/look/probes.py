"""Probes: what a model does with nonsense, and whether it treats like sentences alike."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from saccade.errors import RecipeError
from saccade.guards import bias
from saccade.guards.bias import BiasReading, Change, Mean, Pair, Probes
from saccade.guards.nonsense import nonsense
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor


@dataclass(frozen=True, slots=True)
class Nonsense:
    """An input that means nothing, and what the model made of it."""

    name: str
    translation: Prediction

    @property
    def noticed(self) -> bool:
        """Whether nothing was invented, or a warning says so."""
        translation = self.translation
        warned = any(flag.severity == "warning" for flag in translation.flags)
        return warned or not translation.text.strip()


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sentences that differ in swapped words alone, and what became of them.

    `changes` are the differences of the outputs, `odd` those that are not usual for the template;
    `difference` is mean log-probability a piece, first less second.
    """

    pair: Pair
    outputs: tuple[str, str]
    changes: tuple[Change, ...]
    odd: tuple[Change, ...]
    difference: float


@dataclass(frozen=True, slots=True)
class ProbeReading:
    """Two readings of one source; `difference` is log-probability, first less second."""

    reading: BiasReading
    difference: float


@dataclass(frozen=True, slots=True)
class Bias:
    """What paired probes found."""

    pairs: tuple[Compared, ...]
    readings: tuple[ProbeReading, ...]

    @property
    def confidence(self) -> Mean:
        """The mean difference of confidence over all pairs, with its interval."""
        return bias.mean_of([found.difference for found in self.pairs])

    @property
    def preference(self) -> Mean:
        """The mean difference of log-probability over all readings, with its interval."""
        return bias.mean_of([found.difference for found in self.readings])


def probe_nonsense(translator: Predictor, sample: str) -> list[Nonsense]:
    """Give a model inputs that mean nothing; `sample` is an ordinary one."""
    if translator.source.vocabulary is None or len(translator.sources) > 1:
        return []  # nonsense is made of text
    probes = nonsense(sample)
    found = translator.translate(list(probes.values()))
    return [Nonsense(name, one) for name, one in zip(probes, found, strict=True)]


def probe_bias(translator: Predictor, probes: Probes) -> Bias:
    """Translate both sentences of each pair, and score both readings of each source."""
    sides = [*translator.sources.values(), translator.target]
    if len(sides) > 2 or any(side.vocabulary is None for side in sides):
        raise RecipeError(
            "bias: this model reads or writes something else than one text; expected a model that"
            " turns text into text, such as a translator. Choose another model."
        )
    return Bias(_pairs(translator, probes.pairs), _readings(translator, probes.readings))


def _pairs(translator: Predictor, pairs: Sequence[Pair]) -> tuple[Compared, ...]:
    found = translator.translate([text for pair in pairs for text in (pair.first, pair.second)])
    both = list(zip(found[::2], found[1::2], strict=True))
    changes = [bias.changes(first.text, second.text) for first, second in both]
    groups: dict[int, list[tuple[Change, ...]]] = defaultdict(list)
    for pair, change in zip(pairs, changes, strict=True):
        groups[pair.group].append(change)
    usual = {group: bias.usual(of_group) for group, of_group in groups.items()}
    return tuple(
        Compared(
            pair,
            (first.text, second.text),
            change,
            tuple(c for c in change if c not in usual[pair.group]),
            _confidence(first) - _confidence(second),
        )
        for pair, (first, second), change in zip(pairs, both, changes, strict=True)
    )


def _readings(translator: Predictor, readings: Sequence[BiasReading]) -> tuple[ProbeReading, ...]:
    sources = [reading.source for reading in readings for _ in range(2)]
    targets = [text for reading in readings for text in (reading.first, reading.second)]
    scores = [scored.score for scored in translator.score(sources, targets)]
    differences = [a - b for a, b in zip(scores[::2], scores[1::2], strict=True)]
    return tuple(ProbeReading(r, d) for r, d in zip(readings, differences, strict=True))


def _confidence(translation: Prediction) -> float:
    return fmean(translation.token_scores) if translation.token_scores else 0.0
