"""What a metric is: statistics of one segment that add up, and a score from their sum.

Bootstrap intervals and paired tests follow from that for every metric, and live here.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from saccade.errors import DataError, RecipeError
from saccade.parts import Part, find, schema

Stats = NDArray[np.float64]
References = Sequence[Any]
"""One reference for each hypothesis, or a list of references for each hypothesis."""

_BLOCK = 4_000_000  # resampled rows drawn at once: bounds the memory of a bootstrap


@dataclass(frozen=True, slots=True)
class Score:
    """A figure with its name, how it was made (`signature`) and what it was made of (`detail`).

    >>> print(Score("BLEU", 34.2109))
    BLEU 34.21
    """

    name: str
    value: float
    signature: str = ""
    detail: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool = True

    def __str__(self) -> str:
        return f"{self.name} {self.value:.2f}"


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a score lies when the test set is drawn again; `value` is that on the set itself."""

    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class Paired:
    """Two systems on one test set: their scores, `a - b`, and how easily chance alone does that."""

    a: float
    b: float
    difference: float
    p_value: float


class Metric(ABC):
    """Compare outputs with references: a vector for each pair, a score from their sum.

        score(corpus) = score(sum over n of stats(hypothesis[n], references[n]))

    A metric holds its options and nothing else, so one object serves many corpora. One that weighs
    words by how many of the set's references hold them (`cider`) is first fitted to the set.
    """

    name: str
    """What it is called in short."""
    label: ClassVar[str] = ""
    """What a table calls it, where the name alone could be mistaken; the name if empty."""
    higher_is_better: bool
    raw: ClassVar[str] = "text"
    """What it compares: the `raw` of a modality."""

    @abstractmethod
    def stats(self, hypothesis: Any, references: Sequence[Any]) -> Stats:
        """Return the sufficient statistics of one segment against its references, `[k]`."""

    @abstractmethod
    def score(self, summed: Stats) -> Score:
        """Return the score of a corpus from the sum of its statistics, `[k]`."""

    def fitted(self, references: References) -> Self:
        """Return the metric as it measures a set with these references; most are the same for all.

        `matrix` fits. A metric that is fitted stays so: fit to the whole set first to measure parts
        of it alike. Resamples of a bootstrap are weighed as the whole set is.
        """
        return self

    @final
    def corpus(self, hypotheses: Sequence[Any], references: References) -> Score:
        """Score a whole corpus."""
        own = self.fitted(references)
        return own.score(own.matrix(hypotheses, references).sum(axis=0))

    @final
    def matrix(self, hypotheses: Sequence[Any], references: References) -> Stats:
        """Return the statistics of every segment, `[N, k]`; `references[n]` are those of n."""
        if len(hypotheses) != len(references):
            raise DataError(
                f"{self.name}: {len(hypotheses)} hypotheses but {len(references)} references;"
                " line n of one must belong to line n of the other."
                " Check that neither file lost a line."
            )
        if not hypotheses:
            raise DataError(
                f"{self.name}: 0 hypotheses; a score needs one or more. Is a file empty?"
            )
        rows = as_lists(references)
        for n, row in enumerate(rows, start=1):
            if not row:
                raise DataError(
                    f"{self.name}: segment {n} has 0 references; expected one or more."
                    " Give it a reference or leave it out."
                )
        own = self.fitted(rows)
        return np.stack([own.stats(h, row) for h, row in zip(hypotheses, rows, strict=True)])


def as_lists(references: References) -> list[Sequence[Any]]:
    """Return a list of references for each segment, of which some may have one alone."""
    return [[row] if isinstance(row, str | np.ndarray) else row for row in references]


def interval(
    metric: Metric,
    hypotheses: Sequence[Any],
    references: References,
    *,
    samples: int = 1000,
    seed: int = 1,
    level: float = 0.95,
) -> Interval:
    """Estimate how far a score would move on another test set of the same kind.

        s[i] = score(sum of N rows of the matrix, drawn with replacement)
        low, high = quantiles (1 - level) / 2 and (1 + level) / 2 of s

    The percentile bootstrap of Koehn 2004 (W04-3250).
    """
    return interval_of(
        metric, metric.matrix(hypotheses, references), samples=samples, seed=seed, level=level
    )


def interval_of(
    metric: Metric, rows: Stats, *, samples: int = 1000, seed: int = 1, level: float = 0.95
) -> Interval:
    """Return the interval of a set whose statistics, `[N, k]`, are known already."""
    if not 0 < level < 1:
        raise RecipeError(f"interval: level is {level}; expected between 0 and 1, as in 0.95.")
    scores = _values(metric, rows, _draws(len(rows), samples, seed))
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), metric.score(rows.sum(axis=0)).value)


def paired(
    metric: Metric,
    a: Sequence[Any],
    b: Sequence[Any],
    references: References,
    *,
    samples: int = 1000,
    seed: int = 1,
) -> Paired:
    """Test whether two systems differ by more than the luck of the test set.

        d[i] = score of a - score of b on resample i, the same segments for both
        p = (1 + #{i : |d[i] - mean(d)| >= |d|}) / (1 + samples)

    Paired bootstrap of Koehn 2004 (W04-3250), in a two-sided form: the differences are
    centred to stand for "no difference", as sacrebleu does, and one is added above and below the
    line (Riezler & Maxwell 2005, W05-0908). Unlike in sacrebleu the sign is kept while centring
    and ties count, so that a system against itself has p = 1. `difference` is `a - b` whichever
    way the metric is better.
    """
    rows_a, rows_b = metric.matrix(a, references), metric.matrix(b, references)
    draws = _draws(len(rows_a), samples, seed)
    differences = _values(metric, rows_a, draws) - _values(metric, rows_b, draws)
    value_a, value_b = (metric.score(rows.sum(axis=0)).value for rows in (rows_a, rows_b))
    extreme = np.abs(differences - differences.mean()) >= abs(value_a - value_b)
    p_value = (1 + int(extreme.sum())) / (1 + samples)
    return Paired(value_a, value_b, value_a - value_b, p_value)


def perplexity(total_log_prob: float, count: int) -> float:
    """Return how many equally likely symbols a model in effect chose from; natural logarithm.

        perplexity = exp(-total_log_prob / count)

    >>> round(perplexity(3 * math.log(0.25), 3), 6)
    4.0
    """
    if count < 1:
        raise DataError(
            f"perplexity: a log-probability of {count} symbols; expected 1 or more."
            " Is the test set empty?"
        )
    try:
        return math.exp(-total_log_prob / count)
    except OverflowError:
        return math.inf


@dataclass(frozen=True, slots=True)
class _Draws:
    """A plan of resamples that can be walked more than once, so that two systems share it."""

    n_rows: int
    samples: int
    seed: int

    def sums(self, rows: Stats) -> Stats:
        """Sum the rows of every resample, `[samples, k]`, as counts `[samples, N] @ rows`."""
        generator = np.random.default_rng(self.seed)
        block = max(1, min(self.samples, _BLOCK // self.n_rows))
        parts = []
        for start in range(0, self.samples, block):
            size = min(block, self.samples - start)
            picked = generator.integers(self.n_rows, size=(size, self.n_rows))
            flat = (picked + self.n_rows * np.arange(size)[:, None]).ravel()
            counts = np.bincount(flat, minlength=size * self.n_rows).reshape(size, self.n_rows)
            parts.append(counts.astype(np.float64) @ rows)
        return np.concatenate(parts)


def _draws(n_rows: int, samples: int, seed: int) -> _Draws:
    if samples < 1:
        raise RecipeError(f"bootstrap: samples is {samples}; expected 1 or more, as in 1000.")
    return _Draws(n_rows, samples, seed)


def _values(metric: Metric, rows: Stats, draws: _Draws) -> Stats:
    return np.array([metric.score(summed).value for summed in draws.sums(rows)])


def name_of(part: Part[Metric], taken: Container[str]) -> str:
    """Call a metric by its kind, and by its options and a number too where that is taken.

    Options are those that are not as usual; all of them if none is.
    """
    if part.kind not in taken:
        return part.kind
    every = {name: value for name, value in part.plain().items() if name != "kind"}
    usual = schema(find(Metric, part.kind))
    options = {name: v for name, v in every.items() if v != usual[name].default} or every
    full = f"{part.kind} {', '.join(f'{k}={v}' for k, v in options.items())}".strip()
    numbered = (f"{full} ({n})" for n in count(2))
    return next(name for name in chain([full], numbered) if name not in taken)
