"""Answers that need no model: what a model is compared with.

A constant answer looks at no input. A model that does no better has learned nothing of use, however
low its loss may be. Forecasters are also compared with the last value and the last season.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from saccade.errors import DataError, RecipeError
from saccade.metrics.base import Metric, Score, name_of
from saccade.modalities._bits import Bits, as_bits, parse_bits, written_bits
from saccade.modalities._numbers import Numbers, parse, written
from saccade.modalities.numbers import as_numbers
from saccade.nouns import Example, Raw
from saccade.parts import Part
from saccade.predict.prediction import Prediction

MOST_FREQUENT = "the most frequent target"
EVERYWHERE = "the most frequent word at every place"
MEAN = "the mean of the training data"
LAST = "last value"
LIKELIER = "the likelier value of every bit"
_SHOWN = 40  # characters of an answer in a message


@dataclass(frozen=True, slots=True)
class StandIn:
    """An answer that needs no model.

    name: which one; see `ANSWERS`.  value: what was learned for it from the training data, as text.
    """

    name: str
    value: str = ""

    def outputs(self, examples: Sequence[Example]) -> list[Raw]:
        """Answer every example; as long as its reference where the length is not the point."""
        answer = ANSWERS[self.name]
        return [answer(self.value, example) for example in examples]

    def __str__(self) -> str:
        """Name it, with what it writes.

        >>> print(StandIn(MOST_FREQUENT, "yes"))
        the most frequent target ('yes')
        """
        shown = self.value if len(self.value) <= _SHOWN else f"{self.value[: _SHOWN - 1]}…"
        return f"{self.name} ({shown!r})" if shown else self.name


@dataclass(frozen=True, slots=True)
class ConstantAnswer:
    """A constant, what it writes for every example, and its figures by the name of the metric."""

    constant: StandIn
    outputs: list[Raw]
    figures: dict[str, Score]


def constant_answer(
    train: Iterable[Example], valid: Sequence[Example], metrics: Sequence[Part[Metric]]
) -> ConstantAnswer:
    """Return the best answer that needs no model, by the first metric.

    For text that is the most frequent target of the training data, or its most frequent word at
    every place where targets have as many words as their sources (tags). For numbers it is the
    mean of the training data, or that nothing changes. For bits it is the likelier value of each,
    in as many places as the reference has.

    Args:
        train: what to learn it from; read once.
        valid: what to measure it on.
        metrics: what to measure; the first chooses, and says by its `raw` what targets are.
    """
    if not metrics:
        raise RecipeError(
            "constant_answer: no metric; expected one or more to choose by. Name one of those that"
            " `saccade parts metrics` lists."
        )
    return best_constant(constants_of(train, valid, metrics[0].build().raw), valid, metrics)


def constants_of(train: Iterable[Example], valid: Sequence[Example], raw: str) -> list[StandIn]:
    """Learn the constants that suit targets of a kind, as `raw` of a modality names it."""
    return _LEARNERS[raw](train, valid)


def best_constant(
    constants: Sequence[StandIn], examples: Sequence[Example], metrics: Sequence[Part[Metric]]
) -> ConstantAnswer:
    """Measure constants and return the best by the first metric, the first of equals."""
    references = [list(example.references) for example in examples]
    best: ConstantAnswer | None = None
    for constant in constants:
        outputs, figures = constant.outputs(examples), dict[str, Score]()
        for part in metrics:
            figures[name_of(part, figures)] = part.build().corpus(outputs, references)
        one = ConstantAnswer(constant, outputs, figures)
        if best is None or better(_first(one), _first(best)):
            best = one
    assert best is not None, "every kind of target has a constant"
    return best


def better(a: Score, b: Score) -> bool:
    """Tell whether one score is better than another of the same metric."""
    return a.value > b.value if b.higher_is_better else a.value < b.value


def _first(answer: ConstantAnswer) -> Score:
    return next(iter(answer.figures.values()))


def _of_texts(train: Iterable[Example], valid: Sequence[Example]) -> list[StandIn]:
    targets, words = Counter[str](), Counter[str]()
    tagged = all(_n_words(example.source) == _n_words(example.target) for example in valid)
    for example in train:
        targets.update(example.references)
        if tagged:
            words.update(example.target.split())
    found = [StandIn(MOST_FREQUENT, _top(targets))]
    return [*found, StandIn(EVERYWHERE, _top(words))] if words else found


def _top(counts: Counter[str]) -> str:
    return max(counts, key=lambda text: counts[text], default="")


def _n_words(raw: Raw) -> int:
    return len(raw.split()) if isinstance(raw, str) else -1


def _of_numbers(train: Iterable[Example], _: Sequence[Example]) -> list[StandIn]:
    rows = (as_numbers(reference) for example in train for reference in example.references)
    total, n = np.zeros(1), 0
    for row in rows:
        total, n = total + row.sum(axis=0), n + len(row)
    return [StandIn(MEAN, written(total[None] / max(n, 1), digits=12)), StandIn(LAST)]


def _mean(value: str, example: Example) -> Numbers:
    return np.resize(parse(value), as_numbers(example.target).shape)


def _last(_: str, example: Example) -> Numbers:
    return last_value(as_numbers(example.source), *as_numbers(example.target).shape)


def _of_bits(train: Iterable[Example], _: Sequence[Example]) -> list[StandIn]:
    total, n = np.zeros(1), 0
    for example in train:
        for reference in example.references:
            bits = as_bits(reference)
            total, n = total + bits.sum(axis=0), n + len(bits)
    return [StandIn(LIKELIER, written_bits(2 * total[None] > n))]


def _likelier(value: str, example: Example) -> Bits:
    return np.resize(parse_bits(value), as_bits(example.target).shape)


ANSWERS: dict[str, Callable[[str, Example], Raw]] = {
    MOST_FREQUENT: lambda value, _: value,
    EVERYWHERE: lambda value, example: " ".join([value] * _n_words(example.target)),
    MEAN: _mean,
    LAST: _last,
    LIKELIER: _likelier,
}
_LEARNERS: dict[str, Callable[[Iterable[Example], Sequence[Example]], list[StandIn]]] = {
    "text": _of_texts,
    "numbers": _of_numbers,
    "strokes": lambda _, __: [],
    "bits": _of_bits,
}


def naive_forecasts(found: Sequence[Prediction], season: int) -> dict[str, list[Numbers]]:
    """Return the forecasts that nothing changes and that the last season comes again, by name.

    Where outputs are as long as what was read, that itself stands beside them.
    """
    windows = [as_numbers(one.source) for one in found]
    shapes = [one.values.shape for one in found]
    pairs = list(zip(windows, shapes, strict=True))
    naive = {LAST: [last_value(window, *shape) for window, shape in pairs]}
    if season > 1:
        naive["last season"] = [
            last_season(window, *shape, season=season) for window, shape in pairs
        ]
    if pairs and all(len(window) == n for window, (n, _) in pairs):
        naive["what was read"] = [window[:, :n] for window, (_, n) in pairs]
    return naive


def last_value(window: Numbers, n: int, n_columns: int) -> Numbers:
    """Forecast that nothing changes: the naive forecast, `[n, C]`.

    >>> last_value(np.array([[1.0], [2.0]]), 3, 1).ravel().tolist()
    [2.0, 2.0, 2.0]
    """
    return last_season(window, n, n_columns, season=1)


def last_season(window: Numbers, n: int, n_columns: int, *, season: int) -> Numbers:
    """Forecast that the last season comes again: the seasonal naive forecast, `[n, C]`.

        y[t] = x[S - m + (t - 1) mod m]            m = season; t from 1, x from 0

    >>> last_season(np.array([[1.0], [2.0], [3.0]]), 3, 1, season=2).ravel().tolist()
    [2.0, 3.0, 2.0]
    """
    if season > len(window):
        raise DataError(
            f"decoding.season: {season} steps, but a window has {len(window)}; expected a window"
            " that holds a whole season. Widen it, or set season to 0."
        )
    past = window[len(window) - season :, :n_columns]
    return np.resize(past, (n, n_columns))
