"""Asks a model what is meant, what the sentence before changes, and what it makes of nonsense."""

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.errors import RecipeError
from saccade.guards.sense import InContext, Meaning, SenseProbes
from saccade.look.probes import Nonsense
from saccade.predict.prediction import Prediction
from saccade.predict.predictor import Predictor


@dataclass(frozen=True, slots=True)
class MeaningFound:
    """What was written, and log-probability of the right translation less the wrong one."""

    meaning: Meaning
    translation: Prediction
    difference: float


@dataclass(frozen=True, slots=True)
class ContextFound:
    """What was written behind either sentence.

    differences: log-probability of the first reading less the second, behind either sentence.
    """

    asked: InContext
    outputs: tuple[str, str]
    differences: tuple[float, float]

    @property
    def moved(self) -> float:
        """By how much the sentence before moves the model the right way: 0 if it is not used."""
        first, second = self.differences
        return first - second


@dataclass(frozen=True, slots=True)
class Sense:
    """What probes of sense found."""

    meanings: tuple[MeaningFound, ...]
    contexts: tuple[ContextFound, ...]
    nonsense: tuple[Nonsense, ...]


def probe_sense(translator: Predictor, probes: SenseProbes) -> Sense:
    """Translate all that is asked, and score what could be meant."""
    sides = [*translator.sources.values(), translator.target]
    if len(sides) != 2 or any(side.vocabulary is None for side in sides):
        raise RecipeError(
            "probe: this model reads or writes something else than one text; expected a model that"
            " turns text into text, such as a translator. Choose another model."
        )
    return Sense(
        _meanings(translator, probes.meanings),
        _contexts(translator, probes.contexts),
        tuple(
            Nonsense(text, found)
            for text, found in zip(
                probes.nonsense, translator.translate(list(probes.nonsense)), strict=True
            )
        ),
    )


def _meanings(translator: Predictor, asked: Sequence[Meaning]) -> tuple[MeaningFound, ...]:
    written = translator.translate([one.source for one in asked])
    pairs = [(one.source, text) for one in asked for text in (one.right, one.wrong)]
    scores = _scores(translator, pairs)
    return tuple(
        MeaningFound(one, translation, right - wrong)
        for one, translation, right, wrong in zip(
            asked, written, scores[::2], scores[1::2], strict=True
        )
    )


def _contexts(translator: Predictor, asked: Sequence[InContext]) -> tuple[ContextFound, ...]:
    pairs = [one.joined(c, r) for one in asked for c in (0, 1) for r in (0, 1)]
    written = [one.text for one in translator.translate([source for source, _ in pairs[::2]])]
    scores = _scores(translator, pairs)
    differences = [a - b for a, b in zip(scores[::2], scores[1::2], strict=True)]
    return tuple(
        ContextFound(
            one,
            (written[2 * i], written[2 * i + 1]),
            (differences[2 * i], differences[2 * i + 1]),
        )
        for i, one in enumerate(asked)
    )


def _scores(translator: Predictor, pairs: Sequence[tuple[str, str]]) -> list[float]:
    sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
    return [one.score for one in translator.score(sources, targets)]
